"""What signs and lanes say about the arcs of a network, for one vehicle."""

from gis.network.names import NamePool
from routing.guidance.facts import RoadFacts
from routing.guidance.labels import RoadLabels, RoadTexts
from routing.guidance.lanes import Arrows, RoadLanes


class RoadSigns:
    """Texts and lanes by arc; threads may share it."""

    def __init__(self, facts: RoadFacts, names: NamePool) -> None:
        self._facts = facts
        self._labels, self._lanes = RoadLabels(names), RoadLanes(names)

    def texts(self, arc: int) -> RoadTexts:
        """What one reads who drives along an arc."""
        oneway = not self._facts.is_open(arc ^ 1)
        return self._labels.texts(self._facts.label(arc), bool(arc & 1), oneway)

    def lanes(self, arc: int) -> tuple[tuple[Arrows, ...], ...]:
        """The lanes at the end of an arc, see `read_lanes`; only cars keep to lanes."""
        facts = self._facts
        oneway = not facts.is_open(arc ^ 1)
        return self._lanes.readings(facts.label(arc), bool(arc & 1), oneway, facts.drives_left(arc))
