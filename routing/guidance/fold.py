"""What need not be said: silent crossings, ends of roads that nobody notices, short-lived names."""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import (
    CONTINUE,
    END_OF_ROAD,
    NEW_NAME,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    TURNS,
    is_in,
)
from routing.guidance.joining import lanes_of
from routing.guidance.passage import (
    FIRST,
    KIND,
    N_DRAFTS,
    ONLY_WAY,
    TEXTS,
    TRAITS,
    UNNAMED,
    WAY,
    Passage,
    copy_draft,
    length_m,
    maneuver,
    n_passed,
    remove,
    same_mode,
    same_name,
)

NAME_MATTERS_M = 105.0
"""A new name that is read for less than this is not worth an instruction."""


@inner_kernel
def fold(passage: Passage) -> None:
    """Let silent crossings become part of the step before them.

    The end of a road tells where to turn only if crossings have been passed on it; elsewhere it is
    a turn like others.
    """
    draft, kept = passage.draft, int64(1)
    for i in range(1, passage.counts[N_DRAFTS]):
        kind = draft[i, KIND]
        if kind == SUPPRESSED:
            continue
        if kind == END_OF_ROAD and draft[i, FIRST] - draft[kept - 1, FIRST] < 2:
            draft[i, KIND] = CONTINUE if same_name(passage, kept - 1, i) else TURN
        kept = copy_draft(passage, i, kept)
    passage.counts[N_DRAFTS] = kept


@inner_kernel
def drop_short_names(passage: Passage) -> None:
    """Do not tell of names that are known already or, where no lanes are told, do not last."""
    i = 1
    while i < passage.counts[N_DRAFTS]:
        if passage.draft[i, KIND] == NEW_NAME and _is_dull(passage, i):
            remove(passage, i)
        else:
            i += 1


@inner_kernel
def _is_dull(passage: Passage, i: int) -> bool:
    """Whether nobody has to hear of a new name."""
    if not same_mode(passage, i - 1, i):
        return False
    if passage.draft[i, TEXTS] & UNNAMED or same_name(passage, i - 1, i):
        return True
    return length_m(passage, i) < NAME_MATTERS_M and lanes_of(passage, i) == 0


@inner_kernel
def silence_only_ways(passage: Passage) -> None:
    """Take away maneuvers at which a driver can do nothing else but go straight on.

    OSRM says ``turn`` at some of these: where the name changes, or a road joins that nobody may
    turn into.
    """
    draft, kept = passage.draft, int64(0)
    for i in range(passage.counts[N_DRAFTS]):
        kind = draft[i, KIND]
        if is_in(int64(kind), TURNS) and _is_only_way(passage, i):
            if same_name(passage, kept - 1, i):
                continue
            draft[i, KIND], draft[i, WAY] = NEW_NAME, STRAIGHT
        kept = copy_draft(passage, i, kept)
    passage.counts[N_DRAFTS] = kept


@inner_kernel
def _is_only_way(passage: Passage, i: int) -> bool:
    """Whether no other road may be entered, and the one taken leads straight on."""
    is_one = n_passed(passage, i) == 1
    return bool(is_one and passage.record[maneuver(passage, i), TRAITS] & ONLY_WAY)
