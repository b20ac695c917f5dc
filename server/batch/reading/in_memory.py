"""Points that are in memory, as a source of rows."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from gis.arrays import F64
from server.batch.reading.chunking import Chunk
from server.batch.reading.input_file import path_text

_NAMES = "id"
"""The column that names points, if there is one; else their numbers do, from 0."""


class PointsInMemory:
    """The points of a file that was read as a whole, float64 (n, 2).

    The one column that is carried, unless ``named`` is false, is "source": the name of each. The
    identity is that of what was read, whatever the file holds by now.
    """

    n_dropped = 0

    def __init__(self, table: pa.Table, points: F64, path: Path, named: bool) -> None:
        self._points = points
        self._table = pa.table({"source": _names(table)} if named else {})
        self.schema = self._table.schema
        self.size = self.n_rows = len(points)
        carried = [(str(column.type), column.to_pylist()) for column in self._table.columns]
        self.identity: dict[str, Any] = {
            "input": path_text(path),
            "format": "points",
            "points": _digest(points.tobytes()),
            "names": _digest(repr(carried).encode()),
        }

    def chunks(self, n_rows: int, start: int = 0) -> Iterator[Chunk]:
        """The points from a place on, so many at a time."""
        for begin in range(start, self.size, n_rows):
            end = min(begin + n_rows, self.size)
            yield Chunk(self._table.slice(begin, n_rows), self._points[begin:end], end)


def names_of(table: pa.Table) -> tuple[str, ...]:
    """The names of points as text."""
    return tuple(str(name) for name in _names(table).to_pylist())


def _names(table: pa.Table) -> pa.ChunkedArray | pa.Array:
    if _NAMES in table.column_names:
        return table.column(_NAMES)
    return pa.array(range(len(table)), pa.int64())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
