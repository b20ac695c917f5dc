"""What a column of a table means beyond its type, as metadata of its field."""

import pyarrow as pa

from server.batch.task import MAIN_SHAPE

_KEY = b"whimbrel"

WKB = "wkb"
"""Binary: shapes in WKB (ISO 19125), longitudes and latitudes in degrees."""

JSON = "json"
"""Text: each value is a JSON document."""

MATRIX = "matrix"
"""Lists of equal length: a row of a travel-time matrix, NaN where there is no route."""


def marked(field: pa.Field, mark: str) -> pa.Field:
    """The field with a mark."""
    return field.with_metadata({_KEY: mark.encode()})


def mark_of(field: pa.Field) -> str:
    """The mark of a field; empty if it has none."""
    metadata: dict[bytes, bytes] = field.metadata or {}
    return metadata.get(_KEY, b"").decode()


def main_shape(schema: pa.Schema) -> str | None:
    """The column of shapes that are what a row is about: that of the answers, else the first."""
    shapes = [field.name for field in schema if mark_of(field) == WKB]
    return MAIN_SHAPE if MAIN_SHAPE in shapes else next(iter(shapes), None)
