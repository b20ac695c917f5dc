"""The ways between places that routes of plans take, found once each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from gis.arrays import F64
from gis.geodesy import UNITS_PER_DEGREE
from routing.engine import Engine

Line = tuple[F64, F64]
"""Longitudes and latitudes."""


class Legs(Protocol):
    """How far it is from place to place, and where along."""

    def distances(self, places: Sequence[int]) -> list[float] | None:
        """Metres of the way to each place from the one before; None if nobody knows."""

    def line(self, places: Sequence[int]) -> Line | None:
        """The way over all places, two points or more; None if nobody knows."""


class NoLegs:
    """Nothing but the times is known."""

    def distances(self, places: Sequence[int]) -> list[float] | None:
        """Unknown."""
        return None

    def line(self, places: Sequence[int]) -> Line | None:
        """Unknown."""
        return None


@dataclass(frozen=True)
class MatrixLegs(NoLegs):
    """Distances that came with the request."""

    distances_m: F64

    def distances(self, places: Sequence[int]) -> list[float] | None:
        """As they came."""
        found = [self.distances_m[a, b] for a, b in pairwise(places)]
        return [float(value) if value == value else 0.0 for value in found]


@dataclass
class RoadLegs:
    """Ways along the roads, each found when a plan has it for the first time.

    ``degrees`` float64 (p, 2) are the places; ``roads`` the engine's options.
    """

    engine: Engine
    degrees: F64
    roads: dict[str, Any]
    threads: int = 1
    _found: dict[tuple[int, int], tuple[float, Line]] = field(default_factory=dict)

    def find(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Find the ways between many places at once."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._found]
        if not new:
            return
        start, end = np.array(new).T
        routes = self.engine.routes(
            self.degrees[start],
            self.degrees[end],
            threads=self.threads,
            geometry=True,
            **self.roads,
        )
        assert routes.lines is not None
        first, lon, lat = routes.lines
        for i, (a, b) in enumerate(new):
            part = slice(first[i], first[i + 1])
            line = lon[part] / UNITS_PER_DEGREE, lat[part] / UNITS_PER_DEGREE
            self._found[a, b] = (0.0 if a == b else float(routes.distance_m[i])), line

    def distances(self, places: Sequence[int]) -> list[float] | None:
        """Of the fastest ways."""
        pairs = list(pairwise(places))
        self.find(pairs)
        return [self._found[pair][0] for pair in pairs]

    def line(self, places: Sequence[int]) -> Line | None:
        """The ways one after the other; where one stays, nothing is added."""
        pairs = [(a, b) for a, b in pairwise(places) if a != b]
        self.find(pairs)
        lines = [self._found[pair][1] for pair in pairs]
        if not lines:
            lon, lat = self.degrees[[places[0], places[-1]]].T
            return lon, lat
        heads, *rest = lines
        lon = np.concatenate([heads[0], *(line[0][1:] for line in rest)])
        lat = np.concatenate([heads[1], *(line[1][1:] for line in rest)])
        return lon, lat
