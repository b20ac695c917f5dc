"""Delimited text: CSV with any of four delimiters, columns as text or as what they hold."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv

from gis.arrays import F64, I64, Bool
from gis.text_records import END, FIRST, LACKS, STOP, Records, find_records, new_records
from server.batch.reading.chunking import Chunk, Piece, exact_chunks
from server.batch.reading.columns import (
    WantedColumns,
    listed,
    printable,
    select,
    unique_names,
)
from server.batch.reading.input_file import MAX_RECORD_BYTES, InputFile
from server.batch.reading.numbers import numbers_of
from server.batch.reading.points import are_no_shapes, points_of
from server.batch.reading.tables import table_of
from server.batch.reading.typed_text import typed_column, types_of_text
from server.batch.reading.window import Window

SAMPLE_BYTES = 1 << 24
"""What lies in the first so many bytes decides of what type columns are."""

_DELIMITERS = ",;\t|"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WIDE_CHARACTERS = (b"\xff\xfe", b"\xfe\xff")
_LINE_ENDS = b"\r\n"
_RECORDS_AT_ONCE = 1 << 16
_ANY_FIELDS = 1 << 32

_N_SHAPES = 1000
"""Rows that show whether a column is of shapes."""

_N_LETTERS = 40
"""More of a value is not shown in an error."""


class _Rows(NamedTuple):
    """Text of n rows with the right number of fields each, which Arrow reads without a fault.

    ``ends`` are where they end in the file; those not ``whole`` had other fields there.
    """

    text: bytes
    ends: I64
    whole: Bool


class DelimitedText:
    """A `Source` of the rows of delimited text, whose first row names the columns.

    A row of too few fields, or of too many, has no points. A quote that is not closed within
    `MAX_RECORD_BYTES`, or not at all, is taken for a mistake: its line is a row by itself. All
    of these are damaged.

    Columns are the text that they are. If ``wanted.typed``, coordinates are numbers, and others
    are of the type that all values in the first `SAMPLE_BYTES` fit. Later ones that do not are left
    out and counted in ``n_dropped`` as they are read; so are coordinates that are no numbers, but
    these are not counted: the row has no points.
    """

    n_rows = None

    def __init__(self, path: Path, wanted: WantedColumns, max_record_bytes: int = MAX_RECORD_BYTES):
        self._file = InputFile.find(path)
        self._max_bytes = max_record_bytes
        self._delimiter, names, self._begin = _read_header(self._file, max_record_bytes)
        self._names = names
        self._n_fields = len(names)
        self._n_points = wanted.n_points
        self._selection = select(str(path), names, wanted)
        self._typed = wanted.typed
        self._options = _arrow_options(self._delimiter, self._selection.needed, wanted.typed)
        self.n_dropped = 0
        self.size = self._file.size
        kinds = self._kinds()
        carried = zip(self._selection.carried, self._selection.names, strict=True)
        self._check_shapes()
        self.schema = pa.schema([(name, kinds.get(i, pa.string())) for i, name in carried])
        self.identity = self._file.identity("delimited text", wanted.columns, wanted.keep)
        self.identity["typed"] = wanted.typed

    def chunks(self, n_rows: int, start: int = 0) -> Iterator[Chunk]:
        """Rows from the byte ``start`` on, which is 0 or the end of a chunk."""
        pieces = (self._piece(rows) for rows in self._rows(max(start, self._begin)))
        return exact_chunks(pieces, n_rows, self.size)

    def _piece(self, rows: _Rows) -> Piece:
        columns = self._columns(rows)
        points = points_of([columns[i] for i in self._selection.points], self._n_points)
        carried = self._carried(columns, points)
        points[~rows.whole] = np.nan
        return Piece(table_of(carried, self.schema, len(points)), points, rows.ends, ~rows.whole)

    def _columns(self, rows: _Rows) -> dict[int, pa.ChunkedArray]:
        """The text of the columns that are needed, by their positions."""
        read = pa.csv.ReadOptions(
            use_threads=False,
            column_names=[str(i) for i in range(self._n_fields)],
            block_size=len(rows.text) + 1,
        )
        table = pa.csv.read_csv(pa.BufferReader(rows.text), read, **self._options)
        return dict(zip(self._selection.needed, table.columns, strict=True))

    def _carried(self, columns: dict[int, pa.ChunkedArray], points: F64) -> list[pa.ChunkedArray]:
        """The carried columns, each in its type."""
        if not self._typed:
            return [columns[i] for i in self._selection.carried]
        carried = []
        for i, field in zip(self._selection.carried, self.schema, strict=True):
            text = columns[i]
            if field.type == pa.string():
                carried.append(text.fill_null(""))
                continue
            if i in self._numbers:
                numbers = points[:, self._numbers.index(i)].copy()
                column = pa.chunked_array([pa.array(numbers, from_pandas=True)])
            else:
                column = typed_column(text, field.type)
                self.n_dropped += column.null_count - text.null_count
            carried.append(column)
        return carried

    @property
    def _numbers(self) -> tuple[int, ...]:
        """The columns of coordinates, unless these are shapes."""
        points = self._selection.points
        return points if len(points) == 2 * self._n_points else ()

    def _check_shapes(self) -> None:
        """Raise ``InputError`` if columns of shapes begin with many values, but no shape."""
        if self._numbers:
            return
        for rows in islice(self._rows(self._begin), 1):
            columns = self._columns(rows)
            for i in self._selection.points:
                text = columns[i].filter(rows.whole).slice(0, _N_SHAPES)
                if are_no_shapes(text):
                    raise self._file.error(
                        f"column {listed([self._names[i]])} begins with {_example(text)}, expected"
                        f" shapes (WKT or hexadecimal WKB), or {2 * self._n_points} columns of"
                        " longitudes and latitudes"
                    )

    def _kinds(self) -> dict[int, pa.DataType]:
        """The types of carried columns that are not text."""
        if not self._typed:
            return {}
        kinds = dict.fromkeys(self._numbers, pa.float64())
        others = [i for i in self._selection.carried if i not in self._selection.points]
        if others:
            kinds |= dict(
                zip(others, types_of_text(self._sample(others), len(others)), strict=True)
            )
        return kinds

    def _sample(self, positions: list[int]) -> Iterator[list[pa.ChunkedArray]]:
        """Some columns of the first rows, but for damaged ones."""
        for rows in self._rows(self._begin):
            columns = self._columns(rows)
            some = [columns[i] for i in positions]
            yield some if rows.whole.all() else [one.filter(rows.whole) for one in some]
            if rows.ends[-1] >= SAMPLE_BYTES:
                return

    def _rows(self, start: int) -> Iterator[_Rows]:
        records = new_records(_RECORDS_AT_ONCE)
        with self._file.opened() as file:
            window = Window(self._file.blocks(file, start), start, self.size)
            while not window.is_last:
                window.grow()
                while window.text:
                    found, n_odd, n_bytes = self._find(window, records)
                    if len(found):
                        yield self._whole_rows(window, found, n_odd)
                    window.drop(n_bytes)
                    if len(found) == len(records):
                        continue
                    if len(window.text) < self._max_bytes and not window.is_last:
                        break
                    if window.text:
                        yield self._damaged_row(window)

    def _find(self, window: Window, records: Records) -> tuple[Records, int, int]:
        data = np.frombuffer(window.text, np.uint8)
        delimiter = ord(self._delimiter)
        n, n_odd, n_bytes = find_records(
            data, window.is_last, delimiter, self._n_fields, self._max_bytes, records
        )
        return records[:n], n_odd, n_bytes

    def _whole_rows(self, window: Window, records: Records, n_odd: int) -> _Rows:
        first, end = records[0, FIRST], records[-1, END]
        text = self._all_mended(window.text, records) if n_odd else window.text[first:end]
        return _Rows(_readable(text), records[:, END] + window.at, records[:, LACKS] == 0)

    def _all_mended(self, text: bytes, records: Records) -> bytes:
        """The rows with those mended that need it; the runs between them are copied as they are."""
        data = np.frombuffer(text + b"\n", np.uint8)
        is_cut = ~np.isin(data[records[:, STOP]], np.frombuffer(_LINE_ENDS, np.uint8))
        odd = records[(records[:, LACKS] != 0) | is_cut]
        parts = []
        at = records[0, FIRST]
        for first, stop, end, lacks in odd.tolist():
            parts += [text[at:first], self._mended(text[first:stop], lacks), b"\n"]
            at = end
        return b"".join(parts) + text[at : records[-1, END]]

    def _mended(self, fields: bytes, n_lacking: int) -> bytes:
        """A row of the right number of fields, and no blank line."""
        return (fields + self._delimiter.encode() * n_lacking) or b'""'

    def _damaged_row(self, window: Window) -> _Rows:
        """The first line, where no row ends; what it says is lost if it is too long."""
        line = window.text[: self._max_bytes].splitlines()[0]
        if len(line) < self._max_bytes:
            window.drop(min(len(line) + 1, len(window.text)))
            text = line + b'"'
        else:
            window.drop_line(_LINE_ENDS)
            text = b'""'
        records = new_records(1)
        data = np.frombuffer(text, np.uint8)
        delimiter = ord(self._delimiter)
        n, _, _ = find_records(data, True, delimiter, self._n_fields, len(data), records)
        fields, n_lacking = b'""', self._n_fields - 1
        if n:  # else the quote has opened a field
            fields, n_lacking = text[: records[0, STOP]], max(records[0, LACKS], 0)
        text = self._mended(fields, n_lacking)
        return _Rows(_readable(text), np.array([window.at]), np.zeros(1, np.bool_))


def _example(text: pa.ChunkedArray) -> str:
    """The first value that is not empty."""
    return next(printable(value[:_N_LETTERS]) for value in text.to_pylist() if value)


def _arrow_options(delimiter: str, needed: list[int], empty_is_null: bool) -> dict[str, Any]:
    """All columns that are needed, as the text that they are."""
    names = [str(i) for i in needed]
    return {
        "parse_options": pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        "convert_options": pa.csv.ConvertOptions(
            include_columns=names,
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=empty_is_null,
            null_values=[""],
            check_utf8=False,
        ),
    }


def _readable(text: bytes) -> bytes:
    """Text in UTF-8; bytes that are not become replacement characters."""
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            text = text.decode("utf-8", "replace").encode()
    if text.startswith(_BYTE_ORDER_MARK):
        return _BYTE_ORDER_MARK + text  # Arrow takes away the first one
    return text


def _read_header(file: InputFile, max_bytes: int) -> tuple[str, list[str], int]:
    """Delimiter, names of the columns, and where the first row can begin."""
    fields: dict[str, tuple[list[str], int]] = {}
    with file.opened() as opened:
        window = Window(file.blocks(opened, 0), 0, file.size)
        while not (fields or window.is_last or len(window.text) > max_bytes):
            window.grow()
            fields = _first_fields(file, window, max_bytes)
    if not window.text.strip(_BYTE_ORDER_MARK + _LINE_ENDS):
        raise file.error("is empty, expected a first line that names the columns")
    if not fields:
        raise file.error("its first line has no end, expected the names of the columns")
    delimiter = max(_DELIMITERS, key=lambda d: len(fields[d][0]) if d in fields else 0)
    names, begin = fields[delimiter]
    if not np.isnan(numbers_of(pa.chunked_array([names]))).any():
        raise file.error(f"begins with numbers, {names[0]} ..., expected the names of the columns")
    return delimiter, unique_names(names), begin


def _first_fields(
    file: InputFile, window: Window, max_bytes: int
) -> dict[str, tuple[list[str], int]]:
    """What the first row holds, and where it ends, by the delimiter; nothing if it has no end."""
    file.refuse_compressed(window.text)
    if window.text.startswith(_WIDE_CHARACTERS):
        raise file.error("is UTF-16, expected UTF-8")
    skipped = len(_BYTE_ORDER_MARK) * window.text.startswith(_BYTE_ORDER_MARK)
    text = window.text[skipped:]
    data = np.frombuffer(text, np.uint8)
    records = new_records(1)
    fields = {}
    for delimiter in _DELIMITERS:
        n, _, _ = find_records(
            data, window.is_last, ord(delimiter), _ANY_FIELDS, max_bytes, records
        )
        if n:
            row = text[records[0, FIRST] : records[0, STOP]].decode("utf-8", "replace")
            try:
                names = next(csv.reader([row], delimiter=delimiter))
            except csv.Error as error:
                raise file.error(f"its first line: {error}") from None
            end = skipped + int(records[0, END])
            fields[delimiter] = [name.strip() for name in names], end
    return fields
