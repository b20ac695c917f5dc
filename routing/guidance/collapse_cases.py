"""When two or three maneuvers that follow each other closely are one to the driver.

All functions look at a draft ``i`` and its neighbours. A maneuver is said to be undisturbed by the
next if no other road meets the one between them.
"""

from routing.guidance.directions import LEFTS, NARROW_DEG, RIGHTS
from routing.guidance.drafts import (
    ARRIVE,
    CONTINUE,
    DEPART,
    END_OF_ROAD,
    EXIT_ROTARY,
    EXIT_ROUNDABOUT,
    NEW_NAME,
    ON_RAMP,
    ROTARY,
    ROUNDABOUT,
    ROUNDABOUT_TURN,
    SLIPROAD,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    UTURN,
    Draft,
)
from routing.guidance.joining import COLLAPSE_M
from routing.guidance.passage import (
    Passage,
    is_undisturbed,
    open_ways,
    total_angle,
    turn_angle,
    turns_around,
)

STAGGERED_M = 3.0
_FAR_M = 2 * COLLAPSE_M
"""Maneuvers farther apart are only joined if they lead back or a name comes back."""

ENTRIES = frozenset((ROUNDABOUT, ROTARY, ROUNDABOUT_TURN))
CIRCLES = ENTRIES | {EXIT_ROUNDABOUT, EXIT_ROTARY}
ENDS = frozenset((DEPART, ARRIVE))


def is_far_from_all(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Whether none of the cases here can be true of a maneuver, as is known at a glance."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    return (
        passage.distance_m(here.at, after.at) > _FAR_M
        and here.type not in (NEW_NAME, SLIPROAD)
        and not (here.type == TURN and here.modifier == STRAIGHT)
        and not turns_around(here, after)
        and not turns_around(before, here)
    )


def is_straight_turn(draft: Draft) -> bool:
    """Whether a turn is none but for its type."""
    return draft.type in (TURN, CONTINUE) and draft.modifier == STRAIGHT


def is_name_change(draft: Draft) -> bool:
    """Whether nothing is to do at a maneuver but to know a road by another name."""
    return draft.type == NEW_NAME or is_straight_turn(draft)


def is_maneuver(draft: Draft) -> bool:
    """Whether there is something to say."""
    return draft.type != SUPPRESSED and draft.type not in ENDS


def on_same_side(one: Draft, other: Draft) -> bool:
    """Whether both maneuvers lead to the same side; straight on is any side."""
    sides = (one.modifier, other.modifier)
    return any(all(side == STRAIGHT or side in way for side in sides) for way in (LEFTS, RIGHTS))


def _short_and_undisturbed(passage: Passage, drafts: list[Draft], i: int) -> bool:
    return passage.length_m(drafts, i) <= COLLAPSE_M and is_undisturbed(drafts[i])


def _good_u_turn(one: Draft, other: Draft) -> bool:
    """Whether there is no u-turn, or one beside a mere change of names."""
    if UTURN not in (one.modifier, other.modifier):
        return True
    return (one.type == NEW_NAME and other.modifier == UTURN) or (
        other.type == NEW_NAME and one.modifier == UTURN
    )


def may_join(passage: Passage, one: Draft, other: Draft) -> bool:
    """Whether two maneuvers may be made one at all."""
    return (
        not CIRCLES.intersection((one.type, other.type))
        and not ENDS.intersection((one.type, other.type))
        and passage.have_same_mode(one, other)
        and _good_u_turn(one, other)
    )


def _may_join_three(passage: Passage, first: Draft, second: Draft, third: Draft) -> bool:
    return (
        not CIRCLES.intersection((first.type, second.type, third.type))
        and passage.have_same_mode(first, second, third)
        and (_good_u_turn(first, second) or _good_u_turn(second, third))
    )


def is_staggered(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Right and left, or left and right, within steps: a road that goes on with an offset."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    if ENTRIES.intersection((here.type, after.type)):
        return False
    if passage.length_m(drafts, i) >= STAGGERED_M or not is_undisturbed(here):
        return False
    first, second = turn_angle(here), turn_angle(after)
    opposed = (45 < first < 135 and 225 < second < 315) or (225 < first < 315 and 45 < second < 135)
    return opposed and passage.have_same_mode(before, here, after)


def is_u_turn(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Two turns that lead back along the same road, through a gap in its median."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    if here.type not in (TURN, CONTINUE, END_OF_ROAD):
        return False
    if not turns_around(here, after) or not _may_join_three(passage, before, here, after):
        return False
    if not passage.have_same_name(before, after):
        return False
    length_m = passage.length_m(drafts, i)
    if not is_undisturbed(here):
        return False
    named = before.texts.name and after.texts.name
    is_link = length_m <= 2 * COLLAPSE_M and not here.texts.name and bool(named)
    return length_m <= COLLAPSE_M or is_link or open_ways(after) == 1


def is_name_interrupted(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A name that gives way to another and comes back, as on a bridge."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    if here.type != NEW_NAME and not (here.type == TURN and here.modifier == STRAIGHT):
        return False
    texts = after.texts
    back = (
        after.type == NEW_NAME
        or (after.type == SUPPRESSED and texts.is_unnamed)
        or (after.type == TURN and after.modifier == STRAIGHT)
    )
    same = before.texts == texts or passage.have_same_name(before, after)
    return back and same and _may_join_three(passage, before, here, after)


def follows_name_change(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A new name that is heard of only just before a real maneuver."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    return (
        is_name_change(here)
        and is_maneuver(after)
        and _may_join_three(passage, before, here, after)
        and _short_and_undisturbed(passage, drafts, i)
    )


def follows_silent_bend(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A bend without words where there is a choice, just before a maneuver to the same side."""
    here, after = drafts[i], drafts[i + 1]
    return (
        here.type == SUPPRESSED
        and here.modifier != STRAIGHT
        and is_maneuver(after)
        and may_join(passage, here, after)
        and on_same_side(here, after)
        and open_ways(here) > 1
        and _short_and_undisturbed(passage, drafts, i)
    )


def precedes_name_change(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A maneuver and, just after it, the name of the road that it led to."""
    here, after = drafts[i], drafts[i + 1]
    if not is_maneuver(here) or not is_name_change(after) or not may_join(passage, here, after):
        return False
    if _short_and_undisturbed(passage, drafts, i):
        return True
    plain = after.modifier == STRAIGHT or open_ways(after) == 1
    length_m = passage.length_m(drafts, i)
    return after.type == NEW_NAME and plain and length_m <= 1.5 * COLLAPSE_M


def precedes_name_at_once(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Nothing to say here, and a new name a few metres on."""
    here, after = drafts[i], drafts[i + 1]
    return (
        here.type == SUPPRESSED
        and after.type == NEW_NAME
        and may_join(passage, here, after)
        and passage.length_m(drafts, i) < 0.25 * COLLAPSE_M
    )


def precedes_silent_bend(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A maneuver and, just after it, a bend to the same side without words."""
    here, after = drafts[i], drafts[i + 1]
    return (
        is_maneuver(here)
        and after.type == SUPPRESSED
        and after.modifier != STRAIGHT
        and may_join(passage, here, after)
        and on_same_side(here, after)
        and _short_and_undisturbed(passage, drafts, i)
    )


def precedes_only_way(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """A turn and, just after it, another one where there is no choice."""
    here, after = drafts[i], drafts[i + 1]
    return (
        here.modifier != STRAIGHT
        and after.type != SUPPRESSED
        and open_ways(after) == 1
        and may_join(passage, here, after)
        and _short_and_undisturbed(passage, drafts, i)
    )


def goes_straight_to_only_way(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Straight on over a junction to where there is no choice."""
    here, after = drafts[i], drafts[i + 1]
    return (
        is_straight_turn(here)
        and open_ways(after) == 1
        and may_join(passage, here, after)
        and passage.length_m(drafts, i) <= 2 * COLLAPSE_M
        and is_undisturbed(here)
    )


def has_no_choice_twice(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Two places without a choice after a maneuver."""
    here, after = drafts[i], drafts[i + 1]
    if len(here.crossings) != 2 or not may_join(passage, here, after):
        return False
    length_m = passage.length_m(drafts, i)
    is_only = open_ways(after) == here.crossings[-1].n_entries() == 1
    return is_only and length_m < 1.5 * COLLAPSE_M


def is_straight_between_turns(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Two turns with a crossing half way between them: the corners of one big junction."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    if here.type != SUPPRESSED or here.modifier != STRAIGHT:
        return False
    if before.type not in (TURN, CONTINUE) or after.type not in (TURN, CONTINUE, ON_RAMP):
        return False
    if UTURN in (before.modifier, after.modifier):
        return False
    if not _may_join_three(passage, before, here, after):
        return False
    shorter, longer = sorted((passage.length_m(drafts, i - 1), passage.length_m(drafts, i)))
    if longer >= 0.8 * COLLAPSE_M:
        return False
    alike = longer < 5.0 or shorter / longer > 0.75
    return alike and NARROW_DEG < total_angle(before, after) < 360.0 - NARROW_DEG
