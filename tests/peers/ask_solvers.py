"""Asks another solver for the order of stops of one courier: ``ask_solvers.py NAME SECONDS``.

A program of its own for whatever Python has the packages. In comes JSON: ``matrix``, whole seconds,
of the depot and then of each parcel where it is picked up and dropped, and ``capacity`` in parcels,
0 for any number. Out comes the order of the stops, or null if the package is not there.
"""

import json
import sys
from datetime import timedelta


def by_commiv(matrix, capacity, seconds):
    import commiv

    n = len(matrix)
    plan = commiv.solve_pdptw(
        matrix,
        list(range(1, n, 2)),
        list(range(2, n, 2)),
        [1] * (n // 2),
        capacity or n,
        [0] * n,
        [10**7] * n,
        [0] * n,
        max_vehicles=1,
        wall_ms=int(1000 * seconds),
    )
    return [stop for route in plan.routes for stop in route]


def by_ortools(matrix, capacity, seconds):
    from ortools.constraint_solver import pywrapcp, routing_enums_pb2

    manager = pywrapcp.RoutingIndexManager(len(matrix), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    travel = routing.RegisterTransitMatrix(matrix)
    routing.SetArcCostEvaluatorOfAllVehicles(travel)
    routing.AddDimension(travel, 0, 10**8, True, "time")
    time = routing.GetDimensionOrDie("time")
    if capacity:
        parcels = [0] + [1, -1] * (len(matrix) // 2)
        routing.AddDimension(
            routing.RegisterUnaryTransitVector(parcels), 0, capacity, True, "parcels"
        )
    for stop in range(1, len(matrix), 2):
        first, last = manager.NodeToIndex(stop), manager.NodeToIndex(stop + 1)
        routing.AddPickupAndDelivery(first, last)
        routing.solver().Add(time.CumulVar(first) <= time.CumulVar(last))
    wanted = pywrapcp.DefaultRoutingSearchParameters()
    wanted.first_solution_strategy = (
        routing_enums_pb2.FirstSolutionStrategy.PARALLEL_CHEAPEST_INSERTION
    )
    wanted.local_search_metaheuristic = (
        routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    )
    wanted.time_limit.FromMilliseconds(int(1000 * seconds))
    found = routing.SolveWithParameters(wanted)
    order, at = [], found.Value(routing.NextVar(routing.Start(0)))
    while not routing.IsEnd(at):
        order.append(manager.IndexToNode(at))
        at = found.Value(routing.NextVar(at))
    return order


def by_pyvrp(matrix, capacity, seconds):
    from pyvrp import Model
    from pyvrp.stop import MaxRuntime

    model = Model()
    places = [model.add_location(0, 0) for _ in matrix]
    depot = model.add_depot(places[0])
    room = [capacity] if capacity else []
    model.add_vehicle_type(1, capacity=room, start_depot=depot, end_depot=depot)
    for stop in range(1, len(matrix), 2):
        model.add_shipment(places[stop], places[stop + 1], amount=[1] if capacity else [])
    for i, row in enumerate(matrix):
        for j, duration in enumerate(row):
            if i != j:
                model.add_edge(places[i], places[j], distance=duration)
    (route,) = model.solve(MaxRuntime(seconds), display=False).best.routes()
    steps = [step for step in route.schedule() if step.is_shipment()]
    return [2 * step.idx + (1 if step.is_pickup() else 2) for step in steps]


def by_vroom(matrix, capacity, seconds):
    import numpy
    import vroom

    asked = vroom.Input()
    asked.set_durations_matrix("car", numpy.array(matrix, numpy.uint32))
    room = {"capacity": [capacity]} if capacity else {}
    asked.add_vehicle(vroom.Vehicle(1, start=0, end=0, **room))
    for stop in range(1, len(matrix), 2):
        asked.add_shipment(
            vroom.ShipmentStep(stop, location=stop),
            vroom.ShipmentStep(stop + 1, location=stop + 1),
            **({"amount": vroom.Amount([1])} if capacity else {}),
        )
    steps = asked.solve(5, nb_threads=2, timeout=timedelta(seconds=seconds)).routes
    chosen = steps[steps["type"].isin(("pickup", "delivery"))]
    return [int(stop) for stop in chosen["id"]]


SOLVERS = {"commiv": by_commiv, "ortools": by_ortools, "pyvrp": by_pyvrp, "vroom": by_vroom}

if __name__ == "__main__":
    problem = json.load(sys.stdin)
    try:
        order = SOLVERS[sys.argv[1]](problem["matrix"], problem["capacity"], float(sys.argv[2]))
    except ImportError:
        order = None
    print(json.dumps(order))
