"""The file that a source reads: what it is called, how large it is, and that it stays so."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from server.batch.errors import InputError

BLOCK_BYTES = 1 << 22
"""Read at once of text: small enough for memory, large enough that calls do not count."""

MAX_RECORD_BYTES = 1 << 24
"""A longer row of text is taken for damage: an open quote would swallow the rest of the file."""

_COMPRESSED = {
    "gzip": b"\x1f\x8b",
    "zstd": b"\x28\xb5\x2f\xfd",
    "zip": b"PK\x03\x04",
    "xz": b"\xfd7zXZ\0",
}
"""How files begin that are compressed."""


@dataclass(frozen=True)
class InputFile:
    """A regular file with its size in bytes, the time of its last change, and its inode.

    All that is read must be of the file that was found: see `check`.
    """

    path: Path
    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def find(cls, path: Path) -> "InputFile":
        """Look at a file; raises ``InputError`` if it is none, or nobody may read it."""
        try:
            status = path.stat()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}, expected a file of points") from None
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            raise InputError(f"{path} is {kind}, expected a file of points")
        if not os.access(path, os.R_OK):
            raise InputError(f"{path}: may not be read, expected a file of points")
        return cls(path, status.st_size, status.st_mtime_ns, status.st_ino)

    def identity(
        self, format_name: str, columns: Sequence[str] | None, keep: Sequence[str] | None
    ) -> dict[str, Any]:
        """What must be the same for a run to be gone on with; can be written as JSON."""
        return {
            "input": path_text(self.path),
            "bytes": self.size,
            "mtime_ns": self.mtime_ns,
            "format": format_name,
            "columns": None if columns is None else list(columns),
            "keep": None if keep is None else list(keep),
        }

    def error(self, message: str) -> InputError:
        """An error that names the file."""
        return InputError(f"{self.path}: {message}")

    def refuse_compressed(self, begin: bytes) -> None:
        """Raise ``InputError`` if a file of text begins as a compressed one does."""
        for name, magic in _COMPRESSED.items():
            if begin.startswith(magic):
                raise self.error(f"is compressed ({name}), expected plain text")

    def check(self, file: BinaryIO) -> None:
        """Raise ``InputError`` if what is open, or lies at the path, is not what was found."""
        found = self.size, self.mtime_ns, self.inode
        try:
            statuses = os.fstat(file.fileno()), self.path.stat()
        except OSError as error:
            raise self.error(f"cannot be read any more: {error.strerror}") from None
        for status in statuses:
            if (status.st_size, status.st_mtime_ns, status.st_ino) != found:
                raise self.error("was changed while it was read")

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """The file open for reading, checked at the beginning and at the end.

        What the system says is wrong with it becomes one line. Damage that is met in a file that
        was changed is put down to that.
        """
        try:
            with self.path.open("rb") as file:
                self.check(file)
                try:
                    yield file
                except Exception:
                    self.check(file)
                    raise
                self.check(file)
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror or error}") from None

    def blocks(self, file: BinaryIO, start: int, n_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
        """The bytes from ``start`` up to the size that the file had when it was found."""
        file.seek(start)
        while start < self.size:
            block = file.read(min(n_bytes, self.size - start))
            if not block:
                raise self.error(f"ends after {start} bytes, expected {self.size}")
            self.check(file)
            start += len(block)
            yield block


def path_text(path: Path) -> str:
    """The whole path as text that can be written as JSON, even if it is not UTF-8."""
    return os.fsencode(path.resolve()).decode("utf-8", "backslashreplace")
