"""GeoJSON with a Feature on each line, or after each record separator (RFC 8142)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gis.arrays import F64
from server.batch.reading.chunking import Chunk, Piece, exact_chunks
from server.batch.reading.columns import (
    WantedColumns,
    output_names,
    select_carried,
    select_points,
    unique_names,
)
from server.batch.reading.features import (
    NOTHING,
    Feature,
    has_points,
    parse_feature,
    points_of_geometry,
)
from server.batch.reading.input_file import MAX_RECORD_BYTES, InputFile
from server.batch.reading.numbers import numbers_of
from server.batch.reading.properties import property_column, property_fields
from server.batch.reading.tables import table_of
from server.batch.reading.window import Window

SAMPLE_BYTES = 1 << 24
"""What lies in the first so many bytes decides which columns there are, and of what type."""

_ROWS_AT_ONCE = 1 << 12
"""Parsed together; more of them cost more, as the garbage collector looks at them all."""

_RECORD_SEPARATOR = b"\x1e"
_BLANK = b" \t\r\n\x1e\xef\xbb\xbf"
_GEOMETRY = "geometry"


class GeoJsonLines:
    """A `Source` of lines of GeoJSON: Features, or geometries by themselves.

    Points are those of the geometries, or numbers among the properties. The properties are
    carried. Values that their column cannot hold, by its type or because the first `SAMPLE_BYTES`
    know no such property, are left out and counted in ``n_dropped`` as they are read. A line that
    is no Feature is a damaged row of nulls, and so is one longer than `MAX_RECORD_BYTES`.
    """

    n_rows = None

    def __init__(self, path: Path, wanted: WantedColumns, max_record_bytes: int = MAX_RECORD_BYTES):
        self._file = InputFile.find(path)
        self._max_bytes = max_record_bytes
        self._n_points = wanted.n_points
        self._separator = self._find_separator()
        fields, of_geometry = self._look_at_sample()
        self._columns = fields.keys()
        self._keeps_all = wanted.keep is None
        keys, names = list(fields), unique_names(fields)
        self._coordinates: list[str] | None = None
        if not self._are_geometries(wanted, of_geometry):
            points = select_points(str(path), names, wanted, may_be_shapes=False)
            self._coordinates = [keys[i] for i in points]
        carried = select_carried(str(path), names, wanted)
        self._carried = [keys[i] for i in carried]
        called = output_names((names[i] for i in carried), wanted.reserved)
        self.schema = pa.schema(
            [fields[k].with_name(name) for k, name in zip(self._carried, called, strict=True)]
        )
        self.n_dropped = 0
        self.size = self._file.size
        self.identity = self._file.identity("GeoJSON lines", wanted.columns, wanted.keep)

    def chunks(self, n_rows: int, start: int = 0) -> Iterator[Chunk]:
        """Rows from the byte ``start`` on, which is 0 or the end of a chunk."""
        return exact_chunks(self._pieces(start), n_rows, self.size)

    def _pieces(self, start: int) -> Iterator[Piece]:
        lines = self._lines(start)
        while some := list(islice(lines, _ROWS_AT_ONCE)):
            features = [parse_feature(line) for line, _ in some]
            yield Piece(
                self._table(features),
                self._points(features),
                np.array([end for _, end in some]),
                np.array([feature is NOTHING for feature in features]),
            )

    def _table(self, features: Sequence[Feature]) -> pa.Table:
        columns = []
        for name, field in zip(self._carried, self.schema, strict=True):
            values = [feature.properties.get(name) for feature in features]
            column, n_dropped = property_column(values, field)
            columns.append(column)
            self.n_dropped += n_dropped
        if self._keeps_all:
            for feature in features:
                if not feature.properties.keys() <= self._columns:
                    self.n_dropped += self._n_unknown(feature.properties)
        return table_of(columns, self.schema, len(features))

    def _n_unknown(self, properties: dict[str, Any]) -> int:
        """How many values there is no column for."""
        unknown = properties.keys() - self._columns
        return sum(properties[name] is not None for name in unknown)

    def _points(self, features: Sequence[Feature]) -> F64:
        if self._coordinates is None:
            pairs = [points_of_geometry(feature.geometry, self._n_points) for feature in features]
            points = np.array(pairs, np.float64)
            points[~np.isfinite(points)] = np.nan
            return points
        return np.column_stack(
            [
                _numbers([feature.properties.get(name) for feature in features])
                for name in self._coordinates
            ]
        )

    def _lines(self, start: int) -> Iterator[tuple[bytes, int]]:
        """What is not blank, and where it ends; too long a line is empty."""
        with self._file.opened() as file:
            window = Window(self._file.blocks(file, start), start, self._file.size)
            while window.text or not window.is_last:
                window.grow()
                *lines, rest = window.text.split(self._separator)
                if window.is_last:
                    lines, rest = [*lines, rest], b""
                end = window.at
                for line in lines:
                    end = min(end + len(line) + 1, self._file.size)
                    if len(line) > self._max_bytes:
                        yield b"", end
                    elif said := line.strip(_BLANK):
                        yield said, end
                window.drop(len(window.text) - len(rest))
                if len(rest) > self._max_bytes:
                    window.drop_line(self._separator)
                    yield b"", window.at

    def _find_separator(self) -> bytes:
        with self._file.opened() as file:
            begin = file.read(16)
        self._file.refuse_compressed(begin)
        begin = begin.lstrip(b" \t\r\n\xef\xbb\xbf")
        return _RECORD_SEPARATOR if begin.startswith(_RECORD_SEPARATOR) else b"\n"

    def _look_at_sample(self) -> tuple[dict[str, pa.Field], bool]:
        """The fields of all properties, and whether any geometry has the points wanted."""
        n_lines = n_features = 0
        of_geometry = False

        def properties() -> Iterator[dict[str, Any]]:
            nonlocal n_lines, n_features, of_geometry
            for line, end in self._lines(0):
                if n_lines and end > SAMPLE_BYTES:
                    return
                feature = parse_feature(line)
                n_lines += 1
                n_features += feature is not NOTHING
                of_geometry |= has_points(feature.geometry, self._n_points)
                yield feature.properties

        fields = property_fields(properties())
        if n_lines and not n_features:
            raise self._file.error(
                f"none of its first {n_lines} lines is a Feature, expected GeoJSON with one on "
                "each line (ogr2ogr -f GeoJSONSeq writes it)"
            )
        return fields, of_geometry or not n_lines

    def _are_geometries(self, wanted: WantedColumns, of_geometry: bool) -> bool:
        """Whether the points are those of the geometries."""
        if wanted.columns is None:
            return of_geometry
        if len(wanted.columns) == 1 and wanted.columns[0] != _GEOMETRY:
            raise self._file.error(
                f"the column of its shapes is {_GEOMETRY}, got {wanted.columns[0]}"
            )
        return len(wanted.columns) == 1


def _numbers(values: Sequence[Any]) -> F64:
    """Numbers of JSON, or text that is one."""
    text = [
        value if isinstance(value, str) else None if isinstance(value, bool) else _written(value)
        for value in values
    ]
    return numbers_of(pa.chunked_array([pa.array(text, pa.string())]))


def _written(value: Any) -> str | None:
    return repr(value) if isinstance(value, int | float) else None
