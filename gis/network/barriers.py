"""Nodes whose tags matter: barriers and signals, wherever they stand on a road."""

from collections.abc import Sequence

import numpy as np

from gis.arrays import U32, freeze
from gis.osm.tables import NodeTable
from gis.profiles.verdicts import Verdicts


def find_special_nodes(nodes: NodeTable, verdicts: Sequence[Verdicts]) -> U32:
    """Positions of the nodes that stop or delay some vehicle, or restrict it, ascending."""
    special = np.zeros(len(nodes.tagset), np.bool_)
    for verdict in verdicts:
        delayed = (verdict.node_forward_s > 0) | (verdict.node_backward_s > 0)
        stops = verdict.node_blocked | verdict.node_restricted
        special |= (stops | delayed)[nodes.tagset]
    return freeze(nodes.tagged[special])


def node_tagsets(nodes: NodeTable, position: U32) -> U32:
    """Tag sets of the nodes at ascending positions (n,): uint32 (n,), 0 for none."""
    tagset = np.zeros(len(position), np.uint32)
    at = np.searchsorted(position, nodes.tagged)
    found = at < len(position)
    found[found] = position[at[found]] == nodes.tagged[found]
    tagset[at[found]] = nodes.tagset[found]
    return freeze(tagset)
