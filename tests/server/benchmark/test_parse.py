"""The parse benchmark on the sample: what it measures, and how it says it."""

import json
from pathlib import Path

import pytest

from gis.errors import FormatError
from server.benchmark.parse import DECODING, INFLATING, READING, ROADS, run_parse_benchmark
from server.cli import run

pytestmark = pytest.mark.compiled


def test_what_is_measured(sample: Path) -> None:
    """Every contender has its time, and every worker count the same stages."""
    seen: list[tuple[int, int]] = []
    found = run_parse_benchmark(sample, [1, 2], 2, lambda *progress: seen.append(progress))
    assert [(timing.name, timing.workers) for timing in found.timings] == [
        (READING, 1),
        (READING, 2),
        (INFLATING, 1),
        (DECODING, 1),
        (ROADS, 1),
    ]
    assert found.bytes == sample.stat().st_size
    for timing in found.timings:
        assert timing.wall_s > 0
        assert timing.mb_s == pytest.approx(found.bytes / 1e6 / timing.wall_s)
        assert timing.speed_up == pytest.approx(found.timings[0].wall_s / timing.wall_s)
    one, two = found.readings
    assert [stage["name"] for stage in one.stages] == [stage["name"] for stage in two.stages]
    assert 0 < sum(stage["wall_s"] for stage in one.stages) < 2 * one.wall_s
    assert found.cpu_ratio > 1
    assert seen == [(done, 15) for done in range(16)]


def test_as_json(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object on standard output, and nothing else."""
    assert run(["bench", "parse", str(sample), "--workers", "1", "--repeat", "1", "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["repeat"] == 1
    assert [timing["name"] for timing in found["timings"]] == [READING, INFLATING, DECODING, ROADS]
    assert found["timings"][0]["stages"]
    assert found["cpu_ratio"] > 1


def test_for_people(sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table of all, and the two ratios that matter."""
    assert run(["bench", "parse", str(sample), "--repeat", "1"]) == 0
    said = capsys.readouterr().out
    for name in ("1 worker ", "2 workers", INFLATING, DECODING, ROADS):
        assert name in said
    assert "2 workers are " in said
    assert "times the CPU time of inflating alone" in said


@pytest.mark.parametrize("workers", ["0", "", "1,,2", "x", "-1", "1.5", "99999", "²"])
def test_wrong_numbers(workers: str, sample: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers of workers are numbers."""
    assert run(["bench", "parse", str(sample), "--workers", workers]) == 2
    assert "--workers: got '" in capsys.readouterr().err


def test_what_is_no_extract(tmp_path: Path) -> None:
    """A file that is none is refused as in a build."""
    path = tmp_path / "page.osm.pbf"
    path.write_text("<!doctype html>")
    with pytest.raises(FormatError, match=r"page\.osm\.pbf"):
        run_parse_benchmark(path, [1], 1)
