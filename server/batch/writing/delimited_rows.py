"""CSV and its like: a line for each row, quoted as RFC 4180 has it, and only where it must be."""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from server.batch.marks import MATRIX, WKB, mark_of
from server.batch.writing.cells import (
    TEXT,
    by_value,
    bytes_of,
    holds_any,
    joined,
    plain_text,
    refuse_doubled_names,
)
from server.batch.writing.matrices import labels, rows_as_text
from server.batch.writing.shapes import wkt


class DelimitedRows:
    """A header, and cells between delimiters: shapes as WKT, a column for each of a matrix.

    What is missing is empty.
    """

    def __init__(self, schema: pa.Schema, delimiter: str) -> None:
        refuse_doubled_names(schema.types)
        self._schema = schema
        self._delimiter = delimiter

    def begin(self) -> bytes:
        """The header."""
        names: list[str] = []
        for field in self._schema:
            names += labels(field) if mark_of(field) == MATRIX else [field.name]
        cells = self._quoted(pa.array(names, TEXT)).to_pylist()
        return (self._delimiter.join(cells) + "\n").encode()

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """The lines of a chunk, the same wherever they are written; they need no note."""
        pieces: list[pa.Array | str] = []
        for field, column in zip(self._schema, table.columns, strict=True):
            pieces += [self._cells(field, column), self._delimiter]
        pieces[-1] = "\n"
        return bytes_of(joined(*pieces)), b""

    def end(self, notes: Iterable[bytes]) -> Iterable[bytes]:
        """Nothing."""
        return ()

    def _cells(self, field: pa.Field, column: pa.ChunkedArray) -> pa.Array:
        """A column's cells, those of a matrix with the delimiters between them."""
        mark = mark_of(field)
        if mark == MATRIX:
            return by_value(column, lambda array: rows_as_text(array, self._delimiter, ""))
        text_of = wkt if mark == WKB else plain_text
        cells = by_value(column, lambda array: self._quoted(text_of(array))).fill_null("")
        if len(self._schema) == 1:  # an empty line would be no row
            cells = pc.if_else(pc.equal(cells, ""), pa.scalar('""', TEXT), cells)
        return cells

    def _quoted(self, text: pa.Array) -> pa.Array:
        """Text between quotes where it holds what would end a cell."""
        special = f'"\r\n{self._delimiter}'
        if not holds_any(text, special.encode()):
            return text
        doubled = joined('"', pc.replace_substring(text, '"', '""'), '"')
        return pc.if_else(pc.match_substring_regex(text, f"[{special}]"), doubled, text)
