"""Datasets fetched once, whole or not at all."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gis.dataset import Dataset, open_dataset, read_manifest
from gis.errors import DatasetError, ResourceError
from server.cluster import fetch
from server.cluster.fetch import fetch_dataset, fetched_dataset


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("WHIMBREL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(fetch, "_PAUSE_S", 0.01)
    return tmp_path / "cache" / "datasets"


@pytest.fixture
def copy(dataset: Path, tmp_path: Path) -> Path:
    """A copy of the sample's dataset that may be damaged."""
    return Path(shutil.copytree(dataset, tmp_path / "site" / "town"))


@pytest.fixture
def data(dataset: Path) -> str:
    return read_manifest(dataset).data


def an_array(dataset: Path) -> Path:
    """The file of the longest array."""
    return max(dataset.glob("data-*/*.npy"), key=lambda file: file.stat().st_size)


def entries(cache: Path) -> list[str]:
    return sorted(os.listdir(cache))


def test_a_file_url(copy: Path, data: str, cache: Path) -> None:
    assert fetched_dataset(data) is None
    found = fetch_dataset(f"file://{copy}", data)
    assert found.path == cache / data and found.manifest == read_manifest(copy)
    assert entries(cache) == [data, f"{data}.lock"]
    whole = open_dataset(cache / data)
    assert sorted(whole.arrays) == sorted(open_dataset(copy).arrays)
    shutil.rmtree(copy)
    again = fetch_dataset(f"file://{copy}", data)
    assert again.path == found.path


def test_a_chained_url(copy: Path, data: str, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "town"), "zip", copy.parent)
    assert fetch_dataset(f"zip://town::file://{archive}", data).manifest.data == data


def test_http_by_many_at_once(copy: Path, data: str, serve: Callable[..., Any]) -> None:
    """Threads and processes fetch each file once in all."""
    site = serve(copy.parent)
    url = f"{site.url}/town?key=1"
    code = f"from server.cluster.fetch import fetch_dataset; fetch_dataset({url!r}, {data!r})"
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    found: list[Dataset] = []
    threads = [
        threading.Thread(target=lambda: found.append(fetch_dataset(url, data))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert len(found) == 3
    assert len(site.requests) == len(set(site.requests))
    assert len(site.requests) == 1 + len(read_manifest(copy).arrays)


def test_a_server_that_fails_for_a_moment(copy: Path, data: str, serve: Callable[..., Any]) -> None:
    site = serve(copy.parent)
    path = f"/town/{data}/{an_array(copy).name}"
    site.failing[path] = 2
    fetch_dataset(f"{site.url}/town", data)
    assert site.requests.count(path) == 3


def test_a_connection_that_is_lost(copy: Path, data: str, serve: Callable[..., Any]) -> None:
    """What ends before its length is tried again, not taken for damaged."""
    site = serve(copy.parent)
    path = f"/town/{an_array(copy).relative_to(copy)}"
    site.cutting[path] = 2
    found = fetch_dataset(f"{site.url}/town", data)
    assert found.manifest == read_manifest(copy)
    assert site.requests.count(path) == 3


def test_a_server_that_goes_on_failing(
    copy: Path, data: str, serve: Callable[..., Any], cache: Path
) -> None:
    site = serve(copy.parent)
    site.failing[f"/town/{data}/{an_array(copy).name}"] = 99
    with pytest.raises(DatasetError, match=f"^fetched from {site.url}/town: .*: 503 "):
        fetch_dataset(f"{site.url}/town", data)
    assert entries(cache) == [f"{data}.lock"]


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def lengthen(file: Path) -> None:
    with file.open("ab") as stream:
        stream.write(b"x")


@pytest.mark.parametrize("damage", [flip, cut, lengthen, Path.unlink])
def test_a_damaged_copy_is_refused(
    copy: Path, data: str, cache: Path, damage: Callable[[Path], None]
) -> None:
    damage(an_array(copy))
    with pytest.raises(DatasetError, match=an_array(copy).name if damage is flip else "^fetched"):
        fetch_dataset(str(copy), data)
    assert entries(cache) == [f"{data}.lock"]
    assert fetched_dataset(data) is None


def test_another_dataset_is_refused(copy: Path, cache: Path) -> None:
    other = "data-0123456789abcdef"
    with pytest.raises(DatasetError, match=rf"is the dataset data-.*client's is {other}$"):
        fetch_dataset(str(copy), other)
    assert entries(cache) == [f"{other}.lock"]


@pytest.mark.parametrize("text", [b"", b"{}", b"<html>", b" " * (2 << 20)])
def test_what_is_no_manifest_is_refused(copy: Path, data: str, text: bytes) -> None:
    (copy / "manifest.json").write_bytes(text)
    with pytest.raises(DatasetError, match=r"manifest\.json: "):
        fetch_dataset(str(copy), data)


def test_a_damaged_cache_is_replaced(copy: Path, data: str, cache: Path) -> None:
    fetch_dataset(str(copy), data)
    flip(an_array(cache / data))
    assert fetched_dataset(data) is None
    fetch_dataset(str(copy), data)
    assert fetched_dataset(data) is not None


def test_what_killed_fetches_left_is_removed(copy: Path, data: str, cache: Path) -> None:
    (cache / f".{data}.part-0123456789abcdef").mkdir(parents=True)
    fetch_dataset(str(copy), data)
    assert entries(cache) == [data, f"{data}.lock"]


def test_forgotten_datasets_are_removed(copy: Path, data: str, cache: Path) -> None:
    for name, days in (("data-00000000000000aa", 31), ("data-00000000000000bb", 29), ("mine", 99)):
        (cache / name).mkdir(parents=True)
        os.utime(cache / name, times=(time.time() - days * 86400,) * 2)
    fetch_dataset(str(copy), data)
    assert entries(cache) == sorted(["data-00000000000000bb", data, f"{data}.lock", "mine"])


def test_a_full_disk(copy: Path, data: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ResourceError, match="No space left"):
        fetch_dataset(str(copy), data)
    assert entries(cache) == [f"{data}.lock"]


def test_a_cache_that_cannot_be_written(copy: Path, data: str, cache: Path) -> None:
    cache.parent.write_bytes(b"")
    with pytest.raises(DatasetError, match="cannot keep a dataset there"):
        fetch_dataset(str(copy), data)
