"""The arrays of an instance, beside what follows from the problem one cell at a time."""

from itertools import product

import numpy as np
import pytest
from couriers.clock import cs, leg_cs
from couriers.worlds import problems, single_courier
from hypothesis import given, settings
from hypothesis import strategies as st

from gis.arrays import freeze
from routing.courier.compile import make_instance
from routing.courier.instance import ALWAYS, NEVER, SPAN, TIMED
from routing.courier.problem import MAKESPAN, Courier, CourierProblem, Job, Shipment, Stop

NONE = freeze(np.zeros((1, 1), np.uint32))


def stops_of(problem: CourierProblem) -> list[tuple[Stop, int, bool]]:
    """All stops, of which order each is, and whether something is picked up for later."""
    found = []
    for i, shipment in enumerate(problem.shipments):
        found += [(shipment.pickup, i, True), (shipment.delivery, i, False)]
    first = len(problem.shipments)
    return found + [(job.stop, first + i, False) for i, job in enumerate(problem.jobs)]


def far(problem: CourierProblem, courier: Courier, a: int, b: int) -> int:
    """How long it takes from place to place."""
    leg = leg_cs(problem, courier, a, b)
    return NEVER if leg is None else leg


@settings(max_examples=200)
@given(problems(10))
def test_ways(problem: CourierProblem) -> None:
    """From stop to stop, from the best start and to the best end, for each courier."""
    instance, stops = make_instance(problem), stops_of(problem)
    for v, courier in enumerate(problem.couriers):
        kind = instance.fleet.kind[v]
        speed = instance.fleet.speed[kind]
        for (x, (a, _, _)), (y, (b, _, _)) in product(enumerate(stops), repeat=2):
            expected = far(problem, courier, a.place, b.place)
            assert instance.out[speed, x, y] == instance.into[speed, y, x] == expected
        for y, (stop, _, _) in enumerate(stops):
            to = {start: far(problem, courier, start, stop.place) for start in courier.starts}
            on = [far(problem, courier, stop.place, end) for end in courier.ends]
            depot, ways = len(stops) + kind, instance.out[speed]
            assert ways[depot, y] == instance.into[speed, y, depot] == min(to.values(), default=0)
            assert ways[y, depot] == instance.into[speed, depot, y] == min(on, default=0)
            assert ways[depot, depot] == 0
            begins_here = stop.place in to and to[stop.place] == min(to.values())
            setup = 0 if begins_here else cs(stop.setup_s)
            assert instance.clock.first_setup[kind, y] == setup


@settings(max_examples=200)
@given(problems(10))
def test_stops_and_orders(problem: CourierProblem) -> None:
    """Whose they are, when and how long, what is carried, what it matters, who may."""
    instance, stops = make_instance(problem), stops_of(problem)
    clock = instance.clock
    tasks: tuple[Shipment | Job, ...] = (*problem.shipments, *problem.jobs)
    assert len(instance.order) == len(stops) and len(instance.may) == len(tasks)
    for y, (stop, order, is_pickup) in enumerate(stops):
        assert instance.order[y] == order
        assert (instance.pickup if is_pickup else instance.delivery)[order] == y
        spent = clock.service[y], clock.setup[y], clock.place[y]
        assert spent == (cs(stop.service_s), cs(stop.setup_s), stop.place)
        some = slice(clock.first[y], clock.first[y + 1])
        windows = list(zip(clock.opens[some].tolist(), clock.closes[some].tolist(), strict=True))
        assert windows == [(cs(begin), cs(end)) for begin, end in stop.windows]
    none = (0,) * problem.n_dimensions
    for order, task in enumerate(tasks):
        assert (instance.pickup[order] < 0) == isinstance(task, Job)
        carried = (
            (task.delivered or none, none, task.collected or none)
            if isinstance(task, Job)
            else (none, task.amount or none, none)
        )
        assert tuple(map(tuple, instance.load[:, order].tolist())) == carried
        for v, courier in enumerate(problem.couriers):
            assert instance.may[order, v] == all(skill in courier.skills for skill in task.skills)
    for a, b in product(range(len(tasks)), repeat=2):
        if tasks[a].priority > tasks[b].priority:
            assert instance.worth[a] > 10_000 * instance.worth[b] or tasks[b].priority > 0
        assert (instance.worth[a] > instance.worth[b]) == (tasks[a].priority > tasks[b].priority)
    assert (instance.worth > 0).all()


@settings(max_examples=200)
@given(problems(10))
def test_couriers(problem: CourierProblem) -> None:
    """Their limits, whether they differ, and whether times matter at all."""
    instance, couriers = make_instance(problem), problem.couriers
    fleet = instance.fleet
    for v, courier in enumerate(couriers):
        window = courier.window
        opens, closes = (cs(window[0]), cs(window[1])) if window else (0, ALWAYS)
        assert (fleet.opens[v], fleet.closes[v]) == (opens, closes)
        most = courier.max_tasks, courier.max_travel_s
        assert fleet.most_stops[v] == (ALWAYS if most[0] is None else most[0])
        assert fleet.most_travel[v] == (ALWAYS if most[1] is None else cs(most[1]))
        room = fleet.capacity[v].tolist()
        assert room == list(courier.capacity) if courier.capacity else min(room, default=1) > 0
    for v, w in product(range(len(couriers)), repeat=2):
        a, b = couriers[v], couriers[w]
        assert (fleet.alike[v] == fleet.alike[w]) == (a == b)
        same_kind = (a.starts, a.ends, a.speed) == (b.starts, b.ends, b.speed)
        assert (fleet.kind[v] == fleet.kind[w]) == same_kind
    windows = [c.window for c in couriers] + [s.windows or None for s, _, _ in stops_of(problem)]
    spans = problem.objective == MAKESPAN
    assert instance.rules[SPAN] == spans
    assert instance.rules[TIMED] == (spans or any(w is not None for w in windows))


COSTS = st.one_of(st.just(0.0), st.floats(1e-3, 1e7), st.sampled_from((1800.0, 3600.0, 1e7)))


@settings(max_examples=300)
@given(st.lists(st.tuples(COSTS, st.integers(0, 10**5)), min_size=1, max_size=5))
def test_costs_keep_their_ratios(costs: list[tuple[float, int]]) -> None:
    """To a ten-thousandth of the highest; fixed costs are in the same unit."""
    couriers = tuple(Courier(fixed_cost=fixed, cost_per_hour=hourly) for hourly, fixed in costs)
    fleet = make_instance(CourierProblem(NONE, couriers, jobs=(Job(Stop(0)),))).fleet
    highest = max(hourly for hourly, _ in costs)
    if all(hourly == highest for hourly, _ in costs):
        assert set(fleet.rate.tolist()) == {int(highest > 0)}
    top = max(fleet.rate.tolist())
    for (hourly, fixed), rate, units in zip(costs, fleet.rate, fleet.fixed, strict=True):
        assert (rate == 0) == (hourly == 0)
        if highest == 0:
            assert units == fixed * 100
            continue
        assert abs(rate / top - hourly / highest) <= 1e-4
        if units < 2**50:
            # As much as so many hundredths of a second of the dearest courier's travel.
            expected = fixed * 100 * 3600 / highest
            assert units / top == pytest.approx(expected, rel=1e-9, abs=0.51 / top)


def check_nearest(found: list[int], apart: list[int], itself: int, most: int) -> None:
    """Those that are least far, least first, itself left out, none twice."""
    others = [i for i in range(len(apart)) if i != itself]
    assert len(found) == len(set(found)) == min(len(others), most)
    assert set(found) <= set(others)
    assert [apart[i] for i in found] == sorted(apart[i] for i in others)[: len(found)]


def check_neighbours(problem: CourierProblem) -> None:
    """The nearest stops of each, and the orders both stops of which are near those of each."""
    instance, courier = make_instance(problem), problem.couriers[0]
    places = [stop.place for stop, _, _ in stops_of(problem)]

    def apart(a: int, b: int) -> int:
        there = far(problem, courier, places[a], places[b])
        return min(there, far(problem, courier, places[b], places[a]))

    for x in range(len(places)):
        check_nearest(instance.near[x].tolist(), [apart(x, y) for y in range(len(places))], x, 100)
    last = instance.delivery.tolist()
    first = [p if p >= 0 else d for p, d in zip(instance.pickup.tolist(), last, strict=True)]
    for a in range(len(last)):
        both = [apart(first[a], first[b]) + apart(last[a], last[b]) for b in range(len(last))]
        check_nearest(instance.related[a].tolist(), both, a, 100)


@given(problems(10))
def test_neighbours(problem: CourierProblem) -> None:
    """Whatever the problem."""
    check_neighbours(problem)


@pytest.mark.parametrize("n_shipments", [50, 51, 101, 102])
def test_neighbours_of_many(n_shipments: int) -> None:
    """No more than a hundred of them."""
    check_neighbours(single_courier(n_shipments, 7, shared=True))
