"""Lanes before maneuvers in quick succession: only those that serve the later ones are left."""

from gis.jit import inner_kernel, int64
from routing.guidance.codes import MERGE, STRAIGHT, SUPPRESSED, UTURN
from routing.guidance.joining import lanes_of, use_lanes
from routing.guidance.passage import (
    ARROWS,
    KIND,
    LANE_SET,
    N_DRAFTS,
    N_LANES,
    VALID,
    WAY,
    Passage,
    known,
    length_m,
)

CHANGE_LANE_M = 200.0
"""What a driver needs to change to the next lane."""

_NEITHER, _LEFT, _RIGHT = 0, 1, 2


@inner_kernel
def anticipate(passage: Passage) -> None:
    """Constrain the lanes of each run of drafts that follow each other quickly."""
    begin, n = int64(0), int64(passage.counts[N_DRAFTS])
    for i in range(n):
        if lanes_of(passage, i) == 0 or not _is_quick(passage, i):
            # The first that is not quick tells nothing of those before it.
            _constrain(passage, begin, i)
            begin = i + 1
    _constrain(passage, begin, n)


@inner_kernel
def _is_quick(passage: Passage, i: int) -> bool:
    """Whether the next maneuver follows before one can cross all lanes that are not in use."""
    lanes = lanes_of(passage, i)
    if passage.lanes[lanes, VALID] == 0:
        return False
    to_cross = max(_left_of(passage, lanes), _right_of(passage, lanes))
    return length_m(passage, i) < (1 + to_cross) * CHANGE_LANE_M


@inner_kernel
def _left_of(passage: Passage, lanes: int) -> int:
    """How many lanes there are to the left of those in use."""
    valid, n = int64(passage.lanes[lanes, VALID]), 0
    while not (valid >> n) & 1:
        n += 1
    return n


@inner_kernel
def _right_of(passage: Passage, lanes: int) -> int:
    """How many lanes there are to the right of those in use."""
    valid, n = int64(passage.lanes[lanes, VALID]), 0
    last = int64(passage.lanes[lanes, N_LANES]) - 1
    while not (valid >> (last - n)) & 1:
        n += 1
    return n


@inner_kernel
def _n_valid(passage: Passage, lanes: int) -> int:
    valid, n = int64(passage.lanes[lanes, VALID]), 0
    while valid:
        n += valid & 1
        valid >>= 1
    return n


@inner_kernel
def _constrain(passage: Passage, begin: int, end: int) -> None:
    """Walk backwards over maneuvers: whose lanes are more than those of the next get fewer."""
    straight_m, passed_on = 0.0, _NEITHER
    for here in range(end - 2, begin - 1, -1):
        lanes, after = lanes_of(passage, here), lanes_of(passage, here + 1)
        n, n_next = _n_valid(passage, lanes), _n_valid(passage, after)
        is_silent = passage.draft[here, KIND] == SUPPRESSED
        straight_m = straight_m + length_m(passage, here) if is_silent else 0.0
        before, passed_on = passed_on, _NEITHER
        if n <= n_next or straight_m > (n - n_next) * CHANGE_LANE_M:
            continue
        side = _side(passage, here + 1)
        side = side if side != _NEITHER else before
        if _side(passage, here) == _NEITHER:
            passed_on = side
        # Lanes beside those of the next maneuver begin on this side of them.
        aside = n - n_next - min(_right_of(passage, after), n_next)
        if side == _LEFT:
            aside = min(_left_of(passage, after), n_next)
        first = _left_of(passage, lanes) + min(max(aside, 0), n - n_next)
        valid = ((1 << n_next) - 1) << first
        valid &= (1 << int64(passage.lanes[lanes, N_LANES])) - 1
        fewer = known(passage, LANE_SET, int64(passage.lanes[lanes, ARROWS]), valid)
        use_lanes(passage, here, max(fewer, 0))


@inner_kernel
def _side(passage: Passage, i: int) -> int:
    """To which side a maneuver turns; one that merges keeps to the other."""
    way = passage.draft[i, WAY]
    if way <= UTURN or way == STRAIGHT:
        return _NEITHER
    is_left = way > STRAIGHT
    if passage.draft[i, KIND] == MERGE:
        is_left = not is_left
    return _LEFT if is_left else _RIGHT
