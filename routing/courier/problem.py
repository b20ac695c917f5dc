"""What couriers have to do, and what they may not."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from gis.arrays import U32
from routing.errors import InvalidInput

TRAVEL: Final = "travel"
MAKESPAN: Final = "makespan"
OBJECTIVES: Final = (TRAVEL, MAKESPAN)

MOST_STOPS = 10_000
"""More make a matrix of more than 400 MB, of which a search needs two."""
MOST_PRIORITY = 100
MOST_DIMENSIONS = 8
"""How many quantities an amount may have: pieces, kilograms, litres and so on."""
LONGEST_S = 10**10
"""Times and durations are at most so many seconds: those since 1970 are fewer."""
MOST_AMOUNT = 2**31

Window = tuple[float, float]


@dataclass(frozen=True)
class Stop:
    """A halt at a place: what takes ``service_s`` there has to begin within one of the windows.

    ``place`` is a row of the problem's matrix. ``setup_s`` comes before the service if the
    courier was elsewhere before. No windows: at any time. Times in seconds from any moment on,
    the same for all.
    """

    place: int
    service_s: float = 0.0
    setup_s: float = 0.0
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True)
class Job:
    """Something to do at one stop.

    ``delivered`` has been loaded where the route begins, ``collected`` stays until it ends; both
    have an amount for each dimension of the couriers' capacities. Of two jobs that do not both
    fit that of the higher ``priority``, 0 to 100, is served.
    """

    stop: Stop
    delivered: tuple[int, ...] = ()
    collected: tuple[int, ...] = ()
    skills: frozenset[int] = frozenset()
    priority: int = 0


@dataclass(frozen=True)
class Shipment:
    """An amount to pick up at one stop and to drop at another, by the same courier."""

    pickup: Stop
    delivery: Stop
    amount: tuple[int, ...] = ()
    skills: frozenset[int] = frozenset()
    priority: int = 0


@dataclass(frozen=True)
class Courier:
    """Who drives: begins at any of ``starts`` and ends at any of ``ends``, whichever is best.

    Places of the problem's matrix; without starts the route begins at its first stop, without
    ends it ends at its last. No ``capacity``: carries everything. All between leaving the start
    and reaching the end happens within ``window``. A ``speed`` of 2 halves all travel times.
    ``fixed_cost`` is what a route costs that is used at all, in seconds of travel.
    """

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    capacity: tuple[int, ...] = ()
    window: Window | None = None
    skills: frozenset[int] = frozenset()
    max_tasks: int | None = None
    max_travel_s: float | None = None
    speed: float = 1.0
    fixed_cost: float = 0.0
    cost_per_hour: float = 3600.0


@dataclass(frozen=True)
class CourierProblem:
    """Who drives, what is to be done, and how long it takes from each place to each.

    | field | content |
    |---|---|
    | durations_cs | uint32 (p, p), centiseconds from place to place, ``INF`` where no way leads |
    | couriers | at least one |
    | shipments, jobs | at most 10,000 stops in all |
    | objective | "travel" or "makespan" |

    By the objective "travel" the cost of all ways is small, each courier's by its cost per hour,
    and the fixed costs of those who drive; by "makespan" all is done as early as possible, counted
    for each courier from the beginning of its window, and after that the same.

    ``durations_cs`` may differ there and back. Serving more comes before any objective, by
    priority. Raises ``InvalidInput`` for what makes no sense, in one line that says what and where.
    """

    durations_cs: U32
    couriers: tuple[Courier, ...]
    shipments: tuple[Shipment, ...] = ()
    jobs: tuple[Job, ...] = ()
    objective: str = TRAVEL

    def __post_init__(self) -> None:
        _check_matrix(self.durations_cs)
        if self.objective not in OBJECTIVES:
            raise InvalidInput(
                f"objective is {self.objective!r}, expected one of {', '.join(OBJECTIVES)}"
            )
        if not self.couriers:
            raise InvalidInput("couriers has no element, expected 1 or more")
        if self.n_stops > MOST_STOPS:
            raise InvalidInput(f"{self.n_stops} stops, expected at most {MOST_STOPS}")
        n_places, n_dimensions = len(self.durations_cs), self.n_dimensions
        for i, courier in enumerate(self.couriers):
            _check_courier(f"courier {i}", courier, n_places, n_dimensions)
        for i, shipment in enumerate(self.shipments):
            _check_stop(f"shipment {i}: pickup", shipment.pickup, n_places)
            _check_stop(f"shipment {i}: delivery", shipment.delivery, n_places)
            _check_amount(f"shipment {i}: amount", shipment.amount, n_dimensions)
            _check_priority(f"shipment {i}", shipment.priority)
        for i, job in enumerate(self.jobs):
            _check_stop(f"job {i}", job.stop, n_places)
            _check_amount(f"job {i}: delivered", job.delivered, n_dimensions)
            _check_amount(f"job {i}: collected", job.collected, n_dimensions)
            _check_priority(f"job {i}", job.priority)

    @property
    def n_stops(self) -> int:
        """How many stops there are: two for a shipment, one for a job."""
        return 2 * len(self.shipments) + len(self.jobs)

    @property
    def n_dimensions(self) -> int:
        """How many quantities the capacities have, 0 where nobody has one."""
        return max(len(courier.capacity) for courier in self.couriers)


def _check_matrix(durations_cs: Any) -> None:
    if not isinstance(durations_cs, np.ndarray):
        kind = type(durations_cs).__name__
        raise InvalidInput(f"durations_cs is a {kind}, expected a square array of uint32")
    shape = durations_cs.shape
    if len(shape) != 2 or shape[0] != shape[1] or durations_cs.dtype != np.uint32:
        raise InvalidInput(
            f"durations_cs is {durations_cs.dtype} {shape}, expected a square array of uint32"
        )


def _check_courier(where: str, courier: Courier, n_places: int, n_dimensions: int) -> None:
    for name, places in (("starts", courier.starts), ("ends", courier.ends)):
        for place in places:
            _check_place(f"{where}: {name}", place, n_places)
    if courier.capacity or n_dimensions == 0:
        _check_amount(f"{where}: capacity", courier.capacity, n_dimensions)
    if courier.window is not None:
        _check_windows(f"{where}: window", [courier.window])
    if courier.max_tasks is not None and courier.max_tasks < 0:
        raise InvalidInput(f"{where}: max_tasks is {courier.max_tasks}, expected 0 or more")
    if courier.max_travel_s is not None:
        _check_seconds(f"{where}: max_travel_s", courier.max_travel_s)
    if not 0.01 <= courier.speed <= 100:
        raise InvalidInput(f"{where}: speed is {courier.speed}, expected 0.01 to 100")
    _check_seconds(f"{where}: fixed_cost", courier.fixed_cost)
    if not 0 <= courier.cost_per_hour <= 10**7:
        raise InvalidInput(
            f"{where}: cost_per_hour is {courier.cost_per_hour}, expected 0 to 10000000"
        )


def _check_stop(where: str, stop: Stop, n_places: int) -> None:
    _check_place(where, stop.place, n_places)
    _check_seconds(f"{where}: service_s", stop.service_s)
    _check_seconds(f"{where}: setup_s", stop.setup_s)
    _check_windows(f"{where}: windows", stop.windows)


def _check_place(where: str, place: int, n_places: int) -> None:
    if not 0 <= place < n_places:
        raise InvalidInput(
            f"{where}: place {place}, expected 0 to {n_places - 1} as the matrix has"
        )


def _check_seconds(where: str, seconds: float) -> None:
    if not (math.isfinite(seconds) and 0 <= seconds <= LONGEST_S):
        raise InvalidInput(f"{where} is {seconds}, expected 0 to {LONGEST_S} seconds")


def _check_windows(where: str, windows: Iterable[Window]) -> None:
    before = -math.inf
    for begin, end in windows:
        _check_seconds(where, begin)
        _check_seconds(where, end)
        if end < begin:
            raise InvalidInput(f"{where}: ends at {end}, before it begins at {begin}")
        if begin < before:
            raise InvalidInput(f"{where}: one begins at {begin}, before the last ends at {before}")
        before = end


def _check_amount(where: str, amount: Sequence[int], n_dimensions: int) -> None:
    if amount and len(amount) != n_dimensions:
        raise InvalidInput(
            f"{where} has {len(amount)} quantities, expected {n_dimensions} as the capacities have"
        )
    for quantity in amount:
        if not 0 <= quantity <= MOST_AMOUNT:
            raise InvalidInput(f"{where} is {quantity}, expected 0 to {MOST_AMOUNT}")


def _check_priority(where: str, priority: int) -> None:
    if not 0 <= priority <= MOST_PRIORITY:
        raise InvalidInput(f"{where}: priority is {priority}, expected 0 to {MOST_PRIORITY}")
