"""Ways into roundabouts, around and out of them, and the count of exits."""

from routing.guidance.arms import Approach, Arm
from routing.guidance.basic import obvious_way
from routing.guidance.directions import FUZZY_DEG, direction_of
from routing.guidance.drafts import (
    ENTERS,
    ENTERS_AT_EXIT,
    EXIT_ROTARY,
    EXIT_ROUNDABOUT,
    LEAVES,
    ROTARY,
    ROUNDABOUT,
    ROUNDABOUT_TURN,
    STAYS,
    SUPPRESSED,
    TOUCHES,
    Crossing,
    Draft,
    Said,
)

_LEAVING = {
    ROUNDABOUT: EXIT_ROUNDABOUT,
    ROTARY: EXIT_ROTARY,
    ROUNDABOUT_TURN: EXIT_ROUNDABOUT,
}
_ENTERING = (ENTERS, ENTERS_AT_EXIT, TOUCHES)


def say_at_ring(approach: Approach, kind: str) -> Said | None:
    """What to do at a crossing of a circle of a kind; None where there is no crossing."""
    taken = approach.taken
    direction = direction_of(taken.angle)
    if approach.via.ring:
        if not taken.nature.ring:
            return _LEAVING[kind], direction, LEAVES
        return _around(approach, direction)
    if taken.nature.ring:
        ring = ENTERS_AT_EXIT if _has_exit_before(approach) else ENTERS
        return kind, direction, ring
    if taken.off < FUZZY_DEG and _crosses(approach):
        through = approach.is_through_street(approach.out)
        found = obvious_way(approach, taken, through)
        return (*found, 0) if found else None
    public = ROUNDABOUT_TURN if kind == ROUNDABOUT_TURN else _LEAVING[kind]
    return public, direction, TOUCHES


def touches_ring(approach: Approach) -> bool:
    """Whether one drives on a circle, or could drive onto one."""
    return approach.via.ring or any(arm.entry and arm.nature.ring for arm in approach.arms)


def _in_order(approach: Approach) -> list[Arm]:
    """The arms in the order in which one passes them: from the right where one drives there."""
    left = approach.facts.drives_left(approach.via_arc)
    return approach.arms[::-1] if left else approach.arms


def _has_exit_before(approach: Approach) -> bool:
    """Whether a road out of the circle lies between the one that one comes by and the circle."""
    for arm in _in_order(approach):
        if not arm.entry:
            continue
        if arm.nature.ring:
            return False
        if arm is not approach.arms[0]:
            return True
    return False


def _crosses(approach: Approach) -> bool:
    """Whether the road taken lies beyond the circle."""
    n_ring = 0
    for arm in _in_order(approach):
        if arm is approach.taken:
            break
        n_ring += arm.nature.ring
    return n_ring % 2 == 1


def _around(approach: Approach, direction: str) -> Said | None:
    """Going on around the circle: an exit is passed, unless it is one that nobody counts."""
    facts, taken = approach.facts, approach.taken
    ways_out = [arm for arm in approach.arms if not arm.nature.ring and facts.is_open(arm.arc)]
    if not ways_out:
        return None if len(approach.arms) == 2 else (SUPPRESSED, direction, 0)
    if taken.nature.low or not all(arm.nature.low for arm in ways_out):
        return SUPPRESSED, direction, STAYS
    return SUPPRESSED, direction, 0


def join_rings(drafts: list[Draft]) -> None:
    """Make of ways through circles one step or two each, with the numbers of their exits."""
    rings = [i for i, draft in enumerate(drafts) if draft.ring]
    if not rings:
        return
    joined: list[Draft] = []
    begin, done = (None if drafts[rings[0]].ring in _ENTERING else 0), 0
    for i in rings:
        if begin is None and drafts[i].ring in _ENTERING:
            begin = i
        if begin is not None and drafts[i].ring in (LEAVES, TOUCHES):
            joined += drafts[done:begin] + _out_of_ring(drafts[begin : i + 1])
            begin, done = None, i + 1
    if begin is None:
        drafts[:] = joined + drafts[done:]
    else:
        drafts[:] = joined + drafts[done:begin] + _into_ring(drafts[begin:])


def _into_ring(inside: list[Draft]) -> list[Draft]:
    """A way that ends within a circle: no exit is told. The last is the arrival."""
    begin = inside[0]
    if begin.type == ROUNDABOUT_TURN:
        begin.type = ROUNDABOUT
    if begin.type == ROTARY:
        begin.rotary = begin.crossing.onto.texts
    return [_absorb(begin, inside[1:-1]), inside[-1]]


def _out_of_ring(inside: list[Draft]) -> list[Draft]:
    """A way from the entry, or the departure within a circle, to the exit."""
    begin, last = inside[0], inside[-1]
    last.exit = sum(draft.ring >= TOUCHES or draft.ring == ENTERS_AT_EXIT for draft in inside)
    if begin.ring in (ENTERS, ENTERS_AT_EXIT):
        begin.exit = last.exit
        begin.texts = last.texts
        if begin.type == ROTARY:
            begin.rotary = begin.crossing.onto.texts
        elif begin.type == ROUNDABOUT_TURN:
            begin.modifier = _overall_direction(begin.crossing, last.crossing)
    if begin is last:
        if begin.type in (EXIT_ROTARY, ROTARY):
            begin.rotary = None
        return [begin]
    if begin.type == ROUNDABOUT_TURN and last.type == EXIT_ROUNDABOUT:
        return [_absorb(begin, inside[1:])]
    return [_absorb(begin, inside[1:-1]), last]


def _overall_direction(entry: Crossing, exit_: Crossing) -> str:
    """The turn from the road by which a circle is entered to that by which it is left."""
    assert entry.came_in is not None and exit_.out is not None
    back, onward = entry.roads[entry.came_in].bearing, exit_.roads[exit_.out].bearing
    return direction_of((back - onward) % 360.0)


def _absorb(draft: Draft, others: list[Draft]) -> Draft:
    """A draft that takes in the crossings of those that follow it."""
    for other in others:
        draft.crossings += other.crossings
    return draft
