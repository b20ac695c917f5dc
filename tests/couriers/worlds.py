"""Problems for tests: towns with one-way times, tight windows, skills, and anything at all.

The same seed makes the same problem. What ``tight_windows`` makes can be served whole: its windows
are put around the times of routes that were driven first.
"""

import math
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gis.arrays import INF, U32, freeze
from routing.courier.problem import (
    MAKESPAN,
    TRAVEL,
    Courier,
    CourierProblem,
    Job,
    Shipment,
    Stop,
    Window,
)

_TOWN_M = 12_000
_M_PER_S = 9.0

Point = tuple[float, float]


def town_matrix(points: list[Point], random: Random) -> U32:
    """Times between points in a plane, a tenth longer or shorter there than back."""
    n = len(points)
    found = np.zeros((n, n), np.uint32)
    for i, a in enumerate(points):
        for j, b in enumerate(points):
            if i != j:
                seconds = (math.dist(a, b) * random.uniform(1.2, 1.5) + 60) / _M_PER_S
                found[i, j] = round(seconds) * 100
    return freeze(_closed(found))


def _closed(durations: U32) -> U32:
    """Times with no way around that is faster, as roads have them."""
    found = durations.astype(np.int64)
    for k in range(len(found)):
        np.minimum(found, found[:, k, None] + found[None, k, :], out=found)
    return found.astype(np.uint32)


def scattered(n: int, random: Random, clusters: int = 0) -> list[Point]:
    """Points all over a town, or in so many clusters of it."""
    anywhere = [(random.uniform(0, _TOWN_M), random.uniform(0, _TOWN_M)) for _ in range(n)]
    if not clusters:
        return anywhere
    centres = [anywhere[i % n] for i in range(clusters)]
    return [
        (random.gauss(x, _TOWN_M / 20), random.gauss(y, _TOWN_M / 20))
        for x, y in (random.choice(centres) for _ in range(n))
    ]


def single_courier(
    n_shipments: int, seed: int, depots: int = 5, shared: bool = False, capacity: int = 0
) -> CourierProblem:
    """One courier who begins and ends at any of the depots.

    ``shared`` pick-ups are a fifth as many places as drop-offs; with a ``capacity`` parcels weigh
    1 to 3.
    """
    random = Random(seed)
    n_pickups = max(n_shipments // 5, 1) if shared else n_shipments
    points = scattered(depots + n_pickups + n_shipments, random)
    shipments = tuple(
        Shipment(
            Stop(depots + (random.randrange(n_pickups) if shared else i)),
            Stop(depots + n_pickups + i),
            (random.randint(1, 3),) if capacity else (),
        )
        for i in range(n_shipments)
    )
    anywhere = tuple(range(depots))
    courier = Courier(anywhere, anywhere, (capacity,) if capacity else ())
    return CourierProblem(town_matrix(points, random), (courier,), shipments)


def tight_windows(
    n_shipments: int, seed: int, kind: str = "random", width_s: int = 600
) -> CourierProblem:
    """Pick-up and delivery with time windows in the manner of Li and Lim (2001).

    ``kind`` is clustered, random or mixed. All can be served: routes were driven for it.
    """
    random = Random(seed)
    n = 2 * n_shipments
    points = [(_TOWN_M / 2, _TOWN_M / 2)]
    half = n // 2 if kind == "mixed" else n if kind == "random" else 0
    points += scattered(half, random) if half else []
    points += scattered(n - half, random, clusters=max(n // 20, 2)) if half < n else []
    durations = town_matrix(points, random)
    order = list(range(1, n + 1))
    random.shuffle(order)
    service_s, capacity = 90, 20
    n_couriers = max(n_shipments // 8, 1)
    shipments, ends = [], []
    for courier in range(n_couriers):
        visits = _random_visits(range(courier, n_shipments, n_couriers), capacity, random)
        time, before, windows = 0, 0, dict[tuple[int, int], Window]()
        for one, part in visits:
            place = order[2 * one + part]
            time += int(durations[before, place]) // 100
            windows[one, part] = _around(time, width_s, random)
            time, before = time + service_s, place
        ends.append(time + int(durations[before, 0]) // 100)
        for one in sorted({one for one, _ in visits}):
            pickup, delivery = (
                Stop(order[2 * one + part], service_s, 0.0, (windows[one, part],))
                for part in (0, 1)
            )
            shipments.append(Shipment(pickup, delivery, (_WEIGHT,)))
    last = max(ends) + width_s
    couriers = (Courier((0,), (0,), (capacity,), (0, last)),) * n_couriers
    return CourierProblem(durations, couriers, tuple(shipments))


_WEIGHT = 5


def _random_visits(ones: range, capacity: int, random: Random) -> list[tuple[int, int]]:
    """Pick-ups (0) and drop-offs (1) in an order in which all fits."""
    waiting, carried, visits = list(ones), list[int](), list[tuple[int, int]]()
    while waiting or carried:
        is_full = (len(carried) + 1) * _WEIGHT > capacity
        if carried and (not waiting or is_full or random.random() < 0.5):
            visits.append((carried.pop(random.randrange(len(carried))), 1))
        else:
            carried.append(waiting.pop(0))
            visits.append((carried[-1], 0))
    return visits


def _around(time: int, width_s: int, random: Random) -> Window:
    begin = max(time - random.randint(0, width_s), 0)
    return (begin, max(begin + width_s, time))


def fleet(n_shipments: int, n_couriers: int, seed: int) -> CourierProblem:
    """Couriers of different sizes, skills and shifts, with jobs among the shipments."""
    random = Random(seed)
    depots, n_jobs = 3, n_shipments // 3
    points = scattered(depots + 2 * n_shipments + n_jobs, random)
    shipments = tuple(
        Shipment(
            Stop(depots + 2 * i, 60, 30),
            Stop(depots + 2 * i + 1, 60),
            (random.randint(1, 3), random.randint(0, 9)),
            frozenset({1}) if random.random() < 0.2 else frozenset(),
            random.choice((0, 0, 10)),
        )
        for i in range(n_shipments)
    )
    jobs = tuple(
        Job(
            Stop(depots + 2 * n_shipments + i, 120, 0, _some_windows(random)),
            (random.randint(0, 2), 0),
            (0, random.randint(0, 5)),
        )
        for i in range(n_jobs)
    )
    couriers = tuple(
        Courier(
            (i % depots,),
            tuple(range(depots)) if i % 2 else (i % depots,),
            (random.randint(6, 12), 40),
            (0, 4 * 3600),
            frozenset({1}) if i % 2 else frozenset(),
            max_tasks=60,
            speed=random.choice((1.0, 1.0, 1.25)),
            fixed_cost=random.choice((0, 300)),
            cost_per_hour=random.choice((3600, 4000)),
        )
        for i in range(n_couriers)
    )
    return CourierProblem(town_matrix(points, random), couriers, shipments, jobs)


def _some_windows(random: Random) -> tuple[Window, ...]:
    if random.random() < 0.5:
        return ()
    begin = random.randrange(0, 7200)
    first = (begin, begin + 1800)
    return (first, (begin + 5400, begin + 7200)) if random.random() < 0.5 else (first,)


@st.composite
def problems(draw: Any, most_tasks: int = 6) -> CourierProblem:
    """Anything that a problem may be, small: also what nobody can do."""
    n_places = draw(st.integers(1, 5))
    cells = st.one_of(st.integers(0, 3000), st.just(int(INF)))
    rows = draw(st.lists(cells, min_size=n_places**2, max_size=n_places**2))
    durations = np.array(rows, np.uint32).reshape(n_places, n_places)
    np.fill_diagonal(durations, 0)
    n_dimensions = draw(st.integers(0, 2))
    place = st.integers(0, n_places - 1)
    seconds = st.integers(0, 20)
    window = st.tuples(st.integers(0, 60), st.integers(0, 40)).map(lambda w: (w[0], w[0] + w[1]))
    windows = st.one_of(
        st.just(()),
        window.map(lambda w: (w,)),
        st.tuples(window, window).map(lambda w: (w[0], (w[0][1] + w[1][0], w[0][1] + sum(w[1])))),
    )
    stop = st.builds(Stop, place, seconds, seconds, windows)
    amount = st.tuples(*[st.integers(0, 4)] * n_dimensions)
    skills = st.frozensets(st.integers(1, 2))
    priority = st.sampled_from((0, 0, 5, 100))
    courier = st.builds(
        Courier,
        st.lists(place, max_size=2, unique=True).map(tuple),
        st.lists(place, max_size=2, unique=True).map(tuple),
        amount,
        st.one_of(st.none(), window),
        skills,
        st.one_of(st.none(), st.integers(0, 6)),
        st.one_of(st.none(), st.integers(0, 90)),
        st.sampled_from((1.0, 1.0, 2.0, 0.8)),
        st.sampled_from((0.0, 10.0)),
        st.sampled_from((3600.0, 1800.0)),
    )
    few = most_tasks // 2
    return CourierProblem(
        freeze(durations),
        tuple(draw(st.lists(courier, min_size=1, max_size=3))),
        tuple(
            draw(st.lists(st.builds(Shipment, stop, stop, amount, skills, priority), max_size=few))
        ),
        tuple(draw(st.lists(st.builds(Job, stop, amount, amount, skills, priority), max_size=few))),
        draw(st.sampled_from((TRAVEL, TRAVEL, MAKESPAN))),
    )
