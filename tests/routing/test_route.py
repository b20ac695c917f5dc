"""Results that are completed when they are asked for."""

import pickle
import threading
import weakref
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from routing.guidance.steps import Intersection, Maneuver, Step
from routing.route import Annotation, Details, Directions, Leg, Route, Waypoint

HERE = Waypoint(1.0, 2.0, 0.5, "Here", (1, 2))
THERE = Waypoint(3.0, 4.0, 0.0, "There", (2, 3))
ARRIVAL = Step(
    *(0.0, 0.0, 0.0, 1, 1, "Road", "", "", "", "", "", "", "driving", "right"),
    maneuver=Maneuver("arrive", None, 3.0, 4.0, 90, 0),
    intersections=(Intersection(3.0, 4.0, (270,), (True,), 0, None),),
)


def leg_of(distance_m: float, duration_s: float) -> Leg:
    """A leg of one piece."""
    piece = np.array([distance_m]), np.array([duration_s])
    ends = np.array([1.0, 3.0]), np.array([2.0, 4.0])
    annotation = Annotation(*piece, np.array([1, 3]), piece[1])
    return Leg(distance_m, duration_s, *ends, annotation, ("Road",), ((ARRIVAL,), "Road"))


def test_totals() -> None:
    """The totals are sums, whole hundredths of seconds."""
    legs = leg_of(1.5, 0.1), leg_of(2.25, 0.2), leg_of(0, 0)
    route = Route(legs, (HERE, THERE, THERE, THERE))
    assert route.distance_m == 3.75 and route.duration_s == 0.3
    assert route.legs is legs and len(route.waypoints) == 4
    assert repr(route) == "Route(distance_m=3.75, duration_s=0.3)"
    assert repr(legs[0]) == "Leg(distance_m=1.5, duration_s=0.1)"


def deferred(legs: Callable[[], Any], waypoints: Callable[[], Any]) -> Route:
    """A route of which only the measures are known."""
    return Route.deferred(10, 2, 3, "liking", legs, waypoints)


def test_details_are_made_once() -> None:
    """Nothing is made before it is asked for, and then once."""
    made: list[str] = []

    def legs() -> tuple[Leg, ...]:
        made.append("legs")
        return (leg_of(10, 2),)

    def waypoints() -> tuple[Waypoint, ...]:
        made.append("waypoints")
        return HERE, THERE

    route = deferred(legs, waypoints)
    assert (route.distance_m, route.duration_s, route.weight, route.weight_name) == (
        10,
        2,
        3,
        "liking",
    )
    assert "duration_s=2" in repr(route) and not made
    assert route.waypoints is route.waypoints and made == ["waypoints"]
    assert route.legs is route.legs and made == ["waypoints", "legs"]


def test_details_that_fail_may_be_asked_again() -> None:
    """A failure is not kept."""
    answers: list[tuple[Leg, ...] | None] = [None, ()]

    def make() -> tuple[Leg, ...]:
        answer = answers.pop(0)
        if answer is None:
            raise MemoryError
        return answer

    route = deferred(make, tuple)
    with pytest.raises(MemoryError):
        route.legs  # noqa: B018
    assert route.legs == ()


class Overtaken(Route):
    """A route that another thread completes while this one is about to do so."""

    __slots__ = ("is_overtaken",)

    @property
    def _legs(self) -> Any:
        found = Route._legs.__get__(self)  # type: ignore[attr-defined]
        if not isinstance(found, tuple) and not hasattr(self, "is_overtaken"):
            self.is_overtaken = True
            thread = threading.Thread(target=lambda: self.legs)
            thread.start()
            thread.join()
        return found

    @_legs.setter
    def _legs(self, legs: Any) -> None:
        Route._legs.__set__(self, legs)  # type: ignore[attr-defined]


def test_threads_complete_a_route() -> None:
    """Threads that ask for the legs of one route at the same moment all get them."""
    legs = (leg_of(1, 1),)
    route = Overtaken.deferred(1, 1, 1, "", lambda: legs, lambda: (HERE, THERE))
    assert route.legs is legs and route.waypoints == (HERE, THERE)
    assert route.is_overtaken  # type: ignore[attr-defined]


def test_a_leg_is_made_when_it_is_looked_at() -> None:
    """All but the measures of a leg may come later, and comes once."""
    made: list[Leg] = []

    def make() -> Leg:
        made.append(leg_of(99, 99))
        return made[-1]

    leg = Leg.deferred(10, 2, 3, make)
    assert (leg.distance_m, leg.duration_s, leg.weight) == (10, 2, 3) and not made
    assert leg.lon.tolist() == [1, 3] and leg.lat.tolist() == [2, 4]
    assert leg.names == ("Road",) and leg.steps == (ARRIVAL,) and leg.annotation.nodes[0] == 1
    assert leg.distance_m == 10 and len(made) == 1
    with pytest.raises(AttributeError, match="'colour'"):
        leg.colour  # noqa: B018


def test_what_a_leg_was_made_from_is_let_go() -> None:
    """Who keeps a completed route does not keep the weights it was found by."""

    class Weights:
        def leg(self) -> Leg:
            return leg_of(1, 1)

    weights = Weights()
    kept = weakref.ref(weights)
    leg = Leg.deferred(10, 2, 3, weights.leg)
    del weights
    assert kept() is not None and leg.lon.tolist() == [1, 3]
    assert kept() is None and leg.names == ("Road",)


def test_threads_complete_a_leg() -> None:
    """Threads that look at one leg at the same moment all see it."""
    together = threading.Barrier(3)
    seen: list[list[float]] = []

    def make() -> Leg:
        together.wait(10)
        return leg_of(1, 1)

    leg = Leg.deferred(10, 2, 3, make)
    threads = [threading.Thread(target=lambda: seen.append(leg.lon.tolist())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [[1, 3]] * 3


def test_results_can_be_pickled() -> None:
    """Another process gets a route whole, completed or not."""
    details: Details = ((leg_of(10, 2),), (HERE, THERE))
    for route in (Route(*details), deferred(lambda: details[0], lambda: details[1])):
        copy = pickle.loads(pickle.dumps(route))
        assert (copy.distance_m, copy.duration_s) == (10, 2) and copy.waypoints == (HERE, THERE)
        assert [leg.names for leg in copy.legs] == [("Road",)]
        assert copy.legs[0].lon.tolist() == details[0][0].lon.tolist()
        assert copy.legs[0].annotation.nodes.tolist() == [1, 3]
        assert (copy.legs[0].steps, copy.legs[0].summary) == ((ARRIVAL,), "Road")


def test_legs_are_completed_once() -> None:
    """Annotation, names and steps are made when they are first asked for, each by itself."""
    made: list[str] = []
    annotation = Annotation(np.array([1.0]), np.array([2.0]), np.array([1, 2]), np.array([2.0]))

    def annotate() -> Annotation:
        made.append("annotation")
        return annotation

    def name() -> tuple[str, ...]:
        made.append("names")
        return ()

    def direct() -> Directions:
        made.append("steps")
        return (ARRIVAL,), "Road"

    leg = Leg(1.0, 2.0, np.zeros(2), np.zeros(2), annotate, name, direct)
    assert (leg.distance_m, leg.duration_s) == (1, 2) and "1.0" in repr(leg) and not made
    assert leg.names == leg.names == () and made == ["names"]
    assert leg.annotation is leg.annotation is annotation and made == ["names", "annotation"]
    assert leg.steps is leg.steps and leg.summary == "Road" and made[2:] == ["steps"]


def test_results_are_small() -> None:
    """Thousands of routes are kept at a time: they have no dictionaries."""
    route = Route((leg_of(1, 1),), (HERE, THERE))
    for result in (route, route.legs[0]):
        with pytest.raises(AttributeError):
            result.anything = 1  # type: ignore[union-attr]
    for one, other in pairwise(route.waypoints):
        assert one != other
