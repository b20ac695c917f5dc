"""Tables of costs from many sources to many targets.

Only what is above a target can lie on the way down to it, so the arcs between the targets'
ancestors are copied, once for all sources, into arrays that a sweep reads from front to back
(RPHAST: Delling, Goldberg, Werneck, ATMOS 2011, section 4). Bundles of sources that lie beside
each other in the elimination tree climb and sweep together (Buchhold, Wagner, SEA 2021).
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from gis.arrays import INF, U32, freeze
from gis.workers import available_cpus
from routing.cch.ancestors import Arcs, arcs_both_ways
from routing.cch.bundles import (
    Groups,
    Lanes,
    Output,
    Scratch,
    Selection,
    collect,
    fill_selection,
    new_scratch,
    sweep_bundles,
    with_room,
)
from routing.cch.hierarchy import Hierarchy
from routing.cch.lanes import LANES
from routing.cch.weights import COST_BITS, Weights
from routing.pool import Pool

_MOST_ROWS = 1 << 16
"""Targets are taken together until they have so many ancestors: rows should fit in a cache."""

_PIECES_PER_THREAD = 4
_LEAST_ROWS_FOR_THREADS = 1 << 16
"""Sweeps over fewer rows in all are done before a second thread has begun."""


class SeedGroups(NamedTuple):
    """The seeds of many places; group i holds those at first[i] .. first[i + 1] - 1.

    | array | dtype, shape | content |
    |---|---|---|
    | first | uint32 (n + 1,) | offsets into the others |
    | vertex | uint32 (S,) | vertex of the turn graph |
    | cost | uint32 (S,) | below INF: paid before the start of its arc, or to pay from there on |
    | second, third | uint32 (S,) | what the `Metric` has beside the weight; 0: nothing |
    """

    first: U32
    vertex: U32
    cost: U32
    second: U32
    third: U32

    @property
    def n(self) -> int:
        return len(self.first) - 1


def check_seed_groups(groups: SeedGroups, n_vertices: int) -> None:
    """Assert every documented invariant."""
    n_seeds = len(groups.vertex)
    for array in groups:
        assert array.dtype == np.uint32 and array.ndim == 1 and array.flags.c_contiguous
    assert groups.first[0] == 0 and groups.first[-1] == n_seeds
    assert (groups.first[1:] >= groups.first[:-1]).all()
    assert groups.cost.shape == groups.second.shape == groups.third.shape == (n_seeds,)
    assert (groups.vertex < n_vertices).all() and (groups.cost < INF).all()


class Table(NamedTuple):
    """Costs from n sources to m targets.

    | array | dtype, shape | content |
    |---|---|---|
    | weight | uint32 (n, m) | cost of the best path, INF if there is none |
    | second, third | uint32 (n, m) | see below, 0 if there is none; (0, 0) if not asked for |

    A cell is exactly what a query between its ends finds, whatever the other places are: of the
    paths that cost least the one with the least second and then third, as in `Metric`.
    """

    weight: U32
    second: U32
    third: U32


class TableState:
    """Scratch of one caller, reused by its tables; between them all places are 0. V vertices."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.n_vertices = len(hierarchy.rank)
        self.found = np.empty(self.n_vertices + 1, np.uint32)
        self.place = np.zeros(self.n_vertices, np.uint32)
        kinds = Lanes(np.uint32), Lanes(np.uint64), Lanes(np.uint64, with_third=True)
        self._scratch = {kind: Pool(partial(new_scratch, self.n_vertices, kind)) for kind in kinds}

    def borrow(self, kind: Lanes, n_rows: int) -> Scratch:
        """Scratch for a thread that sweeps over so many rows."""
        scratch = self._scratch[kind].take()
        if len(scratch.rows) < n_rows:
            room = n_rows + n_rows // 2
            rows, thirds = kind.new_rows(room)
            given = np.zeros(room, np.uint32)
            scratch = scratch._replace(given=given, rows=rows, row_thirds=thirds)
        return scratch

    def give_back(self, kind: Lanes, scratch: Scratch) -> None:
        """Return what was borrowed."""
        self._scratch[kind].give_back(scratch)


def travel_table(
    state: TableState,
    hierarchy: Hierarchy,
    weights: Weights,
    sources: SeedGroups,
    targets: SeedGroups,
    with_second: bool = False,
    with_third: bool = False,
    threads: int | None = None,
) -> Table:
    """Costs of the best paths from each source to each target, with second and third if wanted.

    The third only with the second, and with weights that have it. The same for any number of
    threads; by default as many as there are processors.
    """
    shape = sources.n, targets.n
    wanted = True, with_second, with_third
    table = Table(*(np.empty(shape if want else (0, 0), np.uint32) for want in wanted))
    # What is above the larger side is copied once; the smaller side is what is then worked on in
    # bundles. Measured, that is quicker for all shapes, by up to 2.5 times.
    backward = shape[0] > shape[1]
    up, down = arcs_both_ways(hierarchy, weights, backward)
    strides = (shape[1], 1)
    if backward:
        sources, targets, strides = targets, sources, (1, shape[1])
    lane = np.uint64 if with_second else np.uint32
    rising = _groups(hierarchy, sources)
    falling = _groups(hierarchy, targets)
    weight, second, third = (column.reshape(-1) for column in table)
    output = Output(weight, second, third, *strides)
    kind = Lanes(lane, with_third)
    for selection in _selections(state, down, falling, kind) if table.weight.size else ():
        _sweep(state, up, rising, selection, output, threads or available_cpus())
    return Table(*(freeze(column) for column in table))


def _groups(hierarchy: Hierarchy, groups: SeedGroups) -> Groups:
    """The seeds by ranks, and the order of the groups by falling rank of their first seeds."""
    rank = hierarchy.rank[groups.vertex]
    key = groups.cost.astype(np.uint64) << np.uint64(COST_BITS) | groups.second
    first_rank = np.append(rank, 0)[groups.first[:-1]]  # of a group without seeds: any
    order = np.argsort(-first_rank.astype(np.int64), kind="stable").astype(np.uint32)
    return Groups(*(freeze(array) for array in (groups.first, rank, key, groups.third, order)))


def _selections(state: TableState, down: Arcs, targets: Groups, kind: Lanes) -> Iterator[Selection]:
    """All targets, as many at a time as a sweep should have."""
    place = freeze(state.place.view())
    start = 0
    while start < len(targets.order):
        end, n_found, n_arcs = collect(targets, start, down, state.found, state.place, _MOST_ROWS)
        try:
            column = freeze(np.sort(targets.order[start:end]))
            selection = Selection(
                freeze(state.found[:n_found].copy()),
                place,
                np.empty(n_found + len(column) + 1, np.uint32),
                np.empty(n_arcs, np.uint32),
                np.empty(n_arcs, kind.lane),
                np.empty(n_arcs * kind.with_third, np.uint32),
                column,
            )
            n_arcs = fill_selection(targets, down, selection)
            yield selection._replace(
                first=freeze(selection.first),
                tail=freeze(selection.tail[:n_arcs]),
                weight=freeze(selection.weight[:n_arcs]),
                third=freeze(selection.third[:n_arcs]),
            )
        finally:
            state.place[state.found[1:n_found]] = 0
        start = end


def _sweep(
    state: TableState,
    up: Arcs,
    sources: Groups,
    selection: Selection,
    output: Output,
    threads: int,
) -> None:
    """Fill the columns of a selection."""
    kind = Lanes(selection.weight.dtype.type, len(output.third) > 0)
    n = len(sources.order)
    n_rows = len(selection.first) - 1
    n_bundles = -(-n // LANES)
    if n_bundles * n_rows < _LEAST_ROWS_FOR_THREADS:
        threads = 1
    n_pieces = threads * _PIECES_PER_THREAD if threads > 1 else 1
    step = max(-(-n_bundles // n_pieces), 1) * LANES

    def work(start: int) -> None:
        scratch = state.borrow(kind, n_rows)
        stop = min(start + step, n)
        while start < stop:
            start = sweep_bundles(up, sources, selection, scratch, output, start, stop)
            if start < stop:
                scratch = with_room(scratch, kind)
        state.give_back(kind, scratch)

    if threads == 1:
        for start in range(0, n, step):
            work(start)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, range(0, n, step)))
