"""Routes that arrive and leave on a side of the road, on a drawn street of both driving sides."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from towns import check_pair
from world import PLAIN, World

from routing.engine import Engine
from routing.errors import InvalidInput, NoRoute
from routing.route import Route

HELSINKI, LONDON = (24.9, 60.2), (-0.1, 51.5)
DEGREES_PER_M = 1 / 111_000
SIDES = [None, "unrestricted", "curb", "opposite"]


@cache
def street(origin: tuple[float, float], tags: str = "") -> tuple[World, Engine]:
    """A street with two dead ends; a step is 100 m, a block 400 m."""
    world = World("a---b---c---d", f"abcd highway=x {tags}", origin=origin)
    return world, engine_of(world, PLAIN)


def house(world: World, blocks: float, north_m: float) -> tuple[float, float]:
    """A place so many blocks from the west end, beside the street."""
    (west, lat), (east, _) = world.position("a"), world.position("d")
    return west + (east - west) * blocks / 3, lat + north_m * DEGREES_PER_M


def metres(found: object) -> float:
    assert isinstance(found, Route)
    return found.distance_m


@pytest.mark.parametrize(
    ("origin", "north", "expected"),
    [
        (HELSINKI, (-5, -5), {"curb": 200, "opposite": 2200}),
        (HELSINKI, (5, 5), {"curb": 2200, "opposite": 200}),
        (HELSINKI, (-5, 5), {"curb": 1200, "opposite": 1200}),
        (HELSINKI, (5, -5), {"curb": 1200, "opposite": 1200}),
        (LONDON, (-5, -5), {"curb": 2200, "opposite": 200}),
        (LONDON, (5, 5), {"curb": 200, "opposite": 2200}),
    ],
)
def test_houses_along_a_street(
    origin: tuple[float, float], north: tuple[int, int], expected: dict[str, int]
) -> None:
    """From 1.25 to 1.75 blocks, turning round at the dead ends as often as the sides need it."""
    world, engine = street(origin)
    a, b = house(world, 1.25, north[0]), house(world, 1.75, north[1])
    assert metres(check_pair(engine, a, b)) == pytest.approx(200, abs=0.5)
    for approach, length_m in expected.items():
        found = check_pair(engine, a, b, approaches=[approach, approach])
        assert metres(found) == pytest.approx(length_m, abs=1), approach
        cell = engine.table([a, b], approaches=[approach, approach], distances=True)
        assert cell.distance_m is not None and cell.distance_m[0, 1] == metres(found)


def test_to_the_house_across() -> None:
    """One leaves eastward, turns at the end of the street, and stops on the other side."""
    world, engine = street(HELSINKI)
    south, north = house(world, 1.5, -5), house(world, 1.5, 5)
    found = check_pair(engine, south, north, approaches=["curb", "curb"])
    assert metres(found) == pytest.approx(2 * 600, abs=1)
    assert metres(check_pair(engine, south, north)) == pytest.approx(0, abs=0.5)
    free_end = check_pair(engine, south, north, approaches=["curb", None])
    assert metres(free_end) == pytest.approx(0, abs=0.5)


def test_on_the_line_itself() -> None:
    """A point on the line lies on its right: the direction of the way is the curb's."""
    world, engine = street(HELSINKI)
    a, b = world.position("b"), world.position("c")
    assert metres(check_pair(engine, a, b, approaches=["curb", "curb"])) == pytest.approx(
        400, abs=1
    )
    assert metres(check_pair(engine, b, a, approaches=["curb", "curb"])) > 1000
    assert metres(check_pair(engine, b, a, approaches=["opposite"] * 2)) == pytest.approx(
        400, abs=1
    )


def test_one_way_streets_have_no_sides() -> None:
    """A one-way street is left and arrived at as it must be."""
    world, engine = street(HELSINKI, "oneway=yes")
    for approaches in product(SIDES, SIDES):
        for north in (-5, 5):
            ends = house(world, 1.25, north), house(world, 1.75, -north)
            found = check_pair(engine, *ends, approaches=approaches)
            assert metres(found) == pytest.approx(200, abs=0.5)


BLOCKS = st.floats(0.05, 2.95)
PLACES = st.tuples(BLOCKS, st.sampled_from([-5, 5]), st.sampled_from(SIDES))


@given(st.lists(PLACES, min_size=2, max_size=4), st.booleans(), st.booleans())
def test_sides_are_bearings(
    places: list[tuple[float, int, str | None]], straight: bool, is_left: bool
) -> None:
    """Along a street that leads east a side is a direction: over vias as well."""
    world, engine = street(LONDON if is_left else HELSINKI)
    points = [house(world, blocks, north) for blocks, north, _ in places]
    bearings = []
    for _, north, approach in places:
        eastward = (north < 0) ^ (approach == "opposite") ^ is_left
        is_free = approach in (None, "unrestricted")
        bearings.append(None if is_free else (90 if eastward else 270, 45))
    approaches = [approach for _, _, approach in places]
    for algorithm in ("hierarchy", "dijkstra"):
        options = {"continue_straight": straight, "algorithm": algorithm}
        by_bearing = engine.route(points, bearings=bearings, **options)  # type: ignore[arg-type]
        by_side = engine.route(points, approaches=approaches, **options)  # type: ignore[arg-type]
        assert by_side.distance_m == by_bearing.distance_m
        assert by_side.duration_s == by_bearing.duration_s
        for one, other in zip(by_side.legs, by_bearing.legs, strict=True):
            assert np.array_equal(one.lon, other.lon)


def test_other_services() -> None:
    """The nearest road, areas and alternatives know the side, too."""
    world, engine = street(HELSINKI)
    north = house(world, 1.5, 5)
    b, c = (ord(letter) for letter in "bc")
    assert engine.nearest(*north)[0].nodes == (b, c)
    assert engine.nearest(*north, approach="opposite")[0].nodes == (b, c)
    assert engine.nearest(*north, approach="curb")[0].nodes == (c, b)
    west, east = (
        engine.isochrone(*north, distances_m=[300.0], lines=True, approach=approach)
        for approach in ("curb", "opposite")
    )
    (west_lines,), (east_lines,) = (area.shapes for area in (west, east))
    assert np.concatenate(west_lines)[:, 0].max() == pytest.approx(north[0], abs=1e-6)
    assert np.concatenate(east_lines)[:, 0].min() == pytest.approx(north[0], abs=1e-6)
    (best,) = engine.alternatives([north, house(world, 2, 5)], 0, approaches=["curb", "curb"])
    assert best.distance_m == pytest.approx(200 + 400 + 1200 + 400, abs=1)
    limits = {"approaches": ["curb"], "destination_approaches": ["opposite"]}
    table = engine.table([north], [house(world, 2, 5)], distances=True, **limits)  # type: ignore[arg-type]
    assert table.distance_m is not None
    assert table.distance_m[0, 0] == pytest.approx(600 + 800, abs=1)


def test_senseless_approaches() -> None:
    """Words that are no side, and lists that are too short."""
    world, engine = street(HELSINKI)
    points = [world.position("a"), world.position("d")]
    with pytest.raises(InvalidInput, match=r"approach 1 is 'left'; there is: unrestricted, curb"):
        engine.route(points, approaches=[None, "left"])
    with pytest.raises(InvalidInput, match=r"elements in approaches size 1 does not match"):
        engine.route(points, approaches=["curb"])
    with pytest.raises(InvalidInput, match=r"limits for destinations, but no destinations"):
        engine.table(points, destination_approaches=["curb", "curb"])


def test_no_way_on_the_side() -> None:
    """Where the only direction that has the side leads nowhere there is no route."""
    world = World(
        "a---b---c",
        "ab highway=x\nbc highway=x oneway=yes",
        relations="restriction=no_u_turn from:ab via:b to:ab",
    )
    engine = engine_of(world, PLAIN)
    (x, lat), (to_x, _) = world.position("b"), world.position("c")
    goal = x + 0.5 * (to_x - x), lat
    start = world.position("a")[0] + 0.75 * (x - world.position("a")[0]), lat + 5 * DEGREES_PER_M
    assert metres(engine.route([start, goal], approaches=["curb", None])) > 600
    with pytest.raises(NoRoute):
        engine.route([goal, start], approaches=[None, "curb"])
