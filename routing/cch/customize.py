"""Customization: the weights of a hierarchy's arcs from those of the roads."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INF, INVALID, U32, U64, Bool, freeze, group_by, ranges
from gis.jit import inner_kernel, int64, plain_kernel
from routing.cch.given_turns import Given, find_given
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import COST_BITS, INF_COST, Weights, frozen, new_weights
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric

_TOP_PIECES = 16
"""So many pieces of the top are worked on side by side."""

_NOTHING = np.uint64(INF_COST)


class Below(NamedTuple):
    """The arcs of a hierarchy by their upper ends, by which lower triangles are found.

    | array | dtype, shape | content |
    |---|---|---|
    | first_up | uint32 (V + 1,) | offsets into the next two |
    | up_arc, up_tail | uint32 (U,) | position and lower end of the arcs x -> y, x ascending |
    | first_down | uint32 (V + 1,) | offsets into the next two |
    | down_arc, down_head | uint32 (D,) | position and lower end of the arcs y -> x |
    """

    first_up: U32
    up_arc: U32
    up_tail: U32
    first_down: U32
    down_arc: U32
    down_head: U32


class Inputs(NamedTuple):
    """What a customization begins with: the turns, and the columns of a `Metric`."""

    given: Given
    weight: U32
    second: U32
    third: U32


class _Part(NamedTuple):
    """Vertices first..stop - 1, and over which lower ones their arcs may lead.

    If ``below`` is 0, the arcs begin with the weights of the turns.
    """

    first: int
    stop: int
    below: int
    below_stop: int


class _Places(NamedTuple):
    """Scratch of a thread: where the arcs of one vertex are, by their upper ends. V vertices."""

    up: U32
    down: U32


class _Old(NamedTuple):
    """Scratch of a thread: what the arcs of one vertex cost before. V vertices.

    | array | dtype, shape | content |
    |---|---|---|
    | cost | uint64 (2 V,) | as ``Weights.up``, then ``Weights.down`` |
    | third | uint32 (2 V,) or (0,) | the same, if there is any |
    """

    cost: U64
    third: U32


@dataclass(frozen=True)
class Customizer:
    """Everything about a hierarchy that its customizations share."""

    graph: TurnGraph
    hierarchy: Hierarchy
    below: Below
    given: Given

    @classmethod
    def of(cls, graph: TurnGraph, hierarchy: Hierarchy) -> "Customizer":
        """Sort the arcs by their upper ends and find the turns, once for all customizations."""
        n = graph.n_vertices
        columns: list[U32] = []
        for first, upper in (hierarchy[3:5], hierarchy[5:7]):
            first_above, arc = group_by(upper, n)
            lower = np.repeat(np.arange(n, dtype=np.uint32), np.diff(first))
            columns += [freeze(first_above), freeze(arc), freeze(lower[arc])]
        return cls(graph, hierarchy, Below(*columns), find_given(graph, hierarchy))

    def with_turns(self, graph: TurnGraph) -> "Customizer":
        """The same for other turns between the same vertices, all of which the hierarchy has."""
        return replace(self, graph=graph, given=find_given(graph, self.hierarchy))

    def customize(self, metric: Metric, threads: int = 2, out: Weights | None = None) -> Weights:
        """The weights for a metric, in ``out`` if given; the same for any number of threads.

        Basic customization (Dibbelt, Strasser, Wagner, JEA 21, 2016, section 5) by lower
        triangles: each arc is written by the thread of its lower end alone. Ranges of ranks that
        do not depend on each other come first, then all triangles that lead from them into the
        top, then the top itself.
        """
        weights = new_weights(self.hierarchy, metric.has_durations) if out is None else out
        inputs = self._inputs(metric)
        bounds = self.hierarchy.bounds.tolist()
        top, end = bounds[-2:]
        ranges = [_Part(a, b, 0, end) for a, b in pairwise(bounds[:-1])]
        ranges.sort(key=lambda part: part.first - part.stop)
        step = max(-(-(end - top) // _TOP_PIECES), 1)
        pieces = [_Part(at, min(at + step, end), 0, top) for at in range(top, end, step)]
        scratch: list[_Places] = []

        def work(part: _Part) -> None:
            places = scratch.pop() if scratch else _new_places(end)
            _customize(self.hierarchy, self.below, inputs, weights, places, part)
            scratch.append(places)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(work, ranges))
            list(pool.map(work, pieces))
        work(_Part(top, end, top, end))
        return frozen(weights) if out is None else out

    def recustomize(self, metric: Metric, weights: Weights, changed: U32, threads: int = 2) -> int:
        """Mend writable ``weights`` after some arcs' weights changed; how many vertices it took.

        ``metric`` has the new weights, ``changed`` (k,) are the arcs. The result equals that of
        a full customization. Ranges of ranks that do not depend on each other are mended side by
        side, then the top: threads that mark its vertices as stale all write the same.
        """
        inputs = self._inputs(metric)
        stale = _owners(self.graph, self.hierarchy, changed)
        bounds = self.hierarchy.bounds.tolist()
        top, end = bounds[-2:]
        ranges = [_Part(a, b, 0, end) for a, b in pairwise(bounds[:-1])]
        ranges.sort(key=lambda part: part.first - part.stop)
        scratch: list[tuple[_Places, _Old]] = []

        def work(part: _Part) -> int:
            if scratch:
                places, old = scratch.pop()
            else:
                places, old = _new_places(end), _new_old(end, metric.has_durations)
            arrays = self.hierarchy, self.below, inputs, weights
            n_done = _recustomize(*arrays, places, stale, old, part)
            scratch.append((places, old))
            return n_done

        with ThreadPoolExecutor(threads) as pool:
            n_done = sum(pool.map(work, ranges))
        return n_done + work(_Part(top, end, 0, end))

    def _inputs(self, metric: Metric) -> Inputs:
        given = self.given
        turns = metric.turn_costs(given.up_turn), metric.turn_costs(given.down_turn)
        by_arc = Given(given.up_arc, turns[0], given.down_arc, turns[1])
        return Inputs(by_arc, metric.weight, metric.second, metric.third)


def _new_places(n: int) -> _Places:
    return _Places(np.zeros(n, np.uint32), np.zeros(n, np.uint32))


def _new_old(n: int, with_third: bool) -> _Old:
    return _Old(np.empty(2 * n, np.uint64), np.empty(2 * n * with_third, np.uint32))


def _owners(graph: TurnGraph, hierarchy: Hierarchy, arcs: U32) -> Bool:
    """The ranks (V,) that keep a turn out of one of the arcs (k,)."""
    has_changed = np.zeros(graph.n_vertices, np.bool_)
    has_changed[arcs] = True
    vertex = np.flatnonzero(has_changed[graph.vertex_arc])
    first = graph.first_turn[vertex].astype(np.int64)
    turn = ranges(first, graph.first_turn[vertex + 1] - first)
    owner = np.zeros(graph.n_vertices, np.bool_)
    owner[hierarchy.rank[vertex]] = True
    owner[hierarchy.rank[graph.turn_head[turn]]] = True
    return owner


@inner_kernel
def _key(inputs: Inputs, arc: Any, turn: Any) -> Any:
    """The cost of an arc of the roads with a turn."""
    total = int64(inputs.weight[arc]) + int64(turn)
    if total >= INF:
        return _NOTHING
    second = int64(inputs.second[arc])
    if len(inputs.third) > 0:
        second += int64(turn)
    return np.uint64((total << COST_BITS) + second)


@inner_kernel
def _begin_vertex(y: int, hierarchy: Hierarchy, inputs: Inputs, weights: Weights) -> None:
    """Give the arcs of a vertex what their turns cost, or nothing."""
    given = inputs.given
    for i in range(hierarchy.first_up[y], hierarchy.first_up[y + 1]):
        arc = given.up_arc[i]
        weights.up[i], weights.up_children[i, 0] = _NOTHING, INVALID
        if arc != INVALID:
            weights.up[i] = _key(inputs, arc, given.up_turn[i])
            weights.up_children[i, 1] = hierarchy.vertex[hierarchy.up_head[i]]
        else:
            weights.up_children[i, 1] = INVALID
        if len(weights.up_third) > 0:
            weights.up_third[i] = inputs.third[arc] if weights.up[i] < _NOTHING else 0
    for i in range(hierarchy.first_down[y], hierarchy.first_down[y + 1]):
        arc = given.down_arc[i]
        weights.down[i], weights.down_children[i, 0] = _NOTHING, INVALID
        if arc != INVALID:
            weights.down[i] = _key(inputs, arc, given.down_turn[i])
            weights.down_children[i, 1] = hierarchy.vertex[y]
        else:
            weights.down_children[i, 1] = INVALID
        if len(weights.down_third) > 0:
            weights.down_third[i] = inputs.third[arc] if weights.down[i] < _NOTHING else 0


@inner_kernel
def _lower(
    at: Any, cost: U64, third: U32, children: U32, through: Any, further: Any, way: tuple[Any, Any]
) -> None:
    """Let an arc lead over others if that costs less, or as much with less of the third."""
    if through < cost[at] or (len(third) > 0 and further < third[at]):
        cost[at] = through
        children[at, 0], children[at, 1] = way
        if len(third) > 0:
            third[at] = further


@inner_kernel
def _relax_triangles(
    y: int, hierarchy: Hierarchy, below: Below, weights: Weights, places: _Places, part: _Part
) -> None:
    """Offer the arcs of a vertex all ways over lower ones.

    The third is looked at only where a cost is not more: hardly one way in ten.
    """
    up, down, up_children, down_children, up_third, down_third = weights
    has_third = len(up_third) > 0 and len(down_third) > 0
    third = int64(0)
    for i in range(below.first_down[y], below.first_down[y + 1]):
        x = below.down_head[i]
        if x < part.below or x >= part.below_stop:
            continue
        first = below.down_arc[i]
        cost = down[first]
        if cost >= _NOTHING:
            continue
        if has_third:
            third = int64(down_third[first])
        low, j = int64(hierarchy.first_up[x]), int64(hierarchy.first_up[x + 1]) - 1
        while j >= low and hierarchy.up_head[j] > y:
            through = cost + up[j]
            at = places.up[hierarchy.up_head[j]]
            if through <= up[at]:
                further = third + up_third[j] if has_third else third
                _lower(at, up, up_third, up_children, through, further, (first, j))
            j -= 1
    for i in range(below.first_up[y], below.first_up[y + 1]):
        x = below.up_tail[i]
        if x < part.below or x >= part.below_stop:
            continue
        second = below.up_arc[i]
        cost = up[second]
        if cost >= _NOTHING:
            continue
        if has_third:
            third = int64(up_third[second])
        low, j = int64(hierarchy.first_down[x]), int64(hierarchy.first_down[x + 1]) - 1
        while j >= low and hierarchy.down_tail[j] > y:
            through = down[j] + cost
            at = places.down[hierarchy.down_tail[j]]
            if through <= down[at]:
                further = down_third[j] + third if has_third else third
                _lower(at, down, down_third, down_children, through, further, (j, second))
            j -= 1


@inner_kernel
def _place_arcs(y: int, hierarchy: Hierarchy, places: _Places) -> None:
    for i in range(hierarchy.first_up[y], hierarchy.first_up[y + 1]):
        places.up[hierarchy.up_head[i]] = i
    for i in range(hierarchy.first_down[y], hierarchy.first_down[y + 1]):
        places.down[hierarchy.down_tail[i]] = i


@plain_kernel
def _customize(
    hierarchy: Hierarchy,
    below: Below,
    inputs: Inputs,
    weights: Weights,
    places: _Places,
    part: _Part,
) -> None:
    """Customize the vertices of one part."""
    for y in range(part.first, part.stop):
        _place_arcs(y, hierarchy, places)
        if part.below == 0:
            _begin_vertex(y, hierarchy, inputs, weights)
        _relax_triangles(y, hierarchy, below, weights, places, part)


@inner_kernel
def _keep(old: _Old, place: Any, cost: U64, third: U32, i: Any) -> None:
    """Keep what an arc costs."""
    old.cost[place] = cost[i]
    if len(third) > 0:
        old.third[place] = third[i]


@inner_kernel
def _differs(old: _Old, place: Any, cost: U64, third: U32, i: Any) -> bool:
    """Whether an arc costs something else than what was kept."""
    differs: bool = old.cost[place] != cost[i]
    if len(third) > 0:
        differs |= old.third[place] != third[i]
    return differs


@plain_kernel
def _recustomize(
    hierarchy: Hierarchy,
    below: Below,
    inputs: Inputs,
    weights: Weights,
    places: _Places,
    stale: Bool,
    old: _Old,
    part: _Part,
) -> int:
    """Customize the stale vertices of a part, and mark those above that a change reaches."""
    n_done = 0
    for y in range(part.first, part.stop):
        if not stale[y]:
            continue
        n_done += 1
        up, up_stop = int64(hierarchy.first_up[y]), int64(hierarchy.first_up[y + 1])
        down, down_stop = int64(hierarchy.first_down[y]), int64(hierarchy.first_down[y + 1])
        n_up = up_stop - up
        for i in range(up, up_stop):
            _keep(old, i - up, weights.up, weights.up_third, i)
        for i in range(down, down_stop):
            _keep(old, i - down + n_up, weights.down, weights.down_third, i)
        _place_arcs(y, hierarchy, places)
        _begin_vertex(y, hierarchy, inputs, weights)
        _relax_triangles(y, hierarchy, below, weights, places, part)
        differs = False
        for i in range(up, up_stop):
            differs |= _differs(old, i - up, weights.up, weights.up_third, i)
        for i in range(down, down_stop):
            differs |= _differs(old, i - down + n_up, weights.down, weights.down_third, i)
        if differs:
            for i in range(up, up_stop):
                stale[hierarchy.up_head[i]] = True
            for i in range(down, down_stop):
                stale[hierarchy.down_tail[i]] = True
    return n_done
