"""Ways through circles as one step or two each, with the numbers of their exits."""

from gis.jit import inner_kernel, int64
from routing.guidance import codes
from routing.guidance import passage as columns
from routing.guidance.drafts import ENTERS, ENTERS_AT_EXIT, LEAVES, TOUCHES
from routing.guidance.passage import Passage, copy_draft, maneuver, way_of

_OUTSIDE = -1
_OUT = 1 << LEAVES | 1 << TOUCHES


@inner_kernel
def _enters(ring: int) -> bool:
    return ENTERS <= ring <= TOUCHES


@inner_kernel
def join_rings(passage: Passage) -> None:
    """Make of each way through a circle one step, or two."""
    draft, n = passage.draft, int64(passage.counts[columns.N_DRAFTS])
    first = int64(0)
    while first < n and draft[first, columns.RING] == 0:
        first += 1
    if first == n:
        return
    begin = _OUTSIDE if _enters(int64(draft[first, columns.RING])) else int64(0)
    done, kept = int64(0), int64(0)
    for i in range(first, n):
        ring = int64(draft[i, columns.RING])
        if begin == _OUTSIDE and _enters(ring):
            begin = i
        if begin != _OUTSIDE and codes.is_in(ring, _OUT):
            for j in range(done, begin):
                kept = copy_draft(passage, j, kept)
            kept = _come_out(passage, begin, i, kept)
            begin, done = _OUTSIDE, i + 1
    for j in range(done, n if begin == _OUTSIDE else begin):
        kept = copy_draft(passage, j, kept)
    if begin != _OUTSIDE:
        _stay_inside(passage, begin)
        kept = copy_draft(passage, begin, kept)
        kept = copy_draft(passage, n - 1, kept)
    passage.counts[columns.N_DRAFTS] = kept


@inner_kernel
def _stay_inside(passage: Passage, begin: int) -> None:
    """A way that ends within a circle: no exit is told."""
    draft = passage.draft
    if draft[begin, columns.KIND] == codes.ROUNDABOUT_TURN:
        draft[begin, columns.KIND] = codes.ROUNDABOUT
    if draft[begin, columns.KIND] == codes.ROTARY:
        draft[begin, columns.ROTARY] = passage.passed[draft[begin, columns.FIRST], columns.ONTO]


@inner_kernel
def _come_out(passage: Passage, begin: int, last: int, kept: int) -> int:
    """A way from the entry, or the departure within a circle, to the exit; where it ends."""
    draft, exits = passage.draft, 0
    for i in range(begin, last + 1):
        ring = draft[i, columns.RING]
        exits += ring >= TOUCHES or ring == ENTERS_AT_EXIT
    draft[last, columns.EXIT] = exits
    kind, ring = draft[begin, columns.KIND], draft[begin, columns.RING]
    if ENTERS <= ring <= ENTERS_AT_EXIT:
        draft[begin, columns.EXIT] = exits
        draft[begin, columns.TEXTS] = draft[last, columns.TEXTS]
        if kind == codes.ROTARY:
            named = passage.passed[draft[begin, columns.FIRST], columns.ONTO]
            draft[begin, columns.ROTARY] = named
        elif kind == codes.ROUNDABOUT_TURN:
            back = passage.direction[maneuver(passage, begin), columns.BACK]
            onward = passage.direction[maneuver(passage, last), columns.LEAVES]
            draft[begin, columns.WAY] = way_of((back - onward) % 360.0)
    if begin == last:
        if codes.is_in(int64(kind), 1 << codes.EXIT_ROTARY | 1 << codes.ROTARY):
            draft[begin, columns.ROTARY] = 0
        return copy_draft(passage, begin, kept)
    is_turn = kind == codes.ROUNDABOUT_TURN
    is_one = is_turn and draft[last, columns.KIND] == codes.EXIT_ROUNDABOUT
    kept = copy_draft(passage, begin, kept)
    return kept if is_one else copy_draft(passage, last, kept)
