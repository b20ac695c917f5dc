"""What is the same for all routes over a crossing is found out once, and kept within limits."""

import numpy as np
from drawn import drive, engine_for
from drawn_turns import CASES
from world import spell_arcs

from gis.arrays import I64
from routing.guidance.classify import Classifier
from routing.guidance.crossings import Crossings
from routing.guidance.facts import RoadFacts
from routing.guidance.guide import open_arcs
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse
from routing.guidance.steps import Lane

CROSS = CASES["cross of four names"]


def crossings_of(limit: int) -> tuple[Crossings, list[I64]]:
    """The crossings of a town with one, and paths over that: all turns."""
    _, engine = engine_for(CROSS)
    network, prepared = engine._network, engine._vehicles[CROSS.profile].prepared
    facts = RoadFacts(network, prepared.roads)
    is_open = open_arcs(network, prepared.roads)
    junctions = Junctions(network, prepared.roads, prepared.turn_graph, is_open)
    classifier = Classifier(facts, junctions)
    lane_use = LaneUse(facts, junctions, classifier.say)
    spelled = spell_arcs(network)
    pairs = [
        np.array([before, after], np.int64)
        for before, name in enumerate(spelled)
        for after, other in enumerate(spelled)
        if name[1] == other[0] == "c" and name[0] != other[1]
    ]
    assert len(pairs) == 12
    return Crossings(facts, junctions, classifier, lane_use, limit), pairs


def test_routes_share_crossings() -> None:
    """Two legs tell of one crossing by one object."""
    one, other = (drive(CROSS, "a>b").steps[1].intersections[0] for _ in range(2))
    assert one is other


def test_no_more_than_the_limit_is_kept() -> None:
    """What did not fit any more is looked at again, and the same is found."""
    wide, pairs = crossings_of(100)
    narrow, _ = crossings_of(5)
    for pair in pairs * 2:
        (known,), (found,) = wide.along(pair), narrow.along(pair)
        assert known is not None and found is not None and known is not found
        assert (known.said, known.place, known.headings) == (
            found.said,
            found.place,
            found.headings,
        )
        assert len(narrow._known) <= 5
        assert wide.along(pair)[0] is known
    assert len(wide._known) == 12


def test_other_lanes() -> None:
    """A crossing with other lanes is another, and the same one for the same lanes."""
    crossings, pairs = crossings_of(100)
    (crossing,) = crossings.along(pairs[0])
    assert crossing is not None and crossing.with_lanes(()) is crossing
    lanes = (Lane(("left",), True), Lane(("straight",), False))
    changed = crossing.with_lanes(lanes)
    assert changed is crossing.with_lanes(lanes) and changed.place.lanes == lanes
    assert crossing.lanes == crossing.place.lanes == ()
