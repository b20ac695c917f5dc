"""The steps of a leg: what a driver has to do, where, and what the roads are called."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I64, U8, Bool, freeze
from gis.geodesy import UNITS_PER_DEGREE, bearing_deg, distance_m, to_units
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import Mode
from gis.profiles.verdicts import RoadUse
from routing.assemble import PathOfArcs
from routing.graph.turn_graph import TurnGraph
from routing.guidance.classify import Classifier
from routing.guidance.drafts import (
    ARRIVE,
    DEPART,
    LEFT,
    RIGHT,
    STRAIGHT,
    Crossing,
    Draft,
    Trail,
)
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import NO_TURN, Junctions
from routing.guidance.labels import RoadTexts
from routing.guidance.passes import Passes
from routing.guidance.single_turns import SingleTurn, single_turns
from routing.guidance.steps import Intersection, Maneuver, Step
from routing.guidance.summary import summarize
from routing.metric import Metric

SIDE_FROM_M, SIDE_TO_M = 5.0, 300.0
"""A point so far from the road is said to lie on a side of it."""


class LegLine(NamedTuple):
    """Where a leg leads: paths that follow each other, and its line with n + 1 points.

    ``lon``, ``lat`` float64 (n + 1,) in degrees. ``first_point`` int64 (k,) is the point at which
    each of the k arcs of all paths begins, 0 for the first.
    ``begin`` and ``goal`` are the points of the request, longitude and latitude in degrees.
    """

    paths: Sequence[PathOfArcs]
    lon: F64
    lat: F64
    first_point: I64
    begin: tuple[float, float]
    goal: tuple[float, float]


class Guide:
    """Describes the legs of one vehicle's routes; threads may share it."""

    def __init__(
        self,
        network: RoadNetwork,
        roads: RoadUse,
        graph: TurnGraph,
        arc_flags: U8 | None = None,
    ) -> None:
        self.network = network
        self.facts = RoadFacts(network, roads, arc_flags)
        self._graph = graph
        self._junctions = Junctions(network, roads, graph, open_arcs(network, roads))
        self._classifier = Classifier(self.facts, self._junctions)
        self._passes = Passes(self.facts, self._junctions, self._classifier.draft)

    def steps(self, leg: LegLine, metric: Metric) -> tuple[tuple[Step, ...], str]:
        """The steps of a leg, as long as its roads take by a metric, and the leg's summary."""
        trail = self.trail(leg, metric)
        drafts = self.drafts(trail)
        passage = self._passes.run(trail, drafts)
        return self._finish(leg, trail, drafts), summarize(passage)

    def single_turns(self, arcs: I64) -> list[SingleTurn]:
        """What turns demand, each by itself: from the first to the second arc of (n, 2)."""
        return single_turns(self._junctions, self._classifier, arcs)

    def trail(self, leg: LegLine, metric: Metric) -> Trail:
        """A leg as the passes want it."""
        arcs = np.concatenate([path.arcs for path in leg.paths]).astype(np.int64)
        crossings, turns = self._junctions.along(arcs)
        crossings = _turned_within(leg.paths, crossings, turns)
        turn_cs = np.zeros(len(arcs))
        known = turns != NO_TURN
        turn_cs[:-1][known] = metric.turn_costs(self._graph.turn_cost)[turns[known]]
        measures = self._measure(leg.paths, turn_cs)
        points = [*leg.first_point.tolist(), len(leg.lon) - 1]
        return Trail(arcs.tolist(), *measures, points, crossings)

    def drafts(self, trail: Trail) -> list[Draft]:
        """A draft for each crossing of a leg, for its departure and its arrival."""
        drafts = [Draft(0, DEPART, None, [Crossing(-1, 0, [], None, None)])]
        for crossing in trail.crossings:
            draft = self._classifier.draft(crossing)
            if draft is not None:
                drafts.append(draft)
        n = len(trail.arcs)
        drafts.append(Draft(n, ARRIVE, None, [Crossing(-1, n, [], None, None)]))
        drafts[-1].texts_at = n - 1
        return drafts

    def _measure(
        self, paths: Sequence[PathOfArcs], turn_cs: F64
    ) -> tuple[list[float], list[float], list[float]]:
        """Metres, seconds and weight of what is driven of each arc, with the turn at its end."""
        network = self.network
        length_m: list[float] = []
        duration_s: list[float] = []
        weight: list[float] = []
        for path in paths:
            k = len(path.arcs)
            cm = np.rint(network.edge_length_m[path.arcs >> np.uint32(1)].astype(np.float64) * 100)
            left_out = cm[0] * path.start.fraction
            cm[-1] *= path.end.fraction
            cm[0] -= left_out
            cm[0] = max(0.0, cm[0] + path.length_cm - cm.sum())  # what rounding has lost
            turns = turn_cs[len(length_m) : len(length_m) + k]
            weight_cs = path.cost_cs if path.weight_cs is None else path.weight_cs
            length_m += (cm / 100.0).tolist()
            duration_s += ((path.cost_cs + turns) / 100.0).tolist()
            weight += ((weight_cs + turns) / 100.0).tolist()
        return length_m, duration_s, weight

    def _finish(self, leg: LegLine, trail: Trail, drafts: list[Draft]) -> tuple[Step, ...]:
        """Steps of drafts; the first and the last reach to the ends, whatever was trimmed."""
        k = len(trail.arcs)
        at = [0, *(draft.at for draft in drafts[1:-1]), k, k]
        line = _Line(leg, trail)
        return tuple(
            self._step(line, draft, start, stop)
            for draft, (start, stop) in zip(drafts, pairwise(at), strict=True)
        )

    def _step(self, line: "_Line", draft: Draft, start: int, stop: int) -> Step:
        trail, facts = line.trail, self.facts
        first, last = trail.first_point[start], trail.first_point[stop]
        arc = trail.arcs[min(start, len(trail.arcs) - 1)]
        before, after = line.bearings(draft)
        texts = facts.texts(trail.arcs[draft.texts_at])
        rotary = _NO_TEXTS
        if draft.rotary_at is not None:
            rotary = facts.texts(trail.arcs[draft.rotary_at])
        modifier = draft.modifier
        if draft.type in (DEPART, ARRIVE):
            modifier = line.side(draft)
        place = line.lon[first], line.lat[first]
        return Step(
            sum(trail.length_m[start:stop]),
            sum(trail.duration_s[start:stop]),
            sum(trail.weight[start:stop]),
            first,
            last,
            texts.name,
            texts.ref,
            texts.pronunciation,
            texts.destinations,
            texts.exits,
            rotary.name,
            rotary.pronunciation,
            facts.mode(arc).word,
            "left" if facts.drives_left(arc) else "right",
            Maneuver(draft.type, modifier, *place, before, after, draft.exit),
            tuple([self._intersection(line, c, before, after) for c in draft.crossings]),
        )

    def _intersection(
        self, line: "_Line", crossing: Crossing, before: int, after: int
    ) -> Intersection:
        trail = line.trail
        at, n = crossing.at, len(trail.arcs)
        point = trail.first_point[at]
        place = line.lon[point], line.lat[point]
        classes = self.facts.classes(trail.arcs[min(at, n - 1)])
        came_in, out = crossing.came_in, crossing.out
        if at == 0:
            return Intersection(*place, (after,), (True,), None, 0, (), classes)
        if at == n:
            return Intersection(*place, ((before + 180) % 360,), (True,), 0, None, (), classes)
        if came_in is None:
            return Intersection(*place, (after,), (True,), 0, 0, (), classes)
        bearings = [_whole(road.bearing) for road in crossing.roads]
        entry = [road.entry for road in crossing.roads]
        n_north = sum(round(road.bearing) == 360 for road in crossing.roads)  # which is 0
        if n_north:
            bearings = bearings[-n_north:] + bearings[:-n_north]
            entry = entry[-n_north:] + entry[:-n_north]
        if n_north and out is not None:
            came_in, out = (came_in + n_north) % len(entry), (out + n_north) % len(entry)
        return Intersection(
            *place, tuple(bearings), tuple(entry), came_in, out, crossing.lanes, classes
        )


_NO_TEXTS = RoadTexts()


def _turned_within(
    paths: Sequence[PathOfArcs], crossings: list[Crossing], turns: I64
) -> list[Crossing]:
    """The crossings of a leg; where one path ends within a road, and the next begins, it is none.

    No turn is taken between two paths, whatever the node ahead would have: ``turns`` are changed.
    """
    around = {}
    at = 0
    for path, after in pairwise(paths):
        at += len(path.arcs)
        turns[at - 1] = NO_TURN
        if path.end.fraction < 1 or after.start.fraction > 0:
            around[at] = Crossing(-1, at, [], None, None)
    if not around:
        return crossings
    others = (crossing for crossing in crossings if crossing.at not in around)
    return sorted([*others, *around.values()], key=lambda crossing: crossing.at)


class _Line:
    """The points of a leg, for whoever asks where and in which direction."""

    def __init__(self, leg: LegLine, trail: Trail) -> None:
        self.leg, self.trail = leg, trail
        self.lon, self.lat = leg.lon.tolist(), leg.lat.tolist()

    def bearings(self, draft: Draft) -> tuple[int, int]:
        """In which directions one comes to a maneuver and goes on, 0 where one does not."""
        crossing = draft.crossing
        if crossing.came_in is not None and crossing.out is not None and draft.type != ARRIVE:
            roads = crossing.roads
            back, onward = roads[crossing.came_in].bearing, roads[crossing.out].bearing
            return _whole(back + 180.0), _whole(onward)
        point = self._point(draft)
        before = self._bearing(point - 1) if draft.type != DEPART else 0.0
        after = self._bearing(point) if draft.type != ARRIVE else 0.0
        return _whole(before), _whole(after)

    def side(self, draft: Draft) -> str | None:
        """On which side of the road the point of the request lies, None if it is on the road."""
        point = self._point(draft)
        if draft.type == DEPART:
            return _side(self.leg.begin, self._place(0), self._bearing(point), departs=True)
        last = len(self.lon) - 1
        return _side(self.leg.goal, self._place(last), self._bearing(point - 1), departs=False)

    def _point(self, draft: Draft) -> int:
        """The point of a maneuver: one that a leg goes on from or has come to.

        A leg that is tiny as a whole may be trimmed to an end or a beginning without a length.
        """
        point = self.trail.first_point[draft.at]
        if draft.type == DEPART:
            return min(point, len(self.lon) - 2)
        return max(point, 1) if draft.type == ARRIVE else point

    def _place(self, point: int) -> tuple[int, int]:
        return round(self.lon[point] * UNITS_PER_DEGREE), round(self.lat[point] * UNITS_PER_DEGREE)

    def _bearing(self, point: int) -> float:
        """From a point to the next."""
        return bearing_deg(*self._place(point), *self._place(point + 1))


def _whole(bearing: float) -> int:
    return round(bearing) % 360


def _side(
    wanted: tuple[float, float], snapped: tuple[int, int], along: float, departs: bool
) -> str | None:
    """On which side of the road a point of the request lies, None if it is on the road.

    ``along`` is the direction in which the road leads from or to there.
    """
    x, y = (int(part) for part in to_units(np.array(wanted)))
    if not SIDE_FROM_M <= distance_m(*snapped, x, y) <= SIDE_TO_M:
        return None
    aside = bearing_deg(x, y, *snapped) if departs else bearing_deg(*snapped, x, y)
    turn = aside - along if departs else along - aside
    angle = (180.0 + turn) % 360.0
    if angle < 135.0:
        return RIGHT
    return STRAIGHT if angle <= 225.0 else LEFT


def open_arcs(network: RoadNetwork, roads: RoadUse) -> Bool:
    """Which arcs the vehicle may use at all, bool (A,), whatever they weigh."""
    is_open = np.empty(network.n_arcs, np.bool_)
    is_open[0::2] = (roads.forward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    is_open[1::2] = (roads.backward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    return freeze(is_open)
