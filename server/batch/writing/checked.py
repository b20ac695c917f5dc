"""What a format is, and one that tells which column it is that cannot be written."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import shapely

from server.batch.errors import OutputError

_REFUSALS = (
    pa.ArrowException,
    shapely.errors.ShapelyError,
    ValueError,
    OverflowError,
    NotImplementedError,
    OSError,  # Arrow's for decimals of negative scale: no format touches a file
)
"""What libraries raise for types and values that a format has no way to write."""

_LONG = 100
"""Characters of a type, which may hold many others, that are told of it."""


class Format(Protocol):
    """How a file is made from chunks of rows, so that it can be gone on with after each of them.

    It keeps nothing between chunks, and the same chunk makes the same bytes at the same place.
    """

    def begin(self) -> bytes:
        """What stands before the first chunk."""
        ...

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """A chunk's bytes, to be written at this offset of the file, and a note for the end."""
        ...

    def end(self, notes: Iterable[bytes]) -> Iterable[bytes]:
        """What stands after the last chunk, in pieces, given the notes of all.

        They may be gone through more than once; empty ones mean nothing.
        """
        ...


class Checked:
    """A format that has been made for a schema, if it can be.

    Whatever it cannot write raises ``OutputError`` with the name of the column.
    """

    def __init__(self, path: Path, schema: pa.Schema, make: Callable[[pa.Schema], Format]) -> None:
        self._path = path
        self._schema = schema
        self._make = make
        try:
            self.form = make(schema)
        except _REFUSALS as error:
            raise self._refusal(error) from error

    def begin(self) -> bytes:
        """What stands before the first chunk."""
        return self.form.begin()

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """A chunk's bytes and its note."""
        try:
            return self.form.encode(table, at)
        except MemoryError:  # Arrow's is one of its exceptions, too
            raise
        except _REFUSALS as error:
            raise self._refusal(error, table) from error

    def end(self, notes: Iterable[bytes]) -> Iterable[bytes]:
        """What stands after the last chunk."""
        return self.form.end(notes)

    def _refusal(self, error: Exception, table: pa.Table | None = None) -> OutputError:
        """Why the schema or a table of it is refused: by the first column that is on its own."""
        for number, field in enumerate(self._schema):
            try:
                form = self._make(pa.schema([field]))
                if table is not None:
                    form.encode(table.select([number]), len(form.begin()))
            except _REFUSALS as refused:
                kind = _one_line(field.type)
                kind = kind if len(kind) <= _LONG else f"{kind[:_LONG]}..."
                return OutputError(
                    f"{self._path}: cannot write column {_one_line(field.name)} of type {kind}: "
                    f"{_one_line(refused)}; name the columns to carry without it with --keep"
                )
        return OutputError(f"{self._path}: cannot write these rows: {_one_line(error)}")


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
