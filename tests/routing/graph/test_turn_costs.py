"""Angles and costs of turns against plain trigonometry and the profile's table."""

import math
from itertools import pairwise

import numpy as np
import pytest
from graphs import World, worlds
from hypothesis import given
from world import World as DrawnWorld
from world import spell_arcs

from gis.arrays import freeze
from gis.network.road_network import RoadNetwork
from routing.graph.turn_costs import arc_bearings, turn_angles_deg, turn_costs_cs
from routing.metric import duration_metric


def shape_of(network: RoadNetwork, arc: int) -> list[tuple[int, int]]:
    """Distinct points along an arc."""
    points = slice(int(network.first_point[arc >> 1]), int(network.first_point[(arc >> 1) + 1]))
    shape = list(
        zip(network.point_lon[points].tolist(), network.point_lat[points].tolist(), strict=True)
    )
    distinct = [shape[0]] + [b for a, b in pairwise(shape) if a != b]
    return distinct[::-1] if arc & 1 else distinct


def bearing(a: tuple[int, int], b: tuple[int, int]) -> float:
    """Near the equator a degree is about as long in either direction: a plane will do."""
    return math.degrees(math.atan2(b[0] - a[0], b[1] - a[1]))


def all_pairs(network: RoadNetwork) -> tuple[np.ndarray, np.ndarray]:
    """Every arc with every arc that leaves its head."""
    tails = np.column_stack([network.edge_tail, network.edge_head]).ravel()
    heads = np.column_stack([network.edge_head, network.edge_tail]).ravel()
    a, b = np.nonzero(heads[:, None] == tails[None, :])
    return freeze(a.astype(np.uint32)), freeze(b.astype(np.uint32))


@given(worlds())
def test_angles(world: World) -> None:
    """The angle is that between the last piece of one shape and the first of the next."""
    network = world.network
    from_arc, to_arc = all_pairs(network)
    angles = turn_angles_deg(network, from_arc, to_arc).tolist()
    for a, b, angle in zip(from_arc.tolist(), to_arc.tolist(), angles, strict=True):
        before, after = shape_of(network, a), shape_of(network, b)
        assert -180 <= angle <= 180
        if b == a ^ 1:
            assert angle == 180
        elif len(before) == 1 or len(after) == 1:
            assert angle == 0
        else:
            expected = bearing(after[0], after[1]) - bearing(before[-2], before[-1])
            # A degree of latitude is 0.7 % shorter than one of longitude there.
            assert abs((angle - expected + 180) % 360 - 180) < 0.8


@given(worlds())
def test_costs(world: World) -> None:
    """A turn costs what the table says for its angle, and the delay of its node by direction."""
    network, verdicts = world
    open_arc = duration_metric(*world).open_arc
    from_arc, to_arc = all_pairs(network)
    costs = turn_costs_cs(network, verdicts, open_arc, from_arc, to_arc)
    angles = turn_angles_deg(network, from_arc, to_arc)
    ends = np.column_stack([network.edge_tail, network.edge_head])
    for a, b, angle, cost in zip(
        from_arc.tolist(), to_arc.tolist(), angles.tolist(), costs.tolist(), strict=True
    ):
        node = int(ends[a >> 1, 1 - (a & 1)])
        roads = [edge for edge in range(network.n_edges) if open_arc[2 * edge : 2 * edge + 2].any()]
        junction = int(sum((ends[edge] == node).sum() for edge in roads) > 2)
        left_hand = int(network.edge_left_hand[a >> 1])
        table_s = float(verdicts.turn_s[left_hand, junction, int(b == a ^ 1), angle + 180])
        delays = verdicts.node_backward_s if a & 1 else verdicts.node_forward_s
        delay_s = float(delays[network.node_tagset[node]])
        assert cost == round(100 * table_s) + round(100 * delay_s)


def test_left_and_right() -> None:
    """Right is positive, and the nearest bend of a road counts, not where it leads."""
    world = DrawnWorld(
        """
          c d
          |
        a-b-e
          |
          f-g
        """,
        """
        ab highway=primary
        be highway=primary
        bcd highway=primary
        bfg highway=primary
        """,
    )
    network, _ = world.network()
    arcs = spell_arcs(network)
    turns = {"ab": {"be": 0, "bcd": -90, "bfg": 90, "ba": 180}, "dcb": {"ba": 90, "bfg": 0}}
    for before, nexts in turns.items():
        for after, angle in nexts.items():
            pair = [np.array([arcs.index(arc)], np.uint32) for arc in (before, after)]
            assert turn_angles_deg(network, *pair).tolist() == [angle]


def test_the_antimeridian_is_no_border() -> None:
    """Bearings across 180 degrees east are those of the short way."""
    world = DrawnWorld("a-b", "ab highway=primary", origin=(179.995, 0.0))
    world.places["b"] = (-1_799_950_000, 0)
    network, _ = world.network()
    leaving, arriving = arc_bearings(network)
    assert leaving[0] == pytest.approx(90, abs=0.1)
    assert arriving[0] == pytest.approx(90, abs=0.1)
