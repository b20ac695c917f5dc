"""Rows of Arrow IPC files and streams (Feather V2 among them), mapped into memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from server.batch.reading.columnar import BATCH_ROWS, ColumnarFile
from server.batch.reading.columns import Wishes
from server.batch.reading.input_file import InputFile

_MAGIC = b"ARROW1"


class ArrowRows(ColumnarFile):
    """A `Source` of the rows of an Arrow IPC file or stream.

    What is not compressed is not copied. A compressed record batch is in memory as a whole.
    """

    def __init__(self, path: Path, wishes: Wishes):
        file = InputFile.find(path)
        self._path = path
        with file.opened() as opened:
            self._is_file = opened.read(len(_MAGIC)) == _MAGIC
        try:
            super().__init__(file, self._open([]).schema, wishes, "arrow")
            self._size = sum(self._counts())
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise file.error(f"is no whole Arrow file: {reason}") from None

    @property
    def size(self) -> int:
        return self._size

    def batches(self, start: int) -> Iterator[pa.RecordBatch]:
        """Record batches before ``start`` are not looked at; large ones are cut."""
        skip, n_skipped = start, 0
        if start:
            for n in self._counts():
                if skip < n:
                    break
                skip, n_skipped = skip - n, n_skipped + 1
        for batch in self._record_batches(self.selection.needed, n_skipped):
            for first in range(skip, batch.num_rows, BATCH_ROWS):
                yield batch.slice(first, BATCH_ROWS)
            skip = 0

    def _counts(self) -> Iterator[int]:
        """How many rows each record batch has; only one column of them is looked at."""
        for batch in self._record_batches([self.selection.points[0]], 0):
            yield batch.num_rows

    def _record_batches(self, columns: list[int], n_skipped: int) -> Iterator[pa.RecordBatch]:
        """Record batches of some columns, but not the first ones."""
        reader = self._open(columns)
        if self._is_file:
            for i in range(n_skipped, reader.num_record_batches):
                yield reader.get_batch(i)
        else:
            for i, batch in enumerate(reader):
                if i >= n_skipped:
                    yield batch

    def _open(self, columns: list[int]) -> Any:
        """A reader of some columns; none stands for all."""
        options = pa.ipc.IpcReadOptions(included_fields=columns, use_threads=False)
        mapped = pa.memory_map(str(self._path))
        if self._is_file:
            return pa.ipc.open_file(mapped, options=options)
        return pa.ipc.open_stream(mapped, options=options)
