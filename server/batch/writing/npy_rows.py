"""A matrix as a file of NumPy, its rows as they come."""

import io
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from server.batch.errors import OutputError
from server.batch.marks import MATRIX, mark_of
from server.batch.writing.cells import one_array
from server.batch.writing.matrices import matrix


class NpyRows:
    """The rows of the one matrix that a table holds; its other columns are left out.

    The header, which stands first, says how many there are: they must be known beforehand.
    """

    def __init__(self, path: Path, schema: pa.Schema, n_rows: int | None) -> None:
        found = [number for number, field in enumerate(schema) if mark_of(field) == MATRIX]
        if len(found) != 1:
            raise OutputError(
                f"{path}: holds one matrix, got {_listed(schema, found)}, expected another format"
            )
        if n_rows is None:
            raise OutputError(
                f"{path}: must begin with the number of rows, which the input does not tell, "
                "expected an input in Parquet or Arrow, or another format of the output"
            )
        self._path = path
        self._column = found[0]
        self._n_rows = n_rows
        kind = schema.field(self._column).type
        self._dtype = np.dtype(kind.value_type.to_pandas_dtype()).newbyteorder("<")
        self._shape = (n_rows, kind.list_size)

    def begin(self) -> bytes:
        """The header."""
        header = io.BytesIO()
        facts = {"descr": self._dtype.str, "fortran_order": False, "shape": self._shape}
        np.lib.format.write_array_header_1_0(header, facts)
        return header.getvalue()

    def encode(self, table: pa.Table, at: int) -> tuple[bytes, bytes]:
        """The rows of a chunk, the same wherever they are written, and how many in the note."""
        rows = matrix(one_array(table.column(self._column)))
        return rows.astype(self._dtype, copy=False).tobytes(), str(len(rows)).encode()

    def end(self, notes: Iterable[bytes]) -> Iterable[bytes]:
        """Nothing; raises ``OutputError`` if there are not as many rows as the header says."""
        n_rows = sum(int(note) for note in notes if note)
        if n_rows != self._n_rows:
            raise OutputError(f"{self._path}: got {n_rows} rows, expected {self._n_rows}")
        return ()


def _listed(schema: pa.Schema, fields: Sequence[int]) -> str:
    return " and ".join(schema.field(number).name for number in fields) or "none"
