"""Maneuvers that follow each other closely become one, as the driver sees them."""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import (
    CONTINUE,
    ENDS,
    ENTRIES,
    FORK,
    MERGE,
    NEW_NAME,
    ON_RAMP,
    SLIPROAD,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    TURNS,
    is_in,
)
from routing.guidance.collapse_cases import (
    follows_name_change,
    follows_silent_bend,
    goes_straight_to_only_way,
    has_no_choice_twice,
    is_far_from_all,
    is_name_change,
    is_name_interrupted,
    is_staggered,
    is_straight_between_turns,
    is_u_turn,
    precedes_name_at_once,
    precedes_name_change,
    precedes_only_way,
    precedes_silent_bend,
)
from routing.guidance.joining import absorb, joint_angle, make_u_turn
from routing.guidance.passage import (
    AT,
    FIRST,
    KIND,
    N_DRAFTS,
    WAY,
    Passage,
    length_m,
    same_mode,
    same_name,
    way_of,
)
from routing.guidance.sliproads_taken import join_sliproad


@inner_kernel
def collapse(passage: Passage) -> None:
    """Join drafts that are one maneuver. The first and the last draft stay as they are."""
    draft, count = passage.draft, passage.counts
    i = 1
    while i + 2 < count[N_DRAFTS]:
        kind = draft[i, KIND]
        is_silent = kind == SUPPRESSED and draft[i + 1, KIND] == SUPPRESSED
        if is_silent and draft[i, WAY] == STRAIGHT and draft[i + 1, FIRST] == draft[i, FIRST] + 1:
            i += 1
            continue
        alone = (
            is_in(int64(kind), ENTRIES)
            or is_far_from_all(passage, i)
            or not same_mode(passage, i, i + 1)
        )
        if alone or _collapse_at(passage, i):
            i += 1
    for i in range(count[N_DRAFTS]):
        if draft[i, KIND] == SLIPROAD:
            draft[i, KIND] = TURN


@inner_kernel
def _collapse_at(passage: Passage, i: int) -> bool:
    """Join a draft with its neighbours; whether there is still one in its place."""
    draft = passage.draft
    if draft[i, KIND] == SLIPROAD:
        join_sliproad(passage, i)
        return True
    if is_staggered(passage, i):
        draft[i, KIND] = SUPPRESSED if same_name(passage, i - 1, i + 1) else NEW_NAME
        draft[i, WAY] = STRAIGHT
        absorb(passage, i, True)
    elif is_u_turn(passage, i):
        make_u_turn(passage, i)
    elif is_name_interrupted(passage, i):
        absorb(passage, i, False)
        absorb(passage, i - 1, False)
        return False
    elif follows_name_change(passage, i) or follows_silent_bend(passage, i):
        _adjust(passage, i - 1, i + 1, i, 0.0)
        absorb(passage, i - 1, False)
        return False
    elif _is_joined_by_next(passage, i):
        _join_next(passage, i)
    elif is_straight_between_turns(passage, i):
        absorb(passage, i - 1, False)
        _join_next(passage, i - 1)
        return False
    if i + 2 < passage.counts[N_DRAFTS] and has_no_choice_twice(passage, i):
        _join_next(passage, i)
    if not is_in(int64(draft[i - 1, KIND]), ENDS) and is_u_turn(passage, i - 1):
        make_u_turn(passage, i - 1)
        return False
    return True


@inner_kernel
def _is_joined_by_next(passage: Passage, i: int) -> bool:
    if passage.draft[i, KIND] == SUPPRESSED:
        return precedes_name_at_once(passage, i) or precedes_only_way(passage, i)
    return (
        precedes_name_change(passage, i)
        or precedes_silent_bend(passage, i)
        or precedes_only_way(passage, i)
        or goes_straight_to_only_way(passage, i)
    )


@inner_kernel
def _join_next(passage: Passage, i: int) -> None:
    _adjust(passage, i - 1, i, i + 1, length_m(passage, i))
    absorb(passage, i, True)


@inner_kernel
def _adjust(passage: Passage, before: int, kept: int, lost: int, between_m: float) -> None:
    """Give one of two maneuvers the type and the direction of both.

    ``before`` is the draft that leads there; ``between_m`` lies between the two.
    """
    draft = passage.draft
    kind, other, way = draft[kept, KIND], draft[lost, KIND], draft[kept, WAY]
    if kind != FORK and kind != MERGE:
        first, second = (kept, lost) if draft[kept, AT] < draft[lost, AT] else (lost, kept)
        way = way_of(joint_angle(passage, first, second, between_m))
    same = same_name(passage, before, lost)
    turns = CONTINUE if same else TURN
    if is_name_change(passage, lost) or is_name_change(passage, kept) or kind == SUPPRESSED:
        if kind == SUPPRESSED:
            straight = SUPPRESSED if same else NEW_NAME
            kind = straight if way == STRAIGHT else turns
        elif kind == NEW_NAME:
            kind = TURN if other == SUPPRESSED and way != STRAIGHT else NEW_NAME
        elif kind == CONTINUE:
            kind = turns
        elif kind == TURN and other != SUPPRESSED and same:
            kind = CONTINUE
    elif other == ON_RAMP:
        kind = ON_RAMP
    elif other == TURN and is_in(int64(kind), TURNS):
        kind = turns
    draft[kept, KIND], draft[kept, WAY] = kind, way
