"""What must hold for the steps of every route, on real maps."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from rings import Rings, rings_of

from gis.polyline import decode_polyline
from routing.engine import Engine
from routing.errors import NoRoute
from routing.guidance.steps import Intersection, Step
from routing.route import Leg, Route
from server.api.osrm_json import route_answer, to_bytes
from server.api.osrm_params import RouteParams
from server.benchmark.pairs import random_points

pytestmark = pytest.mark.compiled

Point = tuple[float, float]

N_ROUTES = 200
STRAIGHT_DEG = 20
MODES = ("notification",)
RINGS = ("roundabout", "rotary", "roundabout turn", "exit roundabout", "exit rotary")
CHANGES = ("new name", "merge", "on ramp")
"""Maneuvers that tell what happens where there may be nothing to choose: a road goes on under
another name, becomes a motorway, or flows into a road that nobody comes along here."""


def routes_on(engine: Engine, n: int, seed: int = 3) -> Iterator[Route]:
    """Random routes; every fifth has a via, and every tenth one that is silent."""
    points = [(lon, lat) for lon, lat in random_points(engine, 3 * n, seed).tolist()]
    for i in range(n):
        asked = points[3 * i : 3 * i + (3 if i % 5 == 0 else 2)]
        try:
            yield engine.route(asked, waypoints=[0, 2] if i % 10 == 0 else None)
        except NoRoute:
            continue


def check_route(route: Route) -> int:
    """Assert all that must hold for a route, and return its number of steps."""
    for leg in route.legs:
        check_measures(leg)
        for step in leg.steps[1:-1]:
            assert is_a_choice(step), step
        for step in leg.steps:
            for place in step.intersections:
                check_intersection(place)
    check_lines(route)
    return sum(len(leg.steps) for leg in route.legs)


def check_measures(leg: Leg) -> None:
    """Steps follow each other, each has a length, and they add up to the leg."""
    steps = leg.steps
    assert len(steps) >= 2
    assert [steps[0].maneuver.type, steps[-1].maneuver.type] == ["depart", "arrive"]
    assert steps[0].first_point == 0
    for step, after in pairwise(steps):
        assert step.last_point == after.first_point
        assert step.first_point < step.last_point
        assert step.distance_m > 0 or leg.distance_m == 0, step
        assert step.duration_s >= 0
    last = steps[-1]
    assert last.first_point == last.last_point == len(leg.lon) - 1
    assert last.distance_m == last.duration_s == last.weight == 0
    assert sum(step.distance_m for step in steps) == pytest.approx(leg.distance_m, abs=0.05)
    assert sum(step.duration_s for step in steps) == pytest.approx(leg.duration_s, abs=0.05)


def is_a_choice(step: Step) -> bool:
    """Whether there is another way at a maneuver, or it is one of those that need none.

    Where only one road may be entered a driver still sees others, such as the end of a one-way
    street: there is nothing to say if that road leads straight on.
    """
    maneuver, place = step.maneuver, step.intersections[0]
    if maneuver.type in (*MODES, *RINGS, *CHANGES) or place.came_in is None or place.out is None:
        return True
    if place.out == place.came_in:
        return True  # a route with a silent via may have to turn around at a dead end
    others = [open_ for i, open_ in enumerate(place.entry) if i not in (place.out, place.came_in)]
    if any(others) or len(step.intersections) > 1:
        return True  # what is treated as one junction may have its choice at the second place
    angle = (place.bearings[place.out] - place.bearings[place.came_in]) % 360
    return bool(others) and abs(angle - 180) > STRAIGHT_DEG


def check_intersection(place: Intersection) -> None:
    """Bearings ascend, and the positions among them exist; the road taken may be entered."""
    n = len(place.bearings)
    assert n == len(place.entry) >= 1
    assert list(place.bearings) == sorted(place.bearings)
    assert all(0 <= bearing < 360 for bearing in place.bearings)
    assert place.came_in is None or 0 <= place.came_in < n
    assert place.out is None or (0 <= place.out < n and place.entry[place.out])
    assert (place.came_in, place.out) != (None, None)


def check_lines(route: Route) -> None:
    """The lines of the steps joined are the route's, in the answers of the service."""
    params = RouteParams([(0.0, 0.0)] * 2, steps=True, overview="full", geometries="polyline6")
    answer = json.loads(to_bytes(route_answer([route], params)))["routes"][0]
    joined: list[tuple[float, float]] = []
    for leg in answer["legs"]:
        for step in leg["steps"]:
            lon, lat = decode_polyline(step["geometry"], 6)
            line = list(zip(lon.tolist(), lat.tolist(), strict=True))
            if step["maneuver"]["type"] == "arrive":
                assert line == [joined[-1]] * 2
                continue
            assert len(line) >= 2 and (not joined or joined[-1] == line[0])
            joined += line[1:] if joined else line
    lon, lat = decode_polyline(answer["geometry"], 6)
    assert joined == list(zip(lon.tolist(), lat.tolist(), strict=True))


def test_steps_on_the_sample(sample: Path, engine_on: Callable[[Path], Engine]) -> None:
    """Whatever the route."""
    found = [check_route(route) for route in routes_on(engine_on(sample), 60)]
    assert len(found) > 50 and sum(found) > 300


def test_steps_on_extracts(extract: Path, engine_on: Callable[[Path], Engine]) -> None:
    """Also where there are motorways, roundabouts and ferries."""
    found = [check_route(route) for route in routes_on(engine_on(extract), N_ROUTES)]
    assert len(found) > 0.9 * N_ROUTES and sum(found) > 1000


def wrong_exits(rings: Rings, leg: Leg, wanted: set[int]) -> tuple[int, list[str]]:
    """How many roundabouts a leg passes, and at which the exit has another number."""
    nodes = leg.annotation.nodes.tolist()
    steps = {step.first_point: step for step in leg.steps}
    n_seen, wrong = 0, []
    for place, number in rings.passages(nodes):
        if number is None or rings.ring[nodes[place], nodes[place + 1]] not in wanted:
            continue
        n_seen += 1
        step = steps.get(place)
        found = step.maneuver.exit if step and step.maneuver.type in RINGS[:3] else None
        if found != number:
            around = nodes[place - 1 : place + 2]
            kind = step.maneuver.type if step else None
            wrong.append(f"nodes {around}: {kind}, exit {found}, expected {number}")
    return n_seen, wrong


def test_exits_of_roundabouts(porto: Path, engine_on: Callable[[Path], Engine]) -> None:
    """From every arm of every roundabout of Porto with four arms to every other."""
    engine, rings = engine_on(porto), rings_of(porto)
    wanted = set(rings.four_armed())
    assert len(wanted) > 50
    n_seen, wrong = 0, []
    for ring in sorted(wanted):
        seen, lines = around_ring(engine, rings, ring)
        n_seen += seen
        wrong += lines
    assert n_seen > 5 * len(wanted)
    assert wrong == []


def around_ring(engine: Engine, rings: Rings, ring: int) -> tuple[int, list[str]]:
    """All ways through one roundabout, from a little before it to a little behind."""
    nodes = rings.nodes_of(ring)
    arrivals = [(tail, node) for node in nodes for tail in rings.entries.get(node, ())]
    departures = [(node, head) for node in nodes for head, _ in rings.exits.get(node, ())]
    n_seen, wrong = 0, []
    for arrival in arrivals:
        for departure in departures:
            if arrival == departure[::-1]:
                continue
            points = [between(rings, *arrival), between(rings, *departure)]
            try:
                (leg,) = engine.route(points).legs
            except NoRoute:
                continue
            seen, lines = wrong_exits(rings, leg, {ring})
            n_seen += seen
            wrong += lines
    return n_seen, wrong


def between(rings: Rings, a: int, b: int) -> Point:
    """The middle between two nodes."""
    (lon_a, lat_a), (lon_b, lat_b) = rings.places[a], rings.places[b]
    return (lon_a + lon_b) / 2, (lat_a + lat_b) / 2


def test_rings_are_found(porto: Path) -> None:
    """The oracle knows what a roundabout is: closed, in one direction."""
    rings = rings_of(porto)
    for ring in rings.four_armed()[:20]:
        following = {a: b for (a, b), number in rings.ring.items() if number == ring}
        start = node = rings.nodes_of(ring)[0]
        for _ in following:
            node = following[node]
        assert node == start
