"""Crossings where a road so plainly goes on that nothing has to be weighed.

That is most of them. What is decided here is what `classify` would decide, in less time.
"""

from gis.jit import inner_kernel, int64
from routing.guidance.bearings import MINOR, MOTORWAY, RING, Shapes

WEIGH, SILENT, NOTHING = 0, 1, 2
"""To be looked at closely; nothing to say; no crossing at all, since only driveways leave."""

_STRAIGHT_DEG = 15.0
_HALF_FUZZY_DEG = 12.5
_DISTINCTION = 2.0


@inner_kernel
def off_straight(bearing: float, back: float) -> float:
    """Degrees from straight on."""
    turn = abs(bearing - back) % 360.0
    return abs(min(turn, 360.0 - turn) - 180.0)


@inner_kernel
def is_oneway(shapes: Shapes, arc: int) -> bool:
    """Whether a road is open in one direction only."""
    return bool(shapes.open_arc[arc] != shapes.open_arc[arc ^ 1])


@inner_kernel
def alike(shapes: Shapes, one: int, other: int) -> bool:
    """Whether two arcs have the same tags and labels, seen in the same direction."""
    a, b = one >> 1, other >> 1
    return bool(
        shapes.edge_tagset[a] == shapes.edge_tagset[b]
        and shapes.edge_label[a] == shapes.edge_label[b]
        and (one ^ other) & 1 == 0
    )


@inner_kernel
def judge(shapes: Shapes, before: int, after: int, back: float, onward: float) -> int:
    """What there is to say of going on, before the other roads are looked at."""
    if not alike(shapes, before, after) or off_straight(onward, back) > _STRAIGHT_DEG:
        return WEIGH
    manner = shapes.manner[shapes.edge_tagset[before >> 1]]
    if manner == RING or shapes.special[shapes.edge_tagset[before >> 1]]:
        return WEIGH
    return SILENT if manner == MINOR else NOTHING


@inner_kernel
def judge_beside(
    shapes: Shapes, before: int, arc: int, entry: bool, offs: tuple[float, float]
) -> int:
    """The same in view of one other road; ``offs`` are the road's and its own way from straight."""
    off, other_off = offs
    tagset = int64(shapes.edge_tagset[arc >> 1])
    manner = shapes.manner[tagset]
    is_distinct = other_off > _DISTINCTION * off and other_off - off > _HALF_FUZZY_DEG
    if manner == RING or (entry and not is_distinct):
        return WEIGH
    if manner == MOTORWAY and entry:
        return WEIGH
    if is_oneway(shapes, arc) and shapes.edge_label[arc >> 1] == shapes.edge_label[before >> 1]:
        return WEIGH
    return NOTHING if manner == MINOR else SILENT
