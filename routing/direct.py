"""Routes between two points by the hierarchy, in one call of a kernel."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from struct import Struct
from typing import NamedTuple

import numpy as np

from gis.arrays import U32, freeze
from gis.jit import machine_code
from gis.snap import Snap
from gis.snap_search import SNAP
from routing.cch.weights import INF_COST, Measures, measures_of
from routing.errors import NoSegment
from routing.graph.turn_graph import TurnGraph
from routing.many.pairs import DirectFound, find_route
from routing.places.candidates import Candidates
from routing.places.nearest import PointQuery
from routing.scratch import RouteScratch, Scratch
from routing.search.chain import Stretch
from routing.search.seeds import Position
from routing.store import PreparedProfile
from routing.weighting import Weighting

_PLACE = Struct("@ddIIiiB7x")
"""A SNAP record: reading it like this takes a fifth of the time that NumPy takes."""
assert _PLACE.size == SNAP.itemsize


class DirectEnd(NamedTuple):
    """Where a route between two points begins or ends, and the places it was chosen from."""

    position: Position
    places: bytes
    """SNAP records."""

    def snaps(self) -> list[Snap]:
        """The places."""
        return [Snap(*place) for place in _PLACE.iter_unpack(self.places)]

    def candidates(self) -> Candidates:
        """The snaps that the point may stand for."""
        return Candidates(self.snaps(), [self.position])


class DirectRoute(NamedTuple):
    """A route between two points: what it takes, and the turn graph's vertices after its first."""

    measures: Measures
    vertices: U32
    start: DirectEnd
    end: DirectEnd

    def stretch(self, graph: TurnGraph) -> Stretch:
        """The route as a chain of points has it."""
        begin, goal, vertices = self.start.position, self.end.position, self.vertices
        arcs = np.empty(len(vertices) + 1, np.uint32)
        arcs[0] = begin.arc
        arcs[1:] = graph.vertex_arc[vertices]
        enters = int(vertices[-1]) if len(vertices) else begin.arc
        return Stretch(self.measures.weight, freeze(arcs), begin, goal, begin.arc, enters)


class Chain(NamedTuple):
    """Routes that follow each other, and where their points stand.

    Not ``is_joined`` if one stands elsewhere for the route that ends there than for the one that
    begins there, as may be where there are islands.
    """

    stretches: Sequence[Stretch]
    candidates: Sequence[Candidates]
    is_joined: bool


class DirectFinder:
    """Finds such routes for one vehicle. Threads may share it."""

    def __init__(self, prepared: PreparedProfile, weighting: Weighting, scratch: Scratch) -> None:
        self._hierarchy, self._graph = prepared.hierarchy, prepared.turn_graph
        self._scratch = scratch.route
        assert weighting.weights is not None
        ways = weighting.ground, prepared.hierarchy, weighting.weights, weighting.seeding
        # The kernel for this vehicle's arrays, whose types never change.
        self._kernel: Callable[..., DirectFound] = self._scratch.use(
            lambda scratch: machine_code(
                find_route, *ways, scratch.pairs, scratch.records, (True, True)
            )
        )

    def measures(
        self, weighting: Weighting, queries: Sequence[PointQuery], anywhere: bool
    ) -> Measures | None:
        """What the route between two points takes; None if there is none.

        Raises ``NoSegment`` where there is no road within the radius.
        """
        found, scratch = self._ask(weighting, queries, (anywhere, False))
        self._scratch.give_back(scratch)
        if found[0] == INF_COST:
            return None
        return measures_of(int(found[0]), int(found[1]), weighting.metric.has_durations)

    def find(
        self, weighting: Weighting, queries: Sequence[PointQuery], anywhere: bool
    ) -> DirectRoute | None:
        """The route between two points, as `measures` has it."""
        found, scratch = self._ask(weighting, queries, (anywhere, True))
        cost, third, n_path, _, *ends = found
        if cost == INF_COST:
            self._scratch.give_back(scratch)
            return None
        places = scratch.snap_bytes
        path = scratch.pairs.query.path[:n_path].copy()
        start = DirectEnd(Position(int(ends[0]), ends[1]), places[ends[2] : ends[3]].tobytes())
        end = DirectEnd(Position(int(ends[4]), ends[5]), places[ends[6] : ends[7]].tobytes())
        self._scratch.give_back(scratch)
        measures = measures_of(int(cost), int(third), weighting.metric.has_durations)
        return DirectRoute(measures, path, start, end)

    def chain(
        self, weighting: Weighting, queries: Sequence[PointQuery], anywhere: bool
    ) -> Chain | None:
        """Routes from each of many points to the next, each by itself; None if there is none.

        Raises ``NoSegment``.
        """
        routes: list[DirectRoute] = []
        for leg, pair in enumerate(pairwise(queries)):
            try:
                route = self.find(weighting, pair, anywhere)
            except NoSegment as error:
                raise NoSegment(leg + error.index) from None
            if route is None:
                return None
            routes.append(route)
        arrivals = [route.end.snaps() for route in routes]
        starts = [route.start.snaps() for route in routes]
        snaps = [starts[0]]
        for arrival, start in zip(arrivals, [*starts[1:], arrivals[-1]], strict=True):
            snaps.append(arrival if arrival == start else [*arrival, *start])
        ends = [routes[0].start.position, *(route.end.position for route in routes)]
        stretches = [route.stretch(self._graph) for route in routes]
        candidates = [Candidates(*of) for of in zip(snaps, ([end] for end in ends), strict=True)]
        return Chain(stretches, candidates, arrivals[:-1] == starts[1:])

    def _ask(
        self, weighting: Weighting, queries: Sequence[PointQuery], options: tuple[bool, bool]
    ) -> tuple[DirectFound, RouteScratch]:
        """What the kernel finds, and the scratch with the rest, to be given back."""
        assert weighting.weights is not None
        scratch = self._scratch.take()
        pairs, records, _ = scratch
        for i, query in enumerate(queries):
            records[i] = query.record(i)
        found = self._kernel(
            weighting.ground,
            self._hierarchy,
            weighting.weights,
            weighting.seeding,
            pairs,
            records,
            options,
        )
        if found[3] < len(queries):
            self._scratch.give_back(scratch)
            raise NoSegment(found[3])
        return found, scratch
