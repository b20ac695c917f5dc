"""What the arcs of a hierarchy cost by some metric."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import INF, INVALID, U32, U64, AnyArray, freeze
from routing.cch.hierarchy import Hierarchy

COST_BITS = 32
INF_COST = INF << COST_BITS
"""The cost of what cannot be reached; twice as much still fits."""

SECOND_MASK = (1 << COST_BITS) - 1


def weight_of(cost: int) -> int:
    """What a cost orders by first: hundredths of a second, or INF."""
    return cost >> COST_BITS


class Measures(NamedTuple):
    """What a path takes, or n paths take: hundredths of a second twice, and centimetres."""

    weight: Any
    duration_cs: Any
    length_cm: Any


def measures_of(cost: Any, third: Any, has_durations: bool) -> Measures:
    """What costs that are less than INF_COST mean: numbers, or arrays (n,).

    ``has_durations`` is that of the `Metric`.
    """
    weight, second = cost >> COST_BITS, cost & SECOND_MASK
    return Measures(weight, second, third) if has_durations else Measures(weight, weight, second)


class Weights(NamedTuple):
    """Costs of the arcs of a hierarchy. U upward, D downward arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | up, down | uint64 (U,), (D,) | weight << 32 | second, of the best path below the arc |
    | up_children, down_children | uint32 (U, 2), (D, 2) | see below |
    | up_third, down_third | uint32 (U,), (D,) or (0,) twice | of that path; if the metric has it |

    What is second and third, `Metric` tells. Costs are compared as whole numbers, and those that
    are alike by the third. INF_COST where there is no path, and then no third. An arc's path
    leads over lower vertices only: first a downward arc, then an upward arc, whose positions are
    the children; or it is a turn, and the children are INVALID and the vertex of the turn graph
    that it leads to.
    """

    up: U64
    down: U64
    up_children: U32
    down_children: U32
    up_third: U32
    down_third: U32

    @property
    def has_third(self) -> bool:
        """Whether there is anything that decides between costs that are alike."""
        return len(self.up_third) + len(self.down_third) > 0


def check_alike(weights: Weights, hierarchy: Hierarchy) -> None:
    """Raise ``ValueError`` unless these are arrays that kernels can take for a hierarchy's."""
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    sizes = [n_up, n_down, n_up, n_down, *((n_up, n_down) if weights.has_third else (0, 0))]
    arrays: list[AnyArray] = [*weights]
    for name, array, size in zip(Weights._fields, arrays, sizes, strict=True):
        expected = f"uint64 ({size},)"
        if name.endswith("children"):
            expected = f"uint32 ({size}, 2)"
        elif name.endswith("third"):
            expected = f"uint32 ({size},)"
        found = f"{array.dtype} {array.shape}"
        if found != expected or not array.flags.c_contiguous:
            raise ValueError(f"weights.{name} is {found}, expected {expected}, contiguous")


def new_weights(hierarchy: Hierarchy, with_third: bool = False) -> Weights:
    """Room for the weights of a hierarchy."""
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    return Weights(
        np.empty(n_up, np.uint64),
        np.empty(n_down, np.uint64),
        np.empty((n_up, 2), np.uint32),
        np.empty((n_down, 2), np.uint32),
        np.empty(n_up * with_third, np.uint32),
        np.empty(n_down * with_third, np.uint32),
    )


def frozen(weights: Weights) -> Weights:
    """The same weights, read-only."""
    return Weights(*(freeze(array) for array in weights))


def check_weights(weights: Weights, hierarchy: Hierarchy) -> None:
    """Assert every documented invariant that can be seen without the turns."""
    n = len(hierarchy.rank)
    columns = (
        (hierarchy.up_head, weights.up, weights.up_children, weights.up_third),
        (hierarchy.down_tail, weights.down, weights.down_children, weights.down_third),
    )
    n_up, n_down = len(hierarchy.up_head), len(hierarchy.down_tail)
    for third, n_arcs in ((weights.up_third, n_up), (weights.down_third, n_down)):
        assert third.dtype == np.uint32 and third.shape == (n_arcs * weights.has_third,)
    low_up = np.repeat(np.arange(n), np.diff(hierarchy.first_up))
    low_down = np.repeat(np.arange(n), np.diff(hierarchy.first_down))
    for is_up, (upper, cost, children, third) in zip((True, False), columns, strict=True):
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
        if weights.has_third:
            assert (weights.down_third[down] + weights.up_third[up] == third[over]).all()
            assert not third[cost >= INF_COST].any()
