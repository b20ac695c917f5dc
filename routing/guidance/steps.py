"""Steps of a leg, never to be changed, in the words of OSRM's HTTP API."""

from dataclasses import dataclass
from typing import NamedTuple


class Lane(NamedTuple):
    """A lane before a crossing: where its arrows point, and whether the route may use it."""

    indications: tuple[str, ...]
    valid: bool


@dataclass(frozen=True, slots=True)
class Intersection:
    """A place where roads meet along a step; the first of a step is its maneuver's.

    ``bearings`` in whole degrees 0..359 lead away along each road, ascending; ``entry`` tells
    which of them the vehicle may turn into. ``came_in`` and ``out`` are positions among them,
    None at the departure and at the arrival. ``lanes`` stand from left to right, none if unknown.
    ``classes`` are those of the road that leads on.
    """

    lon: float
    lat: float
    bearings: tuple[int, ...]
    entry: tuple[bool, ...]
    came_in: int | None
    out: int | None
    lanes: tuple[Lane, ...] = ()
    classes: tuple[str, ...] = ()


class Maneuver(NamedTuple):
    """What the driver does at the beginning of a step. Bearings are whole degrees 0..359.

    ``bearing_before`` is 0 at a departure, ``bearing_after`` at an arrival. ``exit`` counts the
    ways out of a roundabout.
    """

    type: str
    modifier: str | None
    lon: float
    lat: float
    bearing_before: int
    bearing_after: int
    exit: int | None = None


class Step(NamedTuple):
    """From one maneuver to the next; the last of a leg is the arrival, without any length.

    Its line is the points ``first_point`` to ``last_point``, both included, of its leg; the
    arrival's is the last point alone. Texts are empty where there is nothing to say.
    """

    distance_m: float
    duration_s: float
    weight: float
    first_point: int
    last_point: int
    name: str
    ref: str
    pronunciation: str
    destinations: str
    exits: str
    rotary_name: str
    rotary_pronunciation: str
    mode: str
    driving_side: str
    maneuver: Maneuver
    intersections: tuple[Intersection, ...]
