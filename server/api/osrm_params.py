"""The options of each service."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from server.api.osrm_per_point import (
    bearing_per_point,
    choice_per_point,
    hint_per_point,
    radius_per_point,
)
from server.api.osrm_values import (
    Value,
    choice,
    classes,
    decimal,
    decimals,
    flag,
    flag_or_default,
    flag_or_whole,
    flag_or_words,
    indices,
    indices_or_all,
    local_time,
    whole,
    wholes,
)
from server.api.polygons import Polygon, polygons
from server.live.rows import SpeedRows, own_speeds

ANNOTATIONS = ("duration", "nodes", "distance", "weight", "datasources", "speed")
TABLES = ("duration", "distance")


def _option(value: Value, default: Any, description: str) -> Any:
    """A field of a request that the caller may set."""
    return field(default=default, metadata=_described(value, description))


def _described(value: Value, description: str) -> dict[str, Any]:
    return {"value": value, "description": description}


@dataclass(slots=True)
class Params:
    """What every service understands. Coordinates are (longitude, latitude) in degrees."""

    coordinates: list[tuple[float, float]]
    bearings: tuple[tuple[int, int] | None, ...] | None = _option(
        bearing_per_point(),
        None,
        "Direction of travel at each point: degrees clockwise from north, and how far off.",
    )
    radiuses: tuple[float | None, ...] | None = _option(
        radius_per_point(), None, "How far from each point a road may be, in metres."
    )
    generate_hints: bool = _option(flag(), True, "Add a `hint` to every waypoint.")
    hints: tuple[str | None, ...] | None = _option(
        hint_per_point(), None, "Hints of an earlier answer: accepted and ignored."
    )
    approaches: tuple[str | None, ...] | None = _option(
        choice_per_point("approach", "unrestricted", "curb", "opposite"),
        None,
        "Side of the road to arrive on and leave from.",
    )
    exclude: tuple[str, ...] = _option(
        classes(), (), "Road classes to keep out of, in a combination that the profile declares."
    )
    depart_at: str | None = _option(
        local_time(),
        None,
        "When the journey begins, for what holds only at times: local time of the map, or with an"
        " offset from UTC. Without it nothing does that holds only at times.",
    )
    snapping: str = _option(
        choice("default", "any"), "default", "`any` also takes roads where no route may begin."
    )
    skip_waypoints: bool = _option(flag(), False, "Leave the waypoints out of the answer.")
    avoid_polygons: tuple[Polygon, ...] | None = _option(
        polygons(), None, "Areas that the answer keeps out of, as GeoJSON: for this request alone."
    )
    speeds: SpeedRows | None = field(
        default=None,
        metadata=_described(own_speeds(), "Speeds of roads, 0 closes one: for this request alone."),
    )


@dataclass(slots=True)
class LineParams(Params):
    """What is said of routes that are described."""

    steps: bool = _option(flag(), False, "Add to each leg what to do at every turn, and a summary.")
    annotations: frozenset[str] = _option(
        flag_or_words(*ANNOTATIONS), frozenset(), "Details of every piece of the route."
    )
    geometries: str = _option(
        choice("polyline", "polyline6", "geojson"), "polyline", "How geometry is written."
    )
    overview: str = _option(
        choice("simplified", "full", "false", "by_legs"),
        "simplified",
        "Geometry of the route: as much as a map needs, all, none, or one for each leg.",
    )


@dataclass(slots=True)
class RouteParams(LineParams):
    """A request for a route over two points or more."""

    alternatives: int = _option(flag_or_whole(), 0, "How many alternative routes to look for.")
    continue_straight: bool | None = _option(
        flag_or_default(),
        None,
        "Whether to go straight on at points between the ends; by default as suits the profile.",
    )
    waypoints: tuple[int, ...] | None = _option(
        indices(), None, "Which coordinates begin and end legs; the others are passed through."
    )


@dataclass(slots=True)
class TripParams(LineParams):
    """A request for the order of two points or more in which a route over all takes least."""

    roundtrip: bool = _option(flag(), True, "Whether to go back to the beginning.")
    source: str = _option(
        choice("any", "first"), "any", "Whether the trip begins at the first coordinate."
    )
    destination: str = _option(
        choice("any", "last"), "any", "Whether the trip ends at the last coordinate."
    )
    waypoints: tuple[int, ...] | None = _option(
        indices(), None, "Accepted and ignored: a leg ends at every coordinate."
    )


@dataclass(slots=True)
class MatchParams(LineParams):
    """A request for the roads that a trace of two points or more was driven on."""

    timestamps: tuple[int, ...] | None = _option(
        wholes("timestamps"),
        None,
        "When each point was recorded: seconds, not descending.",
    )
    gaps: str = _option(
        choice("split", "ignore"),
        "split",
        "Whether a step that takes more than ten times the usual begins a new matching.",
    )
    tidy: bool = _option(flag(), False, "Leave out points that say nothing new.")
    waypoints: tuple[int, ...] | None = _option(
        indices(), None, "Which coordinates begin and end legs; the others are passed through."
    )


@dataclass(slots=True)
class NearestParams(Params):
    """A request for the roads nearest to one point."""

    number: int = _option(whole(), 1, "How many roads to find.")


@dataclass(slots=True)
class TableParams(Params):
    """A request for the routes from many points to many."""

    sources: tuple[int, ...] = _option(
        indices_or_all(), (), "Which coordinates are sources, such as `0;3`: each a row."
    )
    destinations: tuple[int, ...] = _option(
        indices_or_all(),
        (),
        "Which coordinates are destinations, such as `1;2`: each a column.",
    )
    annotations: frozenset[str] = _option(
        flag_or_words(*TABLES, flag_in_url=False),
        frozenset({"duration"}),
        "Which tables to answer: `duration`, `distance`, or `duration,distance`.",
    )
    fallback_speed: float | None = _option(
        decimal(),
        None,
        "Metres per second along a straight line, where there is no route; without it such a"
        " cell is null.",
    )
    fallback_coordinate: str = _option(
        choice("input", "snapped"),
        "input",
        "Where those straight lines begin and end: at the coordinates given or on the roads.",
    )
    scale_factor: float = _option(decimal(), 1.0, "Every duration is multiplied by it.")

    @property
    def source_indices(self) -> tuple[int, ...]:
        """The coordinate of each row."""
        return self.sources or tuple(range(len(self.coordinates)))

    @property
    def destination_indices(self) -> tuple[int, ...]:
        """The coordinate of each column."""
        return self.destinations or tuple(range(len(self.coordinates)))


@dataclass(slots=True)
class IsochroneParams(Params):
    """A request for what can be reached from a point within some limits, or reach it."""

    contours_minutes: tuple[float, ...] | None = _option(
        decimals(),
        None,
        "Limits in minutes of travel, such as `5,10`; or `contours_meters`.",
    )
    contours_meters: tuple[float, ...] | None = _option(
        decimals(),
        None,
        "Limits in metres along the road, such as `500`; or `contours_minutes`.",
    )
    direction: str = _option(
        choice("from", "to"), "from", "Whether the ways lead from the point or to it."
    )
    polygons: bool = _option(
        flag(), True, "Areas around the roads that are reached; `false`: these roads as lines."
    )


def options_of(params: type[Params]) -> Mapping[str, tuple[Value, str]]:
    """Every option of a service: how it is read, and what it is for."""
    return {
        option.name: (option.metadata["value"], option.metadata["description"])
        for option in fields(params)
        if option.metadata
    }
