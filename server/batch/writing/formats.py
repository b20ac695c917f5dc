"""The formats that results are written in, by the names of files."""

from functools import partial
from pathlib import Path

import pyarrow as pa

from server.batch.errors import OutputError
from server.batch.writing.checked import Checked, Format
from server.batch.writing.delimited_rows import DelimitedRows
from server.batch.writing.feature_lines import FeatureLines
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


def format_of(path: Path, schema: pa.Schema, n_rows: int | None = None) -> Format:
    """How the rows of a schema are written to a file of this name.

    The number of rows is needed for NumPy's files alone. Raises ``OutputError``, and so does the
    format, for a column that the format has no way to write.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return Checked(path, schema, partial(DelimitedRows, delimiter=","))
    if suffix == ".tsv":
        return Checked(path, schema, partial(DelimitedRows, delimiter="\t"))
    if suffix in SUFFIXES["Parquet"]:
        return Checked(path, schema, ParquetGroups)
    if suffix in SUFFIXES["GeoJSON lines"]:
        before = _RECORD_SEPARATOR if suffix == ".geojsons" else ""
        return Checked(path, schema, partial(FeatureLines, before=before))
    if suffix == ".npy":
        return NpyRows(path, schema, n_rows)
    known = ", ".join(suffix for suffixes in SUFFIXES.values() for suffix in suffixes)
    raise OutputError(f"{path}: cannot write '{path.suffix}', expected a name that ends in {known}")
