"""Files of points, opened by their suffix."""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from gis.arrays import F64
from server.batch.errors import InputError
from server.batch.reading.arrow_rows import ArrowRows
from server.batch.reading.chunking import Chunk
from server.batch.reading.columns import WantedColumns
from server.batch.reading.delimited import DelimitedText
from server.batch.reading.geojson_lines import GeoJsonLines
from server.batch.reading.parquet_rows import ParquetRows
from server.batch.reading.tables import joined

__all__ = ["Chunk", "Source", "open_source", "read_points"]


class Source(Protocol):
    """Rows of a file, in chunks.

    ``schema`` is that of the carried columns. ``size`` is the `end` of the last chunk: bytes of
    text, rows of columnar files. ``n_rows`` is None unless known beforehand. ``identity`` must be
    the same to go on with a run. ``n_dropped`` counts the values that did not fit the type of
    their column, in what has been read so far.
    """

    @property
    def schema(self) -> pa.Schema: ...

    @property
    def size(self) -> int: ...

    @property
    def n_rows(self) -> int | None: ...

    @property
    def identity(self) -> dict[str, Any]: ...

    @property
    def n_dropped(self) -> int: ...

    def chunks(self, n_rows: int, start: int = 0) -> Iterator[Chunk]:
        """Chunks of ``n_rows`` rows, the last of at most as many.

        ``start`` is 0 or the end of a chunk: the rows behind it are read just the same.
        """


_FORMATS: dict[str, Callable[[Path, WantedColumns], Source]] = {
    suffix: kind
    for kind, suffixes in (
        (DelimitedText, ".csv .tsv .txt"),
        (ParquetRows, ".parquet .geoparquet .pq"),
        (ArrowRows, ".arrow .arrows .feather .ipc"),
        (GeoJsonLines, ".geojsonl .geojsonlines .geojsons .ndjson .jsonl"),
    )
    for suffix in suffixes.split()
}

_ROWS_OF_SMALL_FILES = 1 << 16


def open_source(
    path: Path,
    n_points: int,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    reserved: Collection[str] = (),
    typed: bool = False,
) -> Source:
    """Open a file of rows of ``n_points`` points; raises ``InputError`` if it is none.

    ``columns`` names those of the coordinates, or of shapes; None: found by common names.
    ``keep`` names those to carry into the output, None: all; there names of columns that it has
    besides are ``reserved``. ``typed``: the columns of delimited text are what they hold, if all
    of it is; else they are text, as it is written.
    """
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        got = suffix or "no suffix"
        raise InputError(f"{path}: a file of points ends in {', '.join(_FORMATS)}, got {got}")
    return _FORMATS[suffix](path, WantedColumns(n_points, columns, keep, reserved, typed))


def read_points(path: Path, columns: Sequence[str] | None = None) -> tuple[pa.Table, F64]:
    """All rows of a small file of one point each: the table of all columns, and float64 (n, 2)."""
    source = open_source(path, 1, columns)
    chunks = list(source.chunks(_ROWS_OF_SMALL_FILES))
    if not chunks:
        return source.schema.empty_table(), np.empty((0, 2))
    table = joined([chunk.table for chunk in chunks])
    return table, np.concatenate([chunk.points for chunk in chunks])
