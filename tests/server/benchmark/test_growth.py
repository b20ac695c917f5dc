"""Growth: the fit on numbers that are known, and a small run on the sample."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from gis.errors import ResourceError
from server.benchmark import growth
from server.benchmark.growth import BUILD, DISK, MEMORY, ROUTE, bench_growth, fit_exponent
from server.benchmark.measure import Subject


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("factor", [1e-6, 3.0])
def test_exponents_of_powers(power: float, factor: float) -> None:
    """A power is found again, whatever stands before it."""
    sizes = [10.0, 40.0, 160.0, 1000.0]
    values = [factor * size**power for size in sizes]
    assert fit_exponent(sizes, values) == pytest.approx(power, abs=1e-9)


def test_the_fit_is_one_of_least_squares() -> None:
    """Through three points that are on no line: by hand."""
    assert fit_exponent([1, 10, 100], [1, 100, 100]) == pytest.approx(1.0)
    assert fit_exponent([1, 10, 100], [1, 10, 10]) == pytest.approx(0.5)


def test_no_space(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is noticed before anything is written."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 10**6))
    with pytest.raises(ResourceError, match=r"0\.0 GB are free, 16 copies of helsinki"):
        bench_growth(Subject(sample, tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.compiled
@pytest.mark.usefixtures("kernels")
def test_growth_of_the_sample(sample: Path, tmp_path: Path) -> None:
    """Figures for every grid, exponents for every figure, checks, and no file left."""
    subject = Subject(sample, tmp_path, repeat=1, n_pairs=20, n_table=10, n_checked=5)
    seen: list[str] = []
    found, more = bench_growth(subject, ((1, 1), (2, 1)), lambda what, *_: seen.append(what))
    assert [(grid.name, grid.copies) for grid in found.grids] == [("1x1", 1), ("2x1", 2)]
    one, two = found.grids
    assert 2 * one.arcs < two.arcs < 2.1 * one.arcs
    assert found.names == [BUILD, MEMORY, DISK, ROUTE, "table 10 x 10, 1 thread"]
    assert set(found.exponents) == set(found.names)
    assert found.exponents[DISK] == pytest.approx(1.0, abs=0.1)
    for name in found.names:
        assert [figure.contender for figure in found.of(name)] == ["1x1", "2x1"]
        assert all(figure.value > 0 for figure in found.of(name))
    assert found.of(BUILD)[0].runs == 1
    assert more.checks[0].startswith("1x1, 2x1: 5 pairs")
    assert {what.split(":")[0] for what in seen} == {"1x1", "2x1"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.compiled
@pytest.mark.usefixtures("kernels")
def test_an_interrupt_leaves_no_file(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the grid goes, however its measuring ends."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(growth, "_measure_build", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench_growth(Subject(sample, tmp_path), ((1, 1),))
    assert list(tmp_path.iterdir()) == []
