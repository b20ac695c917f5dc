"""The crossings of a vehicle's roads, kept with all that is the same for every route over them."""

import numpy as np

from gis.arrays import I64
from gis.geodesy import UNITS_PER_DEGREE
from routing.guidance.classify import Classifier
from routing.guidance.drafts import Crossing
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse
from routing.guidance.sliproads import Sliproads
from routing.guidance.steps import Intersection

MAX_KNOWN = 1 << 16
"""So many crossings are kept: a kilobyte each."""

_NEW = Crossing(-1, [], None, None)


class Crossings:
    """Looks at each turn of the roads once; threads may share it."""

    def __init__(
        self,
        facts: RoadFacts,
        junctions: Junctions,
        classifier: Classifier,
        lane_use: LaneUse,
        limit: int = MAX_KNOWN,
    ) -> None:
        self._facts, self._junctions = facts, junctions
        self._classifier, self._lane_use = classifier, lane_use
        self._sliproads = Sliproads(facts, junctions)
        self._known: dict[int, Crossing | None] = {}
        self._limit = limit

    def along(self, arcs: I64) -> list[Crossing | None]:
        """The crossings between the k arcs of a path, (k - 1,), kept for the next who asks.

        None where nothing has to be looked at; between arcs that do not meet at a node there is one
        without.
        """
        keys = (arcs[:-1] << 32 | arcs[1:]).tolist()
        known = self._known
        found = [known.get(key, _NEW) for key in keys]
        new = [i for i, crossing in enumerate(found) if crossing is _NEW]
        if not new:
            return found
        pairs = np.stack((arcs[new], arcs[np.array(new) + 1]), axis=1)
        # Another thread may be reading: a full dictionary is left to it, and a new one begun.
        if len(known) + len(new) > self._limit:
            known = self._known = {}
        for i, crossing in zip(new, self.between(pairs), strict=True):
            found[i] = known[keys[i]] = crossing
        return found

    def between(self, pairs: I64) -> list[Crossing | None]:
        """The crossings between arcs in pairs (n, 2), not kept."""
        made = self._junctions.between(pairs)
        for (before, after), crossing in zip(pairs.tolist(), made, strict=True):
            if crossing is None:
                continue
            if crossing.node < 0:
                self._enter(crossing, after)
            else:
                self._look_at(crossing, before, after)
        return made

    def _enter(self, crossing: Crossing, after: int) -> None:
        facts = self._facts
        crossing.onto = facts.nature(after)
        crossing.side = "left" if facts.drives_left(after) else "right"
        crossing.said = self._classifier.say(crossing)

    def _look_at(self, crossing: Crossing, before: int, after: int) -> None:
        """Find out all that is the same for all routes."""
        self._enter(crossing, after)
        if crossing.said is None:
            return
        crossing.headings = round(crossing.arrives) % 360, round(crossing.leaves) % 360
        crossing.slips = self._sliproads.look(before, crossing)
        x, y = self._junctions.begin(after)
        crossing.lanes = self._lane_use.of_crossing(before, crossing)
        place = x / UNITS_PER_DEGREE, y / UNITS_PER_DEGREE
        crossing.place = intersection_of(crossing, place, self._facts.classes(after))


def intersection_of(
    crossing: Crossing, place: tuple[float, float], classes: tuple[str, ...]
) -> Intersection:
    """What a step tells of a crossing: roads in whole degrees."""
    roads, came_in, out = crossing.roads, crossing.came_in, crossing.out
    bearings = [round(road.bearing) % 360 for road in roads]
    entry = [road.entry for road in roads]
    n_north = sum([round(road.bearing) == 360 for road in roads])  # which is 0
    if n_north and came_in is not None and out is not None:
        bearings = bearings[-n_north:] + bearings[:-n_north]
        entry = entry[-n_north:] + entry[:-n_north]
        came_in, out = (came_in + n_north) % len(roads), (out + n_north) % len(roads)
    return Intersection(
        *place, tuple(bearings), tuple(entry), came_in, out, crossing.lanes, classes
    )
