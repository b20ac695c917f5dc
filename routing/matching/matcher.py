"""From a trace to the roads that it was driven on, for one vehicle."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gis.arrays import U32, freeze
from gis.geodesy import distances_m
from gis.snap import Snap
from gis.snap_index import edge_positions
from gis.snap_search import Records
from routing.cch.hierarchy import Hierarchy
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT
from routing.graph.turn_graph import TurnGraph
from routing.inputs import Limits
from routing.matching.climbs import climb_both, tree_depths
from routing.matching.legs import Gaps, Legs, find_legs
from routing.matching.states import States, find_states
from routing.matching.steps import Beliefs, Ends, Model, Ways
from routing.matching.trace import Trace, longest_step_s
from routing.matching.viterbi import BETA_M, Decoded, Habits, decode
from routing.places.candidates import Candidates
from routing.places.positions import query_records
from routing.scratch import RouteScratch, Scratch
from routing.search.chain import Stretch
from routing.search.seeds import Position
from routing.weighting import Weighting


@dataclass(frozen=True)
class Matched:
    """A piece of a trace on the roads: k points and the k - 1 ways between them.

    ``points`` are their indices, ``others`` how many other states each might be in, and
    ``candidates`` the one place where each stands.
    """

    points: list[int]
    others: list[int]
    candidates: list[Candidates]
    stretches: list[Stretch]
    trace_m: float
    matched_m: float


class _Result(NamedTuple):
    """What kernels have found."""

    trace: Trace
    states: States
    beliefs: Beliefs
    decoded: Decoded
    ends: list[int]
    legs: Legs


class Matcher:
    """Matches the traces of one vehicle. Threads may share it."""

    def __init__(self, hierarchy: Hierarchy, scratch: Scratch) -> None:
        self._hierarchy = hierarchy
        self._scratch = scratch.route

    @cached_property
    def _depth(self) -> U32:
        return tree_depths(self._hierarchy)

    def match(
        self, weighting: Weighting, trace: Trace, limits: Limits, anywhere: bool, cut: bool
    ) -> list[Matched] | None:
        """The pieces of a trace that are on the roads, each of two points or more.

        ``limits`` are the points' bearings; ``cut`` tells whether a gap in time begins a new
        piece. None if no point has a road within its radius.
        """
        queries = query_records(trace.lon, trace.lat, trace.radius_m, limits.bearing)
        scratch = self._scratch.take()
        mask = ARC_OPEN if anywhere else ARC_OPEN | ARC_STARTPOINT
        result = self._find(weighting, trace, queries, mask, cut, scratch)
        self._scratch.give_back(scratch)
        return None if result is None else _pieces(weighting, result)

    def _find(
        self,
        weighting: Weighting,
        trace: Trace,
        queries: Records,
        mask: int,
        cut: bool,
        scratch: RouteScratch,
    ) -> _Result | None:
        """States, beliefs, what is decoded of them, and the ways."""
        pairs = scratch.pairs
        states = find_states(weighting.ground, queries, mask, pairs.locate.pending)
        if not len(states.arc):
            return None
        assert weighting.weights is not None
        hierarchy = self._hierarchy
        length_cm = weighting.metric.length_cm
        ways = Ways(hierarchy, weighting.weights, weighting.seeding, length_cm, self._depth)
        model = Model(ways, trace, states, self._ends(ways, weighting.graph, states, scratch))
        m, n = len(states.arc), len(trace.lon)
        beliefs = _new_beliefs(m)
        decoded = _new_decoded(n)
        timed = cut and len(trace.time_s) > 0
        habits = Habits(longest_step_s(trace.time_s) if timed else -1, BETA_M)
        n_matchings = decode(model, pairs, habits, beliefs, decoded)
        ends = decoded.first[: n_matchings + 1].tolist()
        k = ends[-1]
        before = np.setdiff1d(np.arange(k), np.array(ends[1:]) - 1)  # last points lead nowhere
        state, left, nexts = decoded.state[before], decoded.left[before], decoded.state[before + 1]
        place = beliefs.place[state]
        gaps = Gaps(
            states.arc[left],
            np.where(left == state, place, 1 - place),
            states.arc[nexts],
            beliefs.place[nexts],
        )
        return _Result(trace, states, beliefs, decoded, ends, find_legs(ways, pairs, gaps))

    def _ends(self, ways: Ways, graph: TurnGraph, states: States, scratch: RouteScratch) -> Ends:
        """The ways up and down between the arcs of all states, each arc once."""
        arcs, row = np.unique(states.arc, return_inverse=True)
        n_arcs = len(ways.length_cm)
        copies = graph.vertex_arc[n_arcs:]
        low, high = (np.searchsorted(copies, arcs, side=side) for side in ("left", "right"))  # type: ignore[call-overload]
        first = np.zeros(len(arcs) + 1, np.int64)
        np.cumsum(1 + high - low, out=first[1:])
        vertices = np.empty(first[-1], np.uint32)
        vertices[first[:-1]] = arcs
        for i in np.flatnonzero(high > low).tolist():
            vertices[first[i] + 1 : first[i + 1]] = n_arcs + np.arange(low[i], high[i])
        rank = ways.hierarchy.rank
        climbs = climb_both(
            ways.hierarchy,
            ways.weights,
            ways.depth,
            scratch.pairs.query,
            freeze(rank[arcs]),
            freeze(rank[vertices]),
        )
        return Ends(row.astype(np.int64), first, *climbs)


def _new_beliefs(m: int) -> Beliefs:
    """Room for what is known of so many states."""
    value, place, length_m = (np.empty(m) for _ in range(3))
    parent, left = np.empty(m, np.int64), np.empty(m, np.int64)
    return Beliefs(value, parent, left, place, length_m, np.zeros(m, np.uint8))


def _new_decoded(n: int) -> Decoded:
    """Room for the matchings of so many points."""
    point, state, left, others = (np.zeros(n, np.int64) for _ in range(4))
    lengths = np.zeros(n), np.zeros(n)
    first, chain = np.zeros(n + 1, np.int64), np.zeros(n, np.int64)
    return Decoded(first, point, state, left, others, *lengths, chain)


def _pieces(weighting: Weighting, result: _Result) -> list[Matched]:
    """What kernels have found, for those that make legs and waypoints."""
    decoded, ends, legs = result.decoded, result.ends, result.legs
    snaps, starts, stops = _places(weighting, result)
    arc = freeze(legs.arc)
    weight, enters, first = (column.tolist() for column in (legs.weight, legs.enters, legs.first))
    points, others = decoded.point.tolist(), decoded.others.tolist()
    found, leg = [], 0
    for index, (a, b) in enumerate(zip(ends, ends[1:], strict=False)):
        stretches = []
        for i in range(a, b - 1):
            start, end = starts[i], stops[i + 1]
            part = arc[first[leg] : first[leg + 1]]
            stretches.append(Stretch(weight[leg], part, start, end, start.arc, enters[leg]))
            leg += 1
        candidates = [Candidates([snaps[i]], [stops[i]]) for i in range(a, b)]
        if stretches[0].start.arc != stops[a].arc:  # as which it is left, one began
            candidates[0] = Candidates([snaps[a]], [starts[a]])
        lengths = float(decoded.trace_m[index]), float(decoded.matched_m[index])
        found.append(Matched(points[a:b], others[a:b], candidates, stretches, *lengths))
    return found


def _places(
    weighting: Weighting, result: _Result
) -> tuple[list[Snap], list[Position], list[Position]]:
    """Where each matched point stands, and the positions as which it is left and entered."""
    trace, states, beliefs, decoded, ends, _ = result
    state, left = decoded.state[: ends[-1]], decoded.left[: ends[-1]].copy()
    left[np.array(ends[1:], np.int64) - 1] = state[np.array(ends[1:], np.int64) - 1]
    place, arc = beliefs.place[state], states.arc[state]
    records = states.snap[state]
    moved = np.flatnonzero(place != states.fraction[state])
    if len(moved):
        fraction = np.where(arc[moved] & 1, 1 - place[moved], place[moved])
        edge = arc[moved] >> np.uint32(1)
        point, lon, lat = edge_positions(weighting.ground.roads, edge, fraction)
        records["fraction"][moved], records["point"][moved] = fraction, point
        records["lon"][moved], records["lat"][moved] = lon, lat
        given = decoded.point[moved]
        records["distance_m"][moved] = distances_m(trace.lon[given], trace.lat[given], lon, lat)
    snaps = [Snap(*record) for record in records.tolist()]
    turned = np.where(left == state, place, 1 - place)
    starts = list(map(Position, states.arc[left].tolist(), turned.tolist()))
    stops = list(map(Position, arc.tolist(), place.tolist()))
    return snaps, starts, stops
