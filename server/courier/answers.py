"""A plan as JSON, in the shape of VROOM's answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from routing.courier.plan import (
    DELIVERY,
    END,
    JOB,
    PICKUP,
    START,
    CourierPlan,
    PlannedRoute,
    PlannedStop,
)
from routing.courier.problem import CourierProblem, Job, Shipment, Window
from server.api.osrm_json import geometry
from server.courier.asked import Asked, Label, Spot
from server.courier.legs import Legs

_CS = 100
_SUMS = ("setup", "service", "duration", "waiting_time", "priority")


@dataclass(frozen=True)
class Writer:
    """Writes plans for a problem.

    Times are whole seconds, sums the nearest. All moments of a route are rounded down, or all at
    the same fraction of a second if otherwise what begins within a window would be told to begin
    outside of it, which only windows that are no whole seconds can do.
    """

    asked: Asked
    problem: CourierProblem
    place_of_spot: tuple[int, ...]
    legs: Legs

    def answer(self, plan: CourierPlan, times: dict[str, int] | None = None) -> dict[str, Any]:
        """The whole answer; ``times`` are milliseconds that its parts took."""
        routes = [self._route(route) for route in plan.routes]
        unassigned = self._unassigned(plan)
        names = [*_SUMS, *(["distance"] if routes and "distance" in routes[0] else [])]
        amounts = {
            name: [sum(r[name][i] for r in routes) for i in range(self.problem.n_dimensions)]
            for name in ("delivery", "pickup")
        }
        summary: dict[str, Any] = {
            "cost": sum(route["cost"] for route in routes),
            "routes": len(routes),
            "unassigned": len(unassigned),
            **{name: sum(route[name] for route in routes) for name in names},
            **amounts,
            "violations": [],
            "objective": self.problem.objective,
            "objective_cost": round(plan.cost, 2),
            "iterations": plan.iterations,
        }
        if times is not None:
            summary["computing_times"] = times
        return {"code": 0, "summary": summary, "unassigned": unassigned, "routes": routes}

    def _route(self, route: PlannedRoute) -> dict[str, Any]:
        courier, label = self.problem.couriers[route.courier], self._vehicle(route)
        places = [stop.place for stop in route.stops]
        once = [self._task(stop) for stop in route.stops if stop.kind in (JOB, PICKUP)]
        cost = courier.fixed_cost + route.travel_cs / _CS * courier.cost_per_hour / 3600
        up_cs = self._rounding(route)
        steps = [self._step(route, stop, up_cs) for stop in route.stops]
        found: dict[str, Any] = {
            "vehicle": label.id,
            "cost": round(cost),
            "setup": sum(step["setup"] for step in steps),
            "service": sum(step["service"] for step in steps),
            "duration": round(route.travel_cs / _CS),
            "waiting_time": sum(step["waiting_time"] for step in steps),
            "priority": sum(task.priority for task in once),
            "delivery": self._sums(route, (PICKUP,), lambda job: job.delivered),
            "pickup": self._sums(route, (DELIVERY,), lambda job: job.collected),
        }
        distances = self.legs.distances(places)
        if distances is not None:
            so_far = list(accumulate(distances, initial=0.0))
            found["distance"] = round(so_far[-1])
            for step, metres in zip(steps, so_far, strict=True):
                step["distance"] = round(metres)
        if label.description is not None:
            found["description"] = label.description
        found |= {"violations": [], "steps": steps}
        line = self.legs.line(places) if self.asked.wishes.geometry else None
        if line is not None:
            found["geometry"] = geometry(*line, self.asked.wishes.geometries)
        return found

    def _rounding(self, route: PlannedRoute) -> int:
        """The least addition to all moments that leaves those within windows that are within."""

        def outside(up_cs: int) -> int:
            told = [((_begin_cs(stop) + up_cs) // _CS, stop) for stop in route.stops]
            return sum(not _is_within(begin, self._windows(route, stop)) for begin, stop in told)

        return min(range(_CS), key=outside) if outside(0) else 0

    def _windows(self, route: PlannedRoute, stop: PlannedStop) -> tuple[Window, ...]:
        """Within which of these something begins at a stop; none: at any time."""
        if stop.kind in (START, END):
            window = self.problem.couriers[route.courier].window
            return () if window is None else (window,)
        task = self._task(stop)
        if isinstance(task, Job):
            return task.stop.windows
        return (task.pickup if stop.kind == PICKUP else task.delivery).windows

    def _step(self, route: PlannedRoute, stop: PlannedStop, up_cs: int) -> dict[str, Any]:
        arrives, begins = ((cs + up_cs) // _CS for cs in (stop.arrival_cs, _begin_cs(stop)))
        found: dict[str, Any] = {
            "type": stop.kind,
            "arrival": arrives,
            "duration": round(stop.travel_cs / _CS),
            "setup": round(stop.setup_cs / _CS),
            "service": round(stop.service_cs / _CS),
            "waiting_time": begins - arrives,
            "load": list(stop.load),
            "violations": [],
        }
        spot = self._spot(route, stop)
        found |= _place(spot)
        if stop.kind not in (START, END):
            label = self._label(stop.kind, stop.index)
            found["id"] = label.id
            if label.description is not None:
                found["description"] = label.description
        return found

    def _sums(
        self, route: PlannedRoute, without: tuple[str, ...], of_job: Callable[[Job], Sequence[int]]
    ) -> list[int]:
        """All amounts of one kind in a route, a sum for each dimension."""
        totals = [0] * self.problem.n_dimensions
        for stop in route.stops:
            if stop.kind in (START, END, *without):
                continue
            task = self._task(stop)
            amount = of_job(task) if isinstance(task, Job) else task.amount
            for dimension, quantity in enumerate(amount):
                totals[dimension] += quantity
        return totals

    def _unassigned(self, plan: CourierPlan) -> list[dict[str, Any]]:
        """What nobody does, and why: of a shipment both its pick-up and its delivery."""
        found = []
        for unserved in plan.unserved:
            for kind in (JOB,) if unserved.kind == JOB else (PICKUP, DELIVERY):
                label = self._label(kind, unserved.index)
                told: dict[str, Any] = {"id": label.id, "type": kind}
                told |= _place(self.asked.spots[self._asked_spot(kind, unserved.index)])
                if label.description is not None:
                    told["description"] = label.description
                found.append(told | {"reason": unserved.reason})
        return found

    def _vehicle(self, route: PlannedRoute) -> Label:
        return self.asked.vehicle_labels[route.courier]

    def _task(self, stop: PlannedStop) -> Job | Shipment:
        assert stop.index is not None
        some = self.problem.jobs if stop.kind == JOB else self.problem.shipments
        return some[stop.index]

    def _label(self, kind: str, index: int | None) -> Label:
        assert index is not None
        if kind == JOB:
            return self.asked.job_labels[index]
        return self.asked.shipment_labels[index][0 if kind == PICKUP else 1]

    def _spot(self, route: PlannedRoute, stop: PlannedStop) -> Spot:
        """Where a stop was asked for."""
        if stop.kind not in (START, END):
            return self.asked.spots[self._asked_spot(stop.kind, stop.index)]
        courier = self.asked.couriers[route.courier]
        depots = courier.starts if stop.kind == START else courier.ends
        return next(
            self.asked.spots[spot] for spot in depots if self.place_of_spot[spot] == stop.place
        )

    def _asked_spot(self, kind: str, index: int | None) -> int:
        assert index is not None
        if kind == JOB:
            return self.asked.jobs[index].stop.place
        shipment = self.asked.shipments[index]
        return (shipment.pickup if kind == PICKUP else shipment.delivery).place


def _begin_cs(stop: PlannedStop) -> int:
    """When what is to be done at a stop begins, setting up included."""
    return stop.arrival_cs + stop.waiting_cs


def _is_within(moment_s: int, windows: tuple[Window, ...]) -> bool:
    return not windows or any(begin <= moment_s <= end for begin, end in windows)


def _place(spot: Spot) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if spot.location is not None:
        found["location"] = list(spot.location)
    if spot.index is not None:
        found["location_index"] = spot.index
    return found
