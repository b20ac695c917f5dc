"""Maximum flow of unit capacity between two ends of a cell, and the cut that limits it.

Paths are found depth first, always by the rightmost way. In a plane graph whose sources and
targets lie on its rim that is the uppermost path algorithm (Ford and Fulkerson 1956): no path has
to be changed later, and what a search leaves behind leads nowhere. Road networks are not quite
plane, so passes are repeated until one finds nothing; two or three do.
"""

from typing import NamedTuple

from gis.arrays import I32, U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from routing.order.layer import Layer

TARGET = -1
SOURCE = 2**30


class Flow(NamedTuple):
    """Scratch of a flow; cells use their own ranges, so that any number are cut at once.

    | array | dtype, shape | content |
    |---|---|---|
    | mark | int32 (N,) | TARGET, SOURCE, or when the node was last visited |
    | cursor | uint32 (N,) | half-edge of the node that was tried last |
    | left | uint32 (N,) | half-edges of the node that are still to be tried |
    | path | uint32 (N,) | half-edges from a source on |
    | full | uint8 (H,) | 1: the half-edge carries flow |
    | start | uint32 (H,) | half-edges that leave the sources |
    """

    mark: I32
    cursor: U32
    left: U32
    path: U32
    full: U8
    start: U32


@plain_kernel
def max_flow(
    layer: Layer, flow: Flow, start: tuple[int, int], base: int, bound: int
) -> tuple[int, int]:
    """The value of a maximum flow, or ``bound`` if it is that or more; and the last stamp.

    ``start`` is the range of ``flow.start`` that leaves the sources. If the value is below the
    bound, ``flow.mark`` is at least the stamp exactly where flow could still be sent: on the
    source side of a least cut.
    """
    value = 0
    stamp = 0
    found = True
    while found:
        found = False
        stamp += 2
        for k in range(start[0], start[1]):
            half = flow.start[k]
            if flow.full[half] == 0 and flow.mark[layer.head[half]] < stamp:
                length = _find_path(layer, flow, base, half, stamp)
                if length > 0:
                    for i in range(base, base + length):
                        step = flow.path[i]
                        twin = layer.twin[step]
                        if flow.full[twin] == 1:
                            flow.full[twin] = 0
                        else:
                            flow.full[step] = 1
                        # Its nodes may be visited again in the same pass.
                        if i < base + length - 1:
                            flow.mark[layer.head[step]] = stamp - 1
                    found = True
                    value += 1
                    if value >= bound:
                        return value, stamp
    return value, stamp


@inner_kernel
def _find_path(layer: Layer, flow: Flow, base: int, half: int, stamp: int) -> int:
    """Number of half-edges of a path to a target that begins with the one given; 0: none."""
    head, twin, mark, cursor, left = layer.head, layer.twin, flow.mark, flow.cursor, flow.left
    path, full = flow.path, flow.full
    depth = 0
    while True:
        path[base + depth] = half
        depth += 1
        node = head[half]
        if mark[node] == TARGET:
            return depth
        if mark[node] < stamp - 1:
            cursor[node] = twin[half]
            left[node] = int64(layer.last[node]) - int64(layer.first[node]) - 1
        mark[node] = stamp
        found = False
        while depth > 0 and not found:
            node = head[path[base + depth - 1]]
            step = cursor[node]
            n_left = left[node]
            while n_left > 0 and not found:
                n_left -= 1
                step += 1
                if step == layer.last[node]:
                    step = layer.first[node]
                if full[step] == 0 and mark[head[step]] < stamp:
                    found = True
                    half = step
            cursor[node] = step
            left[node] = n_left
            if not found:
                depth -= 1
        if not found:
            return 0
