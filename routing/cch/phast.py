"""Costs from some seeds to all vertices, or from all vertices to the seeds.

What is above the seeds is searched upward; a sweep from the top down over all ranks then gives
every vertex the best that its upper neighbours offer, in the order in which the arcs lie in
memory (PHAST: Delling, Goldberg, Nowatzyk, Werneck, JPDC 73, 2013, section 3).
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gis.arrays import INF, U32, U64, freeze
from gis.jit import plain_kernel
from routing.cch.ancestors import Arcs, add_ancestors, arcs_both_ways
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import COST_BITS, Weights
from routing.pool import Pool
from routing.search.seeds import Seeds

_WEIGHT = np.uint64(COST_BITS)


class _Scratch(NamedTuple):
    """Scratch of a sweep; between sweeps ``place`` is 0. V vertices.

    | array | dtype, shape | content |
    |---|---|---|
    | place | uint32 (V,) | where a vertex is in ``found``, 0: nowhere |
    | found | uint32 (V + 1,) | what is above the seeds, from the top down, from 1 on |
    | label | uint32 (V,) | cost of each vertex, by rank |
    """

    place: U32
    found: U32
    label: U32


@dataclass(frozen=True)
class Sweeper:
    """What all sweeps over a hierarchy share; threads may use one at the same time.

    | array | dtype, shape | content |
    |---|---|---|
    | up_tail, down_head | uint32 (U,), (D,) | lower end of each arc, ascending |
    """

    hierarchy: Hierarchy
    up_tail: U32
    down_head: U32
    _scratch: Pool[_Scratch] = field(repr=False, compare=False)

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> "Sweeper":
        """Write out the lower ends of the arcs: 4 bytes for each."""
        vertex = np.arange(len(hierarchy.rank), dtype=np.uint32)
        up_tail = np.repeat(vertex, np.diff(hierarchy.first_up))
        down_head = np.repeat(vertex, np.diff(hierarchy.first_down))
        scratch = Pool(lambda: _new_scratch(len(vertex)))
        return cls(hierarchy, freeze(up_tail), freeze(down_head), scratch)

    def sweep(
        self, weights: Weights, seeds: Seeds, backward: bool = False, threads: int = 1
    ) -> U32:
        """Costs from the seeds to all vertices or, backward, from all vertices to the seeds.

        Returns uint32 (V,) by vertex of the turn graph: the cost to the start of its arc
        (backward: from there), INF if there is no path. The same for any number of threads.
        """
        rank = self.hierarchy.rank
        up, down = arcs_both_ways(self.hierarchy, weights, backward)
        lower = self.up_tail if backward else self.down_head
        scratch = self._scratch.take()
        scratch.label.fill(INF)
        _climb(up, scratch, freeze(rank[seeds.vertex]), seeds.cost)
        cost = np.empty(len(rank), np.uint32)
        bounds = self.hierarchy.bounds.tolist()

        def descend(part: tuple[int, int]) -> None:
            start, stop = int(down.first[part[0]]), int(down.first[part[1]])
            _descend(lower, down.upper, down.cost, scratch.label, start, stop)

        if threads == 1:
            descend((0, len(rank)))
        else:
            descend((bounds[-2], bounds[-1]))
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(descend, pairwise(bounds[:-1])))
        _by_vertex(scratch.label, rank, cost)
        self._scratch.give_back(scratch)
        return freeze(cost)


def check_sweeper(sweeper: Sweeper) -> None:
    """Assert every documented invariant."""
    hierarchy = sweeper.hierarchy
    for lower, first in (
        (sweeper.up_tail, hierarchy.first_up),
        (sweeper.down_head, hierarchy.first_down),
    ):
        assert lower.dtype == np.uint32 and lower.shape == (first[-1],)
        assert not lower.flags.writeable and (lower[1:] >= lower[:-1]).all()
        assert (np.searchsorted(lower, np.arange(len(first))) == first).all()


def _new_scratch(n: int) -> _Scratch:
    return _Scratch(np.zeros(n, np.uint32), np.empty(n + 1, np.uint32), np.empty(n, np.uint32))


@plain_kernel
def _climb(arcs: Arcs, scratch: _Scratch, rank: U32, cost: U32) -> None:
    """Label what is above the seeds with what it costs to climb there."""
    place, found, label = scratch
    n_found = 1
    for i in range(len(rank)):
        n_found = add_ancestors(rank[i], arcs.parent, found, n_found, place)
        if cost[i] < label[rank[i]]:
            label[rank[i]] = cost[i]
    for at in range(n_found - 1, 0, -1):
        x = found[at]
        place[x] = 0
        for i in range(arcs.first[x], arcs.first[x + 1]):
            through = np.int64(label[x]) + np.int64(arcs.cost[i] >> _WEIGHT)
            if through < label[arcs.upper[i]]:
                label[arcs.upper[i]] = through


@plain_kernel
def _descend(lower: U32, upper: U32, cost: U64, label: U32, start: int, stop: int) -> None:
    """Follow the arcs start..stop - 1 from the last to the first, so from the top down.

    All of them in one loop: most vertices have few, and an inner loop over so few mispredicts
    its end, which doubled the time. Reading weights from whole costs measured as fast as from a
    copy without lengths.
    """
    for i in range(stop - 1, start - 1, -1):
        through = np.int64(label[upper[i]]) + np.int64(cost[i] >> _WEIGHT)
        label[lower[i]] = min(through, np.int64(label[lower[i]]))


@plain_kernel
def _by_vertex(label: U32, rank: U32, cost: U32) -> None:
    for vertex in range(len(rank)):
        cost[vertex] = label[rank[vertex]]
