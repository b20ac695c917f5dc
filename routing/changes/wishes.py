"""What a request wants the roads to be like, other than they are."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gis.arrays import I64
from routing.changes.avoided_areas import close_areas
from routing.changes.road_changes import Outcome, RoadChanges, combine_changes
from routing.changes.road_index import RoadIndex
from routing.changes.road_speeds import speeds_between, speeds_of_ways
from routing.errors import InvalidInput
from routing.metric import Metric

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wishes:
    """Speeds in km/h and areas to keep out of; 0 closes a road.

    ``speeds`` are of the pieces of road from one OpenStreetMap node to the next, in that
    direction; ``way_speeds`` of whole ways, both directions. ``avoid`` are geometries of shapely
    or polygons as lists of rings of longitudes and latitudes. A piece counts before its way, an
    area before both. Nothing opens a road that is closed to the vehicle, and what no
    road is called changes nothing, but for a line in the log.
    """

    speeds: Mapping[tuple[int, int], float] | None = None
    way_speeds: Mapping[int, float] | None = None
    avoid: Sequence[Any] = ()

    def changes(self, roads: RoadIndex, metric: Metric) -> RoadChanges:
        """What changes in a metric; ``InvalidInput`` for what makes no sense."""
        made: list[Outcome] = []
        if self.way_speeds:
            ways = np.array(list(self.way_speeds))
            speeds = list(self.way_speeds.values())
            made.append(speeds_of_ways(roads, metric, ways, speeds))
        if self.speeds:
            begin, end = _pairs(self.speeds).T
            speeds = list(self.speeds.values())
            made.append(speeds_between(roads, metric, begin, end, speeds))
        if hasattr(self.avoid, "geom_type"):
            made.append(close_areas(roads, metric, [self.avoid]))
        elif len(self.avoid):
            made.append(close_areas(roads, metric, self.avoid))
        n_unknown = sum(outcome.n_unknown for outcome in made)
        if n_unknown:
            _log.warning("%d of the roads and areas named have no road here", n_unknown)
        return combine_changes(*(outcome.changes for outcome in made))


def _pairs(speeds: Mapping[tuple[int, int], float]) -> I64:
    """The nodes of each piece, (k, 2)."""
    try:
        pairs = np.array(list(speeds))
    except ValueError:
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidInput("speeds are not by pairs of OpenStreetMap nodes")
    return pairs
