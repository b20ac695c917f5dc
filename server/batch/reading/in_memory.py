"""Points that are in memory, as a source of rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from gis.arrays import F64
from server.batch.reading.chunking import Chunk
from server.batch.reading.input_file import InputFile

_NAMES = "id"
"""The column that names points, if there is one; else their numbers do, from 0."""


class PointsInMemory:
    """The points of a file that was read as a whole, float64 (n, 2).

    The one column that is carried, unless ``named`` is false, is "source": the name of each.
    """

    def __init__(self, table: pa.Table, points: F64, path: Path, named: bool) -> None:
        self._points = points
        self._table = pa.table({"source": _names(table)} if named else {})
        self.schema = self._table.schema
        self.size = self.n_rows = len(points)
        self.identity: dict[str, Any] = InputFile.find(path).identity("points", None, None)

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
