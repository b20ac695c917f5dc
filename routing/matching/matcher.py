"""From a trace to the roads that it was driven on, for one vehicle."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gis.arrays import F64, U32, freeze
from gis.geodesy import distances_m
from gis.snap import Snap
from gis.snap_index import edge_positions
from gis.snap_search import ANY_BEARING, Records
from routing.assemble import PlacesOfPaths
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import Measures, measures_of
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT
from routing.graph.turn_graph import TurnGraph
from routing.matching.climbs import new_climbs, tree_depths
from routing.matching.legs import Gaps, Legs, find_legs
from routing.matching.states import States, find_states
from routing.matching.steps import Beliefs, Ends, Model, Ways
from routing.matching.trace import Trace, longest_step_s
from routing.matching.viterbi import Decoded, decode
from routing.places.candidates import Candidates
from routing.places.nearest import PointQuery
from routing.places.positions import query_records
from routing.scratch import RouteScratch, Scratch
from routing.search.chain import Stretch
from routing.search.seeds import Position
from routing.weighting import Weighting


class Places(NamedTuple):
    """Arcs uint32 (n,), and how far along them, float64 (n,)."""

    arc: U32
    fraction: F64

    def at(self, i: int) -> Position:
        """One of them."""
        return Position(int(self.arc[i]), float(self.fraction[i]))


@dataclass(frozen=True)
class Matched:
    """A piece of a trace on the roads: k points and the k - 1 ways between them.

    ``points`` are their indices, ``others`` how many other states each might be in, ``snaps``
    where they stand. ``reached`` and ``left`` are the arcs and fractions as which they are
    reached and left, (k,) each. The ways are ``first_leg`` and the following of ``legs``, and
    ``measures`` what each takes.
    """

    points: list[int]
    others: list[int]
    snaps: list[Snap]
    reached: Places
    left: Places
    legs: Legs
    first_leg: int
    measures: Measures
    trace_m: float
    matched_m: float

    def stretch(self, i: int) -> Stretch:
        """The way from the i-th point to the next."""
        legs, leg = self.legs, self.first_leg + i
        arcs = legs.arc[legs.first[leg] : legs.first[leg + 1]]
        start, end = self.left.at(i), self.reached.at(i + 1)
        weight, enters = int(self.measures.weight[i]), int(legs.enters[leg])
        return Stretch(weight, arcs, start, end, start.arc, enters)

    def candidates(self, i: int) -> Candidates:
        """The one place where the i-th point stands."""
        return Candidates([self.snaps[i]], [self.reached.at(i)])

    def ends(self) -> PlacesOfPaths:
        """Where the ways begin and end."""
        n = len(self.points)
        lon = np.fromiter((snap.lon for snap in self.snaps), np.int64, n)
        lat = np.fromiter((snap.lat for snap in self.snaps), np.int64, n)
        from_to = self.left.fraction[:-1], self.reached.fraction[1:]
        columns = from_to, (lon[:-1], lon[1:]), (lat[:-1], lat[1:])
        return PlacesOfPaths(*(freeze(np.stack(pair, axis=1)) for pair in columns))


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
        self,
        weighting: Weighting,
        trace: Trace,
        points: Sequence[PointQuery],
        anywhere: bool,
        cut: bool,
    ) -> list[Matched] | None:
        """The pieces of a trace that are on the roads, each of two points or more.

        ``points`` are those of the trace; ``cut`` tells whether a gap in time begins a new
        piece. None if no point has a road within its radius.
        """
        bearing = np.array([point.bearing or ANY_BEARING for point in points], np.int64)
        side = np.array([point.side for point in points], np.int64)
        queries = query_records(trace.lon, trace.lat, trace.radius_m, bearing, side)
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
        model = Model(ways, trace, states, self._ends(ways, weighting.graph, states))
        m, n = len(states.arc), len(trace.lon)
        beliefs = _new_beliefs(m)
        decoded = _new_decoded(n)
        timed = cut and len(trace.time_s) > 0
        longest_s = longest_step_s(trace.time_s) if timed else -1
        n_matchings = decode(model, pairs, longest_s, beliefs, decoded)
        ends = decoded.first[: n_matchings + 1].tolist()
        leads_on = np.ones(ends[-1], np.bool_)
        leads_on[decoded.first[1 : n_matchings + 1] - 1] = False
        before = np.flatnonzero(leads_on)
        state, left, nexts = decoded.state[before], decoded.left[before], decoded.state[before + 1]
        place = beliefs.place[state]
        gaps = Gaps(
            states.arc[left],
            np.where(left == state, place, 1 - place),
            states.arc[nexts],
            beliefs.place[nexts],
        )
        legs = find_legs(ways, pairs, gaps)
        legs = legs._replace(arc=freeze(legs.arc[: legs.first[-1]]))
        return _Result(trace, states, beliefs, decoded, ends, legs)

    def _ends(self, ways: Ways, graph: TurnGraph, states: States) -> Ends:
        """Room for the ways up and down between the arcs of all states, each arc once."""
        arcs, row = np.unique(states.arc, return_inverse=True)
        n_arcs = len(ways.length_cm)
        copies = graph.vertex_arc[n_arcs:]
        low, high = (np.searchsorted(copies, arcs + np.uint32(k)) for k in range(2))
        first = np.zeros(len(arcs) + 1, np.int64)
        np.cumsum(1 + high - low, out=first[1:])
        vertices = np.empty(first[-1], np.uint32)
        vertices[first[:-1]] = arcs
        for i in np.flatnonzero(high > low).tolist():
            vertices[first[i] + 1 : first[i + 1]] = n_arcs + np.arange(low[i], high[i])
        rank = ways.hierarchy.rank
        weights, depth = ways.weights, ways.depth
        up, down = (new_climbs(weights, depth, freeze(rank[of])) for of in (arcs, vertices))
        return Ends(row.astype(np.int64), first, up, down)


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
    snaps, reached, left = _places(weighting, result)
    points, others = decoded.point.tolist(), decoded.others.tolist()
    has_durations = weighting.metric.has_durations
    found = []
    for index, (a, b) in enumerate(pairwise(ends)):
        of = slice(a - index, b - index - 1)  # each matching has one leg less than points
        found.append(
            Matched(
                points[a:b],
                others[a:b],
                snaps[a:b],
                Places(reached.arc[a:b], reached.fraction[a:b]),
                Places(left.arc[a:b], left.fraction[a:b]),
                legs,
                of.start,
                measures_of(legs.cost[of].astype(np.int64), legs.third[of], has_durations),
                float(decoded.trace_m[index]),
                float(decoded.matched_m[index]),
            )
        )
    return found


def _places(weighting: Weighting, result: _Result) -> tuple[list[Snap], Places, Places]:
    """Where each matched point stands, and the places as which it is reached and left."""
    trace, states, beliefs, decoded, ends, _ = result
    state, left = decoded.state[: ends[-1]], decoded.left[: ends[-1]].copy()
    last = np.array(ends[1:], np.int64) - 1
    left[last] = state[last]
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
        from_lon, from_lat = (axis[given].astype(np.int32) for axis in (trace.lon, trace.lat))
        records["distance_m"][moved] = distances_m(from_lon, from_lat, lon, lat)
    snaps = [Snap(*record) for record in records.tolist()]
    turned = np.where(left == state, place, 1 - place)
    return snaps, Places(arc, place), Places(states.arc[left], turned)
