"""One courier's plan beside those of other solvers, each in the same time on the same matrix.

``WHIMBREL_PEERS_SECONDS`` is the time that each has, 10 unless given.
"""

import json
import os
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from couriers.checker import check_plan

from gis.arrays import I64
from routing.courier.plan import DELIVERY, PICKUP
from routing.courier.problem import Courier, CourierProblem, Shipment, Stop
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier
from routing.engine import Engine
from server.benchmark.pairs import random_points

SCRIPT = Path(__file__).with_name("ask_solvers.py")
SECONDS = float(os.environ.get("WHIMBREL_PEERS_SECONDS", "10"))
DEPOTS, CAPACITY = 5, 4

pytestmark = pytest.mark.compiled


def make_problem(engine: Engine, n: int, shared: bool) -> CourierProblem:
    """Parcels from place to place at random, and depots of which any may be start and end.

    Shared pick-ups are an eighth as many places, and the courier carries four parcels at most.
    """
    n_pickups = n // 8 if shared else n
    points = random_points(engine, DEPOTS + n_pickups + n, n)
    seconds = np.rint(engine.table(points, strict=True).duration_s).astype(np.uint32)
    pickups = np.random.default_rng(n).integers(0, n_pickups, n) if shared else np.arange(n)
    parcels = tuple(
        Shipment(Stop(DEPOTS + int(pickup)), Stop(DEPOTS + n_pickups + i), (1,) if shared else ())
        for i, pickup in enumerate(pickups)
    )
    anywhere = tuple(range(DEPOTS))
    courier = Courier(anywhere, anywhere, (CAPACITY,) if shared else ())
    return CourierProblem(seconds * np.uint32(100), (courier,), parcels)


def matrix_of(problem: CourierProblem) -> I64:
    """Seconds between the best depot and all stops, the two of each parcel one after the other."""
    durations = problem.durations_cs.astype(np.int64) // 100
    stops = [s.place for parcel in problem.shipments for s in (parcel.pickup, parcel.delivery)]
    matrix = np.zeros((len(stops) + 1, len(stops) + 1), np.int64)
    matrix[1:, 1:] = durations[np.ix_(stops, stops)]
    matrix[0, 1:] = durations[:DEPOTS, stops].min(axis=0)
    matrix[1:, 0] = durations[stops, :DEPOTS].min(axis=1)
    return matrix


def cost_of(matrix: I64, capacity: int, order: list[int]) -> int | None:
    """What an order of stops takes; None if it breaks a rule."""
    if sorted(order) != list(range(1, len(matrix))):
        return None
    carried: set[int] = set()
    for stop in order:
        parcel = (stop - 1) // 2
        if stop % 2:
            carried.add(parcel)
        elif parcel not in carried:
            return None
        else:
            carried.remove(parcel)
        if capacity and len(carried) > capacity:
            return None
    return sum(int(matrix[a, b]) for a, b in pairwise([0, *order, 0]))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("n", [50, 100, 200])
def test_ahead_of_all(
    porto: Path, engine_on: Callable[[Path], Engine], n: int, shared: bool
) -> None:
    """No other plan that keeps the rules is better; how much longer they are is told."""
    python = os.environ.get("WHIMBREL_PEERS_PYTHON")
    if not python:
        pytest.skip("WHIMBREL_PEERS_PYTHON names no Python with other solvers")
    problem = make_problem(engine_on(porto), n, shared)
    plan = solve_courier(problem, CourierParams(seconds=SECONDS))
    check_plan(problem, plan)
    matrix, capacity = matrix_of(problem), CAPACITY if shared else 0
    steps = [step for step in plan.routes[0].stops if step.kind in (PICKUP, DELIVERY)]
    own = [2 * int(s.index or 0) + (1 if s.kind == PICKUP else 2) for s in steps]
    cost = cost_of(matrix, capacity, own)
    assert cost == plan.cost
    longer: dict[str, float | None] = {}
    for name in ("commiv", "ortools", "pyvrp", "vroom"):
        asked = json.dumps({"matrix": matrix.tolist(), "capacity": capacity})
        answer = subprocess.run(
            [python, str(SCRIPT), name, str(SECONDS)],
            input=asked,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
            capture_output=True,
            text=True,
            timeout=SECONDS * 5 + 60,
        )
        if answer.returncode == 0 and (order := json.loads(answer.stdout.splitlines()[-1])):
            other = cost_of(matrix, capacity, order)
            longer[name] = None if other is None else round(100 * (other / cost - 1), 2)
    if not longer:
        pytest.skip("that Python has none of the other solvers")
    print(f"\n{n} parcels{', shared pick-ups' if shared else ''}: longer by %: {longer}")
    assert all(more is None or more >= 0 for more in longer.values())
