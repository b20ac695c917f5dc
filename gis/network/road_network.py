"""The finished road network: nodes, edges with their shape, labels and restrictions."""

from dataclasses import dataclass

import numpy as np

from gis.arrays import F32, I32, I64, U32
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
    ``2 * edge + 1`` back; the reverse of an arc is ``arc ^ 1``.

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
    | edge_share | float32 (E,) | the edge's part of its way's length, 0..1 |
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
