"""check_network notices every kind of damage."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from world import World

from gis.arrays import AnyArray, freeze
from gis.network.road_network import RoadNetwork, check_network


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    """A small network with a bit of everything."""
    return World(
        """
        a - b - c
        |   |   |
        f   d - e
        """,
        """
        abc highway=x name=First
        bdec highway=y oneway=yes
        bfa highway=x
        """,
        nodes="d delay=2",
        relations="restriction=no_turn from:bfa via:b to:bdec",
    ).network()[0]


def damaged(array: AnyArray, index: int, value: int) -> AnyArray:
    """A copy with one entry changed."""
    copy = array.copy()
    copy[index] = value
    return freeze(copy)


def test_a_sound_network_passes(network: RoadNetwork) -> None:
    """The network that the other tests damage is sound."""
    check_network(network)
    assert len(network.restrictions.tagset) == 1


DAMAGE: dict[str, tuple[str, Callable[[AnyArray], AnyArray]]] = {
    "writable": ("edge_tail", np.copy),
    "wrong type": ("edge_tail", lambda x: freeze(x.astype(np.int64))),
    "too short": ("edge_label", lambda x: freeze(x[:-1])),
    "ids not ascending": ("node_id", lambda x: freeze(x[::-1])),
    "latitude off the globe": ("node_lat", lambda x: damaged(x, 0, 900_000_001)),
    "undefined coordinate": ("point_lon", lambda x: damaged(x, 1, 2**31 - 1)),
    "shape not at its node": ("point_lat", lambda x: damaged(x, 0, 0)),
    "point of another node": ("point_id", lambda x: damaged(x, 0, ord("c"))),
    "tail out of range": ("edge_tail", lambda x: damaged(x, 0, 99)),
    "tag set out of range": ("edge_tagset", lambda x: damaged(x, 0, 99)),
    "node tags out of range": ("node_tagset", lambda x: damaged(x, 0, 99)),
    "label out of range": ("edge_label", lambda x: damaged(x, 0, 99)),
    "negative length": ("edge_length_m", lambda x: damaged(x, 0, -1)),
    "share beyond the way": ("edge_share", lambda x: damaged(x, 0, 1)),
    "point on two edges": ("point_id", lambda x: damaged(x, 10, x[7])),
    "edge of one point": ("first_point", lambda x: damaged(x, 1, 1)),
    "points left over": ("first_point", lambda x: damaged(x, -1, x[-1] - 1)),
    "arc at another node": ("out_arc", lambda x: freeze(x[::-1])),
    "arc left out": ("out_arc", lambda x: damaged(x, 0, x[1])),
    "node without arcs": ("first_out", lambda x: damaged(x, 1, 0)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_noticed(network: RoadNetwork, name: str) -> None:
    """A single wrong entry or a wrong type fails the check."""
    field, spoil = DAMAGE[name]
    with pytest.raises(AssertionError):
        check_network(replace(network, **{field: spoil(getattr(network, field))}))


RESTRICTION_DAMAGE: dict[str, tuple[str, Callable[[AnyArray], AnyArray]]] = {
    "path of one arc": ("first_arc", lambda x: freeze(np.array([0, 1, 2], np.uint32))),
    "arcs that do not meet": ("arc", lambda x: freeze(x[::-1])),
    "arc out of range": ("arc", lambda x: damaged(x, 0, 99)),
    "tag set out of range": ("tagset", lambda x: damaged(x, 0, 99)),
    "too many relations": ("relation_id", lambda x: freeze(np.repeat(x, 2))),
}


@pytest.mark.parametrize("name", RESTRICTION_DAMAGE)
def test_damaged_restrictions_are_noticed(network: RoadNetwork, name: str) -> None:
    """So does damage to the restrictions."""
    field, spoil = RESTRICTION_DAMAGE[name]
    restrictions = network.restrictions
    spoilt = replace(restrictions, **{field: spoil(getattr(restrictions, field))})
    with pytest.raises(AssertionError):
        check_network(replace(network, restrictions=spoilt))
