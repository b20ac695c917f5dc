"""From pieces, as a format finds them, to chunks of exactly as many rows as wanted."""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from gis.arrays import F64, I64, Bool
from server.batch.reading.tables import joined


class Chunk(NamedTuple):
    """Rows of a source that are answered and written together.

    ``table`` holds n rows of the carried columns; ``points`` float64 (n, 2k) the longitudes and
    latitudes of the k points of each row in degrees, NaN where there is no finite number;
    ``end`` is where the next chunk begins; ``damaged`` bool (n,) which rows are none that the
    format knows, None if no row is so: they have no points.
    """

    table: pa.Table
    points: F64
    end: int
    damaged: Bool | None = None


class Piece(NamedTuple):
    """Rows that were read at once: as a `Chunk`, with the end of each row, int64 (n,)."""

    table: pa.Table
    points: F64
    ends: I64
    damaged: Bool | None = None

    def rows(self, first: int, stop: int) -> "Piece":
        """Some of the rows, without a copy."""
        table = self.table.slice(first, stop - first)
        damaged = None if self.damaged is None else self.damaged[first:stop]
        return Piece(table, self.points[first:stop], self.ends[first:stop], damaged)


def exact_chunks(pieces: Iterator[Piece], n_rows: int, size: int) -> Iterator[Chunk]:
    """Give chunks of ``n_rows`` rows, the last of at most as many.

    The last one ends at ``size``, whatever may follow its last row: so a chunk is given only when
    it is known whether there are more rows.
    """
    if n_rows < 1:
        raise ValueError(f"{n_rows} rows in a chunk, expected at least 1")
    waiting: deque[Piece] = deque()
    n_waiting = 0
    for piece in pieces:
        if not len(piece.ends):
            continue
        waiting.append(piece)
        n_waiting += len(piece.ends)
        while n_waiting > n_rows:
            yield _chunk(_take(waiting, n_rows))
            n_waiting -= n_rows
    if n_waiting:
        yield _chunk(list(waiting))._replace(end=size)


def _take(waiting: deque[Piece], n_rows: int) -> list[Piece]:
    """Remove the first rows from what waits."""
    taken = []
    while n_rows:
        piece = waiting.popleft()
        n = len(piece.ends)
        if n > n_rows:
            waiting.appendleft(piece.rows(n_rows, n))
            piece, n = piece.rows(0, n_rows), n_rows
        taken.append(piece)
        n_rows -= n
    return taken


def _chunk(pieces: list[Piece]) -> Chunk:
    points = [piece.points for piece in pieces]
    return Chunk(
        joined([piece.table for piece in pieces]),
        points[0] if len(points) == 1 else np.concatenate(points),
        int(pieces[-1].ends[-1]),
        _damaged(pieces),
    )


def _damaged(pieces: list[Piece]) -> Bool | None:
    """The rows that are damaged; None if none is."""
    if all(piece.damaged is None or not piece.damaged.any() for piece in pieces):
        return None
    none = [np.zeros(len(piece.ends), np.bool_) for piece in pieces]
    return np.concatenate(
        [
            whole if piece.damaged is None else piece.damaged
            for piece, whole in zip(pieces, none, strict=True)
        ]
    )
