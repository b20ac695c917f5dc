"""Roundabouts and other circles: of which kind each is."""

from routing.guidance.directions import NARROW_DEG, between
from routing.guidance.drafts import ROTARY, ROUNDABOUT, ROUNDABOUT_TURN
from routing.guidance.facts import RoadFacts, RoadNature
from routing.guidance.junctions import Junctions
from routing.guidance.labels import RoadTexts
from routing.guidance.memo import Memo

_TWO_PI = 6.283185307179586
_ROTARY_RADIUS_M = 15.0
"""A named roundabout that is larger is a rotary; an unnamed smaller one may be a turn."""
_MAX_TURN_CROSSINGS = 4
_MAX_CACHED = 1 << 14


class _Ring:
    """What a walk around a circle finds: crossings, their other roads, names and the length."""

    def __init__(self) -> None:
        self.crossings: list[int] = []
        self.spokes: list[int] = []
        self.is_simple = True
        self.names: list[RoadNature] = []
        self.connected: set[RoadTexts] = set()
        self.length_m = 0.0


class Rings:
    """The kinds of a network's circles; threads may share it."""

    def __init__(self, facts: RoadFacts, junctions: Junctions) -> None:
        self._facts = facts
        self._junctions = junctions
        self._kinds = Memo[int, str | None](_MAX_CACHED)

    def kind(self, node: int) -> str | None:
        """ROUNDABOUT, ROTARY or ROUNDABOUT_TURN by a node; None if it is on no proper circle."""
        return self._kinds.get(node, self._find_kind, node)

    def _find_kind(self, start: int) -> str | None:
        natures = [self._facts.nature(arc) for arc in self._junctions.arcs_at(start)]
        roundabout = any(nature.roundabout for nature in natures)
        circular = any(nature.circular for nature in natures)
        if roundabout == circular:
            return None
        ring = self._walk(start, circular)
        if ring is None or not ring.crossings:
            return None
        if len(ring.crossings) == 1 and roundabout:
            return ROUNDABOUT_TURN
        radius_m = ring.length_m / _TWO_PI
        if len(ring.names) == 1 and (
            circular or (radius_m > _ROTARY_RADIUS_M and ring.names[0].texts not in ring.connected)
        ):
            return ROTARY
        if circular:
            return None
        if radius_m < _ROTARY_RADIUS_M and self._looks_like_crossing(ring):
            return ROUNDABOUT_TURN
        return ROUNDABOUT

    def _walk(self, start: int, circular: bool) -> _Ring | None:
        """Once around a circle; None where it forks or meets another.

        It goes in the circle's direction, or in either where both are open.
        """
        facts, junctions = self._facts, self._junctions
        ring, node, seen, back = _Ring(), start, set[int](), -1
        while node not in seen:
            arcs = junctions.arcs_at(node)
            if len(arcs) > 2:
                seen.add(node)
                ring.crossings.append(node)
            onward = []
            n_on_ring = 0
            for arc in arcs:
                nature = facts.nature(arc)
                if nature.ring:
                    n_on_ring += 1
                    if nature.mode and nature.circular == circular and arc != back:
                        onward.append(arc)
                else:
                    ring.connected.add(nature.texts)
            if n_on_ring != 2 or not onward:
                return None
            if len(arcs) > 2:
                ring.is_simple &= len(arcs) == 3
                ring.spokes += [arc for arc in arcs if not facts.nature(arc).ring]
            nature = facts.nature(onward[0])
            if nature.name and all(known.renames(nature) for known in ring.names):
                ring.names.append(nature)
            ring.length_m += facts.length_m(onward[0])
            node, back = junctions.head(onward[0]), onward[0] ^ 1
            if node == start:
                break
        return ring

    def _looks_like_crossing(self, ring: _Ring) -> bool:
        """Whether a driver sees a crossing of up to four single roads, well apart."""
        if len(ring.crossings) > _MAX_TURN_CROSSINGS or not ring.is_simple:
            return False
        bearings = sorted(self._junctions.bearing(arc) for arc in ring.spokes)
        return all(
            between(bearing, bearings[i - 1]) > NARROW_DEG for i, bearing in enumerate(bearings)
        )
