"""Results of queries as frozen dataclasses, in SI units and degrees."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gis.arrays import F64, I64, Bool
from routing.frames import geo_frame, line_string
from routing.guidance.steps import Step


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

    ``distance_m``, ``duration_s`` and ``weight`` float64 (n,) (turns not included), ``nodes``
    int64 (n + 1,). A weight is what the route minimises, in seconds. ``is_live`` bool (n,): the
    speed of the road is a live one; None: none is.
    """

    distance_m: F64
    duration_s: F64
    nodes: I64
    weight: F64
    is_live: Bool | None = None


Directions: TypeAlias = tuple[tuple[Step, ...], str]
"""The steps of a leg, and the names of its main roads."""


class Leg:
    """From one waypoint to the next.

    ``lon``, ``lat`` float64 (n + 1,) degrees: at least two points, equal if the leg has no length.
    ``names`` are the road names passed, consecutive repeats joined. These, the annotation and the
    steps may be made when they are first asked for. ``weight`` is what the route minimises, in
    seconds: the duration unless given.
    """

    __slots__ = (
        "_annotation",
        "_directions",
        "_names",
        "distance_m",
        "duration_s",
        "lat",
        "lon",
        "weight",
    )

    def __init__(
        self,
        distance_m: float,
        duration_s: float,
        lon: F64,
        lat: F64,
        annotation: Annotation | Callable[[], Annotation],
        names: tuple[str, ...] | Callable[[], tuple[str, ...]],
        directions: Directions | Callable[[], Directions] = ((), ""),
        weight: float | None = None,
    ) -> None:
        self.distance_m, self.duration_s = distance_m, duration_s
        self.weight = duration_s if weight is None else weight
        self.lon, self.lat = lon, lat
        self._annotation, self._names = annotation, names
        self._directions = directions

    @property
    def annotation(self) -> Annotation:
        """Details per piece."""
        annotation = self._annotation  # read once: another thread may complete it meanwhile
        if not isinstance(annotation, Annotation):
            annotation = self._annotation = annotation()
        return annotation

    def __reduce__(self) -> tuple[type["Leg"], tuple[Any, ...]]:
        measures = self.distance_m, self.duration_s, self.lon, self.lat
        return Leg, (*measures, self.annotation, self.names, self._directed(), self.weight)

    @property
    def steps(self) -> tuple[Step, ...]:
        """From the departure, maneuver by maneuver, to the arrival."""
        return self._directed()[0]

    @property
    def summary(self) -> str:
        """The names of the main roads, joined by a comma."""
        return self._directed()[1]

    def _directed(self) -> Directions:
        directions = self._directions  # read once, as the annotation
        if not isinstance(directions, tuple):
            directions = self._directions = directions()
        return directions

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the roads."""
        names = self._names
        if not isinstance(names, tuple):
            names = self._names = names()
        return names

    def __repr__(self) -> str:
        return f"Leg(distance_m={self.distance_m}, duration_s={self.duration_s})"


Details: TypeAlias = tuple[tuple[Leg, ...], tuple[Waypoint, ...]]
"""The legs of a route and its waypoints."""


class Route:
    """A route over all waypoints; totals are the sums of its legs.

    Legs and waypoints may be made when they are first asked for: most of the work of a route is
    its geometry, and who wants to know how long it takes need not wait for that.
    """

    __slots__ = ("_details", "distance_m", "duration_s", "weight", "weight_name")

    distance_m: float
    duration_s: float
    """Whole hundredths, as those of the legs."""
    weight: float
    """What the route minimises, in seconds: whole hundredths."""
    weight_name: str
    """What the profile calls that."""
    _details: Details | Callable[[], Details]

    def __init__(
        self,
        legs: tuple[Leg, ...],
        waypoints: tuple[Waypoint, ...],
        weight_name: str = "duration",
    ) -> None:
        self.weight_name = weight_name
        self.distance_m = sum(leg.distance_m for leg in legs)
        self.duration_s = round(sum(leg.duration_s for leg in legs), 2)
        self.weight = round(sum(leg.weight for leg in legs), 2)
        self._details = (legs, waypoints)

    @classmethod
    def deferred(
        cls,
        distance_m: float,
        duration_s: float,
        make_details: Callable[[], Details],
        weight: float | None = None,
        weight_name: str = "duration",
    ) -> "Route":
        """A route whose legs and waypoints are made when they are asked for."""
        route = cls.__new__(cls)
        route.distance_m, route.duration_s = distance_m, duration_s
        route.weight = duration_s if weight is None else weight
        route.weight_name = weight_name
        route._details = make_details
        return route

    @property
    def legs(self) -> tuple[Leg, ...]:
        """From each waypoint to the next."""
        return self._complete()[0]

    @property
    def waypoints(self) -> tuple[Waypoint, ...]:
        """The points given, after snapping."""
        return self._complete()[1]

    def to_geopandas(self) -> Any:
        """A ``GeoDataFrame`` with a row for each leg; its names are joined by a semicolon."""
        columns = {
            "duration_s": [leg.duration_s for leg in self.legs],
            "distance_m": [leg.distance_m for leg in self.legs],
            "names": ["; ".join(leg.names) for leg in self.legs],
        }
        return geo_frame(columns, [line_string(leg.lon, leg.lat) for leg in self.legs])

    def _complete(self) -> Details:
        details = self._details  # read once: another thread may complete it meanwhile
        if not isinstance(details, tuple):
            details = self._details = details()
        return details

    def __reduce__(self) -> tuple[type["Route"], tuple[Any, ...]]:
        return Route, (*self._complete(), self.weight_name)

    def __repr__(self) -> str:
        return f"Route(distance_m={self.distance_m}, duration_s={self.duration_s})"
