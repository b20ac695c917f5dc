"""Results of queries as frozen dataclasses, in SI units and degrees."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from gis.arrays import F64, I64, Bool
from routing.frames import geo_frame, line_string
from routing.guidance.steps import Step


class Waypoint(NamedTuple):
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


class UnmadeSteps(Protocol):
    """The steps of a leg as numbers."""

    def made(self) -> tuple[Step, ...]:
        """The steps as objects."""

    def text(self, unit: int) -> bytes:
        """The steps as JSON of OSRM's HTTP API, their lines as `write_steps` has it."""


Directions: TypeAlias = tuple[tuple[Step, ...] | UnmadeSteps, str]
"""The steps of a leg, made or to be made, and the names of its main roads."""


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
        "_make",
        "_names",
        "distance_m",
        "duration_s",
        "lat",
        "lon",
        "weight",
    )

    lon: F64
    lat: F64
    _make: Callable[[], "Leg"] | None
    _annotation: Annotation | Callable[[], Annotation]
    _names: tuple[str, ...] | Callable[[], tuple[str, ...]]
    _directions: Directions | Callable[[], Directions]

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

    @classmethod
    def deferred(
        cls, distance_m: float, duration_s: float, weight: float, make: Callable[[], "Leg"]
    ) -> "Leg":
        """A leg of which all but these is that of another, made when it is first asked for."""
        leg = cls.__new__(cls)
        leg.distance_m, leg.duration_s, leg.weight = distance_m, duration_s, weight
        leg._make = make
        return leg

    def __getattr__(self, name: str) -> Any:
        """What was deferred: only then it is not found."""
        if name not in _DEFERRED:
            raise AttributeError(f"a leg has no {name!r}")
        make = self._make  # read once: another thread may complete it meanwhile
        if make is not None:
            made = make()
            for detail in _DEFERRED:
                setattr(self, detail, getattr(made, detail))
            self._make = None  # nor is what it was made from held on to
        return object.__getattribute__(self, name)

    @property
    def annotation(self) -> Annotation:
        """Details per piece."""
        annotation = self._annotation  # read once: another thread may complete it meanwhile
        if not isinstance(annotation, Annotation):
            annotation = self._annotation = annotation()
        return annotation

    def __reduce__(self) -> tuple[type["Leg"], tuple[Any, ...]]:
        measures = self.distance_m, self.duration_s, self.lon, self.lat
        return Leg, (
            *measures,
            self.annotation,
            self.names,
            (self.steps, self.summary),
            self.weight,
        )

    @property
    def steps(self) -> tuple[Step, ...]:
        """From the departure, maneuver by maneuver, to the arrival."""
        steps = self._directed()[0]
        return steps if isinstance(steps, tuple) else steps.made()

    @property
    def directions(self) -> Directions:
        """The same as numbers, if that is how they were found, and the summary."""
        return self._directed()

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


_DEFERRED = frozenset({"lon", "lat", "_annotation", "_names", "_directions"})

Legs: TypeAlias = tuple[Leg, ...]
Waypoints: TypeAlias = tuple[Waypoint, ...]

Details: TypeAlias = tuple[tuple[Leg, ...], tuple[Waypoint, ...]]
"""The legs of a route and its waypoints."""


class Route:
    """A route over all waypoints; totals are the sums of its legs.

    Legs and waypoints may be made when they are first asked for: most of the work of a route is
    its geometry, and who wants to know how long it takes need not wait for that.
    """

    __slots__ = ("_legs", "_waypoints", "distance_m", "duration_s", "weight", "weight_name")

    distance_m: float
    duration_s: float
    """Whole hundredths, as those of the legs."""
    weight: float
    """What the route minimises, in seconds: whole hundredths."""
    weight_name: str
    """What the profile calls that."""
    _legs: Legs | Callable[[], Legs]
    _waypoints: Waypoints | Callable[[], Waypoints]

    def __init__(self, legs: Legs, waypoints: Waypoints, weight_name: str = "duration") -> None:
        self.weight_name = weight_name
        self.distance_m = sum(leg.distance_m for leg in legs)
        self.duration_s = round(sum(leg.duration_s for leg in legs), 2)
        self.weight = round(sum(leg.weight for leg in legs), 2)
        self._legs, self._waypoints = legs, waypoints

    @classmethod
    def deferred(
        cls,
        distance_m: float,
        duration_s: float,
        weight: float,
        weight_name: str,
        legs: Callable[[], Legs],
        waypoints: Callable[[], Waypoints],
    ) -> "Route":
        """A route whose legs and waypoints are made when they are asked for."""
        route = cls.__new__(cls)
        route.distance_m, route.duration_s, route.weight = distance_m, duration_s, weight
        route.weight_name, route._legs, route._waypoints = weight_name, legs, waypoints
        return route

    @property
    def legs(self) -> Legs:
        """From each waypoint to the next."""
        legs = self._legs  # read once: another thread may complete it meanwhile
        if not isinstance(legs, tuple):
            legs = self._legs = legs()
        return legs

    @property
    def waypoints(self) -> Waypoints:
        """The points given, after snapping."""
        waypoints = self._waypoints  # read once, as the legs
        if not isinstance(waypoints, tuple):
            waypoints = self._waypoints = waypoints()
        return waypoints

    def to_geopandas(self) -> Any:
        """A ``GeoDataFrame`` with a row for each leg; its names are joined by a semicolon."""
        columns = {
            "duration_s": [leg.duration_s for leg in self.legs],
            "distance_m": [leg.distance_m for leg in self.legs],
            "names": ["; ".join(leg.names) for leg in self.legs],
        }
        return geo_frame(columns, [line_string(leg.lon, leg.lat) for leg in self.legs])

    def __reduce__(self) -> tuple[type["Route"], tuple[Any, ...]]:
        return Route, (self.legs, self.waypoints, self.weight_name)

    def __repr__(self) -> str:
        return f"Route(distance_m={self.distance_m}, duration_s={self.duration_s})"


class Trip(NamedTuple):
    """A route over points in the order that was found: a leg from each to the next.

    ``order`` are their indices; the route's waypoints are in this order, and a round trip's route
    comes back to the first of them.
    """

    route: Route
    order: tuple[int, ...]
