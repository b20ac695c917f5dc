"""Tiny pieces at the ends of a leg, left by points that lie at a junction, are not driven."""

from gis.jit import inner_kernel
from routing.guidance.passage import (
    AT,
    FIRST,
    MODE,
    N_DRAFTS,
    N_PASSED,
    PASSED_COLUMNS,
    RING,
    TEXTS,
    Passage,
    length_m,
    remove,
)

TINY_M = 1.0


@inner_kernel
def trim_ends(passage: Passage) -> None:
    """Let a leg depart after a tiny first piece and arrive before a tiny last one.

    Nobody is told to turn within a step of where he starts or where he is; but whoever leaves a
    roundabout hears of its exit, however near the goal is, and so does one who enters it. Where
    the departure and the arrival are moves; what lies before and behind still belongs to the leg's
    line. Each draft has one crossing as yet.
    """
    draft, count = passage.draft, passage.counts
    while count[N_DRAFTS] > 2 and draft[1, RING] == 0 and length_m(passage, 0) <= TINY_M:
        for column in (AT, TEXTS, MODE):
            draft[0, column] = draft[1, column]
        _forget(passage, 1)
    while count[N_DRAFTS] > 2:
        last = count[N_DRAFTS] - 2
        if draft[last, RING] or length_m(passage, last) > TINY_M:
            break
        at = draft[last, AT]
        draft[last + 1, AT], draft[last + 1, MODE] = at, draft[last, MODE]
        draft[last + 1, TEXTS] = passage.texts[at - 1]
        _forget(passage, last)


@inner_kernel
def _forget(passage: Passage, i: int) -> None:
    """Take a draft away, and its crossing."""
    remove(passage, i)
    last = passage.counts[N_PASSED] - 1
    for j in range(i, last):
        for column in range(PASSED_COLUMNS):
            passage.passed[j, column] = passage.passed[j + 1, column]
        passage.draft[j, FIRST] = j
    passage.counts[N_PASSED] = last
