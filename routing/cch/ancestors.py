"""Everything above some vertices: where searches from them may lead."""

from typing import Any, NamedTuple

from gis.arrays import INVALID, U32, U64
from gis.jit import inner_kernel
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import Weights

NO_ROOM = -1


class Arcs(NamedTuple):
    """The arcs of a hierarchy in one direction, by their lower ends, and its tree."""

    parent: U32
    first: U32
    upper: U32
    cost: U64
    third: U32


def arcs_both_ways(
    hierarchy: Hierarchy, weights: Weights, backward: bool = False
) -> tuple[Arcs, Arcs]:
    """The arcs that a search climbs from its start, and those it comes down by.

    Backward it is a search against the direction of the arcs.
    """
    tree, up_third, down_third = hierarchy.parent, weights.up_third, weights.down_third
    up = Arcs(tree, hierarchy.first_up, hierarchy.up_head, weights.up, up_third)
    down = Arcs(tree, hierarchy.first_down, hierarchy.down_tail, weights.down, down_third)
    return (down, up) if backward else (up, down)


@inner_kernel
def add_ancestors(x: Any, parent: U32, found: U32, n_found: int, place: U32) -> int:
    """Append a vertex and what is above it, but for what was found before; the new number.

    ``found[1 : n_found]`` holds each vertex after all that is above it, so read backward it is an
    order to climb in; nearly by rank, if vertices are added by falling rank. ``place`` (V,) tells
    where a vertex is in it, 0: nowhere. Returns NO_ROOM, having changed nothing, if they do not
    fit.
    """
    end = n_found
    above = x
    while above != INVALID and place[above] == 0:
        end += 1
        above = parent[above]
    if end > len(found):
        return NO_ROOM
    for at in range(end - 1, n_found - 1, -1):
        found[at] = x
        place[x] = at
        x = parent[x]
    return end
