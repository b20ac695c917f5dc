"""Chunks of exactly as many rows as wanted, from pieces of any size."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.reading.chunking import Piece, exact_chunks
from server.batch.reading.tables import joined, table_of


def pieces(sizes: list[int], names: list[str]) -> Iterator[Piece]:
    """Rows 0, 1, 2 ..., row i of which ends at 10 i + 5."""
    first = 0
    schema = pa.schema([(name, pa.int64()) for name in names])
    for n in sizes:
        rows = np.arange(first, first + n)
        table = table_of([pa.chunked_array([rows]) for _ in names], schema, n)
        damaged = rows % 5 == 1 if first % 3 else None
        yield Piece(table, np.column_stack([rows, -rows]).astype(float), 10 * rows + 5, damaged)
        first += n


def of_damaged_pieces(sizes: list[int]) -> set[int]:
    """The rows of the pieces that tell which rows are damaged."""
    firsts = np.cumsum([0, *sizes])[:-1].tolist()
    told = [range(f, f + n) for f, n in zip(firsts, sizes, strict=True) if f % 3]
    return {row for rows in told for row in rows}


@given(st.lists(st.integers(0, 7)), st.integers(1, 9), st.sampled_from([[], ["a"], ["a", "b"]]))
def test_chunks_are_exact(sizes: list[int], n_rows: int, names: list[str]) -> None:
    """All rows in order, all chunks but the last one full, each with the end of its last row."""
    n = sum(sizes)
    chunks = list(exact_chunks(pieces(sizes, names), n_rows, 10 * n + 3))
    counts = [len(chunk.points) for chunk in chunks]
    assert counts == [n_rows] * (n // n_rows) + [n % n_rows] * (n % n_rows > 0)
    assert [chunk.table.num_rows for chunk in chunks] == counts
    if not chunks:
        return
    points = np.concatenate([chunk.points for chunk in chunks])
    assert points.tolist() == [[i, -i] for i in range(n)]
    table = joined([chunk.table for chunk in chunks])
    assert table.num_rows == n and table.to_pydict() == {name: list(range(n)) for name in names}
    last = np.cumsum(counts) - 1
    wanted = [i % 5 == 1 and i in of_damaged_pieces(sizes) for i in range(n)]
    for chunk in chunks:
        rows = wanted[: len(chunk.points)]
        assert (rows if any(rows) else None) == (
            None if chunk.damaged is None else chunk.damaged.tolist()
        )
        del wanted[: len(chunk.points)]
    assert [chunk.end for chunk in chunks] == [*(10 * last[:-1] + 5), 10 * n + 3]


def test_chunks_must_have_rows() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        next(exact_chunks(pieces([3], []), 0, 1))


def test_pieces_are_read_when_they_are_needed() -> None:
    """One piece ahead, no more."""
    read = []

    def slow() -> Iterator[Piece]:
        for i, piece in enumerate(pieces([2, 2, 2], ["a"])):
            read.append(i)
            yield piece

    chunks = exact_chunks(slow(), 2, 30)
    next(chunks)
    assert read == [0, 1]
