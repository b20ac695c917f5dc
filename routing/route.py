"""Results of queries as frozen dataclasses, in SI units and degrees."""

from dataclasses import dataclass

from gis.arrays import F64, I64


@dataclass(frozen=True)
class Waypoint:
    """An input point after snapping.

    ``nodes`` are the OpenStreetMap ids around the position in travel order, 0 where unknown.
    """

    lon: float
    lat: float
    distance_m: float
    name: str
    nodes: tuple[int, int]


@dataclass(frozen=True)
class Annotation:
    """Details per piece between two shape points of a leg: n pieces, n + 1 points.

    ``distance_m`` and ``duration_s`` float64 (n,) (turns not included), ``nodes`` int64 (n + 1,).
    """

    distance_m: F64
    duration_s: F64
    nodes: I64


@dataclass(frozen=True)
class Leg:
    """From one waypoint to the next.

    ``lon``, ``lat`` float64 (n + 1,) degrees: at least two points, equal if the leg has no length.
    ``names`` are the road names passed, consecutive repeats joined.
    """

    distance_m: float
    duration_s: float
    lon: F64
    lat: F64
    annotation: Annotation
    names: tuple[str, ...]


@dataclass(frozen=True)
class Route:
    """A route over all waypoints; totals are the sums of its legs."""

    legs: tuple[Leg, ...]
    waypoints: tuple[Waypoint, ...]

    @property
    def distance_m(self) -> float:
        return sum(leg.distance_m for leg in self.legs)

    @property
    def duration_s(self) -> float:
        """Whole hundredths, as those of the legs."""
        return round(sum(leg.duration_s for leg in self.legs), 2)
