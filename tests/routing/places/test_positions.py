"""Positions of many points against those that the points of a route get one by one."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from hypothesis import given
from hypothesis import strategies as st
from world import PLAIN, World

from gis.profiles.rules import Tags, Warn, WayRule
from gis.snap_search import ANY_BEARING, ANY_SIDE, CURB_SIDE, OTHER_SIDE
from routing.errors import NoSegment
from routing.inputs import point_queries
from routing.places.candidates import Candidates
from routing.places.nearest import PointQuery
from routing.places.positions import (
    Positions,
    locate,
    locate_from,
    new_positions,
    new_scratch,
    query_records,
)
from routing.weighting import Weighting


def _with_motorways(tags: Tags, warn: Warn) -> WayRule | None:
    rule = PLAIN.way(tags, warn)
    return rule and replace(rule, startpoint=tags["highway"] != "motorway")


@cache
def weighting_of(seed: int) -> tuple[World, Weighting]:
    """Streets of which some are one-way, closed or motorways, stubs, and two islands."""
    rng = np.random.default_rng(seed)
    tags = ["", "", "", "", "oneway=yes", "oneway=-1"]
    kinds = ["x", "x", "x", "x", "motorway", "closed"]
    roads = [
        f"{a}{b}" for row in ("abc", "def", "ghi", "adg", "beh", "cfi") for a, b in pairwise(row)
    ]
    ways = [f"{road} highway={rng.choice(kinds)} {rng.choice(tags)}" for road in roads]
    ways += ["st highway=x", "tu highway=motorway", "fv highway=x oneway=yes", "xy highway=x"]
    world = World(
        """
        a---b---c   s-t
        |   |   |     |
        d---e---f---v u
        |   |   |
        g---h---i   x-y
        """,
        "\n".join(ways),
    )
    engine = engine_of(world, replace(PLAIN, way=_with_motorways))
    return world, engine._vehicles["plain"].weighting


def versions_of(weighting: Weighting, query: PointQuery, anywhere: bool) -> list[list[Candidates]]:
    try:
        return weighting.candidates.choose([query], anywhere)
    except NoSegment:
        return []


def check_point(
    weighting: Weighting, positions: Positions, row: int, query: PointQuery, anywhere: bool
) -> int:
    """A point has the positions that it has for a route, in the same order; in how many versions.

    Compared as bits: nothing is computed in another way.
    """
    first, middle, stop = (int(column[row]) for column in positions[:3])
    found = [
        list(zip(positions.arc[a:b].tolist(), positions.fraction[a:b].tolist(), strict=True))
        for a, b in ((first, middle), (middle, stop))
        if a < b
    ]
    wanted = [
        [tuple(position) for position in candidates.positions]
        for (candidates,) in versions_of(weighting, query, anywhere)
    ]
    assert found == wanted
    assert len({arc for version in found for arc, _ in version}) or not found
    return len(found)


def records_of(queries: list[PointQuery]) -> Any:
    lon, lat = (np.array([round(query[axis] * 1e7) for query in queries], int) for axis in (0, 1))
    radius_m = np.array([query.radius_m for query in queries])
    bearing = np.array([query.bearing or ANY_BEARING for query in queries]).reshape(-1, 2)
    side = np.array([query.side for query in queries], int)
    return query_records(lon, lat, radius_m, bearing, side)


LETTERS = st.sampled_from("abcdefghistuvxy")
POINTS = st.tuples(LETTERS, LETTERS, st.sampled_from([0.0, 0.0, 0.3, 0.5]))
QUERIES = st.tuples(
    POINTS,
    st.sampled_from([float("inf"), 0.0, 20.0, 150.0]),
    st.sampled_from([None, None, (0, 20), (90, 90), (270, 45), (200, 179)]),
    st.sampled_from([ANY_SIDE, ANY_SIDE, CURB_SIDE, OTHER_SIDE]),
)


def query_of(world: World, question: Any) -> PointQuery:
    """A node, or a place between two nodes, on a road or not."""
    (a, b, part), radius_m, bearing, side = question
    (x, y), (to_x, to_y) = world.position(a), world.position(b)
    return PointQuery(x + part * (to_x - x), y + part * (to_y - y), radius_m, bearing, side)


@given(st.integers(0, 9), st.lists(QUERIES, max_size=8), st.booleans())
def test_positions_are_those_of_routes(seed: int, questions: list[Any], anywhere: bool) -> None:
    """Nearest and joined positions, with radiuses and bearings, of any number of points."""
    world, weighting = weighting_of(seed)
    queries = [query_of(world, question) for question in questions]
    positions = locate(weighting.ground, records_of(queries), anywhere, len(queries))
    assert len(positions.first) == len(queries) and len(positions.snap) == 0
    for row, query in enumerate(queries):
        check_point(weighting, positions, row, query, anywhere)


def test_all_kinds_of_points() -> None:
    """Among the points above are such with no position, with one version and with two."""
    kinds = set()
    for seed in range(3):
        world, weighting = weighting_of(seed)
        for anywhere in (False, True):
            queries = [
                query_of(world, ((a, b, 0.5), radius_m, None, ANY_SIDE))
                for a, b in ("ab", "ef", "st", "tu", "fv", "xy")
                for radius_m in (0.1, 90.0, float("inf"))
            ]
            positions = locate(weighting.ground, records_of(queries), anywhere, len(queries))
            for row, query in enumerate(queries):
                kinds.add(check_point(weighting, positions, row, query, anywhere))
    assert kinds == {0, 1, 2}


def test_drawn_positions() -> None:
    """On an island: its road in both directions, and the nearest road of the mainland."""
    world = World("c-a-----b   x-y", "ca highway=x\nab highway=x\nxy highway=x")
    weighting = engine_of(world)._vehicles["plain"].weighting
    (x, lat), (y, _) = world.position("x"), world.position("y")
    query = PointQuery(x + 0.25 * (y - x), lat)
    positions = locate(weighting.ground, records_of([query]), False, 1)
    assert [column.tolist() for column in positions[:3]] == [[0], [2], [4]]
    lengths = weighting.metric.length_cm[positions.arc].tolist()
    assert lengths == pytest.approx([20_000, 20_000, 60_000, 60_000], abs=10)
    assert positions.fraction.tolist() == pytest.approx([0.25, 0.75, 1, 0], abs=1e-3)


def test_any_bearing_with_a_name() -> None:
    """A range of 180 degrees is any bearing, however it is written."""
    for seed in range(10):
        world, weighting = weighting_of(seed)
        for a, b in ("fv", "st", "ab", "tu", "xy"):
            for part in (0.0, 0.5):
                lon, lat, *_ = query_of(world, ((a, b, part), float("inf"), None, ANY_SIDE))
                (query,) = point_queries([(lon, lat)], None, [(200, 180)])
                records = records_of([query])
                records["bearing_deg"], records["range_deg"] = 200, 180
                positions = locate(weighting.ground, records, False, 1)
                check_point(weighting, positions, 0, query, False)
                assert positions.stop[0] > 0


STAR = World(
    """
    a b c
    d e f
    g h i
    """,
    "\n".join(f"e{letter} highway=x" for letter in "abcdfghi"),
)


def test_more_positions_than_there_was_room_for() -> None:
    """At a junction of eight roads each point has sixteen positions; room is made for them."""
    weighting = engine_of(STAR)._vehicles["plain"].weighting
    for n in (1, 3, 4, 30, 200):
        queries = [PointQuery(*STAR.position("e"))] * n
        positions = locate(weighting.ground, records_of(queries), False, n)
        assert (np.diff(positions.first) == 16).all() and positions.stop[-1] == 16 * n
        assert len(positions.arc) == len(positions.fraction) == 16 * n
        for row in {0, n // 2, n - 1}:
            check_point(weighting, positions, row, queries[row], False)


def test_no_points() -> None:
    """No points have no positions."""
    weighting = engine_of(STAR)._vehicles["plain"].weighting
    positions = locate(weighting.ground, records_of([]), False, 0)
    assert [len(column) for column in positions] == [0] * 6


def test_rows_in_any_order() -> None:
    """Records may come in any order, and points that none of them names have no positions."""
    world, weighting = weighting_of(1)
    queries = [PointQuery(*world.position(letter)) for letter in "abcdefghi"]
    records = records_of(queries)
    chosen = np.random.default_rng(1).permutation(9)[:6]
    positions = locate(weighting.ground, records[chosen], False, 9)
    for row, query in enumerate(queries):
        if row in chosen:
            assert check_point(weighting, positions, row, query, False) > 0
        else:
            assert positions.first[row] == positions.middle[row] == positions.stop[row]


def test_positions_with_their_places() -> None:
    """Where they are wanted, the places on the roads lie beside their positions."""
    world, weighting = weighting_of(2)
    queries = [PointQuery(*world.position(letter)) for letter in "exu"]
    positions = new_positions(3, 192, with_snaps=True)
    scratch = new_scratch(weighting.ground.roads)
    ground = weighting.ground
    done, end = locate_from(0, 0, ground, records_of(queries), False, scratch, positions)
    assert done == 3 and end == positions.stop[-1] > 3
    for row, query in enumerate(queries):
        assert check_point(weighting, positions, row, query, False)
        wanted = [
            next(snap for snap in candidates.snaps if snap.edge == position.arc >> 1)
            for (candidates,) in versions_of(weighting, query, False)
            for position in candidates.positions
        ]
        found = positions.snap[positions.first[row] : positions.stop[row]].tolist()
        assert [record[:6] for record in found] == [tuple(snap)[:6] for snap in wanted]


def test_one_after_the_other() -> None:
    """Without room for the next point it waits; the points before are done."""
    weighting = engine_of(STAR)._vehicles["plain"].weighting
    queries = records_of([PointQuery(*STAR.position("e"))] * 5)
    positions = new_positions(5, 64)
    scratch = new_scratch(weighting.ground.roads)
    done, end = locate_from(0, 0, weighting.ground, queries, False, scratch, positions)
    assert 0 < done < 5 and end == 16 * done == positions.stop[done - 1]
