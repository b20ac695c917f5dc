"""Rows of Parquet and GeoParquet files."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gis.arrays import I64
from server.batch.reading.columnar import BATCH_ROWS, ColumnarFile
from server.batch.reading.columns import WantedColumns
from server.batch.reading.input_file import InputFile

_BUFFER_BYTES = 1 << 20
"""Of a column at a time: without, Arrow holds all of a row group's compressed bytes."""


class ParquetRows(ColumnarFile):
    """A `Source` of the rows of a Parquet file; memory does not grow with its row groups."""

    def __init__(self, path: Path, wanted: WantedColumns):
        file = InputFile.find(path)
        with file.opened() as opened:
            try:
                parquet = _parquet(opened)
            except (pa.ArrowException, OSError) as error:
                reason = str(error).splitlines()[0]
                raise file.error(f"is no whole Parquet file: {reason}") from None
        self._groups = _group_ends(parquet)
        schema = parquet.schema_arrow
        super().__init__(file, schema, wanted, "parquet")
        names = schema.names
        self._needed = [(names[i], names[:i].count(names[i])) for i in self.selection.needed]

    @property
    def size(self) -> int:
        return int(self._groups[-1])

    def batches(self, file: BinaryIO, start: int) -> Iterator[pa.RecordBatch]:
        """Whole row groups before ``start`` are not looked at; one that holds it is decoded."""
        first = int(np.searchsorted(self._groups, start, "right")) - 1
        skip = start - int(self._groups[first])
        parquet = _parquet(file)
        for batch in parquet.iter_batches(
            BATCH_ROWS,
            row_groups=range(first, parquet.num_row_groups),
            columns=list({name: None for name, _ in self._needed}),
            use_threads=False,
        ):
            rest = batch.slice(skip)
            skip -= batch.num_rows - rest.num_rows
            yield self._only_needed(rest)

    def _only_needed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Only what was meant: several columns can have a name, and ``a.b`` be a part of ``a``."""
        by_name: dict[str, list[int]] = {}
        for i, name in enumerate(batch.schema.names):
            by_name.setdefault(name, []).append(i)
        return batch.select([by_name[name][k] for name, k in self._needed])


def _parquet(file: BinaryIO) -> pq.ParquetFile:
    return pq.ParquetFile(
        file, pre_buffer=False, buffer_size=_BUFFER_BYTES, page_checksum_verification=True
    )


def _group_ends(parquet: pq.ParquetFile) -> I64:
    """Rows before each row group, and in all of them, int64 (groups + 1,)."""
    metadata = parquet.metadata
    counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
