"""What a turn costs: its angle from the shape of the roads, and the delay of the node."""

import numpy as np

from gis.arrays import F32, I32, U16, U32, Bool, freeze
from gis.geodesy import bearing_deg
from gis.jit import kernel
from gis.network.road_network import RoadNetwork, arc_ends
from gis.profiles.verdicts import Verdicts

STRAIGHT_BACK_DEG = 180


def arc_bearings(network: RoadNetwork) -> tuple[F32, F32]:
    """Directions at the tail and at the head of every arc, float32 (A,) each.

    Degrees clockwise from north in the direction of travel, along the first and the last piece
    of the shape that has a length; NaN where the whole edge has none.
    """
    edge_leaving = np.empty(network.n_edges, np.float32)
    edge_arriving = np.empty(network.n_edges, np.float32)
    _measure_bearings(
        network.first_point, network.point_lon, network.point_lat, edge_leaving, edge_arriving
    )
    leaving = np.empty(network.n_arcs, np.float32)
    arriving = np.empty(network.n_arcs, np.float32)
    leaving[0::2] = edge_leaving
    leaving[1::2] = edge_arriving + STRAIGHT_BACK_DEG
    arriving[0::2] = edge_arriving
    arriving[1::2] = edge_leaving + STRAIGHT_BACK_DEG
    return leaving, arriving


def turn_angles_deg(network: RoadNetwork, from_arc: U32, to_arc: U32) -> I32:
    """Angles of turns between arcs (T,): int32 (T,), -180..180, 0 straight on, positive right.

    180 for a u-turn, 0 where a road without length has no direction.
    """
    leaving, arriving = arc_bearings(network)
    change = leaving[to_arc] - arriving[from_arc]
    straight_back = np.float32(STRAIGHT_BACK_DEG)
    angle = np.nan_to_num((change + straight_back) % (2 * straight_back) - straight_back)
    angle[is_u_turn(from_arc, to_arc)] = STRAIGHT_BACK_DEG
    rounded: I32 = np.rint(angle).astype(np.int32)
    return rounded


def turn_costs_cs(
    network: RoadNetwork, verdicts: Verdicts, open_arc: Bool, from_arc: U32, to_arc: U32
) -> U16:
    """Costs of turns between arcs (T,): uint16 (T,) hundredths of a second.

    The profile's turn table by angle, and the delay of the node for those who arrive at it in
    the way's direction (even arcs) or against it (odd arcs). A node is a junction if more than
    two open edges meet there; a loop counts twice.
    """
    _, head = arc_ends(network)
    node = head[from_arc]
    open_edge = open_arc[0::2] | open_arc[1::2]
    n_open_ends = np.bincount(head[np.repeat(open_edge, 2)], minlength=network.n_nodes)
    junction = (n_open_ends > 2)[node].astype(np.intp)
    u_turn = is_u_turn(from_arc, to_arc).astype(np.intp)
    angle = turn_angles_deg(network, from_arc, to_arc) + STRAIGHT_BACK_DEG
    delay_s = np.stack([verdicts.node_forward_s, verdicts.node_backward_s])
    left_hand = network.edge_left_hand[from_arc >> np.uint32(1)].astype(np.intp)
    cost = _centiseconds(verdicts.turn_s)[left_hand, junction, u_turn, angle]
    cost += _centiseconds(delay_s)[from_arc & 1, network.node_tagset[node]]
    return freeze(cost)


def is_u_turn(from_arc: U32, to_arc: U32) -> Bool:
    """Which turns (T,) go back along the same edge."""
    back: Bool = to_arc == from_arc ^ np.uint32(1)
    return back


def _centiseconds(seconds: F32) -> U16:
    """Seconds to hundredths; a turn's and a node's are limited so that their sum fits, too."""
    hundredths: U16 = np.rint(seconds * 100).astype(np.uint16)
    return hundredths


@kernel
def _measure_bearings(first_point: U32, lon: I32, lat: I32, leaving: F32, arriving: F32) -> None:
    """Fill the bearings (E,) of the first and last piece with a length of each edge."""
    for edge in range(len(leaving)):
        start = np.int64(first_point[edge])
        last = np.int64(first_point[edge + 1]) - 1
        i = start
        while i < last and lon[i] == lon[i + 1] and lat[i] == lat[i + 1]:
            i += 1
        if i == last:
            leaving[edge] = arriving[edge] = np.nan
            continue
        leaving[edge] = bearing_deg(lon[i], lat[i], lon[i + 1], lat[i + 1])
        i = last
        while lon[i] == lon[i - 1] and lat[i] == lat[i - 1]:
            i -= 1
        arriving[edge] = bearing_deg(lon[i - 1], lat[i - 1], lon[i], lat[i])
