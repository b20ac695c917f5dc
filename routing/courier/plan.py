"""Who stops where and when, and what nobody does."""

from dataclasses import dataclass
from typing import Final

START: Final = "start"
JOB: Final = "job"
PICKUP: Final = "pickup"
DELIVERY: Final = "delivery"
END: Final = "end"

SHIPMENT: Final = "shipment"

UNREACHABLE: Final = "unreachable"
NO_SKILLS: Final = "no courier has the skills"
TOO_LARGE: Final = "too large for every courier"
NO_TIME: Final = "cannot be done within the time windows, even alone"
TOO_FAR: Final = "too far for every courier's longest travel time"
NO_ROOM: Final = "no room in any route"


@dataclass(frozen=True)
class PlannedStop:
    """A stop of a route: ``kind`` is start, job, pickup, delivery or end.

    | field | content |
    |---|---|
    | index | which job or shipment of the problem; None at start and end |
    | place | the row of the problem's matrix |
    | arrival_cs | when it is reached, in hundredths of a second |
    | setup_cs, service_cs, waiting_cs | what is spent there, waiting first |
    | travel_cs | the way driven until there |
    | load | what is carried on from there |
    """

    kind: str
    index: int | None
    place: int
    arrival_cs: int
    setup_cs: int
    service_cs: int
    waiting_cs: int
    travel_cs: int
    load: tuple[int, ...]

    @property
    def departure_cs(self) -> int:
        """When it is left."""
        return self.arrival_cs + self.waiting_cs + self.setup_cs + self.service_cs


@dataclass(frozen=True)
class PlannedRoute:
    """What one courier does, from the start to the end, where he has such.

    Otherwise the first or last of the stops is a job, pickup or delivery.
    """

    courier: int
    stops: tuple[PlannedStop, ...]

    @property
    def travel_cs(self) -> int:
        """The way driven."""
        return self.stops[-1].travel_cs

    @property
    def duration_cs(self) -> int:
        """From leaving the first stop's place, what was spent there included, to being done."""
        return self.stops[-1].departure_cs - self.stops[0].arrival_cs


@dataclass(frozen=True)
class Unserved:
    """A job or shipment that is in no route, and why."""

    kind: str
    index: int
    reason: str


@dataclass(frozen=True)
class CourierPlan:
    """Routes that keep all rules, in the order of their couriers, and what is in none.

    ``travel_cs`` is the whole way driven; ``cost`` is what the search makes small, in seconds.
    """

    routes: tuple[PlannedRoute, ...]
    unserved: tuple[Unserved, ...]
    travel_cs: int
    cost: float
    iterations: int
    elapsed_s: float


@dataclass(frozen=True)
class Progress:
    """How far a search is; ``plan`` is the best so far."""

    elapsed_s: float
    iterations: int
    plan: CourierPlan
