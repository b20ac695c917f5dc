"""Isochrones: the area, or the pieces of roads, that can be reached within limits."""

from collections.abc import Sequence
from typing import NamedTuple

from gis.arrays import F32, U32
from gis.snap_index import SnapIndex
from routing.areas.contour import Polygon, contours
from routing.areas.cost_surface import build_surface
from routing.areas.reach import Lines, Reach, find_reach, reached_lines
from routing.search.dijkstra import Turns
from routing.search.seeds import Position


class Roads(NamedTuple):
    """The shape of a network, with a tree over it, and ``edge_length_m`` of ``RoadNetwork``."""

    shape: SnapIndex
    edge_length_m: F32


class Costs(NamedTuple):
    """What a search has found. V vertices.

    ``turns`` are those of the search, backward if it ran towards the origins; ``cost`` uint32
    (V,) and ``vertices`` are explained at ``find_reach``. Limits have the unit of the costs.
    """

    turns: Turns
    origins: Sequence[Position]
    cost: U32
    vertices: U32 | None = None


def isochrone_areas(roads: Roads, costs: Costs, limits: Sequence[float]) -> list[list[Polygon]]:
    """The area that is reached within each of the limits, and holds those of smaller ones.

    What cannot be reached is no part of it, even where it is enclosed.

    It follows the reached roads to some distance, at most two cells of a grid that has 400 along
    the longer side of the largest area (or 50 m, if they would be smaller than 10 m), and ends
    halfway to roads that are not reached. The border may be off by that much; roads that run side
    by side within a cell cannot be told apart, and the one that is reached earlier counts.
    """
    reach = _reach(costs, limits)
    surface = build_surface(roads.shape, roads.edge_length_m, costs.turns.weight, reach)
    return [contours(surface, limit) for limit in limits]


def isochrone_lines(roads: Roads, costs: Costs, limits: Sequence[float]) -> list[Lines]:
    """The pieces of roads that are reached within each of the limits, cut at the exact place."""
    reach = _reach(costs, limits)
    return [reached_lines(roads.shape, reach, limit) for limit in limits]


def _reach(costs: Costs, limits: Sequence[float]) -> Reach:
    if not limits:
        raise ValueError("there are no limits, expected one or more")
    return find_reach(costs.turns, costs.cost, costs.origins, max(limits), costs.vertices)
