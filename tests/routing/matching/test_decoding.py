"""Matchings against the model in plain Python, on drawn towns and traces by chance."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from hidden_markov import NaiveModel
from hypothesis import given, settings
from hypothesis import strategies as st
from world import World

from gis.geodesy import distance_m, to_units
from routing.engine import Engine
from routing.matching.trace import make_trace
from routing.places.nearest import PointQuery

GRID = World(
    """
    a--b--c--d
    |  |  |  |
    e--f--g--h
    |  |  |  |
    i--j--k--l
    """,
    """
    abcd  highway=residential name=North
    efgh  highway=primary name=Middle
    ijkl  highway=residential oneway=yes
    aei   highway=residential
    bfj   highway=residential oneway=yes
    cgk   highway=residential
    dhl   highway=residential
    """,
    relations="restriction=no_left_turn from:efgh via:g to:cgk",
    metres=30,
)
LOOSE = World(
    """
    a---b---c   m
    x---y---z   |
        |       n
    d---e---f
    """,
    """
    abc  highway=residential oneway=yes
    zyx  highway=residential oneway=yes
    ye   highway=residential
    def  highway=residential
    az   highway=residential
    mn   highway=residential
    """,
    metres=12,
)
TOWNS = {"grid": GRID, "loose": LOOSE}


@cache
def engine(name: str) -> Engine:
    return engine_of(TOWNS[name])


@st.composite
def traces(draw: st.DrawFn) -> tuple[str, float, list[tuple[float, float]]]:
    """A walk through a town that knows nothing of its roads but where they are, with noise."""
    name = draw(st.sampled_from(sorted(TOWNS)))
    world = TOWNS[name]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sigma_m = float(rng.choice([3, 8, 20]))
    letters = rng.choice(sorted(world.places), draw(st.integers(1, 4)))
    corners = np.array([world.position(letter) for letter in letters])
    n = draw(st.integers(2, 9))
    at = np.sort(rng.random(n)) * (len(corners) - 1)
    line = [np.interp(at, np.arange(len(corners)), axis) for axis in corners.T]
    noise = rng.normal(0, sigma_m, (2, n)) / 111_000
    lon, lat = line[0] + 2 * noise[0], line[1] + noise[1]
    return name, sigma_m, list(zip(lon.tolist(), lat.tolist(), strict=True))


@given(drawn=traces(), timed=st.booleans())
@settings(max_examples=120, deadline=None)
def test_as_likely_as_by_brute_force(
    drawn: tuple[str, float, list[tuple[float, float]]], timed: bool
) -> None:
    """The same points are matched, and by ways that are as likely as any."""
    name, sigma_m, points = drawn
    times_s = list(range(0, 2 * len(points), 2)) if timed else None
    queries = [PointQuery(lon, lat, sigma_m) for lon, lat in points]
    trace = make_trace(queries, times_s)
    vehicle, weighting = engine(name)._vehicle(None)
    found = vehicle.matcher.match(weighting, trace, queries, anywhere=False, cut=False)
    units: Any = to_units(np.array(points)).tolist()
    model = NaiveModel(engine(name), units, sigma_m, trace.may_turn.tolist(), times_s)
    expected = model.match()
    if found is None:
        assert not any(model.states)
        return
    assert [tuple(piece.points) for piece in found] == [points for points, _ in expected]
    for piece, (_, value) in zip(found, expected, strict=True):
        assert _likelihood(model, piece) == pytest.approx(value, abs=1e-3)


def _likelihood(model: NaiveModel, piece: Any) -> float:
    """How likely the ways are that were found, by the plain model."""
    total = 0.0
    for i, point in enumerate(piece.points):
        reached = piece.reached.at(i)
        state = next(s for s in model.states[point] if s.arc == reached.arc)
        arc_m = int(model.weighting.metric.length_cm[state.arc]) / 100
        off_m = abs(state.fraction - reached.fraction) * arc_m
        total += model.fit(state, off_m)
        if i + 1 < len(piece.points):
            left, goal = piece.left.at(i), piece.reached.at(i + 1)
            length_m = int(piece.measures.length_cm[i]) / 100
            if left.arc != reached.arc:
                assert left == (reached.arc ^ 1, pytest.approx(1 - reached.fraction))
                assert model.may_turn[point]
                total -= 8
            if left.arc == goal.arc and left.fraction <= goal.fraction:
                way_m = (goal.fraction - left.fraction) * arc_m
            else:
                shortest = model.way_m(left.arc, left.fraction, goal.arc, goal.fraction)
                assert shortest is not None
                way_m = shortest
            assert length_m == pytest.approx(way_m, abs=0.02)
            a, b = model.points[point], model.points[piece.points[i + 1]]
            straight_m = math.sqrt(max(distance_m(*a, *b) ** 2 - 4 * model.sigma_m**2, 0))
            total -= abs(length_m - straight_m) / 10
    return total
