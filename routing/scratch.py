"""The scratch memory of each thread that asks for routes."""

import threading

import numpy as np

from gis.snap_search import QUERY
from routing.bounded import BoundedState, new_bounded_state
from routing.cch.query import QueryState
from routing.cch.table import TableState
from routing.pairs import PairScratch, new_pair_scratch
from routing.positions import Ground
from routing.reference.dijkstra import SearchState
from routing.store import PreparedProfile


class ThreadScratch(threading.local):
    """Scratch for one vehicle, of whichever thread looks at it; made when it is first needed."""

    def __init__(self, prepared: PreparedProfile, ground: Ground) -> None:
        self._prepared, self._ground = prepared, ground
        self._pairs: PairScratch | None = None
        self._search: SearchState | None = None
        self._table: TableState | None = None
        self._bounded: BoundedState | None = None
        self.two_queries = np.zeros(2, QUERY)

    @property
    def pairs(self) -> PairScratch:
        """For routes between two points."""
        if self._pairs is None:
            self._pairs = new_pair_scratch(self._ground, self._prepared.hierarchy)
        return self._pairs

    @property
    def query(self) -> QueryState:
        """For queries of the hierarchy."""
        return self.pairs.query

    @property
    def search(self) -> SearchState:
        """For searches without the hierarchy."""
        if self._search is None:
            self._search = SearchState(self._prepared.turn_graph)
        return self._search

    @property
    def table(self) -> TableState:
        """For tables."""
        if self._table is None:
            self._table = TableState(self._prepared.hierarchy)
        return self._table

    @property
    def bounded(self) -> BoundedState:
        """For searches that end at a limit."""
        if self._bounded is None:
            self._bounded = new_bounded_state(self._prepared.turn_graph)
        return self._bounded
