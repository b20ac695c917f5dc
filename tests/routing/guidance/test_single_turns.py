"""Turns seen by themselves, against what routes over them are told."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import engine_of
from world import World, spell_arcs

from gis.profiles.registry import get_profile
from routing.build import build_dataset
from routing.engine import Engine
from routing.guidance.guide import Guide
from routing.guidance.single_turns import SingleTurn

ROADS = World(
    """
      e
      |
    a-b-c-d
        |
        f
    """,
    """
    abc highway=primary name=Main
    cd highway=primary name=Main
    eb highway=primary name=Side
    cf highway=residential name=Other
    """,
)


def guide_of(engine: Engine) -> Guide:
    return engine._maker.guide(*engine._vehicle(None))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_of(ROADS, get_profile("car"))


def turns(engine: Engine, *pairs: tuple[str, str]) -> list[SingleTurn]:
    arcs = {spelling: arc for arc, spelling in enumerate(spell_arcs(engine._network))}
    rows = [[arcs[before], arcs[after]] for before, after in pairs]
    return guide_of(engine).single_turns(np.array(rows, np.int64).reshape(-1, 2))


def test_nothing(engine: Engine) -> None:
    """No turns are no trouble."""
    assert turns(engine) == []


def test_each_by_itself(engine: Engine) -> None:
    """Where one turns, where one goes on, and where one could not."""
    pairs = ("ab", "bc"), ("eb", "bc"), ("bc", "cf"), ("fc", "cb"), ("bc", "cd")
    straight, left, right, end, on = turns(engine, *pairs)
    assert straight == ("(suppressed)", "straight", 90, 0)
    assert (left.type, left.modifier, left.bearing_in, left.angle_deg) == (
        "end of road",
        "left",
        180,
        -90,
    )
    assert (right.type, right.modifier, right.bearing_in, right.angle_deg) == (
        "turn",
        "right",
        90,
        90,
    )
    assert (end.modifier, end.bearing_in, end.angle_deg) == ("left", 0, -90)
    assert on == straight


def test_order_does_not_matter(engine: Engine) -> None:
    """What a turn is does not depend on those that were asked for before it."""
    pairs: list[Any] = [("ab", "bc"), ("eb", "bc"), ("bc", "cf"), ("fc", "cd")]
    together = turns(engine, *pairs)
    assert turns(engine, *pairs[::-1]) == together[::-1]
    assert [turns(engine, pair)[0] for pair in pairs] == together


def test_where_no_roads_meet() -> None:
    """A road that goes on in another piece is no turn."""
    world = World(
        "a-b-c", "ab highway=primary\nbc highway=primary", nodes="b highway=traffic_signals"
    )
    there = engine_of(world, get_profile("car"))
    assert there._network.n_edges == 2
    assert turns(there, ("ab", "bc")) == [("(noturn)", "straight", 90, 0)]


@pytest.mark.compiled
def test_every_turn_of_the_sample(sample: Path, tmp_path: Path) -> None:
    """All have a type, a modifier that fits, and angles within bounds."""
    build_dataset(sample, tmp_path / "sample.whimbrel")
    engine = Engine.open(tmp_path / "sample.whimbrel")
    graph = engine._vehicles["car"].weighting.graph
    n_arcs = engine._network.n_arcs
    before = np.repeat(np.arange(n_arcs), np.diff(graph.first_turn[: n_arcs + 1]))
    after = graph.vertex_arc[graph.turn_head[: len(before)]].astype(np.int64)
    found = guide_of(engine).single_turns(np.column_stack([before, after]))
    assert len(found) == len(before) > 1000
    for turn in found:
        assert turn.type and turn.modifier
        assert 0 <= turn.bearing_in < 360 and -180 <= turn.angle_deg <= 180
        if turn.type == "turn" and abs(turn.angle_deg) > 30:
            assert ("left" in turn.modifier or turn.modifier == "uturn") == (
                turn.angle_deg < 0
            ) or (abs(turn.angle_deg) > 170)
