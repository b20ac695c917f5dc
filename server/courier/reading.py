"""A courier's problem read from JSON; the members are those of VROOM's, and some of our own."""

from collections.abc import Mapping
from typing import Any, Final

from routing.courier.problem import MOST_PRIORITY, OBJECTIVES, TRAVEL, Courier, Job, Shipment, Stop
from routing.courier.schedule import MOST_SECONDS, MOST_SEED
from routing.errors import TooBig
from server.courier.asked import Asked, Label, Spot, Wishes
from server.courier.limits import MOST_ITERATIONS
from server.courier.matrices import read_matrix
from server.courier.members import MOST_ID, Members, Point, is_whole
from server.errors import InvalidQuery, Unsupported

GEOMETRIES: Final = ("polyline", "polyline6", "geojson")
MOST_VEHICLES_DEPOTS = 10_000
"""Starts and ends of all vehicles together."""

_WISHES = frozenset({"objective", "seconds", "seed", "iterations", "geometry", "geometries"})
_TOP = frozenset({"vehicles", "jobs", "shipments", "matrices", "options"}) | _WISHES
_VEHICLE = frozenset(
    {
        *("id", "profile", "description", "start", "start_index", "end", "end_index"),
        *("starts", "ends", "start_indices", "end_indices", "capacity", "costs", "skills"),
        *("time_window", "speed_factor", "max_tasks", "max_travel_time"),
    }
)
_STOP = frozenset(
    {"id", "description", "location", "location_index", "setup", "service", "time_windows"}
)
_JOB = _STOP | {"delivery", "pickup", "skills", "priority"}
_SHIPMENT = frozenset({"pickup", "delivery", "amount", "skills", "priority"})
_COSTS = frozenset({"fixed", "per_hour"})

_PER_TYPE = "times for each type of vehicle are not supported"
_NO_TOP = {"matrix": "one matrix for all is not supported, expected matrices"}
_NO_OPTIONS: dict[str, str] = {}
_NO_STOP = {"setup_per_type": _PER_TYPE, "service_per_type": _PER_TYPE, "type": _PER_TYPE}
_NO_VEHICLE = {
    "breaks": "breaks are not supported",
    "max_distance": "a longest distance is not supported, only max_travel_time",
    "steps": "routes that are given are not supported",
    "type": _PER_TYPE,
}
_NO_COSTS = {
    "per_km": "costs by distance are not supported, only fixed and per_hour",
    "per_task_hour": "costs of time at stops are not supported, only fixed and per_hour",
}


def read_problem(
    document: Any, profile: str, max_stops: int, max_seconds: float = MOST_SECONDS
) -> Asked:
    """What a document asks for; ``profile`` is whose matrix it is unless the vehicles say it.

    Raises ``InvalidQuery`` for what is wrong, ``Unsupported`` for what VROOM can and we cannot, and
    ``TooBig``; each names the place.
    """
    top = Members("", document, _TOP, _NO_TOP)
    top.need("vehicles")
    n_stops = 2 * len(top.array("shipments")) + len(top.array("jobs"))
    if n_stops > max_stops:
        raise TooBig(f"{n_stops} stops are more than the maximum of {max_stops}")
    reader = _Reader(top.has("matrices"))
    vehicles = [reader.vehicle(i, value) for i, value in enumerate(top.array("vehicles"))]
    if not vehicles:
        raise InvalidQuery("vehicles has no element, expected one or more")
    jobs = [reader.job(i, value) for i, value in enumerate(top.array("jobs"))]
    shipments = [reader.shipment(i, value) for i, value in enumerate(top.array("shipments"))]
    own = _profile_of(reader.profiles)
    matrix = None
    if top.has("matrices"):
        matrix = read_matrix(top.raw("matrices"), own or profile, reader.spots)
    asked = Asked(
        tuple(courier for courier, _ in vehicles),
        tuple(shipment for shipment, _ in shipments),
        tuple(job for job, _ in jobs),
        tuple(reader.spots),
        tuple(label for _, label in vehicles),
        tuple(label for _, label in jobs),
        tuple(labels for _, labels in shipments),
        matrix,
        own,
        _wishes(top, max_seconds),
    )
    _check_amounts(asked)
    if asked.wishes.geometry and matrix is not None:
        raise Unsupported("geometry: the lines of routes are not supported with matrices")
    return asked


class _Reader:
    """Reads vehicles, jobs and shipments, and collects where they are."""

    def __init__(self, has_matrix: bool) -> None:
        self._has_matrix = has_matrix
        self.spots: list[Spot] = []
        self.profiles: dict[str, str] = {}
        """Each profile with the first vehicle that has it."""
        self._ids: dict[tuple[str, int], str] = {}

    def vehicle(self, i: int, value: Any) -> tuple[Courier, Label]:
        """A vehicle, and what it is called."""
        part = Members(f"vehicles[{i}]", value, _VEHICLE, _NO_VEHICLE)
        label = self._label(part, "vehicle")
        profile = part.text("profile")
        if profile is not None:
            self.profiles.setdefault(profile, part.where)
        costs = Members(part.path("costs"), part.raw("costs") or {}, _COSTS, _NO_COSTS)
        courier = Courier(
            self._depots(part, "start"),
            self._depots(part, "end"),
            part.amount("capacity"),
            part.window("time_window"),
            part.skills(),
            part.whole("max_tasks", None, 0, MOST_ID),
            part.seconds("max_travel_time") if part.has("max_travel_time") else None,
            part.number("speed_factor", 1.0, 0.01, 100),
            costs.seconds("fixed"),
            costs.number("per_hour", 3600, 0, 10**7),
        )
        return courier, label

    def job(self, i: int, value: Any) -> tuple[Job, Label]:
        """A job, and what it is called."""
        part = Members(f"jobs[{i}]", value, _JOB, _NO_STOP)
        label = self._label(part, "job")
        delivered, collected = part.amount("delivery"), part.amount("pickup")
        return Job(self._stop(part), delivered, collected, *_rank(part)), label

    def shipment(self, i: int, value: Any) -> tuple[Shipment, tuple[Label, Label]]:
        """A shipment, and what its pick-up and its delivery are called."""
        part = Members(f"shipments[{i}]", value, _SHIPMENT, {})
        part.need("pickup", "delivery")
        ends = [
            Members(part.path(name), part.raw(name), _STOP, _NO_STOP)
            for name in ("pickup", "delivery")
        ]
        labels = tuple(
            self._label(end, name) for end, name in zip(ends, ("pickup", "delivery"), strict=True)
        )
        pickup, delivery = (self._stop(end) for end in ends)
        return Shipment(pickup, delivery, part.amount("amount"), *_rank(part)), labels  # type: ignore[return-value]

    def _label(self, part: Members, kind: str) -> Label:
        number = part.id()
        before = self._ids.setdefault((kind, number), part.where)
        if before != part.where:
            raise InvalidQuery(f"{part.path('id')} is {number}, as {before}.id is already")
        return Label(number, part.text("description"))

    def _stop(self, part: Members) -> Stop:
        spot = self._spot(
            part.where,
            part.point("location"),
            part.whole("location_index", None, 0, MOST_ID),
            part.path("location_index" if self._has_matrix else "location"),
            part.path("location_index"),
        )
        return Stop(
            spot, part.seconds("service"), part.seconds("setup"), part.windows("time_windows")
        )

    def _depots(self, part: Members, name: str) -> tuple[int, ...]:
        """Any of these is where the vehicle begins, or ends."""
        several, index, indices = f"{name}s", f"{name}_index", f"{name}_indices"
        if part.has(name) and part.has(several):
            raise InvalidQuery(f"{part.where} has {name} and {several}, expected one of them")
        if part.has(index) and part.has(indices):
            raise InvalidQuery(f"{part.where} has {index} and {indices}, expected one of them")
        point, number = part.point(name), part.whole(index, None, 0, MOST_ID)
        points = [point] if point is not None else part.points(several)
        rows = [number] if number is not None else part.array(indices)
        for row in rows:
            if not is_whole(row, 0, MOST_ID):
                raise part.wrong(indices, f"whole numbers from 0 to {MOST_ID}")
        if points and rows and len(points) != len(rows):
            raise InvalidQuery(
                f"{part.where} has {len(points)} {several} for {len(rows)} {indices}"
            )
        n = max(len(points), len(rows))
        if len(self.spots) + n > MOST_VEHICLES_DEPOTS:
            raise TooBig(f"there are more than {MOST_VEHICLES_DEPOTS} starts and ends")
        where = part.path(name)
        return tuple(
            self._spot(
                where if n == 1 else f"{part.path(several)}[{i}]",
                points[i] if points else None,
                rows[i] if rows else None,
                where if not self._has_matrix else part.path(index),
                part.path(index) if number is not None else f"{part.path(indices)}[{i}]",
            )
            for i in range(n)
        )

    def _spot(
        self, where: str, location: Point | None, index: int | None, need: str, index_where: str
    ) -> int:
        if self._has_matrix and index is None:
            raise InvalidQuery(f"{need} is missing, expected a row of the matrix")
        if not self._has_matrix and location is None:
            raise InvalidQuery(f"{need} is missing, expected [longitude, latitude]")
        if not self._has_matrix and index is not None:
            raise InvalidQuery(f"{index_where} is {index}, but there are no matrices")
        self.spots.append(Spot(where, location, index, index_where))
        return len(self.spots) - 1


def _rank(part: Members) -> tuple[frozenset[int], int]:
    """What is needed for a task, and how much it matters."""
    priority = part.whole("priority", 0, 0, MOST_PRIORITY)
    assert priority is not None
    return part.skills(), priority


def _profile_of(profiles: Mapping[str, str]) -> str | None:
    if len(profiles) > 1:
        (one, first), (other, second) = list(profiles.items())[:2]
        raise Unsupported(
            f"{second}.profile is {other!r}, but that of {first} {one!r}: vehicles of different"
            " profiles in one request are not supported"
        )
    return next(iter(profiles), None)


def _check_amounts(asked: Asked) -> None:
    """Whoever has amounts has as many as all others."""
    sizes = {len(courier.capacity): i for i, courier in enumerate(asked.couriers)}
    n = max(sizes)
    for i, courier in enumerate(asked.couriers):
        if courier.capacity and len(courier.capacity) != n:
            raise InvalidQuery(
                f"vehicles[{i}].capacity has {len(courier.capacity)} quantities, but that of"
                f" vehicles[{sizes[n]}] {n}"
            )
    amounts = [(f"shipments[{i}].amount", s.amount) for i, s in enumerate(asked.shipments)]
    for i, job in enumerate(asked.jobs):
        amounts += [(f"jobs[{i}].delivery", job.delivered), (f"jobs[{i}].pickup", job.collected)]
    for where, amount in amounts:
        if amount and len(amount) != n:
            expected = f"{n} as the capacities have" if n else "none: no vehicle has a capacity"
            raise InvalidQuery(f"{where} has {len(amount)} quantities, expected {expected}")


def _wishes(top: Members, max_seconds: float) -> Wishes:
    """How to search: members of ``options``, or of the whole."""
    options = Members("options", top.raw("options") or {}, _WISHES | {"g"}, _NO_OPTIONS)
    told = {name: options for name in (*_WISHES, "g") if options.has(name)}
    for name in _WISHES:
        if top.has(name):
            if name in told:
                raise InvalidQuery(f"{name} is there twice, the second time as options.{name}")
            told[name] = top
    part = {name: told.get(name, top) for name in _WISHES}
    objective = part["objective"].text("objective") or TRAVEL
    if objective not in OBJECTIVES:
        raise part["objective"].wrong("objective", f"one of {', '.join(OBJECTIVES)}")
    geometries = part["geometries"].text("geometries") or GEOMETRIES[0]
    if geometries not in GEOMETRIES:
        raise part["geometries"].wrong("geometries", f"one of {', '.join(GEOMETRIES)}")
    seed = part["seed"].whole("seed", 1, 0, MOST_SEED)
    assert seed is not None
    return Wishes(
        objective,
        part["seconds"].search_seconds("seconds", max_seconds),
        seed,
        part["iterations"].whole("iterations", None, 1, MOST_ITERATIONS),
        options.flag("g") or part["geometry"].flag("geometry"),
        geometries,
    )
