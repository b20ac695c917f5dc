"""The picture: that it is made, says what it should, and is always the same."""

import re
import sys
from pathlib import Path

import pytest
from reports import GROWTH, report_of

from gis.errors import EngineError
from server.benchmark.growth import Growth
from server.benchmark.plot import check_plot, draw
from server.benchmark.results import OURS, Figure, figure

pytest.importorskip("matplotlib")

FIGURES = [
    figure("query", "route, distance and duration", OURS, "s", [2e-5, 3e-5]),
    figure("query", "route, distance and duration", "OSRM", "s", [2e-3]),
    figure("query", "routes a second", OURS, "1/s", [8e4]),
    figure("memory", "a process", OURS, "MB", [120.0]),
]


def words(path: Path) -> str:
    """What stands in an SVG."""
    return " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text()))


def test_what_stands_in_it(tmp_path: Path) -> None:
    """Names, values with units, scales, the exponents, and where it was measured."""
    path = tmp_path / "plot.svg"
    draw(report_of(*FIGURES), GROWTH, path)
    said = words(path)
    for text in (
        *("Whimbrel on city.osm.pbf", "5,678 arcs; 2026-01-02 03:04 UTC; a machine"),
        *("whimbrel bench query city.osm.pbf", "query: less is better, logarithmic scale"),
        *("query: more is better", "memory: less is better", "route, distance and duration"),
        *("25.0 us  whimbrel", "2.00 ms  OSRM", "80,000 /s  whimbrel", "120 MB  whimbrel"),
        *("growth of time", "growth of memory and disk", "2x2"),
        *("build: arcs to the power of 1.00", "disk: arcs to the power of 0.50"),
    ):
        assert text in said


@pytest.mark.parametrize("high", [1.0, 9.9e4, 1.25e5, 3.1e5, 7.77e6])
@pytest.mark.parametrize("unit", ["1/s", "s", "MB"])
def test_ticks_of_linear_scales(high: float, unit: str, tmp_path: Path) -> None:
    """So few that they do not lie on one another."""
    path = tmp_path / "plot.svg"
    names = [OURS, "OSRM"]
    draw(report_of(*(figure("g", "n", who, unit, [high]) for who in names)), None, path)
    ticks = re.findall(r'<g id="xtick_\d+">', path.read_text())
    assert 2 <= len(ticks) <= 5


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_formats(suffix: str, tmp_path: Path) -> None:
    """Each is what it says, and the same when it is drawn again."""
    beginnings = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    paths = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for path in paths:
        draw(report_of(*FIGURES), None, path)
    one, two = (path.read_bytes() for path in paths)
    assert one.startswith(beginnings[suffix])
    assert one == two


@pytest.mark.parametrize(
    "figures",
    [
        [],
        [figure("memory", "each further process", OURS, "MB", [-1.0])],
        [figure("memory", "nothing", OURS, "MB", [0.0])],
        [figure("parse", "reading", f"contender {n}", "s", [1.0 + n]) for n in range(20)],
        [figure("query", "word " * 40, OURS, "s", [1.0])],
    ],
)
def test_odd_figures(figures: list[Figure], tmp_path: Path) -> None:
    """Whatever was measured can be drawn."""
    path = tmp_path / "plot.svg"
    draw(report_of(*figures), Growth(), path)
    assert "Whimbrel on city.osm.pbf" in words(path)


def test_growth_alone(tmp_path: Path) -> None:
    """One grid has no exponent."""
    path = tmp_path / "plot.svg"
    draw(report_of(), Growth(GROWTH.grids[:1], GROWTH.figures[::2]), path)
    assert "build" in words(path)
    assert "power" not in words(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plot.gif", "ends in .svg, .png or .pdf"),
        ("plot", "ends in .svg, .png or .pdf"),
        ("nowhere/plot.svg", "nowhere: no such folder"),
        ("folder.svg", "is a folder"),
    ],
)
def test_wrong_paths(name: str, message: str, tmp_path: Path) -> None:
    """They are refused before anything is measured."""
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(EngineError, match=message):
        check_plot(tmp_path / name)


def test_through_links(tmp_path: Path) -> None:
    """The link stays."""
    path = tmp_path / "plot.svg"
    path.symlink_to("real.svg")
    draw(report_of(*FIGURES), None, path)
    assert path.is_symlink() and "<svg" in (tmp_path / "real.svg").read_text()


def test_suffixes_may_be_large(tmp_path: Path) -> None:
    """As some systems write them."""
    check_plot(tmp_path / "PLOT.PNG")


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How to install it is said."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(EngineError, match=r"pip install 'whimbrel\[plot\]'"):
        check_plot(tmp_path / "plot.svg")
