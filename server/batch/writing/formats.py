"""The formats that results are written in, by the names of files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from server.batch.errors import OutputError
from server.batch.writing.delimited import Delimited
from server.batch.writing.geojson_lines import GeoJsonLines
from server.batch.writing.npy_rows import NpyRows
from server.batch.writing.parquet_groups import ParquetGroups

SUFFIXES = {
    "CSV": (".csv", ".tsv"),
    "Parquet": (".parquet", ".geoparquet", ".pq"),
    "GeoJSON lines": (".geojsonl", ".geojsonlines", ".geojsons", ".ndjson", ".jsonl"),
    "NumPy (matrices)": (".npy",),
}
"""Of files that can be written, by format."""

_RECORD_SEPARATOR = "\x1e"
"""Before each line of a GeoJSON text sequence (RFC 8142), which .geojsons stands for."""


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

    def end(self, notes: Sequence[bytes]) -> bytes:
        """What stands after the last chunk, given the notes of all; empty ones mean nothing."""
        ...


def format_of(path: Path, schema: pa.Schema, n_rows: int | None = None) -> Format:
    """How the rows of a schema are written to a file of this name.

    The number of rows is needed for NumPy's files alone. Raises ``OutputError``.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return Delimited(schema, ",")
    if suffix == ".tsv":
        return Delimited(schema, "\t")
    if suffix in SUFFIXES["Parquet"]:
        return ParquetGroups(schema)
    if suffix in SUFFIXES["GeoJSON lines"]:
        return GeoJsonLines(schema, _RECORD_SEPARATOR if suffix == ".geojsons" else "")
    if suffix == ".npy":
        return NpyRows(path, schema, n_rows)
    known = ", ".join(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
    raise OutputError(f"{path}: cannot write '{path.suffix}', expected a name that ends in {known}")
