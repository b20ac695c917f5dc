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

_PADDED = 8
"""Bytes that the magic takes. A stream follows it, behind which stands where its parts are."""


class ArrowRows(ColumnarFile):
    """A `Source` of the rows of an Arrow IPC file or stream.

    A file is read as the stream in it: of a file Arrow copies the columns that are selected, of a
    stream it does not. So only some rows at a time are copied; but of a compressed record batch
    the columns that are needed are in memory as a whole.

    Who cuts off a mapped file ends the process that touches it next (SIGBUS). So the file is looked
    at before every touch; what is cut off within one, which takes milliseconds, still does harm.
    """

    def __init__(self, path: Path, wanted: WantedColumns):
        file = InputFile.find(path)
        self._bytes = file.size
        with file.opened() as opened:
            self._is_file = opened.read(len(_MAGIC)) == _MAGIC
            try:
                self._n_batches = self._number_of_batches(opened)
                super().__init__(file, self._reader(opened, []).schema, wanted, "arrow")
                counts = list(self._counts(opened))
            except (pa.ArrowException, OSError) as error:
                reason = str(error).splitlines()[0]
                raise file.error(f"is no whole Arrow file: {reason}") from None
        if self._n_batches not in (None, len(counts)):
            raise file.error(
                f"has {len(counts)} batches one behind the other, expected {self._n_batches}"
            )
        self._size = sum(counts)

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
        batches = islice(self._reader(file, columns), n_skipped, self._n_batches)
        while True:
            self._file.check(file)
            batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _number_of_batches(self, file: BinaryIO) -> int | None:
        """How many record batches a file says that it has; a stream does not."""
        if not self._is_file:
            return None
        return int(pa.ipc.open_file(self._mapped(file)).num_record_batches)

    def _reader(self, file: BinaryIO, columns: list[int]) -> Any:
        """A reader of some columns; none stands for all."""
        options = pa.ipc.IpcReadOptions(included_fields=columns, use_threads=False)
        return pa.ipc.open_stream(self._mapped(file)[_PADDED * self._is_file :], options=options)

    def _mapped(self, file: BinaryIO) -> pa.Buffer:
        n_bytes = self._bytes
        mapped = mmap.mmap(file.fileno(), n_bytes, access=mmap.ACCESS_READ) if n_bytes else b""
        return pa.py_buffer(mapped)


def _copied(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same rows, which do not change with the file."""
    columns = [pa.concat_arrays([column]) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)
