"""Roads with separate carriageways: the pieces between these belong to one junction.

Such an inner piece is short, and one-way roads arrive and leave at its ends across it.
"""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import (
    CIRCLES,
    END_OF_ROAD,
    FORK,
    NEW_NAME,
    PLAIN,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    SUPPRESSED,
    TURN,
    is_in,
)
from routing.guidance.collapse_cases import turns_around
from routing.guidance.directions import BEND_DEG
from routing.guidance.joining import absorb, lanes_of, make_u_turn, use_lanes
from routing.guidance.junctions import ACROSS, TO_LEFT, TO_RIGHT
from routing.guidance.passage import (
    INNER,
    INTO_SHIFT,
    KIND,
    N_DRAFTS,
    ONTO_RING,
    OUT_OF_SHIFT,
    STRAIGHTEST,
    TRAITS,
    WAY,
    Passage,
    length_m,
    maneuver,
    n_passed,
    off_straight,
    same_name,
    total_angle,
    way_of,
)

INNER_M = 32.0


@inner_kernel
def collapse_segregated(passage: Passage) -> None:
    """Join maneuvers at both ends of inner pieces; before roundabouts are counted."""
    draft, count = passage.draft, passage.counts
    none = True
    for i in range(1, count[N_DRAFTS] - 1):
        if is_inner(passage, i):
            draft[i, INNER] = 1
            none = False
    if none:
        return
    i = 1
    while i + 2 < count[N_DRAFTS]:
        kind, other = int64(draft[i, KIND]), int64(draft[i + 1, KIND])
        twice = draft[i + 1, INNER] == 1
        if draft[i, INNER] == 0 or (not twice and (is_in(kind, CIRCLES) or is_in(other, CIRCLES))):
            i += 1
            continue
        if twice:
            if kind == END_OF_ROAD or other == END_OF_ROAD:
                draft[i, KIND] = END_OF_ROAD
            use_lanes(passage, i, lanes_of(passage, i + 1))
            absorb(passage, i, True)
        elif turns_around(passage, i, i + 1):
            make_u_turn(passage, i)
            draft[i, INNER] = 0
        else:
            _turn(passage, i)
            absorb(passage, i, True)
            draft[i, INNER] = 0


@inner_kernel
def is_inner(passage: Passage, i: int) -> bool:
    """Whether a draft leads over an inner piece of a junction."""
    traits = int64(passage.record[maneuver(passage, i), TRAITS])
    into = traits >> INTO_SHIFT
    if not into & ACROSS:
        return False
    out_of = int64(passage.record[maneuver(passage, i + 1), TRAITS]) >> OUT_OF_SHIFT
    if not out_of & ACROSS or traits & ONTO_RING or length_m(passage, i) > INNER_M:
        return False
    return not (
        (into & TO_LEFT and out_of & TO_RIGHT)
        or (into & TO_RIGHT and out_of & TO_LEFT)
        or (out_of & TO_LEFT and out_of & TO_RIGHT)
    )


@inner_kernel
def _turn(passage: Passage, i: int) -> None:
    """Give the first of two maneuvers, over an inner piece, the sense of both."""
    draft = passage.draft
    kind, other, other_way = draft[i, KIND], draft[i + 1, KIND], draft[i + 1, WAY]
    angle = total_angle(passage, i, i + 1)
    way = way_of(angle)
    silent = SUPPRESSED if same_name(passage, i - 1, i + 1) else NEW_NAME
    is_plain = is_in(int64(other), PLAIN)
    if kind == END_OF_ROAD or other == END_OF_ROAD:
        kind = END_OF_ROAD
    elif kind == FORK:
        return
    elif way == STRAIGHT and is_plain and SLIGHT_RIGHT <= other_way <= SLIGHT_LEFT:
        kind = silent
    elif (
        off_straight(angle) <= BEND_DEG
        and n_passed(passage, i) == 1
        and passage.record[maneuver(passage, i), TRAITS] & STRAIGHTEST
        and passage.record[maneuver(passage, i + 1), TRAITS] & STRAIGHTEST
    ):
        kind, way = silent, STRAIGHT
    elif way != STRAIGHT and is_plain:
        kind = TURN
    else:
        kind = other
    draft[i, KIND], draft[i, WAY] = kind, way
