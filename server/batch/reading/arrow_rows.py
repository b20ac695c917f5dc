"""Rows of Arrow IPC files and streams (Feather V2 among them), mapped into memory."""

import mmap
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from server.batch.reading.columnar import BATCH_ROWS, ColumnarFile
from server.batch.reading.columns import WantedColumns
from server.batch.reading.input_file import InputFile

_MAGIC = b"ARROW1"


class ArrowRows(ColumnarFile):
    """A `Source` of the rows of an Arrow IPC file or stream.

    Of a stream that is not compressed only some rows at a time are copied; each other record batch
    is in memory as a whole. Who cuts off a mapped file ends the process that touches it next
    (SIGBUS). So the file is looked at before every touch; what is cut off within one, which takes
    milliseconds, still does harm.
    """

    def __init__(self, path: Path, wanted: WantedColumns):
        file = InputFile.find(path)
        self._bytes = file.size
        with file.opened() as opened:
            self._is_file = opened.read(len(_MAGIC)) == _MAGIC
            try:
                super().__init__(file, self._reader(opened, []).schema, wanted, "arrow")
                self._size = sum(self._counts(opened))
            except (pa.ArrowException, OSError) as error:
                reason = str(error).splitlines()[0]
                raise file.error(f"is no whole Arrow file: {reason}") from None

    @property
    def size(self) -> int:
        return self._size

    def batches(self, file: BinaryIO, start: int) -> Iterator[pa.RecordBatch]:
        """Record batches before ``start`` are not looked at; large ones are cut."""
        skip, n_skipped = start, 0
        if start:
            for n in self._counts(file):
                if skip < n:
                    break
                skip, n_skipped = skip - n, n_skipped + 1
        for batch in self._record_batches(file, self.selection.needed, n_skipped):
            for first in range(skip, batch.num_rows, BATCH_ROWS):
                self._file.check(file)
                yield _copied(batch.slice(first, BATCH_ROWS))
            skip = 0

    def _counts(self, file: BinaryIO) -> Iterator[int]:
        """How many rows each record batch has; only one column of them is looked at."""
        for batch in self._record_batches(file, [self.selection.points[0]], 0):
            yield batch.num_rows

    def _record_batches(
        self, file: BinaryIO, columns: list[int], n_skipped: int
    ) -> Iterator[pa.RecordBatch]:
        """Record batches of some columns, but not the first ones."""
        reader = self._reader(file, columns)
        batches: Iterator[pa.RecordBatch]
        if self._is_file:
            batches = map(reader.get_batch, range(n_skipped, reader.num_record_batches))
        else:
            batches = islice(reader, n_skipped, None)
        while True:
            self._file.check(file)
            batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _reader(self, file: BinaryIO, columns: list[int]) -> Any:
        """A reader of some columns; none stands for all."""
        options = pa.ipc.IpcReadOptions(included_fields=columns, use_threads=False)
        n_bytes = self._bytes
        mapped = mmap.mmap(file.fileno(), n_bytes, access=mmap.ACCESS_READ) if n_bytes else b""
        if self._is_file:
            return pa.ipc.open_file(pa.py_buffer(mapped), options=options)
        return pa.ipc.open_stream(pa.py_buffer(mapped), options=options)


def _copied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows, which do not change with the file."""
    columns = [pa.concat_arrays([column]) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
