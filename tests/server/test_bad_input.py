"""Extracts that are none: one line, status 2, and an older dataset stays as it is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pbf_writer import Block, Group, Node, Way, encode_block, encode_header, field, frame

from server.cli import run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]


def cut(sample: bytes) -> bytes:
    """A file that ends inside its last blob."""
    return sample[:-100]


def flipped(sample: bytes) -> bytes:
    """One bit of the last blob is another."""
    return sample[:-50] + bytes([sample[-50] ^ 1]) + sample[-49:]


def unknown_compression(_: bytes) -> bytes:
    """A blob whose content stands in a field that the format does not have."""
    return frame("OSMHeader", field(1, encode_header())) + frame("OSMData", field(15, b"content"))


def history(_: bytes) -> bytes:
    """A file that says it holds every version of each object."""
    features = ("OsmSchema-V0.6", "HistoricalInformation")
    return frame("OSMHeader", field(1, encode_header(features)))


def without_roads(_: bytes) -> bytes:
    """A file with a building."""
    nodes = [Node(i, 250_000_000 + i, 600_000_000 + i) for i in range(1, 5)]
    block = Block([Group(nodes=nodes), Group(ways=[Way(1, [1, 2, 3, 4], [("building", "yes")])])])
    return frame("OSMHeader", field(1, encode_header())) + frame(
        "OSMData", field(1, encode_block(block))
    )


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda _: b"", "empty"),
    "three bytes": (lambda _: b"\x00\x00\x00", "blob at byte 0"),
    "a page": (lambda _: b"<!doctype html><title>Not found</title>" * 9, "not OSM PBF"),
    "a vector tile": (lambda _: b"\x1a\x2d\x0a\x05roads\x12\x0e" + b"\x08\x01" * 20, "not OSM PBF"),
    "cut": (cut, "ends inside it"),
    "a flipped bit": (flipped, "blob at byte"),
    "unknown compression": (unknown_compression, "unknown compression"),
    "history": (history, "history"),
    "without roads": (without_roads, "no road"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_extract(
    kind: str, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file is named with the place, nothing is left, and nothing is lost."""
    make, message = BAD[kind]
    extract, older = tmp_path / "city.osm.pbf", tmp_path / "city.whimbrel"
    extract.write_bytes(make(sample.read_bytes()))
    for arguments in (["build", str(extract)], ["serve", str(extract), "--port", "0"]):
        assert run(arguments) == 2
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = [line for line in said.err.splitlines() if line.startswith("whimbrel: ")]
        assert str(extract) in line
        assert message in line
        assert said.err.endswith(f"{line}\n")
        assert os.listdir(tmp_path) == ["city.osm.pbf"]

    assert run(["build", str(sample), "-o", str(older)]) == 0
    before = {path: path.read_bytes() for path in older.rglob("*") if path.is_file()}
    assert run(["build", str(extract)]) == 2
    after = {path: path.read_bytes() for path in older.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_extract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that may not be read is told so."""
    extract = tmp_path / "city.osm.pbf"
    extract.write_bytes(b"x")
    extract.chmod(0)
    assert run(["build", str(extract)]) == 2
    assert f"{extract}: Permission denied" in capsys.readouterr().err


def test_a_folder_is_no_extract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is no file is told so."""
    folder = tmp_path / "city.osm.pbf"
    folder.mkdir()
    assert run(["build", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(folder) in said
