"""What a request wants the roads to be like."""

from typing import Any

import numpy as np
import pytest
import shapely
from engines import engine_of
from world import World, spell_arcs

from gis.arrays import INF
from routing.changes.road_index import RoadIndex
from routing.changes.wishes import Wishes
from routing.engine import Engine
from routing.errors import InvalidInput
from routing.metric import Metric

ROADS = World(
    """
    a---b---c---d
        |   |
        e   f
    """,
    """
    abcd highway=x
    be highway=x oneway=yes
    cf highway=closed
    """,
)
"""Four hundred metres from letter to letter across, two hundred down, at 10 m/s."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_of(ROADS)


def weights_of(engine: Engine, wishes: Wishes) -> dict[str, float | None]:
    """Seconds of the arcs that are changed, None: closed."""
    metric: Metric = engine._vehicles["plain"].weighting.metric
    changes = wishes.changes(RoadIndex(engine._network), metric)
    arcs = spell_arcs(engine._network)
    assert not changes.duration_cs.flags.writeable and (np.diff(changes.arcs.astype(int)) > 0).all()
    return {
        arcs[arc]: None if weight == INF else round(weight / 100, 1)
        for arc, weight in zip(changes.arcs.tolist(), changes.duration_cs.tolist(), strict=True)
    }


def box(letters: str) -> Any:
    """A small ring around the middle between two letters."""
    (x, y), (to_x, to_y) = (ROADS.position(letter) for letter in letters)
    lon, lat = (x + to_x) / 2, (y + to_y) / 2
    return [(lon - 1e-4, lat - 1e-4), (lon + 1e-4, lat - 1e-4), (lon, lat + 1e-4)]


def test_nothing(engine: Engine) -> None:
    """No wishes change nothing."""
    assert weights_of(engine, Wishes()) == {}
    assert weights_of(engine, Wishes({}, {}, [])) == {}


def test_speeds_of_ways(engine: Engine) -> None:
    """Both directions of all roads of a way; closed directions stay closed."""
    way, one_way, closed = (ROADS.way_id(letters) for letters in ("abcd", "be", "cf"))
    assert weights_of(engine, Wishes(way_speeds={way: 72, one_way: 18, closed: 50, 7: 1})) == {
        **dict.fromkeys(("ab", "ba"), 20.0),
        **dict.fromkeys(("bcd", "dcb"), 40.0),
        "be": 40.0,
    }


def test_speeds_between_nodes(engine: Engine) -> None:
    """One piece in one direction; the rest of its road is as it was."""
    speeds = {(ord("b"), ord("a")): 72.0, (ord("c"), ord("d")): 18.0, (ord("e"), ord("b")): 9.0}
    assert weights_of(engine, Wishes(speeds)) == {"ba": 20.0, "bcd": 40.0 + 80.0}
    assert weights_of(engine, Wishes({(ord("d"), ord("c")): 0.0})) == {"dcb": None}
    assert weights_of(engine, Wishes({(ord("a"), ord("c")): 5.0, (1, 2): 3.0})) == {}


def test_areas(engine: Engine) -> None:
    """All roads that meet an area are closed, however it is given."""
    ring = box("ab")
    for area in ([ring], shapely.Polygon(ring), [np.array(ring)]):
        assert weights_of(engine, Wishes(avoid=[area])) == {"ab": None, "ba": None}
    assert weights_of(engine, Wishes(avoid=[[box("be")], [ring], [box("cf")]])) == {
        "ab": None,
        "ba": None,
        "be": None,
    }
    assert weights_of(engine, Wishes(avoid=shapely.Polygon(ring))) == {"ab": None, "ba": None}
    several = np.array([shapely.Polygon(ring), shapely.Polygon(box("be"))])
    assert len(weights_of(engine, Wishes(avoid=several))) == 3
    far = [(0, 0), (1, 0), (0, 1)]
    assert weights_of(engine, Wishes(avoid=[[far]])) == {}


def test_what_counts_first(engine: Engine) -> None:
    """An area before a piece, a piece before its way."""
    way = ROADS.way_id("abcd")
    speeds = {(ord("a"), ord("b")): 36.0, (ord("b"), ord("c")): 72.0, (ord("c"), ord("d")): 72.0}
    found = weights_of(engine, Wishes(speeds, {way: 9}))
    assert found == {"ab": 40.0, "ba": 160.0, "bcd": 40.0, "dcb": 320.0}
    found = weights_of(engine, Wishes(speeds, {way: 9}, [[box("ab")]]))
    assert found == {"ab": None, "ba": None, "bcd": 40.0, "dcb": 320.0}
    assert weights_of(engine, Wishes({(ord("a"), ord("b")): 36.0}, {way: 0}))["ab"] == 40.0


def test_the_rest_of_a_road(engine: Engine) -> None:
    """What of a road has no speed of its own has that of its way."""
    way, piece = ROADS.way_id("abcd"), (ord("b"), ord("c"))
    assert weights_of(engine, Wishes({piece: 72.0}, {way: 9}))["bcd"] == 20.0 + 160.0
    assert weights_of(engine, Wishes({piece: 72.0}, {(way, -1): 9})) == {
        "ba": 160.0,
        "dcb": 320.0,
        "bcd": 20.0 + 40.0,
    }
    assert weights_of(engine, Wishes({piece: 72.0}, {way: 0}))["bcd"] is None


def test_unknown_names(engine: Engine) -> None:
    """What is not here is told by name."""
    way, far = ROADS.way_id("abcd"), [(0, 0), (1, 0), (0, 1)]
    wishes = Wishes({(1, 2): 5, (97, 98): 5, (98, 1): 5}, {7: 1, way: 2, (8, -1): 3}, [[far]])
    wished = wishes.wished(RoadIndex(engine._network), engine._vehicles["plain"].weighting.metric)
    assert (wished.unknown_pieces, wished.unknown_ways) == ([(1, 2), (98, 1)], [7, (8, -1)])
    assert wished.n_nowhere == 1


@pytest.mark.parametrize(
    "wishes",
    [
        Wishes(way_speeds={1: -1}),
        Wishes(way_speeds={1: float("nan")}),
        Wishes(way_speeds={1: float("inf")}),
        Wishes(way_speeds={1.5: 1}),  # type: ignore[dict-item]
        Wishes(way_speeds={"a": 1}),  # type: ignore[dict-item]
        Wishes(way_speeds={1: "fast"}),  # type: ignore[dict-item]
        Wishes({(1, 2): -0.5}),
        Wishes({(1.5, 2): 1}),  # type: ignore[dict-item]
        Wishes({(1, 2): None}),  # type: ignore[dict-item]
        Wishes(avoid=[[]]),
        Wishes(avoid=[5]),
        Wishes(avoid=[[[(0, 0), (1, 1)]]]),
        Wishes(avoid=[[[(0, 0), (1, 1), (1, float("nan"))]]]),
        Wishes(avoid=[shapely.Polygon()]),
        Wishes(avoid=[shapely.box(170, 0, 190, 1)]),
    ],
)
def test_senseless_wishes(engine: Engine, wishes: Wishes) -> None:
    """What makes no sense is told in one line."""
    with pytest.raises(InvalidInput) as caught:
        weights_of(engine, wishes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("speeds", [{(1, 2, 3): 5.0}, {5: 5.0}, {(1, 2): 5.0, (3,): 5.0}])
def test_senseless_names_of_pieces(engine: Engine, speeds: Any) -> None:
    """A piece is named by two nodes."""
    with pytest.raises(InvalidInput):
        weights_of(engine, Wishes(speeds))
