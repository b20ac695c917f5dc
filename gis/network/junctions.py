"""Which OpenStreetMap nodes become nodes of the network, and the cutting of ways there."""

from typing import NamedTuple

import numpy as np

from gis.arrays import U32, UNDEFINED_COORDINATE, Bool, freeze
from gis.jit import kernel
from gis.osm.tables import OsmTables


class Runs(NamedTuple):
    """Open ways, cut where nodes are missing. K runs, Q nodes, M ways that were cut.

    | array | dtype, shape | content |
    |---|---|---|
    | first_node | uint32 (K + 1,) | offsets into ``node``; two or more each |
    | node | uint32 (Q,) | positions in the node table, never the same twice in a row |
    | way | uint32 (K,) | positions in the way table, ascending |
    | clipped | uint32 (M,) | the ways among all open ones that lack a node, ascending |
    """

    first_node: U32
    node: U32
    way: U32
    clipped: U32


class Pieces(NamedTuple):
    """Runs cut at junctions: one piece becomes one edge. E edges, P points.

    Pieces stand in the order of the ways and along them, so the edges of a way are neighbours,
    and ways that were drawn together, which mostly lie together, stay together.

    | array | dtype, shape | content |
    |---|---|---|
    | first_point | uint32 (E + 1,) | offsets into ``point``; two or more each |
    | point | uint32 (P,) | positions in the node table, both ends included |
    | way | uint32 (E,) | positions in the way table, ascending |
    """

    first_point: U32
    point: U32
    way: U32


def find_runs(tables: OsmTables, way_open: Bool) -> Runs:
    """Every longest run of present nodes of the ways that ``way_open`` (W,) marks.

    A node that follows itself counts once; runs of a single node are left out.
    """
    ways, nodes = tables.ways, tables.nodes
    present = freeze(nodes.lon != UNDEFINED_COORDINATE)
    node = np.empty(len(ways.ref), np.uint32)
    first_node = np.empty(len(ways.ref) // 2 + 1, np.uint32)
    way = np.empty(len(ways.ref) // 2 + 1, np.uint32)
    clipped = np.empty(len(ways.id), np.uint32)
    n_runs, n_nodes, n_clipped = _find_runs(
        ways.first_ref, ways.ref, way_open, present, Runs(first_node, node, way, clipped)
    )
    first_node[n_runs] = n_nodes
    return Runs(
        freeze(first_node[: n_runs + 1]),
        freeze(node[:n_nodes]),
        freeze(way[:n_runs]),
        freeze(clipped[:n_clipped].copy()),
    )


def find_junctions(runs: Runs, n_nodes: int, special: U32) -> Bool:
    """Mark the nodes where runs are cut: bool (N,) over the node table.

    These are the ends of runs, nodes that runs use more than once (one run twice, too), and of
    the nodes on runs those that ``special`` lists.
    """
    used = np.zeros(n_nodes, np.bool_)
    junction = np.zeros(n_nodes, np.bool_)
    _mark_uses(runs.node, used, junction)
    junction[runs.node[runs.first_node[:-1]]] = True
    junction[runs.node[runs.first_node[1:] - np.uint32(1)]] = True
    junction[special] |= used[special]
    return freeze(junction)


def split_runs(runs: Runs, junction: Bool) -> Pieces:
    """Cut the runs at the junctions, which must hold the ends of every run."""
    n_runs = len(runs.way)
    n_edges = int(np.count_nonzero(junction[runs.node])) - n_runs
    n_points = len(runs.node) + n_edges - n_runs
    pieces = Pieces(
        np.zeros(n_edges + 1, np.uint32),
        np.empty(n_points, np.uint32),
        np.empty(n_edges, np.uint32),
    )
    _split_runs(runs, junction, pieces)
    return Pieces(*(freeze(array) for array in pieces))


@kernel
def _find_runs(
    first_ref: U32, ref: U32, way_open: Bool, present: Bool, runs: Runs
) -> tuple[int, int, int]:
    """Fill ``runs``; return how many runs, nodes in them, and clipped ways."""
    first_node, node, way, clipped = runs
    n_runs = 0
    n_nodes = 0
    n_clipped = 0
    for w in range(len(way_open)):
        if not way_open[w]:
            continue
        whole = True
        start = n_nodes
        stop = np.int64(first_ref[w + 1])
        for r in range(np.int64(first_ref[w]), stop + 1):
            if r < stop and present[ref[r]]:
                if n_nodes == start or node[n_nodes - 1] != ref[r]:
                    node[n_nodes] = ref[r]
                    n_nodes += 1
                continue
            whole = whole and r == stop
            if n_nodes - start >= 2:
                first_node[n_runs] = start
                way[n_runs] = w
                n_runs += 1
                start = n_nodes
            n_nodes = start
        if not whole:
            clipped[n_clipped] = w
            n_clipped += 1
    return n_runs, n_nodes, n_clipped


@kernel
def _mark_uses(node: U32, used: Bool, junction: Bool) -> None:
    """Mark the nodes that occur, and of these the ones that occur again."""
    for x in node:
        if used[x]:
            junction[x] = True
        used[x] = True


@kernel
def _split_runs(runs: Runs, junction: Bool, pieces: Pieces) -> None:
    """Fill ``pieces``; a junction inside a run ends one piece and begins the next."""
    first_node, node, run_way, _ = runs
    first_point, point, way = pieces
    n_edges = 0
    n_points = 0
    for run in range(len(run_way)):
        start = np.int64(first_node[run])
        last = np.int64(first_node[run + 1]) - 1
        for r in range(start, last + 1):
            point[n_points] = node[r]
            n_points += 1
            if r == start or not junction[node[r]]:
                continue
            way[n_edges] = run_way[run]
            n_edges += 1
            first_point[n_edges] = n_points
            if r < last:
                point[n_points] = node[r]
                n_points += 1
