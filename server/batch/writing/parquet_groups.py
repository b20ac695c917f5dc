"""Parquet that grows by row groups, each of which can be written without the others.

A Parquet file is row groups, then a footer that says at which bytes of the file they lie. A chunk
is written here as a file of its own by a writer that believes to have written already what
stands before it, so the offsets in its footer are those in the whole file. What the footer says
of the row group is kept as the chunk's note; in the end one footer is made from all of them.
"""

import io
import mmap
from collections.abc import Iterable, Iterator
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from server.batch.marks import MATRIX, WKB, main_shape, mark_of
from server.batch.writing.cells import Column, by_value, is_any, one_array
from server.batch.writing.geoparquet import KEY, geo_metadata, geometry_types
from server.batch.writing.matrices import with_nulls
from server.batch.writing.parquet_footer import MAGIC, closing, divided, row_groups

_COMPRESSION = "zstd"
_COMPRESSION_LEVEL = 1
"""Level 3 makes shapes a tenth smaller, and takes two and a half times as long."""

_GAP_BYTES = 1 << 30
"""Of a piece of the gap before a chunk: memory that is never touched, so it takes none."""


class ParquetGroups:
    """A row group for each chunk; GeoParquet if there are shapes.

    The bytes depend on the values alone, not on how Arrow keeps them: columns are written in one
    piece, and dictionary-encoded ones as what they stand for.
    """

    def __init__(self, schema: pa.Schema) -> None:
        if any(_is_list_of_none(kind) for kind in schema.types):
            raise ValueError("lists of no elements cannot be read from Parquet again")
        self._schema = pa.schema(
            [pa.field(field.name, _decoded(field.type), field.nullable) for field in schema]
        )
        self._shapes = [field.name for field in schema if mark_of(field) == WKB]
        self._matrices = {field.name for field in schema if mark_of(field) == MATRIX}
        self._main_shape = main_shape(schema)
        self._footer_without_rows({})  # raises what Arrow has to say of types Parquet lacks

    def begin(self) -> bytes:
        """The magic bytes that tell Parquet."""
        return MAGIC

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """A chunk's row group as it stands from byte ``at`` on, and what the footer tells of it."""
        if not table.num_rows:
            return b"", b""
        columns = [
            with_nulls(one_array(column))
            if field.name in self._matrices
            else _plain(column, field.type)
            for field, column in zip(self._schema, table.columns, strict=True)
        ]
        chunk = pa.table(columns, schema=self._schema).combine_chunks()
        sink = _Sink()
        stream = pa.PythonFile(sink, "w")
        writer = self._writer(stream, store_schema=False)  # writes the magic bytes
        _skip(stream, at - len(MAGIC))
        sink.listens = True
        writer.write_table(chunk, row_group_size=chunk.num_rows)
        writer.close()
        data, footer = divided(sink.getvalue())
        n_rows, number, groups = row_groups(footer)
        types = {name: sorted(geometry_types(chunk[name])) for name in self._shapes}
        facts = {"n_rows": n_rows, "number": number, "types": types}
        return data, orjson.dumps(facts) + b"\n" + groups

    def end(self, notes: Iterable[bytes]) -> Iterator[bytes]:
        """The footer of the whole file; no more of it than one chunk's part is held at a time."""
        n_rows = number = n_bytes = 0
        types: dict[str, set[str]] = {name: set() for name in self._shapes}
        for note in filter(None, notes):
            facts, groups = _facts_and_groups(note)
            n_rows += facts["n_rows"]
            number += facts["number"]
            n_bytes += len(groups)
            for name, found in facts["types"].items():
                types[name].update(found)
        primary = self._main_shape
        geo = {KEY: geo_metadata(types, primary)} if primary is not None else {}
        groups_of_all = (_facts_and_groups(note)[1] for note in filter(None, notes))
        yield from closing(self._footer_without_rows(geo), n_rows, number, n_bytes, groups_of_all)

    def _footer_without_rows(self, metadata: dict[bytes, bytes]) -> bytes:
        """A footer that tells the schema, as Arrow knows it too, and other metadata."""
        file = io.BytesIO()
        with self._writer(file, store_schema=True) as writer:
            writer.add_key_value_metadata(metadata)
        return divided(file.getvalue())[1]

    def _writer(self, sink: object, store_schema: bool) -> pq.ParquetWriter:
        others = [name for name in self._schema.names if name not in self._shapes]
        return pq.ParquetWriter(
            sink,
            self._schema,
            compression=_COMPRESSION,
            compression_level=_COMPRESSION_LEVEL,
            use_dictionary=[field.name for field in self._schema if _repeats(field.type)],
            write_statistics=others,  # the least and the greatest shape would be in every footer
            store_schema=store_schema,
        )


class _Sink(io.BytesIO):
    """Keeps what is written to it, once it listens."""

    listens = False

    def write(self, data: Any) -> int:
        return super().write(data) if self.listens else len(data)


def _skip(stream: pa.PythonFile, n_bytes: int) -> None:
    """Move a stream on, which is not asked for its position but counts what it writes."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    gap = pa.py_buffer(mmap.mmap(-1, _GAP_BYTES, flags, mmap.PROT_READ))
    while n_bytes > 0:
        piece = min(n_bytes, _GAP_BYTES)
        stream.write(gap.slice(0, piece))
        n_bytes -= piece


def _facts_and_groups(note: bytes) -> tuple[dict[str, Any], bytes]:
    """What a chunk's note says, and its part of the footer."""
    facts, _, groups = note.partition(b"\n")
    return orjson.loads(facts), groups


def _plain(column: pa.ChunkedArray, kind: pa.DataType) -> Column:
    """A column in this type, without a dictionary: Arrow can cast few kinds of these itself."""
    if pa.types.is_dictionary(column.type):
        column = by_value(column, lambda values: values)
    return column.cast(kind)


def _is_list_of_none(kind: pa.DataType) -> bool:
    return pa.types.is_fixed_size_list(kind) and not kind.list_size


def _decoded(kind: pa.DataType) -> pa.DataType:
    """The type that a dictionary stands for."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _repeats(kind: pa.DataType) -> bool:
    """Whether values may well occur often, and are to be written once: not measures or shapes."""
    return is_any(
        kind,
        pa.types.is_integer,
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
    )
