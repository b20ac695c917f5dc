"""The scratch memory of all searches for one vehicle."""

from typing import NamedTuple

import numpy as np

from gis.arrays import U8
from gis.snap_search import QUERY, SNAP, Records
from routing.cch.table import TableState
from routing.many.pairs import PairScratch, new_pair_scratch
from routing.places.positions import Ground
from routing.pool import Pool
from routing.search.bounded import BoundedState, new_bounded_state
from routing.search.dijkstra import SearchState
from routing.store import PreparedProfile


class RouteScratch(NamedTuple):
    """For a route between two points: the points go into ``records``.

    ``snap_bytes`` (k, size) are those of the places found: a copy of them takes a fifth of the time
    that one of records takes.
    """

    pairs: PairScratch
    records: Records
    snap_bytes: U8


class Scratch:
    """The scratch for one vehicle."""

    def __init__(self, prepared: PreparedProfile, ground: Ground) -> None:
        graph, hierarchy = prepared.turn_graph, prepared.hierarchy

        def for_route() -> RouteScratch:
            pairs = new_pair_scratch(ground, hierarchy)
            snap_bytes = pairs.positions.snap.view(np.uint8).reshape(-1, SNAP.itemsize)
            return RouteScratch(pairs, np.zeros(2, QUERY), snap_bytes)

        self.route = Pool(for_route)
        self.search = Pool(lambda: SearchState(graph))
        self.table = Pool(lambda: TableState(hierarchy))
        self.bounded: Pool[BoundedState] = Pool(lambda: new_bounded_state(graph))
