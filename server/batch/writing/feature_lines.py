"""GeoJSON lines (RFC 8142 and GeoJSONL): a Feature on each line."""

from collections.abc import Iterable

import orjson
import pyarrow as pa

from server.batch.marks import JSON, MATRIX, WKB, main_shape, mark_of
from server.batch.writing.cells import (
    by_value,
    bytes_of,
    joined,
    json_text,
    one_line_json,
    refuse_doubled_names,
)
from server.batch.writing.matrices import rows_as_text
from server.batch.writing.shapes import geojson


class FeatureLines:
    """Features: the main shape of a row is the geometry, all else are its properties.

    ``before`` stands before each line: RFC 8142 wants a record separator there.
    """

    def __init__(self, schema: pa.Schema, before: str = "") -> None:
        refuse_doubled_names(schema.types)
        self._schema = schema
        self._before = before
        self._geometry = main_shape(schema)

    def begin(self) -> bytes:
        """Nothing."""
        return b""

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """The lines of a chunk, the same wherever they are written; they need no note."""
        geometry: pa.Array | str = "null"
        properties: list[pa.Array | str] = []
        for field, column in zip(self._schema, table.columns, strict=True):
            text_of = _TEXT_OF.get(mark_of(field), json_text)
            value = by_value(column, text_of).fill_null("null")
            if field.name == self._geometry:
                geometry = value
            else:
                comma = "," if properties else ""
                properties += [f"{comma}{orjson.dumps(field.name).decode()}:", value]
        start = self._before + '{"type":"Feature","geometry":'
        lines = joined(start, geometry, ',"properties":{', *properties, "}}\n")
        return bytes_of(lines), b""

    def end(self, notes: Iterable[bytes]) -> Iterable[bytes]:
        """Nothing."""
        return ()


def _list_of_numbers(column: pa.Array) -> pa.Array:
    return joined("[", rows_as_text(column, ",", "null"), "]")


_TEXT_OF = {WKB: geojson, JSON: one_line_json, MATRIX: _list_of_numbers}
