"""What a request asks for, as it was read."""

from dataclasses import dataclass, replace
from typing import Any

from gis.arrays import U32
from routing.courier.problem import Courier, CourierProblem, Job, Shipment, Stop
from server.courier.members import Point


@dataclass(frozen=True)
class Spot:
    """A place that is named somewhere: by coordinates, by a row of a matrix, or both."""

    where: str
    location: Point | None
    index: int | None
    index_where: str = ""
    """What the member is called that has the index."""


@dataclass(frozen=True)
class Label:
    """What somebody calls a vehicle, job, pick-up or delivery."""

    id: int
    description: str | None = None


@dataclass(frozen=True)
class Matrix:
    """Times and perhaps distances from place to place that came with the request."""

    durations_cs: U32
    distances_m: Any = None


@dataclass(frozen=True)
class Wishes:
    """How to search, and what to tell."""

    objective: str
    seconds: float | None = None
    seed: int = 1
    iterations: int | None = None
    geometry: bool = False
    geometries: str = "polyline"


@dataclass(frozen=True)
class Asked:
    """A problem whose places are spots, with what each thing is called.

    | field | content |
    |---|---|
    | couriers, shipments, jobs | those of the problem, but a place is the number of a spot |
    | spots | each place that is named, in the order in which they come |
    | vehicle_labels, job_labels | one for each |
    | shipment_labels | of pick-up and delivery, one pair for each |
    | matrix | None: the roads say how long it takes |
    | profile | whose roads, as the vehicles have it; None: they do not say |
    """

    couriers: tuple[Courier, ...]
    shipments: tuple[Shipment, ...]
    jobs: tuple[Job, ...]
    spots: tuple[Spot, ...]
    vehicle_labels: tuple[Label, ...]
    job_labels: tuple[Label, ...]
    shipment_labels: tuple[tuple[Label, Label], ...]
    matrix: Matrix | None
    profile: str | None
    wishes: Wishes

    @property
    def n_stops(self) -> int:
        """How many stops there are."""
        return 2 * len(self.shipments) + len(self.jobs)

    def problem(self, durations_cs: U32, place_of_spot: tuple[int, ...]) -> CourierProblem:
        """The problem itself, with places of a matrix."""

        def put(stop: Stop) -> Stop:
            return replace(stop, place=place_of_spot[stop.place])

        def places(spots: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(dict.fromkeys(place_of_spot[spot] for spot in spots))

        return CourierProblem(
            durations_cs,
            tuple(
                replace(courier, starts=places(courier.starts), ends=places(courier.ends))
                for courier in self.couriers
            ),
            tuple(
                replace(shipment, pickup=put(shipment.pickup), delivery=put(shipment.delivery))
                for shipment in self.shipments
            ),
            tuple(replace(job, stop=put(job.stop)) for job in self.jobs),
            self.wishes.objective,
        )
