"""Parquet that grows by row groups, each of which can be written without the others.

A Parquet file is row groups, then a footer that says at which bytes of the file they lie. A chunk
is written here as a file of its own by a writer that believes to have written already what
stands before it, so the offsets in its footer are those in the whole file. The footer is kept as
the chunk's note; in the end one footer is made from all of them.
"""

import io
import json
import mmap
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from server.batch.marks import MATRIX, WKB, main_shape, mark_of
from server.batch.writing.cells import one_array
from server.batch.writing.geoparquet import KEY, geo_metadata, geometry_types
from server.batch.writing.matrices import with_nulls

_MAGIC = b"PAR1"
_LENGTH_BYTES = 4
"""Of the footer's length, which stands between it and the magic bytes at the end of a file."""

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
        self._schema = pa.schema(
            [pa.field(field.name, _decoded(field.type), field.nullable) for field in schema]
        )
        self._shapes = [field.name for field in schema if mark_of(field) == WKB]
        self._matrices = {field.name for field in schema if mark_of(field) == MATRIX}
        self._main_shape = main_shape(schema)

    def begin(self) -> bytes:
        """The magic bytes that tell Parquet."""
        return _MAGIC

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """A chunk's row group as it stands from byte ``at`` on, and the footer that tells of it."""
        if not table.num_rows:
            return b"", b""
        columns = [
            with_nulls(one_array(column))
            if field.name in self._matrices
            else column.cast(field.type)
            for field, column in zip(self._schema, table.columns, strict=True)
        ]
        chunk = pa.table(columns, schema=self._schema).combine_chunks()
        sink = _Sink()
        stream = pa.PythonFile(sink, "w")
        writer = self._writer(stream, store_schema=False)  # writes the magic bytes
        _skip(stream, at - len(_MAGIC))
        sink.listens = True
        writer.write_table(chunk, row_group_size=chunk.num_rows)
        if self._shapes:
            types = {name: sorted(geometry_types(chunk[name])) for name in self._shapes}
            writer.add_key_value_metadata({KEY: json.dumps(types)})
        writer.close()
        return _divided(sink.getvalue())

    def end(self, notes: Sequence[bytes]) -> bytes:
        """The footer of the whole file."""
        footers = [pq.read_metadata(io.BytesIO(_MAGIC + note)) for note in notes if note]
        types: dict[str, set[str]] = {name: set() for name in self._shapes}
        for footer in footers if self._shapes else ():
            for name, found in json.loads(footer.metadata[KEY]).items():
                types[name].update(found)
        primary = self._main_shape
        geo = {KEY: geo_metadata(types, primary)} if primary is not None else {}
        whole = self._footer_without_rows(geo)
        for footer in footers:
            whole.append_row_groups(footer)
        file = io.BytesIO()
        whole.write_metadata_file(file)
        return file.getvalue()[len(_MAGIC) :]

    def _footer_without_rows(self, metadata: dict[bytes, bytes]) -> pq.FileMetaData:
        """A footer that tells the schema, as Arrow knows it too, and other metadata."""
        file = io.BytesIO()
        with self._writer(file, store_schema=True) as writer:
            writer.add_key_value_metadata(metadata)
        return pq.read_metadata(file)

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


def _divided(file: bytes) -> tuple[bytes, bytes]:
    """What a writer has written: row groups, and the footer with its length and magic bytes."""
    tail = _LENGTH_BYTES + len(_MAGIC)
    length = int.from_bytes(file[-tail : -len(_MAGIC)], "little")
    return file[: -length - tail], file[-length - tail :]


def _decoded(kind: pa.DataType) -> pa.DataType:
    """The type that a dictionary stands for."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _repeats(kind: pa.DataType) -> bool:
    """Whether values may well occur often, and are to be written once: not measures or shapes."""
    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_integer,
            pa.types.is_string,
            pa.types.is_large_string,
            pa.types.is_string_view,
        )
    )
