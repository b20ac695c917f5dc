"""What a request wants the roads to be like, other than they are."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gis.arrays import I64
from routing.changes.avoided_areas import close_areas
from routing.changes.road_changes import (
    NO_ROWS,
    Outcome,
    RoadChanges,
    apply_changes,
    combine_changes,
    no_changes,
)
from routing.changes.road_index import RoadIndex
from routing.changes.road_speeds import BOTH, speeds_between, speeds_of_ways
from routing.errors import InvalidInput
from routing.metric import Metric

_log = logging.getLogger(__name__)

WayName: TypeAlias = int | tuple[int, int]
"""A way, or one direction of it."""


@dataclass(frozen=True)
class Wished:
    """What becomes of wishes: changes, and whichever roads were named that are not here.

    ``n_nowhere`` areas hold no road.
    """

    changes: RoadChanges
    unknown_pieces: Sequence[tuple[int, int]]
    unknown_ways: Sequence[WayName]
    n_nowhere: int


@dataclass(frozen=True)
class Wishes:
    """Speeds in km/h and areas to keep out of; 0 closes a road.

    ``speeds`` are of the pieces of road from one OpenStreetMap node to the next, in that
    direction; ``way_speeds`` of whole ways, both directions, or of a way and a direction: 1 along
    its nodes, -1 against. ``avoid`` are geometries of shapely or polygons as lists of rings of
    longitudes and latitudes. A piece counts before its way, an area before both. Nothing opens a
    road that is closed to the vehicle, and what no road is called changes nothing.
    """

    speeds: Mapping[tuple[int, int], float] | None = None
    way_speeds: Mapping[WayName, float] | None = None
    avoid: Sequence[Any] = ()

    def changes(self, roads: RoadIndex, metric: Metric) -> RoadChanges:
        """What changes in a metric; ``InvalidInput`` for what makes no sense.

        A line in the log tells if some names are unknown.
        """
        wished = self.wished(roads, metric)
        n_unknown = len(wished.unknown_pieces) + len(wished.unknown_ways) + wished.n_nowhere
        if n_unknown:
            _log.warning("%d of the roads and areas named have no road here", n_unknown)
        return wished.changes

    def wished(self, roads: RoadIndex, metric: Metric, with_closed: bool = False) -> Wished:
        """What changes in a metric; ``InvalidInput`` for what makes no sense.

        ``with_closed`` tells of speeds of arcs that the metric closes, too, for times at which
        they are open.
        """
        ways = pieces = areas = Outcome(no_changes(), NO_ROWS, 0)
        names, pairs = list(self.way_speeds or ()), list(self.speeds or ())
        if self.way_speeds:
            speeds = list(self.way_speeds.values())
            ways = speeds_of_ways(roads, metric, *_columns(names, speeds), with_closed)
        if self.speeds:
            begin, end = _pairs(pairs).T
            # Of a road that is named in parts the rest is as its way wants it.
            otherwise = apply_changes(metric, ways.changes).duration_cs
            speeds = list(self.speeds.values())
            pieces = speeds_between(roads, metric, begin, end, speeds, otherwise, with_closed)
        if hasattr(self.avoid, "geom_type"):
            areas = close_areas(roads, metric, [self.avoid])
        elif len(self.avoid):
            areas = close_areas(roads, metric, self.avoid)
        return Wished(
            combine_changes(*(outcome.changes for outcome in (ways, pieces, areas))),
            [pairs[row] for row in pieces.unknown.tolist()],
            [names[row] for row in ways.unknown.tolist()],
            areas.n_unknown,
        )


def _columns(names: Sequence[WayName], speeds: Sequence[float]) -> tuple[Any, Any, Any]:
    """Ways, speeds and directions (n,)."""
    if not any(isinstance(name, tuple) for name in names):
        return np.array(names), speeds, BOTH
    directed = [name if isinstance(name, tuple) else (name, BOTH) for name in names]
    if any(len(name) != 2 for name in directed):
        raise InvalidInput("speeds are not by ways, or ways and directions")
    ways, directions = np.array(directed).T
    return ways, speeds, directions


def _pairs(nodes: Sequence[tuple[int, int]]) -> I64:
    """The nodes of each piece, (k, 2)."""
    try:
        pairs = np.array(nodes)
    except ValueError:
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidInput("speeds are not by pairs of OpenStreetMap nodes")
    return pairs
