"""URLs of files below a folder's, and what of them is shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gis.errors import DatasetError
from server.cluster import remote
from server.cluster.remote import Unreachable, joined, pieces, shown


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("s3://bucket/town", "s3://bucket/town/a/b"),
        ("s3://bucket/town/", "s3://bucket/town/a/b"),
        ("/data/what?is", "/data/what?is/a/b"),
        ("https://host/town?key=1&x=/", "https://host/town/a/b?key=1&x=/"),
        ("https://host/town/?key=1", "https://host/town/a/b?key=1"),
        ("zip://town::https://host/t.zip?key=1", "zip://town/a/b::https://host/t.zip?key=1"),
    ],
)
def test_joined(url: str, wanted: str) -> None:
    assert joined(url, "a", "b") == wanted


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://me:secret@host:80/town?key=secret#secret", "https://host:80/town"),
        ("zip://t::ftp://me:secret@host/t.zip", "zip://t::ftp://host/t.zip"),
        ("/data/town", "/data/town"),
    ],
)
def test_nothing_secret_is_shown(url: str, wanted: str) -> None:
    assert shown(url) == wanted


def test_pieces_of_any_file_system(
    tmp_path: Path, serve: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_PIECE_BYTES", 3)
    (tmp_path / "file").write_bytes(b"0123456789")
    site = serve(tmp_path)
    for url in (str(tmp_path), f"file://{tmp_path}", site.url):  # type: ignore[attr-defined]
        assert list(pieces(joined(url, "file"))) == [b"012", b"345", b"678", b"9"]
    import fsspec

    with fsspec.open("memory://town/file", "wb") as stream:
        stream.write(b"abcd")
    assert list(pieces("memory://town/file")) == [b"abc", b"d"]


@pytest.mark.parametrize(
    "url", ["file:///no/such/file?key=secret", "nosuch://host/file", "http://127.0.0.1:1/"]
)
def test_what_cannot_be_read_is_one_line(url: str) -> None:
    with pytest.raises(DatasetError) as failure:
        list(pieces(url))
    assert url.partition("?")[0] in str(failure.value)
    assert "secret" not in str(failure.value) or url.startswith("file")
    assert "\n" not in str(failure.value)
    assert isinstance(failure.value, Unreachable) == url.startswith("http")


def test_status_codes(tmp_path: Path, serve: Callable[..., object]) -> None:
    site = serve(tmp_path)
    site.failing["/down"] = 1  # type: ignore[attr-defined]
    for path, code, passes in (("/down", "503", True), ("/down", "404", False)):
        with pytest.raises(DatasetError, match=f"/down: cannot be read: {code}") as failure:
            list(pieces(site.url + path + "?key=secret"))  # type: ignore[attr-defined]
        assert isinstance(failure.value, Unreachable) == passes
        assert "secret" not in str(failure.value)
