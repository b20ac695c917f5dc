"""The finished road network: nodes, edges with their shape, labels and restrictions."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import F32, I32, I64, U8, U32, AnyArray, Bool, freeze
from gis.network.road_class import RoadClass
from gis.osm.tagsets import TagSets


@dataclass(frozen=True)
class Restrictions:
    """Turn restrictions as paths of arcs, for all vehicles. R restrictions, L arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | first_arc | uint32 (R + 1,) | offsets into ``arc``; each path has two arcs or more |
    | arc | uint32 (L,) | consecutive arcs: from, via ..., to |
    | tagset | uint32 (R,) | the relation's set in ``tags`` |
    | relation_id | int64 (R,) | OpenStreetMap id; one relation may give several paths |

    Whether a path is forbidden or the only one allowed, and for whom, a profile decides.
    """

    first_arc: U32
    arc: U32
    tagset: U32
    relation_id: I64
    tags: TagSets


@dataclass(frozen=True)
class RoadNetwork:
    """Roads cut into edges at junctions. N nodes, E edges, A = 2 E arcs, P points.

    Arc ``2 * edge`` runs from ``edge_tail`` to ``edge_head`` in the way's direction, arc
    ``2 * edge + 1`` back; the reverse of an arc is ``arc ^ 1``. Edges stand in the order of the
    ways in the file, and along them. They meet at nodes only: a point within a shape belongs to
    no other edge. Every node has an arc; edges may be parallel.

    | array | dtype, shape | content |
    |---|---|---|
    | node_id | int64 (N,) | OpenStreetMap id, strictly ascending |
    | node_lon, node_lat | int32 (N,) | 1e-7 degree, always defined |
    | node_tagset | uint32 (N,) | set in ``node_tags`` (0: none) |
    | edge_tail, edge_head | uint32 (E,) | nodes; equal for a loop |
    | edge_way | int64 (E,) | OpenStreetMap id of the way |
    | edge_tagset | uint32 (E,) | set in ``way_tags`` |
    | edge_label | uint32 (E,) | set in ``labels`` |
    | edge_length_m | float32 (E,) | metres along the shape |
    | edge_share | float32 (E,) | the edge's part of the length of its way's edges, 0..1 |
    | edge_left_hand | bool (E,) | whether one drives on the left there |
    | way_class | uint8 (S,) | ``RoadClass`` of each set in ``way_tags`` |
    | first_point | uint32 (E + 1,) | offsets into the points; two or more each |
    | point_lon, point_lat | int32 (P,) | the shape from tail to head, both ends included |
    | point_id | int64 (P,) | OpenStreetMap ids of the points |
    | first_out | uint32 (N + 1,) | offsets into ``out_arc`` |
    | out_arc | uint32 (A,) | arcs that leave a node, ascending within it |
    """

    node_id: I64
    node_lon: I32
    node_lat: I32
    node_tagset: U32
    edge_tail: U32
    edge_head: U32
    edge_way: I64
    edge_tagset: U32
    edge_label: U32
    edge_length_m: F32
    edge_share: F32
    edge_left_hand: Bool
    way_class: U8
    first_point: U32
    point_lon: I32
    point_lat: I32
    point_id: I64
    first_out: U32
    out_arc: U32
    way_tags: TagSets
    node_tags: TagSets
    labels: TagSets
    restrictions: Restrictions

    @property
    def n_nodes(self) -> int:
        return len(self.node_id)

    @property
    def n_edges(self) -> int:
        return len(self.edge_tail)

    @property
    def n_arcs(self) -> int:
        return 2 * len(self.edge_tail)


def arc_ends(network: RoadNetwork) -> tuple[U32, U32]:
    """Tail and head node of every arc, uint32 (A,) each."""
    tail = np.empty(network.n_arcs, np.uint32)
    head = np.empty(network.n_arcs, np.uint32)
    tail[0::2] = head[1::2] = network.edge_tail
    head[0::2] = tail[1::2] = network.edge_head
    return tail, head


def by_arc(network: RoadNetwork, forward: AnyArray, backward: AnyArray) -> AnyArray:
    """What is known of ways in both directions (S,), for every arc: (A,) of the same type."""
    values = np.empty(network.n_arcs, forward.dtype)
    values[0::2] = forward[network.edge_tagset]
    values[1::2] = backward[network.edge_tagset]
    return freeze(values)


def no_restrictions(tags: TagSets) -> Restrictions:
    """Free turns everywhere."""
    nothing = freeze(np.empty(0, np.uint32))
    return Restrictions(
        freeze(np.zeros(1, np.uint32)), nothing, nothing, freeze(np.empty(0, np.int64)), tags
    )


def check_network(network: RoadNetwork) -> None:
    """Assert every documented invariant."""
    for holder in (network, network.restrictions):
        for name, array in vars(holder).items():
            if isinstance(array, np.ndarray):
                assert not array.flags.writeable and array.flags.c_contiguous, name
    _check_nodes(network)
    _check_edges(network)
    _check_points(network)
    _check_out_arcs(network)
    _check_restrictions(network)


def _check_offsets(first: AnyArray, n_groups: int, n_members: int, at_least: int) -> None:
    assert first.dtype == np.uint32 and first.shape == (n_groups + 1,)
    assert first[0] == 0 and first[-1] == n_members
    assert (np.diff(first.astype(np.int64)) >= at_least).all()


def _check_column(array: AnyArray, dtype: type, length: int) -> None:
    assert array.dtype == dtype and array.shape == (length,)


def _check_nodes(network: RoadNetwork) -> None:
    n = network.n_nodes
    _check_column(network.node_id, np.int64, n)
    assert (np.diff(network.node_id) > 0).all()
    for coordinate, limit in ((network.node_lon, 180), (network.node_lat, 90)):
        _check_coordinate(coordinate, n, limit)
    _check_column(network.node_tagset, np.uint32, n)
    assert (network.node_tagset < len(network.node_tags)).all()


def _check_coordinate(coordinate: I32, length: int, limit: int) -> None:
    _check_column(coordinate, np.int32, length)
    assert (np.abs(coordinate.astype(np.int64)) <= limit * 10**7).all()


def _check_edges(network: RoadNetwork) -> None:
    n = network.n_edges
    for end in (network.edge_tail, network.edge_head):
        _check_column(end, np.uint32, n)
        assert (end < network.n_nodes).all()
    _check_column(network.edge_way, np.int64, n)
    for tagset, sets in (
        (network.edge_tagset, network.way_tags),
        (network.edge_label, network.labels),
    ):
        _check_column(tagset, np.uint32, n)
        assert (tagset < len(sets)).all()
    _check_column(network.edge_length_m, np.float32, n)
    assert np.isfinite(network.edge_length_m).all() and (network.edge_length_m >= 0).all()
    _check_column(network.edge_share, np.float32, n)
    _check_column(network.edge_left_hand, np.bool_, n)
    _check_column(network.way_class, np.uint8, len(network.way_tags))
    assert (network.way_class <= max(RoadClass)).all()
    assert (network.edge_share >= 0).all() and (network.edge_share <= 1).all()
    ways, way = np.unique(network.edge_way, return_inverse=True)
    share = np.bincount(way, network.edge_share, len(ways))
    assert np.allclose(share, 1, rtol=0, atol=1e-3)


def _check_points(network: RoadNetwork) -> None:
    n = len(network.point_id)
    _check_offsets(network.first_point, network.n_edges, n, at_least=2)
    _check_column(network.point_id, np.int64, n)
    for coordinate, limit in ((network.point_lon, 180), (network.point_lat, 90)):
        _check_coordinate(coordinate, n, limit)
    first, last = network.first_point[:-1], network.first_point[1:] - np.uint32(1)
    for end, point in ((network.edge_tail, first), (network.edge_head, last)):
        assert (network.point_id[point] == network.node_id[end]).all()
        assert (network.point_lon[point] == network.node_lon[end]).all()
        assert (network.point_lat[point] == network.node_lat[end]).all()
    inside = np.ones(n, np.bool_)
    inside[last] = False
    repeated = network.point_id[:-1] == network.point_id[1:]
    assert not (repeated & inside[:-1]).any()
    inside[first] = False
    interior = np.sort(network.point_id[inside])
    assert (interior[:-1] < interior[1:]).all()
    assert not np.isin(interior, network.node_id).any()


def _check_out_arcs(network: RoadNetwork) -> None:
    _check_offsets(network.first_out, network.n_nodes, network.n_arcs, at_least=1)
    _check_column(network.out_arc, np.uint32, network.n_arcs)
    assert (np.sort(network.out_arc) == np.arange(network.n_arcs)).all()
    tail, _ = arc_ends(network)
    node = tail[network.out_arc]
    assert (node == np.repeat(np.arange(network.n_nodes), np.diff(network.first_out))).all()
    same_node = node[:-1] == node[1:]
    assert (network.out_arc[:-1] < network.out_arc[1:])[same_node].all()


def _check_restrictions(network: RoadNetwork) -> None:
    restrictions = network.restrictions
    n, n_arcs = len(restrictions.tagset), len(restrictions.arc)
    _check_offsets(restrictions.first_arc, n, n_arcs, at_least=2)
    _check_column(restrictions.arc, np.uint32, n_arcs)
    _check_column(restrictions.tagset, np.uint32, n)
    _check_column(restrictions.relation_id, np.int64, n)
    assert (restrictions.arc < network.n_arcs).all()
    assert (restrictions.tagset < len(restrictions.tags)).all()
    tail, head = arc_ends(network)
    joined = head[restrictions.arc[:-1]] == tail[restrictions.arc[1:]]
    between_paths = restrictions.first_arc[1:-1] - np.uint32(1)
    joined[between_paths] = True
    assert joined.all()
