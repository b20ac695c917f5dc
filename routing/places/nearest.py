"""The nearest places on the roads, asked for again and again."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, freeze
from gis.geodesy import UNITS_PER_DEGREE
from gis.jit import machine_code
from gis.snap import ANY_BEARING, ANY_SIDE, Snap
from gis.snap_index import SnapIndex
from gis.snap_search import QUERY, SNAP, Pending, Records, find_nearest_many, make_pending
from routing.places.positions import MAX_TIES, Ground
from routing.pool import Pool

_USUAL_RESULTS = 1
"""Room for more is made for each question."""


class PointQuery(NamedTuple):
    """An input point in degrees, and what limits its positions."""

    lon: float
    lat: float
    radius_m: float = np.inf
    bearing: tuple[int, int] | None = None
    side: int = ANY_SIDE

    def record(self, row: int) -> tuple[float, ...]:
        """The same as a ``QUERY`` record."""
        lon, lat = round(self.lon * UNITS_PER_DEGREE), round(self.lat * UNITS_PER_DEGREE)
        return (row, lon, lat, *(self.bearing or ANY_BEARING), self.side, self.radius_m)


class _Scratch(NamedTuple):
    """For one question: itself (1,), its answer (1, k) and how many of these hold (1,)."""

    queries: Records
    found: Records
    n_found: I64
    pending: Pending


def _new_found(number: int) -> Records:
    return np.empty((1, number + MAX_TIES), SNAP)


def _new_scratch(roads: SnapIndex) -> _Scratch:
    queries, count = np.zeros(1, QUERY), np.zeros(1, np.int64)
    return _Scratch(queries, _new_found(_USUAL_RESULTS), count, make_pending(roads))


class NearestFinder:
    """Finds what `gis.snap.nearest` does, for one vehicle. Threads may share it."""

    def __init__(self, ground: Ground) -> None:
        self._ground = Ground(ground.roads, freeze(ground.arc_flags))
        # Not a method of ours: a circle would keep all of a dataset after its last user has gone.
        self._scratch = Pool(partial(_new_scratch, ground.roads))

    @cached_property
    def _kernel(self) -> Callable[..., None]:
        """The kernel for these arrays, whose types never change."""
        roads, flags = self._ground
        return self._scratch.use(
            lambda scratch: machine_code(
                find_nearest_many, roads, scratch.queries, flags, 1, 1, *scratch[1:]
            )
        )

    def find(self, query: PointQuery, mask: int, number: int) -> list[Snap]:
        """The nearest places on ``number`` roads that have the flags, and on those as near."""
        scratch = self._scratch.take()
        queries, found, count, pending = scratch
        queries[0] = query.record(0)
        if number > _USUAL_RESULTS:
            found = _new_found(number)
        roads, flags = self._ground
        self._kernel(roads, queries, flags, mask, number, found, count, pending)
        snaps = [Snap(*record) for record in found[0, : count[0]].tolist()]
        self._scratch.give_back(scratch)
        return snaps
