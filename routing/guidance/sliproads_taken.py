"""Legs that take a sliproad, or that stay beside one on the main road."""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import (
    CONTINUE,
    FORK,
    NEW_NAME,
    SLIPROAD,
    SUPPRESSED,
    TURN,
)
from routing.guidance.joining import absorb, joint_angle, lanes_of, use_lanes
from routing.guidance.passage import (
    ANGLE,
    HAS_NAME,
    KIND,
    N_DRAFTS,
    N_ENTRIES,
    N_ROADS,
    SLIPS_SHIFT,
    TEXTS,
    TRAITS,
    WAY,
    Passage,
    length_m,
    maneuver,
    off_straight,
    same_mode,
    same_name,
    way_of,
)
from routing.guidance.sliproads import SLIPS, STAYS

_GOES_ON_DEG = 5.0


@inner_kernel
def mark_sliproads(passage: Passage) -> None:
    """Tell the sliproads that a leg takes, and those beside which it stays on the main road.

    A fork that is none but for a sliproad is no fork to those who stay.
    """
    draft = passage.draft
    for i in range(passage.counts[N_DRAFTS]):
        slips = (passage.record[maneuver(passage, i), TRAITS] >> SLIPS_SHIFT) & (SLIPS | STAYS)
        if slips == SLIPS:
            draft[i, KIND] = SLIPROAD
        elif slips == STAYS and draft[i, KIND] == FORK:
            _stay(passage, i)


@inner_kernel
def _stay(passage: Passage, i: int) -> None:
    """Nothing forks here: the road goes on."""
    draft = passage.draft
    angle = float(passage.direction[maneuver(passage, i), ANGLE])
    if same_name(passage, i - 1, i):
        draft[i, KIND] = SUPPRESSED if off_straight(angle) < _GOES_ON_DEG else CONTINUE
    else:
        draft[i, KIND] = NEW_NAME if draft[i, TEXTS] & HAS_NAME else SUPPRESSED
    draft[i, WAY] = way_of(angle)


@inner_kernel
def join_sliproad(passage: Passage, i: int) -> None:
    """Make one turn of a sliproad and the maneuver at its end."""
    draft = passage.draft
    while _is_mere_node(passage, i + 1):
        absorb(passage, i, False)
    if i + 2 >= passage.counts[N_DRAFTS] or not same_mode(passage, i, i + 1):
        draft[i, KIND] = TURN
        return
    draft[i, KIND] = CONTINUE if same_name(passage, i - 1, i + 1) else TURN
    draft[i, WAY] = way_of(joint_angle(passage, i, i + 1, length_m(passage, i)))
    lanes = lanes_of(passage, i + 1)
    if lanes:
        use_lanes(passage, i, lanes)
    absorb(passage, i, True)


@inner_kernel
def _is_mere_node(passage: Passage, i: int) -> bool:
    """Whether only the road itself goes on there, as at traffic lights."""
    record = passage.record[maneuver(passage, i)]
    return bool(
        int64(passage.draft[i, KIND]) == SUPPRESSED
        and record[N_ROADS] == 2
        and record[N_ENTRIES] == 1
    )
