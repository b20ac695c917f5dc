"""Which way on from a crossing is so plain that nobody has to be told.

The rules and thresholds are those of OSRM's guidance, put in another order.
"""

from routing.guidance.arms import Approach, Arm
from routing.guidance.directions import (
    FUZZY_DEG,
    GROUP_DEG,
    NARROW_DEG,
    STRAIGHT_DEG,
    between,
    direction_of,
)
from routing.guidance.drafts import STRAIGHT
from routing.guidance.facts import SECONDARY_PRIORITY, RoadNature

DISTINCTION = 2.0
"""A rival is out of the question if it turns this much more."""
_SLIGHT_DISTINCTION = 0.7 * DISTINCTION
_MUCH_HIGHER = 4
"""A road of a priority so much higher does not look like the way on of a small road."""


def find_obvious(approach: Approach) -> int:
    """The place of the obvious way on among the arms, 0 if there is none."""
    arms, via = approach.arms, approach.via
    if len(arms) <= 2:
        return len(arms) - 1
    going_on = approach.straightmost(lambda arm: _goes_on(via, arm))
    if going_on is not None and _is_distinct(approach, going_on):
        return _unless_ring_changes(approach, going_on)
    as_good = approach.straightmost(
        lambda arm: arm.entry and not (arm.nature.is_less_than(via) or arm.nature.is_link_to(via))
    )
    if as_good is not None and _is_distinct(approach, as_good):
        return _unless_ring_changes(approach, as_good)
    straightmost = approach.straightmost(lambda arm: arm.entry)
    if straightmost is None:
        return 0
    if _is_last_resort(approach, straightmost, as_good):
        return _unless_ring_changes(approach, straightmost)
    return 0


def _goes_on(via: RoadNature, arm: Arm) -> bool:
    """Whether the road of one's own name leads there, in no lower class."""
    nature = arm.nature
    return (
        arm.entry
        and nature.labelled == via.labelled
        and (via.labelled or (via.low and nature.low))
        and not nature.is_less_than(via)
        and not nature.is_link_to(via)
        and not via.renames(nature)
    )


def _unless_ring_changes(approach: Approach, index: int) -> int:
    """Nothing is obvious about entering or leaving a roundabout."""
    return index if approach.arms[index].nature.roundabout == approach.via.roundabout else 0


def _is_last_resort(approach: Approach, index: int, as_good: int | None) -> bool:
    """Whether the straightmost way is obvious although its road is of less importance."""
    arms, arm = approach.arms, approach.arms[index]
    only_forward = arm.off <= 90.0 and sum(other.off <= 90.0 for other in arms) == 1
    if (
        index != as_good
        and (arm.off <= GROUP_DEG or only_forward)
        and not arm.nature.low
        and _is_distinct(approach, index)
    ):
        return True
    if approach.n_entries() != 1:
        return False
    if arm.nature.motorway and arm.off <= GROUP_DEG:
        return True
    texts = approach.via.texts
    return (
        len(arms) == 3
        and approach.via.labelled
        and all(other.nature.texts == texts for other in arms)
        and (
            between(arms[1].angle, 90.0) > NARROW_DEG or between(arms[2].angle, 270.0) > NARROW_DEG
        )
    )


def _is_distinct(approach: Approach, index: int) -> bool:
    """Whether no other road could be taken for the way on."""
    candidate = approach.arms[index]
    rivals = _rivals_narrow if candidate.off < GROUP_DEG else _rivals_wide
    return not any(
        rivals(approach, candidate, other)
        for i, other in enumerate(approach.arms)
        if i and i != index
    )


def _rivals_narrow(approach: Approach, candidate: Arm, other: Arm) -> bool:
    """Whether another road looks like the way on where the candidate is nearly straight."""
    if candidate.off < NARROW_DEG and not other.entry:
        return False
    via, to, aside = approach.via, candidate.nature, other.nature
    is_distinct = (
        other.off > DISTINCTION * candidate.off and abs(other.off - candidate.off) > FUZZY_DEG / 2.0
    )
    if via.roundabout == to.roundabout != aside.roundabout and candidate.off < other.off:
        return False
    keeps_name, other_renames = not via.renames(to), via.renames(aside)
    if is_distinct and _is_aside(approach, candidate, other, keeps_name or other_renames):
        return False
    if (
        len(approach.arms) >= 4
        and keeps_name
        and other_renames
        and other.off > _SLIGHT_DISTINCTION * candidate.off
    ):
        opposite = approach.opposite(other)
        if (
            not opposite.nature.renames(aside)
            and between(other.angle, opposite.angle) > STRAIGHT_DEG - FUZZY_DEG
        ):
            return False
    return not _is_minor(via, candidate, other, keeps_name, other_renames)


def _is_aside(approach: Approach, candidate: Arm, other: Arm, names_agree: bool) -> bool:
    """Whether a road that turns distinctly more than the candidate is no rival."""
    via, to, aside = approach.via, candidate.nature, other.nature
    if aside.restricted and not (via.restricted or to.restricted):
        return True
    if names_agree and not _split_lanes(via, candidate, other):
        return True
    if via.priority > SECONDARY_PRIORITY:
        return True
    if to.lanes > 0 and to.lanes == via.lanes and candidate.off < FUZZY_DEG:
        return True
    if len(approach.arms) < 4:
        return False
    opposite = approach.opposite(other)
    return (
        not opposite.nature.renames(aside)
        or between(other.angle, opposite.angle) > STRAIGHT_DEG - NARROW_DEG
    )


def _is_minor(
    via: RoadNature, candidate: Arm, other: Arm, keeps_name: bool, other_renames: bool
) -> bool:
    """Whether a road is no rival by its class."""
    to, aside = candidate.nature, other.nature
    if _has_lower_class(via, to, aside):
        return True
    if via.priority != to.priority:
        return False
    is_other_class = to.priority < aside.priority or to.priority > aside.priority + _MUCH_HIGHER
    if is_other_class and keeps_name and other.off > _SLIGHT_DISTINCTION * candidate.off:
        return True
    if via.group < aside.group and other_renames and to.renames(aside):
        return True
    return aside.link


def _rivals_wide(approach: Approach, candidate: Arm, other: Arm) -> bool:
    """Whether another road looks like the way on where the candidate turns."""
    if direction_of(other.angle) != STRAIGHT and _has_lower_class(
        approach.via, candidate.nature, other.nature
    ):
        return False
    return other.off <= DISTINCTION * candidate.off


def _split_lanes(via: RoadNature, candidate: Arm, other: Arm) -> bool:
    """Whether the lanes one comes on divide evenly into two roads side by side."""
    lanes = other.nature.lanes
    return (
        lanes > 0
        and candidate.nature.lanes == lanes
        and via.lanes == 2 * lanes
        and between(candidate.angle, other.angle) < GROUP_DEG
    )


def _has_lower_class(via: RoadNature, to: RoadNature, other: RoadNature) -> bool:
    """Whether a road is clearly less than the two that go on."""
    if other.is_link_to(via) and other.is_link_to(to):
        return True
    return 0 < other.lanes < via.lanes - 1 and other.is_less_than(via) and other.is_less_than(to)
