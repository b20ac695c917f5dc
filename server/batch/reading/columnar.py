"""What Parquet and Arrow files have in common: typed columns in batches, shapes among them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from server.batch.marks import WKB, mark_of, marked
from server.batch.reading.chunking import Chunk, Piece, exact_chunks
from server.batch.reading.columns import Selection, WantedColumns, select, unique_names
from server.batch.reading.input_file import InputFile
from server.batch.reading.numbers import is_text, may_hold_numbers
from server.batch.reading.points import (
    are_points,
    is_binary,
    may_hold_points,
    may_hold_shapes,
    points_as_wkb,
    points_of,
)
from server.batch.reading.tables import table_of

BATCH_ROWS = 1 << 16

_BYTES = {
    pa.string(): pa.binary(),
    pa.large_string(): pa.large_binary(),
    pa.string_view(): pa.binary_view(),
}
"""What text is if it is not known to be UTF-8."""

_GEOPARQUET = b"geo"
_EXTENSION = b"ARROW:extension:name"
_EXTENSION_METADATA = b"ARROW:extension:metadata"
_SHAPES_OF_POINTS = {1: {"Point"}, 2: {"LineString", "MultiPoint"}}


class ColumnarFile(ABC):
    """A `Source` of the rows of a file of columns.

    Columns are carried as they are, but dictionaries as the values that they stand for, and points
    of x and y as WKB.
    """

    n_dropped = 0

    def __init__(self, file: InputFile, schema: pa.Schema, wanted: WantedColumns, format_name: str):
        self._file = file
        self._n_points = wanted.n_points
        names = unique_names(schema.names)
        self.selection = self._select(schema, names, wanted)
        shapes = shape_columns(schema)
        fields = []
        for i, name in zip(self.selection.carried, self.selection.names, strict=True):
            field = pa.field(name, plain_type(schema.field(i).type))
            if i in shapes and is_geographic(shapes[i]):
                field = _shape_field(field)
            fields.append(field)
        self.schema = pa.schema(fields)
        self.identity = file.identity(format_name, wanted.columns, wanted.keep)

    @abstractmethod
    def batches(self, file: BinaryIO, start: int) -> Iterator[pa.RecordBatch]:
        """The needed columns of the rows from ``start`` on, in batches of any length."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.size

    def chunks(self, n_rows: int, start: int = 0) -> Iterator[Chunk]:
        """Chunks of the rows from number ``start`` on."""
        return exact_chunks(self._pieces(start), n_rows, self.size)

    def _pieces(self, start: int) -> Iterator[Piece]:
        with self._file.opened() as file:
            try:
                for batch in self.batches(file, start):
                    piece = self._piece(batch, start)
                    self._file.check(file)
                    start += batch.num_rows
                    yield piece
            except (pa.ArrowException, OSError) as error:
                reason = str(error).splitlines()[0]
                raise self._file.error(f"cannot be read from row {start} on: {reason}") from None
            if start != self.size:
                raise self._file.error(f"ends after {start} rows, expected {self.size}")

    def _piece(self, batch: pa.RecordBatch, start: int) -> Piece:
        values = [pa.chunked_array([plain(column)]) for column in batch.columns]
        columns = dict(zip(self.selection.needed, values, strict=True))
        points = points_of([columns[i] for i in self.selection.points], self._n_points)
        carried = []
        for i, field in zip(self.selection.carried, self.schema, strict=True):
            is_shape = bool(mark_of(field)) and are_points(columns[i].type)
            carried.append(points_as_wkb(columns[i]) if is_shape else columns[i])
        ends = np.arange(start + 1, start + 1 + batch.num_rows)
        return Piece(table_of(carried, self.schema, batch.num_rows), points, ends)

    def _select(self, schema: pa.Schema, names: list[str], wanted: WantedColumns) -> Selection:
        """Find the columns, and see whether they can hold what they should."""
        where = str(self._file.path)
        shapes = shape_columns(schema)
        fitting = [i for i, about in shapes.items() if _may_be_points(about, wanted.n_points)]
        selection = select(where, names, wanted, fitting[0] if fitting else None)
        n_points = wanted.n_points
        are_numbers = len(selection.points) > n_points
        are_single = len(selection.points) == n_points
        for i in selection.points:
            kind = plain_type(schema.field(i).type)
            if are_numbers and not may_hold_numbers(kind):
                raise self._file.error(f"column {names[i]} is {kind}, expected numbers")
            if are_numbers:
                continue
            if not (may_hold_points(kind) if are_single else may_hold_shapes(kind)):
                expected = "shapes in WKB, or points as x and y" if are_single else "shapes in WKB"
                raise self._file.error(f"column {names[i]} is {kind}, expected {expected}")
            if not is_geographic(shapes.get(i, {})):
                raise self._file.error(
                    f"column {names[i]} is in {crs_name(shapes[i])}, expected degrees (EPSG:4326)"
                )
        return selection


def _shape_field(field: pa.Field) -> pa.Field:
    """The field of a column of shapes as it is carried."""
    if is_binary(field.type):
        return marked(field, WKB)
    return marked(pa.field(field.name, pa.binary()), WKB) if are_points(field.type) else field


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type in which a column is carried."""
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def plain(column: pa.Array) -> pa.Array:
    """The values of a column in its `plain_type`, text in UTF-8."""
    if isinstance(column.type, pa.BaseExtensionType):
        return plain(column.storage)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return _readable(column) if is_text(column.type) else column


def _readable(column: pa.Array) -> pa.Array:
    """Text in UTF-8; bytes that are not become replacement characters."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        data = column.cast(_BYTES[column.type])
        data.validate(full=True)
        values = data.to_pylist()
        text = [None if value is None else value.decode("utf-8", "replace") for value in values]
        return pa.array(text, column.type)
    return column


def shape_columns(schema: pa.Schema) -> dict[int, dict[str, Any]]:
    """Positions of the columns of shapes and what the file says of each, as GeoParquet 1.1 does.

    They hold WKB, or points as structures of x and y.

    The primary one comes first.
    """
    about = _parsed((schema.metadata or {}).get(_GEOPARQUET))
    told = about.get("columns")
    columns = {
        name: column
        for name, column in (told.items() if isinstance(told, dict) else ())
        if isinstance(column, dict) and column.get("encoding") in ("WKB", "point")
    }
    for field in schema:
        name, more = _extension(field)
        if name in ("geoarrow.wkb", "geoarrow.point"):
            columns.setdefault(field.name, _parsed(more))
    primary = about.get("primary_column")
    order = sorted(columns, key=lambda name: name != primary)
    return {schema.names.index(name): columns[name] for name in order if name in schema.names}


def is_geographic(about: dict[str, Any]) -> bool:
    """Whether shapes are in degrees, or it is not known in what."""
    crs = _horizontal(about.get("crs"))
    if isinstance(crs, dict):
        return str(crs.get("type", "GeographicCRS")).startswith("Geographic")
    return not crs or str(crs).lstrip().upper().startswith(("GEOG", "EPSG:4326", "OGC:CRS84"))


def crs_name(about: dict[str, Any]) -> str:
    """What the coordinate system of shapes is called."""
    crs = _horizontal(about.get("crs"))
    if not isinstance(crs, dict):
        return str(crs)[:60]
    identity = crs.get("id")
    if isinstance(identity, dict):
        return f"{identity.get('authority')}:{identity.get('code')}"
    return str(crs.get("name"))


def _extension(field: pa.Field) -> tuple[str, bytes]:
    """Name and metadata of an extension type, known to Arrow or not."""
    if isinstance(field.type, pa.ExtensionType):
        return field.type.extension_name, field.type.__arrow_ext_serialize__()
    metadata = field.metadata or {}
    return metadata.get(_EXTENSION, b"").decode(), metadata.get(_EXTENSION_METADATA, b"")


def _parsed(text: bytes | None) -> dict[str, Any]:
    """An object in JSON; empty if the text is none."""
    try:
        value = json.loads(text or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _horizontal(crs: Any) -> Any:
    """The part of a coordinate system (PROJJSON) that is of longitude and latitude."""
    while isinstance(crs, dict) and (crs.get("source_crs") or crs.get("components")):
        crs = crs.get("source_crs") or crs["components"][0]
    return crs


def _may_be_points(about: dict[str, Any], n_points: int) -> bool:
    kinds = {str(kind).removesuffix(" Z") for kind in about.get("geometry_types") or []}
    return not kinds or bool(kinds & _SHAPES_OF_POINTS[n_points])
