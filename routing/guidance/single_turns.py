"""What turns demand of a driver, each seen by itself and not as part of a route."""

from typing import NamedTuple

from gis.arrays import I64
from routing.guidance.classify import Classifier
from routing.guidance.directions import STRAIGHT_DEG, direction_of, turned
from routing.guidance.drafts import SUPPRESSED, Crossing
from routing.guidance.junctions import Junctions

NO_TURN_THERE = "(noturn)"
"""OSRM's word where no roads meet; what it keeps for itself it writes in brackets, too."""
_INNER = frozenset((SUPPRESSED, "sliproad"))


class SingleTurn(NamedTuple):
    """A turn: degrees clockwise, of the direction in which one comes and of the change, -180..180.

    Positive is to the right.
    """

    type: str
    modifier: str
    bearing_in: int
    angle_deg: int


def single_turns(junctions: Junctions, classifier: Classifier, arcs: I64) -> list[SingleTurn]:
    """The turns from each first to each second arc of ``arcs`` (n, 2), which meet at a node."""
    if not len(arcs):
        return []
    found = []
    for (before, after), crossing in zip(arcs.tolist(), junctions.between(arcs), strict=True):
        if crossing is None or crossing.came_in is None or crossing.out is None:
            back, onward = junctions.bearing(before ^ 1), junctions.bearing(after)
            found.append(_told(NO_TURN_THERE, None, back, onward))
        else:
            found.append(_classified(classifier, crossing))
    return found


def _classified(classifier: Classifier, crossing: Crossing) -> SingleTurn:
    assert crossing.came_in is not None and crossing.out is not None
    kind, modifier, _ = classifier.say(crossing) or (NO_TURN_THERE, None, 0)
    bearings = (crossing.roads[i].bearing for i in (crossing.came_in, crossing.out))
    return _told(f"({kind})" if kind in _INNER else kind, modifier, *bearings)


def _told(kind: str, modifier: str | None, back: float, onward: float) -> SingleTurn:
    angle = turned(back + STRAIGHT_DEG, onward)
    word = modifier or direction_of((back - onward) % 360.0)
    return SingleTurn(kind, word, round(back + STRAIGHT_DEG) % 360, round(angle))
