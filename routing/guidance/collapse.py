"""Maneuvers that follow each other closely become one, as the driver sees them."""

from routing.guidance.collapse_cases import (
    ENDS,
    ENTRIES,
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
from routing.guidance.directions import direction_of
from routing.guidance.drafts import (
    CONTINUE,
    FORK,
    MERGE,
    NEW_NAME,
    ON_RAMP,
    SLIPROAD,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    Draft,
)
from routing.guidance.joining import absorb, joint_angle, make_u_turn
from routing.guidance.passage import Passage
from routing.guidance.sliproads import join_sliproad

_JOINED_BY_NEXT = (
    precedes_name_change,
    precedes_silent_bend,
    precedes_only_way,
    goes_straight_to_only_way,
)
_JOINED_BY_NEXT_IN_SILENCE = precedes_name_at_once, precedes_only_way


def collapse(passage: Passage, drafts: list[Draft]) -> None:
    """Join drafts that are one maneuver. The first and the last draft stay as they are."""
    i = 1
    while i + 1 < len(drafts) - 1:
        here, after = drafts[i], drafts[i + 1]
        if after.type == SUPPRESSED == here.type and _goes_on(here):
            i += 1
            continue
        alone = (
            here.type in ENTRIES
            or is_far_from_all(passage, drafts, i)
            or not passage.have_same_mode(here, after)
        )
        if alone or _collapse_at(passage, drafts, i):
            i += 1
    for draft in drafts:
        if draft.type == SLIPROAD:
            draft.type = TURN


def _goes_on(draft: Draft) -> bool:
    """Whether a draft is just a crossing that is passed straight on."""
    return draft.type == SUPPRESSED and draft.modifier == STRAIGHT and len(draft.crossings) == 1


def _collapse_at(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Join a draft with its neighbours; whether there is still one in its place."""
    before, here, after = drafts[i - 1], drafts[i], drafts[i + 1]
    if here.type == SLIPROAD:
        join_sliproad(passage, drafts, i)
        return True
    if is_staggered(passage, drafts, i):
        same = passage.have_same_name(before, after)
        here.type, here.modifier = (SUPPRESSED if same else NEW_NAME), STRAIGHT
        absorb(drafts, i, signs=True)
    elif is_u_turn(passage, drafts, i):
        make_u_turn(drafts, i)
    elif is_name_interrupted(passage, drafts, i):
        absorb(drafts, i)
        absorb(drafts, i - 1)
        return False
    elif follows_name_change(passage, drafts, i) or follows_silent_bend(passage, drafts, i):
        _adjust(passage, before, after, here)
        absorb(drafts, i - 1)
        return False
    elif _is_joined_by_next(passage, drafts, i):
        _join_next(passage, drafts, i)
    elif is_straight_between_turns(passage, drafts, i):
        absorb(drafts, i - 1)
        _join_next(passage, drafts, i - 1)
        return False
    if i + 1 < len(drafts) - 1 and has_no_choice_twice(passage, drafts, i):
        _join_next(passage, drafts, i)
    if drafts[i - 1].type not in ENDS and is_u_turn(passage, drafts, i - 1):
        make_u_turn(drafts, i - 1)
        return False
    return True


def _is_joined_by_next(passage: Passage, drafts: list[Draft], i: int) -> bool:
    is_silent = drafts[i].type == SUPPRESSED
    cases = _JOINED_BY_NEXT_IN_SILENCE if is_silent else _JOINED_BY_NEXT
    return any(case(passage, drafts, i) for case in cases)


def _join_next(passage: Passage, drafts: list[Draft], i: int) -> None:
    here, after = drafts[i], drafts[i + 1]
    _adjust(passage, drafts[i - 1], here, after, passage.length_m(drafts, i))
    absorb(drafts, i, signs=True)


def _adjust(
    passage: Passage,
    before: Draft,
    kept: Draft,
    lost: Draft,
    length_m: float = 0.0,
) -> None:
    """Give one of two maneuvers the type and the direction of both.

    ``before`` is the draft that leads there; ``length_m`` lies between the two.
    """
    modifier = kept.modifier
    if kept.type not in (FORK, MERGE):
        first, second = (kept, lost) if kept.at < lost.at else (lost, kept)
        modifier = direction_of(joint_angle(first, second, length_m))
    same = passage.have_same_name(before, lost)
    if is_name_change(lost) or is_name_change(kept) or kept.type == SUPPRESSED:
        if kept.type == SUPPRESSED:
            if modifier == STRAIGHT:
                kept.type = SUPPRESSED if same else NEW_NAME
            else:
                kept.type = CONTINUE if same else TURN
        elif kept.type == NEW_NAME:
            turns = lost.type == SUPPRESSED and modifier != STRAIGHT
            kept.type = TURN if turns else NEW_NAME
        elif kept.type == CONTINUE:
            kept.type = CONTINUE if same else TURN
        elif kept.type == TURN and lost.type != SUPPRESSED and same:
            kept.type = CONTINUE
    elif lost.type == ON_RAMP:
        kept.type = ON_RAMP
    elif lost.type == TURN and kept.type in (TURN, CONTINUE):
        kept.type = CONTINUE if same else TURN
    kept.modifier = modifier
