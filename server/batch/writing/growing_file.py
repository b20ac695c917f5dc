"""A file that grows by whole pieces."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

_BLOCK_BYTES = 1 << 20
"""Of what is read at once to be checked."""


class GrowingFile:
    """A file, made if there is none, of which the first ``size`` bytes count.

    Pieces are written behind these, so what a write has left that failed is overwritten by the
    next one. Symbolic links are not followed: nobody else is to choose what is overwritten.
    """

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.path = path
        self.descriptor = os.open(path, flags, 0o666)
        self.size = 0
        self.refresh()

    def refresh(self) -> None:
        """Count all the bytes that the file has now."""
        self.size = os.fstat(self.descriptor).st_size

    def append(self, data: bytes) -> None:
        """Let the file grow by all of the data, or not at all."""
        view, at = memoryview(data), self.size
        try:
            while view:
                n_bytes = os.pwrite(self.descriptor, view, at)
                view, at = view[n_bytes:], at + n_bytes
        except OSError:
            self.cut(self.size)
            raise
        self.size = at

    def cut(self, size: int) -> None:
        """Keep the first ``size`` bytes alone."""
        os.ftruncate(self.descriptor, size)
        self.size = size

    def lines(self) -> Iterator[bytes]:
        """The lines of the file, read as they are asked for; the last may lack its end."""
        rest = b""
        for block in self._blocks(0, self.size):
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield line + b"\n"
        if rest:
            yield rest

    def crc32(self, begin: int, n_bytes: int) -> int:
        """The checksum of some bytes of the file; where it ends before, of those there are."""
        checksum = 0
        for block in self._blocks(begin, begin + n_bytes):
            checksum = zlib.crc32(block, checksum)
        return checksum

    def close(self) -> None:
        """Leave the file as it is, and release its lock if it has one."""
        os.close(self.descriptor)

    def _blocks(self, begin: int, end: int) -> Iterator[bytes]:
        while begin < end:
            block = os.pread(self.descriptor, min(_BLOCK_BYTES, end - begin), begin)
            if not block:
                return
            yield block
            begin += len(block)
