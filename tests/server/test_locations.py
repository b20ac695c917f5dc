"""Where datasets lie, and when one is built anew."""

import json
import os
import tempfile
from pathlib import Path

import pytest

from gis.errors import FormatError
from gis.manifest import About, Extract, Manifest, encode_manifest
from server.locations import dataset_of, is_dataset, sample_dataset, sample_extract, why_build


@pytest.mark.parametrize(
    ("extract", "dataset"),
    [
        ("a/city.osm.pbf", "a/city.whimbrel"),
        ("city.pbf", "city.whimbrel"),
        ("city.osm", "city.whimbrel"),
        ("city.osm.gz", "city.whimbrel"),
        ("city.osm.bz2", "city.whimbrel"),
        ("city.o5m", "city.whimbrel"),
        ("city.opl.gz", "city.whimbrel"),
        ("City.OSM.PBF", "City.whimbrel"),
        ("new.york.osm.pbf", "new.york.whimbrel"),
        ("city", "city.whimbrel"),
        (".osm.pbf", ".osm.whimbrel"),
    ],
)
def test_dataset_of(extract: str, dataset: str) -> None:
    """The suffixes of a format give way, beside the extract."""
    assert dataset_of(Path(extract)) == Path(dataset)


def test_is_dataset(tmp_path: Path) -> None:
    """A folder is opened, and so is a name that can be nothing else."""
    assert is_dataset(tmp_path)
    assert is_dataset(tmp_path / "missing.whimbrel")
    assert not is_dataset(tmp_path / "city.osm.pbf")


@pytest.fixture
def city(tmp_path: Path) -> tuple[Path, Path]:
    """An extract, and a dataset that says it was made from it a minute later."""
    extract, dataset = tmp_path / "city.osm.pbf", tmp_path / "city.whimbrel"
    extract.write_bytes(b"1234")
    dataset.mkdir()
    about = About("1", Extract("city.osm.pbf", 4, ""), ("car",), (0.0, 0.0, 1.0, 1.0), {})
    (dataset / "manifest.json").write_bytes(encode_manifest(Manifest(about, ())))
    os.utime(extract, (1000, 1000))
    return extract, dataset


def test_a_dataset_that_is_right_is_kept(city: tuple[Path, Path]) -> None:
    """Nothing is built for its own sake."""
    assert why_build(*city) == ""


def test_a_dataset_that_is_missing(city: tuple[Path, Path]) -> None:
    """What is not there is built."""
    extract, dataset = city
    assert "not been built" in why_build(extract, dataset.with_name("other.whimbrel"))


def test_an_extract_that_is_newer(city: tuple[Path, Path]) -> None:
    """New map data are built."""
    extract, dataset = city
    os.utime(extract, (2**31, 2**31))
    assert "newer" in why_build(extract, dataset)


def test_an_extract_that_is_another(city: tuple[Path, Path]) -> None:
    """A file of another length is another file, whatever its date."""
    extract, dataset = city
    extract.write_bytes(b"12345")
    os.utime(extract, (1000, 1000))
    assert "another file" in why_build(extract, dataset)


def test_a_dataset_of_another_version(city: tuple[Path, Path]) -> None:
    """What this version cannot read it builds again."""
    extract, dataset = city
    manifest = json.loads((dataset / "manifest.json").read_text())
    (dataset / "manifest.json").write_text(json.dumps(manifest | {"version": 999}))
    assert "version 999" in why_build(extract, dataset)


def test_a_missing_extract(tmp_path: Path) -> None:
    """There must be something to build from."""
    with pytest.raises(FormatError, match="no such file"):
        why_build(tmp_path / "city.osm.pbf", tmp_path / "city.whimbrel")


def test_the_sample(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found in a checkout, its dataset beside it; elsewhere in the user's cache."""
    assert sample_extract() == sample
    assert sample_dataset(sample) == sample.with_name("helsinki.whimbrel")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    installed = tmp_path / "server" / "sample" / "helsinki.osm.pbf"
    assert sample_dataset(installed) == tmp_path / "whimbrel" / "helsinki.whimbrel"


def test_the_sample_without_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its dataset goes to a temporary folder, but only to one that nobody else can write to."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    installed = tmp_path / "server" / "sample" / "helsinki.osm.pbf"
    beside = installed.with_name("helsinki.whimbrel")
    own = tmp_path / f"whimbrel-{os.getuid()}"

    assert sample_dataset(installed) == own / "helsinki.whimbrel"
    assert own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o770)
    assert sample_dataset(installed) == beside
    own.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    own.symlink_to(tmp_path / "elsewhere")
    assert sample_dataset(installed) == beside
    own.unlink()
    stranger = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: stranger)
    assert sample_dataset(installed) == beside
