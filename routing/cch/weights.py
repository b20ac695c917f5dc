"""What the arcs of a hierarchy cost by some metric."""

from typing import NamedTuple

import numpy as np

from gis.arrays import INF, INVALID, U32, U64, AnyArray, freeze
from routing.cch.hierarchy import Hierarchy

COST_BITS = 32
INF_COST = INF << COST_BITS
"""The cost of what cannot be reached; twice as much still fits."""

LENGTH_MASK = (1 << COST_BITS) - 1


def weight_of(cost: int) -> int:
    """What a cost orders by first: hundredths of a second, or INF."""
    return cost >> COST_BITS


def length_of(cost: int) -> int:
    """The centimetres in a cost that is less than INF_COST."""
    return cost & LENGTH_MASK


class Weights(NamedTuple):
    """Costs of the arcs of a hierarchy. U upward, D downward arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | up, down | uint64 (U,), (D,) | weight << 32 | length in cm, of the best path below the arc |
    | up_children, down_children | uint32 (U, 2), (D, 2) | see below |

    Costs are compared as whole numbers: of the paths with the least weight the shortest counts,
    so that the length is no matter of chance. INF_COST where there is no path. An arc's path
    leads over lower vertices only: first a downward arc, then an upward arc, whose positions are
    the children; or it is a turn, and the children are INVALID and the vertex of the turn graph
    that it leads to.
    """

    up: U64
    down: U64
    up_children: U32
    down_children: U32


def check_alike(weights: Weights, hierarchy: Hierarchy) -> None:
    """Raise ``ValueError`` unless these are arrays that kernels can take for a hierarchy's."""
    sizes = 2 * (len(hierarchy.up_head), len(hierarchy.down_tail))
    arrays: list[AnyArray] = [*weights]
    for name, array, size in zip(Weights._fields, arrays, sizes, strict=True):
        expected = f"uint32 ({size}, 2)" if name.endswith("children") else f"uint64 ({size},)"
        found = f"{array.dtype} {array.shape}"
        if found != expected or not array.flags.c_contiguous:
            raise ValueError(f"weights.{name} is {found}, expected {expected}, contiguous")


def new_weights(hierarchy: Hierarchy) -> Weights:
    """Room for the weights of a hierarchy."""
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    return Weights(
        np.empty(n_up, np.uint64),
        np.empty(n_down, np.uint64),
        np.empty((n_up, 2), np.uint32),
        np.empty((n_down, 2), np.uint32),
    )


def frozen(weights: Weights) -> Weights:
    """The same weights, read-only."""
    return Weights(*(freeze(array) for array in weights))


def check_weights(weights: Weights, hierarchy: Hierarchy) -> None:
    """Assert every documented invariant that can be seen without the turns."""
    n = len(hierarchy.rank)
    columns = (
        (hierarchy.first_up, hierarchy.up_head, weights.up, weights.up_children),
        (hierarchy.first_down, hierarchy.down_tail, weights.down, weights.down_children),
    )
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    low_up, low_down = (np.repeat(np.arange(n), np.diff(first)) for first, _, _, _ in columns)
    for is_up, (_, upper, cost, children) in zip((True, False), columns, strict=True):
        assert cost.dtype == np.uint64 and cost.shape == upper.shape
        assert children.dtype == np.uint32 and children.shape == (len(upper), 2)
        assert (cost <= INF_COST).all()
        lower = low_up if is_up else low_down
        is_turn = (children[:, 0] == INVALID) & (cost < INF_COST)
        head = upper if is_up else lower
        assert (hierarchy.vertex[head[is_turn]] == children[is_turn, 1]).all()
        over = (children[:, 0] != INVALID) & (cost < INF_COST)
        down, up = children[over].T
        assert (down < n_down).all() and (up < n_up).all()
        assert (low_down[down] == low_up[up]).all() and (low_up[up] < lower[over]).all()
        tail = lower if is_up else upper
        assert (hierarchy.down_tail[down] == tail[over]).all()
        assert (hierarchy.up_head[up] == head[over]).all()
        assert (weights.down[down] + weights.up[up] == cost[over]).all()
