"""What need not be said: silent crossings, ends of roads that nobody notices, short-lived names."""

from routing.guidance.drafts import CONTINUE, END_OF_ROAD, NEW_NAME, SUPPRESSED, TURN, Draft
from routing.guidance.joining import absorb
from routing.guidance.passage import Passage

NAME_MATTERS_M = 105.0
"""A new name that is read for less than this is not worth an instruction."""


def fold(passage: Passage, drafts: list[Draft]) -> None:
    """Let silent crossings become part of the step before them.

    The end of a road tells where to turn only if crossings have been passed on it; elsewhere it is
    a turn like others.
    """
    kept = drafts[:1]
    for draft in drafts[1:]:
        before = kept[-1]
        if draft.type == SUPPRESSED:
            before.crossings += draft.crossings
            continue
        if draft.type == END_OF_ROAD and len(before.crossings) < 2:
            draft.type = CONTINUE if passage.have_same_name(before, draft) else TURN
        kept.append(draft)
    drafts[:] = kept


def drop_short_names(passage: Passage, drafts: list[Draft]) -> None:
    """Do not tell of names that are known already or, where no lanes are told, do not last."""
    i = 1
    while i < len(drafts):
        if drafts[i].type == NEW_NAME and _is_dull(passage, drafts, i):
            absorb(drafts, i - 1)
        else:
            i += 1


def _is_dull(passage: Passage, drafts: list[Draft], i: int) -> bool:
    """Whether nobody has to hear of a new name."""
    before, here = drafts[i - 1], drafts[i]
    if not passage.have_same_mode(before, here):
        return False
    if passage.have_same_name(before, here) or here.texts.is_unnamed:
        return True
    return passage.length_m(drafts, i) < NAME_MATTERS_M and not here.lanes
