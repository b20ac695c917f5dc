"""The steps of a leg: what a driver has to do, where, and what the roads are called."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gis.arrays import F64, I64, Bool, freeze
from gis.geodesy import bearing_deg, distance_m, to_units
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import Mode
from gis.profiles.verdicts import RoadUse
from routing.assemble import PathOfArcs
from routing.graph.turn_graph import TurnGraph
from routing.guidance.classify import classify
from routing.guidance.drafts import (
    ARRIVE,
    DEPART,
    LEFT,
    RIGHT,
    STRAIGHT,
    SUPPRESSED,
    Crossing,
    Draft,
    Trail,
)
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import NO_TURN, Junctions
from routing.guidance.labels import RoadTexts
from routing.guidance.rings import Rings
from routing.guidance.roundabouts import join_rings
from routing.guidance.steps import Intersection, Maneuver, Step
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

    def __init__(self, network: RoadNetwork, roads: RoadUse, graph: TurnGraph) -> None:
        self.network = network
        self.facts = RoadFacts(network, roads)
        self._graph = graph
        self._junctions = Junctions(network, graph, open_arcs(network, roads))
        self._rings = Rings(self.facts, self._junctions)

    def steps(self, leg: LegLine, metric: Metric) -> tuple[tuple[Step, ...], str]:
        """The steps of a leg, as long as its roads take by a metric, and the leg's summary."""
        trail = self.trail(leg, metric)
        drafts = self.drafts(trail)
        return self._finish(leg, trail, drafts), ""

    def trail(self, leg: LegLine, metric: Metric) -> Trail:
        """A leg as the passes want it."""
        arcs = np.concatenate([path.arcs for path in leg.paths]).astype(np.int64)
        crossings, turns = self._junctions.along(arcs)
        turn_cs = np.zeros(len(arcs))
        known = turns != NO_TURN
        turn_cs[:-1][known] = metric.turn_costs(self._graph.turn_cost)[turns[known]]
        length_m, duration_s = self._measure(leg.paths, turn_cs)
        points = [*leg.first_point.tolist(), len(leg.lon) - 1]
        return Trail(arcs.tolist(), length_m, duration_s, points, crossings)

    def drafts(self, trail: Trail) -> list[Draft]:
        """What to do on a leg, departure and arrival included."""
        drafts = [Draft(0, DEPART, None, [Crossing(-1, 0, [], None, None)])]
        for crossing in trail.crossings:
            before, after = trail.arcs[crossing.at - 1], trail.arcs[crossing.at]
            draft = classify(self.facts, self._rings, crossing, before, after)
            if draft is not None:
                drafts.append(draft)
        n = len(trail.arcs)
        drafts.append(Draft(n, ARRIVE, None, [Crossing(-1, n, [], None, None)]))
        drafts[-1].texts_at = n - 1
        return fold(join_rings(drafts))

    def _measure(
        self, paths: Sequence[PathOfArcs], turn_cs: F64
    ) -> tuple[list[float], list[float]]:
        """Metres and seconds of what is driven of each arc, with the turns at their ends."""
        network = self.network
        length_m: list[float] = []
        duration_s: list[float] = []
        for path in paths:
            k = len(path.arcs)
            cm = np.rint(network.edge_length_m[path.arcs >> np.uint32(1)].astype(np.float64) * 100)
            left_out = cm[0] * path.start.fraction
            cm[-1] *= path.end.fraction
            cm[0] -= left_out
            cm[0] = max(0.0, cm[0] + path.length_cm - cm.sum())  # what rounding has lost
            cs = path.cost_cs + turn_cs[len(length_m) : len(length_m) + k]
            length_m += (cm / 100.0).tolist()
            duration_s += (cs / 100.0).tolist()
        return length_m, duration_s

    def _finish(self, leg: LegLine, trail: Trail, drafts: list[Draft]) -> tuple[Step, ...]:
        lon, lat = leg.lon.tolist(), leg.lat.tolist()
        x, y = to_units(leg.lon).tolist(), to_units(leg.lat).tolist()
        steps = []
        for i, draft in enumerate(drafts):
            stop = drafts[i + 1].at if i + 1 < len(drafts) else draft.at
            first, last = trail.first_point[draft.at], trail.first_point[stop]
            before = after = 0
            if draft.type != DEPART:
                before = _whole(bearing_deg(x[first - 1], y[first - 1], x[first], y[first]))
            if draft.type != ARRIVE:
                after = _whole(bearing_deg(x[first], y[first], x[first + 1], y[first + 1]))
            modifier = draft.modifier
            if draft.type == DEPART:
                along = bearing_deg(x[0], y[0], x[1], y[1])
                modifier = _side(leg.begin, (x[0], y[0]), along, departs=True)
            elif draft.type == ARRIVE:
                along = bearing_deg(x[-2], y[-2], x[-1], y[-1])
                modifier = _side(leg.goal, (x[-1], y[-1]), along, departs=False)
            crossings = [
                self._intersection(trail, c, lon, lat, before, after) for c in draft.crossings
            ]
            arc = trail.arcs[min(draft.at, len(trail.arcs) - 1)]
            texts = self.facts.texts(trail.arcs[draft.texts_at])
            rotary = RoadTexts()
            if draft.rotary_at is not None:
                rotary = self.facts.texts(trail.arcs[draft.rotary_at])
            maneuver = Maneuver(
                draft.type, modifier, lon[first], lat[first], before, after, draft.exit
            )
            steps.append(
                Step(
                    sum(trail.length_m[draft.at : stop]),
                    sum(trail.duration_s[draft.at : stop]),
                    sum(trail.duration_s[draft.at : stop]),
                    first,
                    last,
                    texts.name,
                    texts.ref,
                    texts.pronunciation,
                    texts.destinations,
                    texts.exits,
                    rotary.name,
                    rotary.pronunciation,
                    self.facts.mode(arc).word,
                    "left" if self.facts.drives_left(arc) else "right",
                    maneuver,
                    tuple(crossings),
                )
            )
        return tuple(steps)

    def _intersection(
        self,
        trail: Trail,
        crossing: Crossing,
        lon: list[float],
        lat: list[float],
        before: int,
        after: int,
    ) -> Intersection:
        point = trail.first_point[crossing.at]
        arc = trail.arcs[min(crossing.at, len(trail.arcs) - 1)]
        classes = self.facts.classes(arc)
        here = lon[point], lat[point]
        if crossing.at == 0:
            return Intersection(*here, (after,), (True,), None, 0, (), classes)
        if crossing.at == len(trail.arcs):
            return Intersection(*here, ((before + 180) % 360,), (True,), 0, None, (), classes)
        if crossing.came_in is None:
            return Intersection(*here, (after,), (True,), 0, 0, (), classes)
        return Intersection(
            *here,
            tuple(_whole(road.bearing) for road in crossing.roads),
            tuple(road.entry for road in crossing.roads),
            crossing.came_in,
            crossing.out,
            crossing.lanes,
            classes,
        )


def _whole(bearing: float) -> int:
    return round(bearing) % 360


def fold(drafts: list[Draft]) -> list[Draft]:
    """The drafts that become steps, with the crossings that are passed without a word."""
    kept = drafts[:1]
    for draft in drafts[1:]:
        if draft.type == SUPPRESSED:
            kept[-1].crossings += draft.crossings
        else:
            kept.append(draft)
    return kept


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
