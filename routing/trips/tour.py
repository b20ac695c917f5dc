"""A tour in the making as an array, and the two ways to change it, each of which can be undone."""

from typing import Any, NamedTuple

from gis.arrays import I64
from gis.jit import inner_kernel


class Tour(NamedTuple):
    """A tour over n stops, and scratch for its search.

    | array | dtype, shape | content |
    |---|---|---|
    | stop | int64 (n,) | the stops in their order |
    | place | int64 (n,) | the place of each stop |
    | best | int64 (n,) | the best order so far |
    | waiting | int64 (n,) | stops from which to look for changes |
    | waits | int64 (n,) | whether each does, 0 or 1 |
    | spare | int64 (n,) | a part while it moves |
    | changes | int64 (m, 3) | place and lengths of the parts exchanged; second 0: turned around |
    """

    stop: I64
    place: I64
    best: I64
    waiting: I64
    waits: I64
    spare: I64
    changes: I64


@inner_kernel
def exchange(tour: Tour, first: Any, one: Any, two: Any, n_changes: Any) -> Any:
    """Exchange two neighbouring parts, the first of which begins at a place; how many changes then.

    Around a tour there are three parts, and to exchange any two is the same: the shortest move.
    """
    n = len(tour.stop)
    rest = n - one - two
    if rest < one or rest < two:
        if one >= two:
            first, one, two = first + one, two, rest
        else:
            first, one, two = first + one + two, rest, one
        while first >= n:
            first -= n
    tour.changes[n_changes, 0] = first
    tour.changes[n_changes, 1] = one
    tour.changes[n_changes, 2] = two
    if one <= two:
        _move_first(tour, first, one, two)
    else:
        _move_second(tour, first, one, two)
    return n_changes + 1


@inner_kernel
def _move_first(tour: Tour, first: Any, one: Any, two: Any) -> None:
    """Put the first part aside, move the second to the left."""
    stop, place, spare = tour.stop, tour.place, tour.spare
    n = len(stop)
    source, target = first, first
    for k in range(one):
        spare[k] = stop[source]
        source = source + 1 if source + 1 < n else 0
    for _ in range(two):
        x = stop[source]
        stop[target] = x
        place[x] = target
        source = source + 1 if source + 1 < n else 0
        target = target + 1 if target + 1 < n else 0
    for k in range(one):
        stop[target] = spare[k]
        place[spare[k]] = target
        target = target + 1 if target + 1 < n else 0


@inner_kernel
def _move_second(tour: Tour, first: Any, one: Any, two: Any) -> None:
    """Put the second part aside, move the first to the right."""
    stop, place, spare = tour.stop, tour.place, tour.spare
    n = len(stop)
    source = (first + one) % n
    target = source
    for k in range(two):
        spare[k] = stop[target]
        target = target + 1 if target + 1 < n else 0
    for _ in range(one):
        source = source - 1 if source > 0 else n - 1
        target = target - 1 if target > 0 else n - 1
        x = stop[source]
        stop[target] = x
        place[x] = target
    target = first
    for k in range(two):
        stop[target] = spare[k]
        place[spare[k]] = target
        target = target + 1 if target + 1 < n else 0


@inner_kernel
def turn(tour: Tour, first: Any, length: Any, n_changes: Any) -> Any:
    """Turn a part around; how many changes then."""
    stop, place = tour.stop, tour.place
    n = len(stop)
    tour.changes[n_changes, 0] = first
    tour.changes[n_changes, 1] = length
    tour.changes[n_changes, 2] = 0
    i, j = first, (first + length - 1) % n
    for _ in range(length // 2):
        x, y = stop[i], stop[j]
        stop[i], stop[j] = y, x
        place[y], place[x] = i, j
        i = i + 1 if i + 1 < n else 0
        j = j - 1 if j > 0 else n - 1
    return n_changes + 1


@inner_kernel
def undo(tour: Tour, n_changes: Any) -> None:
    """Take back all changes."""
    while n_changes > 0:
        n_changes -= 1
        first = tour.changes[n_changes, 0]
        one = tour.changes[n_changes, 1]
        two = tour.changes[n_changes, 2]
        if two > 0:
            exchange(tour, first, two, one, n_changes)
        else:
            turn(tour, first, one, n_changes)
