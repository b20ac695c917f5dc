"""From arcs of the hierarchy back to turns."""

from typing import Any

from gis.arrays import INVALID, U32
from gis.jit import inner_kernel, int64
from routing.cch.weights import Weights


@inner_kernel
def unpack_arc(weights: Weights, arc: Any, stack: U32, path: U32, n_path: int) -> int:
    """Append the vertices of the turn graph along an arc, its tail left out, to a path.

    ``arc`` is twice the position, plus 1 for an upward arc. Returns the path's new length.
    """
    stack[0] = arc
    size = 1
    while size > 0:
        size -= 1
        arc = int64(stack[size])
        children = weights.up_children if arc & 1 else weights.down_children
        first, second = int64(children[arc >> 1, 0]), int64(children[arc >> 1, 1])
        if first == INVALID:
            if n_path < len(path):  # always, unless the weights are none
                path[n_path] = second
                n_path += 1
        else:
            stack[size] = 2 * second + 1
            stack[size + 1] = 2 * first
            size += 2
    return n_path
