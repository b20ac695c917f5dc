"""Weights of arcs: what a search minimises."""

from dataclasses import dataclass

from gis.arrays import U32


@dataclass(frozen=True)
class Metric:
    """Weight of every arc; INF where the vehicle may not go.

    | array | dtype, shape | content |
    |---|---|---|
    | weight | uint32 (A,) | hundredths of a second, 1..INF-1, or INF: closed |
    """

    weight: U32
