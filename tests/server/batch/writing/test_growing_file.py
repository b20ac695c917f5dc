"""A growing file grows by all of a piece or by nothing of it."""

import errno
import io
import os
import zlib
from pathlib import Path

import pytest

from server.batch.writing.growing_file import GrowingFile


def test_it_grows_and_is_cut(tmp_path: Path) -> None:
    file = GrowingFile(tmp_path / "a")
    file.append(b"abc")
    file.append(b"")
    file.append(b"def")
    assert (file.size, [*file.lines()]) == (6, [b"abcdef"])
    file.cut(4)
    file.append(b"XY")
    assert (tmp_path / "a").read_bytes() == b"abcdXY"
    file.close()
    again = GrowingFile(tmp_path / "a")
    assert (again.size, [*again.lines()]) == (6, [b"abcdXY"])
    again.close()


def test_checksums_of_parts(tmp_path: Path) -> None:
    """Also of more than is read at once, and where the file ends before."""
    data = os.urandom(3_000_000)
    file = GrowingFile(tmp_path / "a")
    file.append(data)
    for begin, n_bytes in ((0, 0), (0, 3_000_000), (5, 2_500_000), (2_999_999, 10), (4_000_000, 1)):
        assert file.crc32(begin, n_bytes) == zlib.crc32(data[begin : begin + n_bytes])
    file.close()


def test_short_writes_are_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take less than it is given, and then fail; then nothing is left of it."""
    taken, pwrite = [7, 1, 2], os.pwrite

    def stingy(descriptor: int, data: memoryview, at: int) -> int:
        if not taken:
            raise OSError(errno.ENOSPC, "full")
        return pwrite(descriptor, data[: taken.pop()], at)

    file = GrowingFile(tmp_path / "a")
    monkeypatch.setattr(os, "pwrite", stingy)
    file.append(b"abc")
    with pytest.raises(OSError, match="full"):
        file.append(b"0123456789")
    assert (file.size, (tmp_path / "a").read_bytes()) == (3, b"abc")
    file.close()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"x")
    (tmp_path / "a").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="symbolic"):
        GrowingFile(tmp_path / "a")
    assert (tmp_path / "mine").read_bytes() == b"x"


@pytest.mark.parametrize("block", [1, 2, 3, 1000])
@pytest.mark.parametrize("text", [b"", b"\n", b"a\n\nbcd\r\x1ee\n", b"a\nbc"])
def test_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, block: int) -> None:
    """However much is read at once; nothing but a newline ends a line."""
    monkeypatch.setattr("server.batch.writing.growing_file._BLOCK_BYTES", block)
    file = GrowingFile(tmp_path / "a")
    file.append(text)
    assert list(file.lines()) == io.BytesIO(text).readlines()
