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
    i = 1
    while i < len(drafts):
        here, before = drafts[i], drafts[i - 1]
        if here.type == SUPPRESSED:
            absorb(drafts, i - 1)
            continue
        if here.type == END_OF_ROAD and len(before.crossings) < 2:
            here.type = CONTINUE if passage.have_same_name(before, here) else TURN
        i += 1


def drop_short_names(passage: Passage, drafts: list[Draft]) -> None:
    """Do not tell of names that are known already or, where no lanes are told, do not last."""
    i = 1
    while i < len(drafts):
        before, here = drafts[i - 1], drafts[i]
        known = passage.have_same_name(before, here) or passage.texts(here).is_unnamed
        short = passage.length_m(drafts, i) < NAME_MATTERS_M and not here.crossing.lanes
        silent = here.type == NEW_NAME and (known or short)
        if silent and passage.have_same_mode(before, here):
            absorb(drafts, i - 1)
        else:
            i += 1
