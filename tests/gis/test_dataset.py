import os
import sys
from pathlib import Path

import numpy as np
import pytest

from gis.arrays import AnyArray
from gis.dataset import open_dataset, verify_dataset
from gis.errors import ChecksumError, DatasetError
from gis.manifest import About, Extract
from gis.publish import DatasetWriter

ABOUT = About("0.1.0", Extract("a.osm.pbf", 1, ""), ("car",), (0.0, 0.0, 1.0, 1.0), {"nodes": 1})
ARRAYS: dict[str, AnyArray] = {
    "network.edge_tail": np.arange(1000, dtype=np.uint32),
    "network.length": np.linspace(0, 1, 33, dtype=np.float32),
    "car.grid": np.arange(60, dtype=np.int64).reshape(3, 4, 5),
    "car.none": np.empty((0, 2), np.uint16),
    "car.number": np.array(7),
    "car.flag": np.array([True, False]),
}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "a.whimbrel"
    with DatasetWriter(path) as writer:
        writer.add(ARRAYS)
        writer.publish(ABOUT)
    return path


def file_of(dataset: Path, name: str) -> Path:
    (file,) = dataset.glob(f"data-*/{name}.npy")
    return file


@pytest.mark.parametrize("verify", [True, False])
def test_arrays_come_back_as_mapped_views(dataset: Path, verify: bool) -> None:
    """Every array reads back equal, as a plain, contiguous, read-only, aligned array."""
    opened = open_dataset(dataset, verify=verify)
    assert opened.manifest.about == ABOUT
    assert set(opened.arrays) == set(ARRAYS)
    for name, array in opened.arrays.items():
        assert type(array) is np.ndarray
        assert array.dtype == ARRAYS[name].dtype and np.array_equal(array, ARRAYS[name])
        assert array.flags.c_contiguous and array.flags.aligned
        assert not array.flags.writeable and not array.flags.owndata
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


@pytest.mark.skipif(sys.version_info < (3, 13), reason="mmap keeps descriptors before 3.13")
def test_no_descriptors_are_kept(dataset: Path) -> None:
    """A dataset that is open holds no file open."""
    before = len(os.listdir("/proc/self/fd"))
    opened = open_dataset(dataset)
    assert len(opened.arrays) == len(ARRAYS)
    assert len(os.listdir("/proc/self/fd")) == before


def test_files_are_plain_numpy(dataset: Path) -> None:
    """Anyone can read the files with NumPy, without pickle."""
    for name, array in ARRAYS.items():
        assert np.array_equal(np.load(file_of(dataset, name), allow_pickle=False), array)


@pytest.mark.parametrize("name", ARRAYS)
def test_every_damaged_byte_of_an_array(dataset: Path, name: str) -> None:
    """A flipped bit anywhere in a file is one line that names it, header and data alike."""
    file = file_of(dataset, name)
    whole = file.read_bytes()
    for position in {*range(0, len(whole), 97), 0, 7, 60, len(whole) - 1}:
        damaged = bytearray(whole)
        damaged[position] ^= 0x10
        file.write_bytes(damaged)
        with pytest.raises(ChecksumError, match=rf"{name}\.npy: damaged: [^\n]*$"):
            open_dataset(dataset)
        (line,) = verify_dataset(dataset)
        assert line.startswith(str(file))
    file.write_bytes(whole)
    assert verify_dataset(dataset) == ()


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("verify", [True, False])
def test_cut_and_lengthened_arrays(dataset: Path, name: str, verify: bool) -> None:
    """A file of another length is noticed even where checksums are not looked at."""
    file = file_of(dataset, name)
    whole = file.read_bytes()
    for content in (b"", whole[:1], whole[:128][:-1], whole[:-1], whole + b"\0"):
        if content != whole:
            file.write_bytes(content)
            with pytest.raises(ChecksumError, match=rf"{name}\.npy: damaged: {len(content)} bytes"):
                open_dataset(dataset, verify=verify)


@pytest.mark.parametrize("name", ARRAYS)
def test_header_of_another_array(dataset: Path, name: str) -> None:
    """A file whose header promises another type or shape is noticed without checksums."""
    file = file_of(dataset, name)
    whole = bytearray(file.read_bytes())
    whole[whole.index(b"descr") + 9] ^= 1
    file.write_bytes(whole)
    with pytest.raises(ChecksumError, match="its header is not that of"):
        open_dataset(dataset, verify=False)


def test_all_damages_are_listed(dataset: Path) -> None:
    """`verify_dataset` does not stop at the first damage."""
    file_of(dataset, "car.flag").write_bytes(b"")
    file_of(dataset, "car.grid").unlink()
    lines = verify_dataset(dataset)
    assert len(lines) == 2
    assert "car.flag.npy: damaged" in lines[0] and "car.grid.npy: this array" in lines[1]
    file_of(dataset, "car.flag").unlink()
    with pytest.raises(
        ChecksumError, match=r"car\.flag\.npy: this array of the dataset is missing"
    ):
        open_dataset(dataset)


def test_places_that_are_no_dataset(tmp_path: Path, dataset: Path) -> None:
    """Each wrong path has a line of its own."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("x")
    (tmp_path / "started").mkdir()
    (tmp_path / "started" / ".part-0123456789abcdef").mkdir()
    (tmp_path / "folder" / "manifest.json").mkdir(parents=True)
    (tmp_path / "huge").mkdir()
    (tmp_path / "huge" / "manifest.json").write_bytes(b" " * (2 << 20))
    for name, expected in {
        "missing": "no such dataset",
        "file": "a file, expected the folder of a dataset",
        "empty": "an empty folder, expected a dataset",
        "other": "not a dataset: it has no manifest.json",
        "started": "an unfinished build: it has no manifest.json",
        "folder": "cannot read: Is a directory",
        "huge": "longer than 1048576 bytes: not a manifest",
    }.items():
        with pytest.raises(DatasetError, match=expected) as caught:
            open_dataset(tmp_path / name)
        assert str(tmp_path / name) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(dataset: Path) -> None:
    """What may not be read is said in one line."""
    file_of(dataset, "car.flag").chmod(0)
    with pytest.raises(DatasetError, match=r"car\.flag\.npy: cannot read: Permission denied"):
        open_dataset(dataset)
    dataset.chmod(0)
    with pytest.raises(DatasetError, match="cannot read: Permission denied"):
        open_dataset(dataset)
    dataset.chmod(0o700)
