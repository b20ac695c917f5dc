"""A leg as the passes of guidance look at it: drafts of steps, and the crossings they pass.

A draft is a step in the making, a row of numbers. In the beginning there is one for each crossing;
the passes join them, and what is left are the steps. A draft has the crossings from its own first
one to that of the next draft, which are rows, too.
"""

from typing import NamedTuple

from gis.arrays import F64, I64
from gis.jit import inner_kernel, int64
from routing.guidance.codes import SLIGHT_LEFT, SLIGHT_RIGHT, STRAIGHT
from routing.guidance.slots import UNKNOWN, look_up

AT, KIND, WAY, FIRST, RING, TEXTS, ROTARY, EXIT, MODE, INNER, POINT, BEFORE, AFTER = range(13)
"""Columns of a draft.

The arc of the trail before which it begins; type and modifier; its first crossing; what becomes of
the route at a roundabout, as of `Crossing.said`; what signs say on the road, and what they say of a
rotary, 0 if there is none; the count of exits, 0 if none is told; how one travels; and whether it
leads over an inner piece of a junction. Of those that are left: the first point of the step, and
the directions before and after the maneuver in whole degrees.
"""
DRAFT_COLUMNS = 13

RECORD, PLACE, LANES, ONTO = range(4)
"""Columns of a crossing that is passed.

Its record; the arc of the trail before which it lies; its lanes; what signs say on the road behind.
"""
PASSED_COLUMNS = 4

SAID_KIND, SAID_WAY, SAID_RING, N_ROADS, N_ENTRIES, TRAITS, OWN_LANES = range(7)
HEADS_IN, HEADS_OUT, TEXT_FROM, TEXT_TO, PLACE_LENGTH = range(7, 12)
"""Columns of a crossing's record, the same for all routes.

What it demands by itself; how many roads there are, and how many may be entered; bits; its lanes.
Directions of travel in whole degrees; where its text begins and ends, and how long its place is.
"""
RECORD_COLUMNS = 12

ARRIVES, LEAVES, ANGLE, BACK = range(4)
"""Columns of its directions: of travel, the angle of the turn, and that of the way back."""
DIRECTION_COLUMNS = 4

INTO_SHIFT, OUT_OF_SHIFT, SLIPS_SHIFT = 0, 3, 6
ONLY_WAY, STRAIGHTEST, ONTO_RING = 1 << 8, 1 << 9, 1 << 10
"""Bits: nobody can do anything else; no way is straighter; the road behind is a roundabout."""

NOWHERE, WITHIN = 0, 1
"""Records of what is no crossing, and of a place within a road."""

UNNAMED, HAS_NAME = 1, 2
"""Bits of what identifies texts, so that they need not be looked at; 4 times their number is added.
"""

SAME_ROAD, LANE_SET, VARIANT = 1, 2, 3
"""Kinds of what is known beside the crossings themselves."""

N_DRAFTS, N_PASSED, N_NEEDED, NEEDED = 0, 1, 2, 3
"""In ``counts``; keys of what was not known follow."""
MAX_NEEDED = 16

ARROWS, VALID, N_LANES = range(3)
"""Columns of lanes: a set of arrows, bits of those that may be used, and how many there are."""


class Passage(NamedTuple):
    """A leg with what is known of its crossings; the drafts and the crossings belong to it.

    ``texts`` int64 (k,) are what signs say on each arc, ``metres`` float64 (k + 1,) tells how far
    each begins; ``draft`` int64 (n, 13), ``passed``
    int64 (n, 4) and ``counts`` int64 (19,) are changed. ``slots`` int64 (S, 2), ``record`` int64
    (R, 12), ``direction`` float64 (R, 4) and ``lanes`` int64 (L, 3) are those of a `Book`.
    """

    texts: I64
    metres: F64
    draft: I64
    passed: I64
    counts: I64
    slots: I64
    record: I64
    direction: F64
    lanes: I64


@inner_kernel
def key_of(kind: int, one: int, other: int) -> int:
    """The key of what is known of numbers below 2^28 and 2^32; crossings have positive ones."""
    return -2 - (((one << 32) | other) * 4 + kind)


@inner_kernel
def known(passage: Passage, kind: int, one: int, other: int) -> int:
    """What is known of two numbers; UNKNOWN, and noted, if nothing is."""
    key = key_of(kind, one, other)
    found = look_up(passage.slots, key)
    n = passage.counts[N_NEEDED]
    if found == UNKNOWN and n < MAX_NEEDED:
        passage.counts[NEEDED + n] = key
        passage.counts[N_NEEDED] = n + 1
    return found


@inner_kernel
def same_road(passage: Passage, one: int, other: int) -> bool:
    """Whether texts are of roads that have a name or number in common."""
    if (one | other) & UNNAMED:
        return False
    return one == other or known(passage, SAME_ROAD, one, other) == 1


@inner_kernel
def same_name(passage: Passage, i: int, j: int) -> bool:
    """Whether two drafts follow roads that have a name or number in common."""
    return same_road(passage, int64(passage.draft[i, TEXTS]), int64(passage.draft[j, TEXTS]))


@inner_kernel
def same_mode(passage: Passage, i: int, j: int) -> bool:
    """Whether two drafts travel in one way."""
    return bool(passage.draft[i, MODE] == passage.draft[j, MODE])


@inner_kernel
def length_m(passage: Passage, i: int) -> float:
    """From the maneuver of a draft to that of the next."""
    if i + 1 >= passage.counts[N_DRAFTS]:
        return 0.0
    draft = passage.draft
    return float(passage.metres[draft[i + 1, AT]] - passage.metres[draft[i, AT]])


@inner_kernel
def n_passed(passage: Passage, i: int) -> int:
    """How many crossings a draft has."""
    stop = int64(passage.counts[N_PASSED])
    if i + 1 < passage.counts[N_DRAFTS]:
        stop = int64(passage.draft[i + 1, FIRST])
    return stop - int64(passage.draft[i, FIRST])


@inner_kernel
def maneuver(passage: Passage, i: int) -> int:
    """The record of the crossing at which a draft begins."""
    return int64(passage.passed[passage.draft[i, FIRST], RECORD])


@inner_kernel
def open_ways(passage: Passage, i: int) -> int:
    """Into how many roads the driver could turn at the maneuver of a draft."""
    return int64(passage.record[maneuver(passage, i), N_ENTRIES])


@inner_kernel
def is_undisturbed(passage: Passage, i: int) -> bool:
    """Whether no other road meets that of a draft after its maneuver."""
    first = passage.draft[i, FIRST]
    for j in range(first + 1, first + n_passed(passage, i)):
        if passage.record[passage.passed[j, RECORD], N_ROADS] != 2:
            return False
    return True


@inner_kernel
def turn_angle(passage: Passage, i: int) -> float:
    """How the maneuver of a draft turns, as `Crossing.angle`: 180 is straight."""
    return total_angle(passage, i, i)


@inner_kernel
def total_angle(passage: Passage, first: int, second: int) -> float:
    """How two maneuvers turn together."""
    arrives = passage.direction[maneuver(passage, first), ARRIVES]
    return float((arrives + 180.0 - passage.direction[maneuver(passage, second), LEAVES]) % 360.0)


@inner_kernel
def off_straight(angle: float) -> float:
    """By how many degrees a turn differs from straight on, 0..180."""
    return abs(angle - 180.0)


@inner_kernel
def way_of(angle: float) -> int:
    """The modifier for an angle, as `directions.direction_of`."""
    if angle < 160.0:
        if angle >= 140.0:
            return SLIGHT_RIGHT
        if angle >= 60.0:
            return SLIGHT_RIGHT - 1
        return SLIGHT_RIGHT - 2 if angle > 0.0 else 0
    if angle <= 200.0:
        return STRAIGHT
    if angle <= 220.0:
        return SLIGHT_LEFT
    if angle <= 300.0:
        return SLIGHT_LEFT + 1
    return SLIGHT_LEFT + 2 if angle < 360.0 else 0


@inner_kernel
def remove(passage: Passage, i: int) -> None:
    """Take a draft away; its crossings become part of the draft before."""
    draft, last = passage.draft, passage.counts[N_DRAFTS] - 1
    for j in range(i, last):
        for column in range(DRAFT_COLUMNS):
            draft[j, column] = draft[j + 1, column]
    passage.counts[N_DRAFTS] = last


@inner_kernel
def copy_draft(passage: Passage, i: int, to: int) -> int:
    """Write a draft over another one that is no longer needed; the place after that."""
    if i != to:
        for column in range(DRAFT_COLUMNS):
            passage.draft[to, column] = passage.draft[i, column]
    return to + 1
