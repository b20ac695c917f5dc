"""The two main roads of a leg."""

from gis.arrays import F64, I64
from gis.jit import inner_kernel, int64
from routing.guidance.slots import find_slot

UNTITLED = 1
"""The number of the title of roads that have none."""

_TOO_SHORT_S = 0.1


@inner_kernel
def main_roads(title: I64, duration_s: F64, k: int, seen: I64, seconds: F64) -> tuple[int, int]:
    """The titles of k arcs that take most of the time, in the order of the way; 0 if there is none.

    Of roads that take equally long the earlier ones count. ``seen`` is scratch for twice as many
    slots as there are arcs, ``seconds`` for each arc.
    """
    size = int64(2)
    while size < 2 * k:
        size *= 2
    slots = seen[:size]
    for i in range(size):
        slots[i, 0] = 0
    n_titled = 0
    for i in range(k):
        at = find_slot(slots, int64(title[i]))
        if slots[at, 0] == 0:
            slots[at, 0], slots[at, 1] = title[i], i
            seconds[i] = 0.0
            n_titled += title[i] != UNTITLED
        seconds[slots[at, 1]] += duration_s[i]
    last = int64(title[k - 1])
    of_last = slots[find_slot(slots, last), 1]
    if n_titled < 2 or last == UNTITLED or seconds[of_last] > _TOO_SHORT_S:
        of_last = -1
    best, second, best_s, second_s = int64(-1), int64(-1), -1.0, -1.0
    for i in range(k):
        first = slots[find_slot(slots, int64(title[i])), 1]
        if first != i or title[i] == UNTITLED or i == of_last:
            continue
        if seconds[i] > best_s:
            best, second, best_s, second_s = i, best, seconds[i], best_s
        elif seconds[i] > second_s:
            second, second_s = i, seconds[i]
    one, other = min(best, second), max(best, second)
    return int64(title[one]) if one >= 0 else 0, int64(title[other]) if other >= 0 else 0
