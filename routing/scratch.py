"""The scratch memory of all searches for one vehicle."""

from typing import NamedTuple

import numpy as np

from gis.snap_search import QUERY, Records
from routing.cch.table import TableState
from routing.many.pairs import PairScratch, new_pair_scratch
from routing.places.positions import Ground
from routing.pool import Pool
from routing.search.bounded import BoundedState, new_bounded_state
from routing.search.dijkstra import SearchState
from routing.store import PreparedProfile


class RouteScratch(NamedTuple):
    """For a route between two points: the points go into ``records``."""

    pairs: PairScratch
    records: Records


class Scratch:
    """The scratch for one vehicle."""

    def __init__(self, prepared: PreparedProfile, ground: Ground) -> None:
        graph, hierarchy = prepared.turn_graph, prepared.hierarchy
        self.route = Pool(
            lambda: RouteScratch(new_pair_scratch(ground, hierarchy), np.zeros(2, QUERY))
        )
        self.search = Pool(lambda: SearchState(graph))
        self.table = Pool(lambda: TableState(hierarchy))
        self.bounded: Pool[BoundedState] = Pool(lambda: new_bounded_state(graph))
