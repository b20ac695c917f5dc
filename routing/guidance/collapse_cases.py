"""When two or three maneuvers that follow each other closely are one to the driver.

All functions look at a draft ``i`` and its neighbours. A maneuver is said to be undisturbed by the
next if no other road meets the one between them.
"""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import (
    CIRCLES,
    CONTINUE,
    END_OF_ROAD,
    ENDS,
    ENTRIES,
    NEW_NAME,
    ON_RAMP,
    SLIPROAD,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    TURNS,
    UTURN,
    is_in,
)
from routing.guidance.directions import NARROW_DEG
from routing.guidance.joining import COLLAPSE_M
from routing.guidance.passage import (
    FIRST,
    HAS_NAME,
    KIND,
    N_ENTRIES,
    RECORD,
    TEXTS,
    UNNAMED,
    WAY,
    Passage,
    is_undisturbed,
    length_m,
    n_passed,
    open_ways,
    same_mode,
    same_name,
    total_angle,
    turn_angle,
)

STAGGERED_M = 3.0
U_TURN_TOLERANCE = 35.0
_FAR_M = 2 * COLLAPSE_M
"""Maneuvers farther apart are only joined if they lead back or a name comes back."""


@inner_kernel
def turns_around(passage: Passage, first: int, second: int) -> bool:
    """Whether two maneuvers together lead back where one comes from."""
    angle = total_angle(passage, first, second)
    return angle <= U_TURN_TOLERANCE or angle >= 360.0 - U_TURN_TOLERANCE


@inner_kernel
def is_far_from_all(passage: Passage, i: int) -> bool:
    """Whether none of the cases here can be true of a maneuver, as is known at a glance."""
    kind = passage.draft[i, KIND]
    return (
        length_m(passage, i) > _FAR_M
        and kind != NEW_NAME
        and kind != SLIPROAD
        and not (kind == TURN and passage.draft[i, WAY] == STRAIGHT)
        and not turns_around(passage, i, i + 1)
        and not turns_around(passage, i - 1, i)
    )


@inner_kernel
def is_straight_turn(passage: Passage, i: int) -> bool:
    """Whether a turn is none but for its type."""
    kind = passage.draft[i, KIND]
    return bool(is_in(int64(kind), TURNS) and passage.draft[i, WAY] == STRAIGHT)


@inner_kernel
def is_name_change(passage: Passage, i: int) -> bool:
    """Whether nothing is to do at a maneuver but to know a road by another name."""
    return passage.draft[i, KIND] == NEW_NAME or is_straight_turn(passage, i)


@inner_kernel
def is_maneuver(passage: Passage, i: int) -> bool:
    """Whether there is something to say."""
    kind = int64(passage.draft[i, KIND])
    return kind != SUPPRESSED and not is_in(kind, ENDS)


@inner_kernel
def on_same_side(passage: Passage, i: int) -> bool:
    """Whether this and the next maneuver lead to the same side; straight on is any side."""
    one, other = passage.draft[i, WAY], passage.draft[i + 1, WAY]
    if one == UTURN or other == UTURN or one < 0 or other < 0:
        return False
    return bool((one - STRAIGHT) * (other - STRAIGHT) >= 0)


@inner_kernel
def is_short_and_undisturbed(passage: Passage, i: int) -> bool:
    """Whether the next maneuver follows at once."""
    return length_m(passage, i) <= COLLAPSE_M and is_undisturbed(passage, i)


@inner_kernel
def _good_u_turn(passage: Passage, i: int) -> bool:
    """Whether this and the next are no u-turn, or one beside a mere change of names."""
    draft = passage.draft
    if draft[i, WAY] != UTURN and draft[i + 1, WAY] != UTURN:
        return True
    return bool(
        (draft[i, KIND] == NEW_NAME and draft[i + 1, WAY] == UTURN)
        or (draft[i + 1, KIND] == NEW_NAME and draft[i, WAY] == UTURN)
    )


@inner_kernel
def may_join(passage: Passage, i: int) -> bool:
    """Whether this and the next maneuver may be made one at all."""
    one, other = int64(passage.draft[i, KIND]), int64(passage.draft[i + 1, KIND])
    return (
        not (is_in(one, CIRCLES | ENDS) or is_in(other, CIRCLES | ENDS))
        and same_mode(passage, i, i + 1)
        and _good_u_turn(passage, i)
    )


@inner_kernel
def may_join_three(passage: Passage, i: int) -> bool:
    """Whether a maneuver may be made one with those before and behind."""
    for j in range(i - 1, i + 2):
        if is_in(int64(passage.draft[j, KIND]), CIRCLES) or not same_mode(passage, i, j):
            return False
    return _good_u_turn(passage, i - 1) or _good_u_turn(passage, i)


@inner_kernel
def is_staggered(passage: Passage, i: int) -> bool:
    """Right and left, or left and right, within steps: a road that goes on with an offset."""
    kind, other = int64(passage.draft[i, KIND]), int64(passage.draft[i + 1, KIND])
    if is_in(kind, ENTRIES) or is_in(other, ENTRIES):
        return False
    if length_m(passage, i) >= STAGGERED_M or not is_undisturbed(passage, i):
        return False
    first, second = turn_angle(passage, i), turn_angle(passage, i + 1)
    opposed = (45.0 < first < 135.0 and 225.0 < second < 315.0) or (
        225.0 < first < 315.0 and 45.0 < second < 135.0
    )
    return opposed and same_mode(passage, i - 1, i) and same_mode(passage, i, i + 1)


@inner_kernel
def is_u_turn(passage: Passage, i: int) -> bool:
    """Two turns that lead back along the same road, through a gap in its median."""
    draft = passage.draft
    kind = draft[i, KIND]
    if kind != TURN and kind != CONTINUE and kind != END_OF_ROAD:
        return False
    if not turns_around(passage, i, i + 1) or not may_join_three(passage, i):
        return False
    if not same_name(passage, i - 1, i + 1) or not is_undisturbed(passage, i):
        return False
    length = length_m(passage, i)
    named = draft[i - 1, TEXTS] & draft[i + 1, TEXTS] & HAS_NAME
    is_link = length <= 2.0 * COLLAPSE_M and named and not draft[i, TEXTS] & HAS_NAME
    return bool(length <= COLLAPSE_M or is_link or open_ways(passage, i + 1) == 1)


@inner_kernel
def is_name_interrupted(passage: Passage, i: int) -> bool:
    """A name that gives way to another and comes back, as on a bridge."""
    draft = passage.draft
    if draft[i, KIND] != NEW_NAME and not (draft[i, KIND] == TURN and draft[i, WAY] == STRAIGHT):
        return False
    kind, texts = draft[i + 1, KIND], draft[i + 1, TEXTS]
    back = (
        kind == NEW_NAME
        or (kind == SUPPRESSED and texts & UNNAMED)
        or (kind == TURN and draft[i + 1, WAY] == STRAIGHT)
    )
    if not back:
        return False
    same = draft[i - 1, TEXTS] == texts or same_name(passage, i - 1, i + 1)
    return same and may_join_three(passage, i)


@inner_kernel
def follows_name_change(passage: Passage, i: int) -> bool:
    """A new name that is heard of only just before a real maneuver."""
    return (
        is_name_change(passage, i)
        and is_maneuver(passage, i + 1)
        and may_join_three(passage, i)
        and is_short_and_undisturbed(passage, i)
    )


@inner_kernel
def follows_silent_bend(passage: Passage, i: int) -> bool:
    """A bend without words where there is a choice, just before a maneuver to the same side."""
    return (
        passage.draft[i, KIND] == SUPPRESSED
        and passage.draft[i, WAY] != STRAIGHT
        and is_maneuver(passage, i + 1)
        and may_join(passage, i)
        and on_same_side(passage, i)
        and open_ways(passage, i) > 1
        and is_short_and_undisturbed(passage, i)
    )


@inner_kernel
def precedes_name_change(passage: Passage, i: int) -> bool:
    """A maneuver and, just after it, the name of the road that it led to."""
    if not (is_maneuver(passage, i) and is_name_change(passage, i + 1) and may_join(passage, i)):
        return False
    if is_short_and_undisturbed(passage, i):
        return True
    is_plain = passage.draft[i + 1, WAY] == STRAIGHT or open_ways(passage, i + 1) == 1
    is_new = passage.draft[i + 1, KIND] == NEW_NAME
    return is_new and is_plain and length_m(passage, i) <= 1.5 * COLLAPSE_M


@inner_kernel
def precedes_name_at_once(passage: Passage, i: int) -> bool:
    """Nothing to say here, and a new name a few metres on."""
    return (
        passage.draft[i, KIND] == SUPPRESSED
        and passage.draft[i + 1, KIND] == NEW_NAME
        and may_join(passage, i)
        and length_m(passage, i) < 0.25 * COLLAPSE_M
    )


@inner_kernel
def precedes_silent_bend(passage: Passage, i: int) -> bool:
    """A maneuver and, just after it, a bend to the same side without words."""
    return (
        is_maneuver(passage, i)
        and passage.draft[i + 1, KIND] == SUPPRESSED
        and passage.draft[i + 1, WAY] != STRAIGHT
        and may_join(passage, i)
        and on_same_side(passage, i)
        and is_short_and_undisturbed(passage, i)
    )


@inner_kernel
def precedes_only_way(passage: Passage, i: int) -> bool:
    """A turn and, just after it, another one where there is no choice."""
    return (
        passage.draft[i, WAY] != STRAIGHT
        and passage.draft[i + 1, KIND] != SUPPRESSED
        and open_ways(passage, i + 1) == 1
        and may_join(passage, i)
        and is_short_and_undisturbed(passage, i)
    )


@inner_kernel
def goes_straight_to_only_way(passage: Passage, i: int) -> bool:
    """Straight on over a junction to where there is no choice."""
    return (
        is_straight_turn(passage, i)
        and open_ways(passage, i + 1) == 1
        and may_join(passage, i)
        and length_m(passage, i) <= 2.0 * COLLAPSE_M
        and is_undisturbed(passage, i)
    )


@inner_kernel
def has_no_choice_twice(passage: Passage, i: int) -> bool:
    """Two places without a choice after a maneuver."""
    if n_passed(passage, i) != 2 or not may_join(passage, i):
        return False
    latest = passage.passed[passage.draft[i, FIRST] + 1, RECORD]
    is_only = open_ways(passage, i + 1) == 1 and passage.record[latest, N_ENTRIES] == 1
    return is_only and length_m(passage, i) < 1.5 * COLLAPSE_M


@inner_kernel
def is_straight_between_turns(passage: Passage, i: int) -> bool:
    """Two turns with a crossing half way between them: the corners of one big junction."""
    draft = passage.draft
    if draft[i, KIND] != SUPPRESSED or draft[i, WAY] != STRAIGHT:
        return False
    before, after = draft[i - 1, KIND], draft[i + 1, KIND]
    if (before != TURN and before != CONTINUE) or draft[i - 1, WAY] == UTURN:
        return False
    if (after != TURN and after != CONTINUE and after != ON_RAMP) or draft[i + 1, WAY] == UTURN:
        return False
    if not may_join_three(passage, i):
        return False
    one, other = length_m(passage, i - 1), length_m(passage, i)
    shorter, longer = min(one, other), max(one, other)
    if longer >= 0.8 * COLLAPSE_M:
        return False
    alike = longer < 5.0 or shorter / longer > 0.75
    return alike and NARROW_DEG < total_angle(passage, i - 1, i + 1) < 360.0 - NARROW_DEG
