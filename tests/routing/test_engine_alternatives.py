"""The engine asked for alternatives."""

import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from towns import SPOTS, ask, between, check_alternatives, spot, town
from world import World

from routing.errors import NoRoute

LADDER = World(
    """
          b---c---d
         /         \\
    w---a           e---y---z
         \\         /
          f---g---h
          |       |
          i---j---k
    """,
    """
    wa highway=x name=Head
    ab highway=x name=North
    bcd highway=x name=North
    de highway=x name=North
    af highway=x name=South
    fgh highway=x name=South kmh=34
    he highway=x name=South
    fi highway=x
    ijk highway=x name=Far kmh=30
    kh highway=x
    eyz highway=x name=Tail
    """,
)


def test_alternatives_of_two_junctions() -> None:
    """The same way from another of the roads at a junction is no alternative."""
    engine = engine_of(LADDER)
    points = [LADDER.position("a"), LADDER.position("e")]
    assert check_alternatives(engine, points, engine.alternatives(points, 3)) == 1


def test_alternatives_of_two_points() -> None:
    """First the route, then another way round that costs a little more."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "wa", 0.9), between(LADDER, "ey", 0.1)]
    found = engine.alternatives(points, 3)
    assert check_alternatives(engine, points, found) == 1
    assert found[0].legs[0].names == ("Head", "North", "Tail")
    assert found[1].legs[0].names == ("Head", "South", "Tail")
    assert len(engine.alternatives(points)) == 2, "one by default"
    for route in found:
        assert route.legs[0].annotation.duration_s.sum() == pytest.approx(route.duration_s)
    more = [engine.route([*points[:1], LADDER.position(letter), *points[1:]]) for letter in "cg"]
    assert [r.duration_s for r in found] == pytest.approx([r.duration_s for r in more], abs=0.02)


def test_alternatives_over_vias() -> None:
    """Over several points one stretch is another way, the rest as before."""
    engine = engine_of(LADDER)
    points = [between(LADDER, "wa"), between(LADDER, "ey", 0.2), between(LADDER, "yz", 0.5)]
    found = engine.alternatives(points, 5)
    assert check_alternatives(engine, points, found) == 1
    assert "South" in found[1].legs[0].names and len(found[1].legs) == 2
    assert found[1].legs[1].duration_s == found[0].legs[1].duration_s
    silent = engine.alternatives(points, 1, waypoints=[0, 2])
    assert [len(route.legs) for route in silent] == [1, 1]
    assert [r.duration_s for r in silent] == [r.duration_s for r in found[:2]]


def test_no_alternatives() -> None:
    """None where none is asked for or there is none; what raises for a route raises here."""
    engine = engine_of(LADDER)
    points = [LADDER.position("a"), LADDER.position("e")]
    assert len(engine.alternatives(points, 0)) == 1
    tail = [between(LADDER, "ey"), between(LADDER, "yz")]
    assert len(engine.alternatives(tail, 5)) == 1
    same_road = [between(LADDER, "yz", 0.2), between(LADDER, "yz", 0.8)]
    assert len(engine.alternatives(same_road, 5)) == 1
    world, island_engine = town(0)
    apart = [between(world, "tv"), world.position("f")]
    with pytest.raises(NoRoute, match=r"^Impossible route between points$"):
        island_engine.route(apart, radiuses=[5, 5])
    with pytest.raises(NoRoute, match=r"^Impossible route between points$"):
        island_engine.alternatives(apart, radiuses=[5, 5])


def test_the_shortest_stay() -> None:
    """Where two roads are as near, and as fast, the best alternative is the very route."""
    world, engine = town(2)
    points = [world.position("e"), between(world, "ab")]
    best, first = engine.route(points), engine.alternatives(points, 0)[0]
    assert (first.duration_s, first.distance_m) == (best.duration_s, best.distance_m)
    assert first.waypoints == best.waypoints


@given(st.integers(0, 7), st.lists(SPOTS, min_size=2, max_size=3), st.integers(0, 4))
def test_alternatives_in_a_town(
    seed: int, places: list[tuple[str, float, float]], number: int
) -> None:
    """Alternatives between any places, where there is a route."""
    world, engine = town(seed)
    points = [spot(world, place) for place in places]
    route = ask(engine, points)
    if isinstance(route, str):
        with pytest.raises(NoRoute):
            engine.alternatives(points, number)
        return
    assert check_alternatives(engine, points, engine.alternatives(points, number)) <= number
