"""What the driven parts of a path's arcs take: it is entered and left within an arc."""

from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, U32
from gis.jit import Settled, int64, plain_kernel
from routing.many.pairs import part_of
from routing.metric import Metric


class Driven(NamedTuple):
    """What a path (k,) of arcs takes without turns.

    ``weight_cs`` and ``duration_cs`` float64 (k,) are those of the driven part of each arc, the
    same array where the weights are durations; ``slower_cs`` is what all durations are above all
    weights, ``length_cm`` how long the path is.
    """

    weight_cs: F64
    duration_cs: F64
    slower_cs: int
    length_cm: int


def driven(metric: Metric, arcs: U32, start: float, end: float) -> Driven:
    """What a metric says of a path that begins and ends at fractions of its first and last arc."""
    columns = metric.weight, metric.duration_cs, metric.length_cm
    parts = np.empty((2 if metric.has_durations else 1, len(arcs)))
    sums = _drive(columns, arcs, start, end, parts)
    return Driven(parts[0], parts[-1], *sums)


@plain_kernel
def drive(
    columns: tuple[U32, U32, U32], arcs: U32, start: float, end: float, parts: F64
) -> tuple[int, int]:
    """Fill ``parts`` (1 or 2, k) with weights and durations: `Driven` without them."""
    weight, duration, length = columns
    slower: Any = int64(0)
    total: Any = int64(0)
    last = len(arcs) - 1
    for k in range(last + 1):
        arc = arcs[k]
        begin = start if k == 0 else 0.0
        stop = end if k == last else 1.0
        parts[0, k] = part_of(weight[arc], stop) - part_of(weight[arc], begin)
        if len(parts) > 1:
            parts[1, k] = part_of(duration[arc], stop) - part_of(duration[arc], begin)
            slower += int64(parts[1, k]) - int64(parts[0, k])
        total += part_of(length[arc], stop) - part_of(length[arc], begin)
    return slower, total


_drive = Settled(drive)
