"""What an engine answers for many points at once: routes of pairs, tables, the nearest roads."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gis.arrays import F64, I64, U32, freeze, ranges
from gis.geodesy import UNITS_PER_DEGREE
from routing.cch.weights import measures_of
from routing.details import DetailMaker
from routing.errors import InvalidInput
from routing.inputs import Limits
from routing.many.batch import (
    LocatedPoints,
    NearestRoads,
    Routes,
    RouteStatus,
    TravelTable,
    degrees_of,
    locate_points,
    routes_of,
)
from routing.many.lines import (
    Costs,
    LineCollector,
    Lines,
    Traced,
    find_pairs,
    new_costs,
    no_room,
    trace_pairs,
)
from routing.places.positions import Positions
from routing.pool import Pool
from routing.route import Waypoint
from routing.vehicle import Vehicle
from routing.weighting import Weighting

_LEAST_PAIRS = 1000
"""Fewer are found before another thread has begun."""

_MOST_PAIRS = 8192
"""So many are answered in one call: more would need more memory for lines, at no gain in speed."""

_ROOM = 1 << 20
"""Points that such a call has room for at first."""

_NOWHERE = Waypoint(np.nan, np.nan, np.nan, "", (0, 0))


class Sides(NamedTuple):
    """The points of a table, float64 (k, 2), with their limits.

    The first ``n`` are sources, those after them destinations; if there are none, the sources
    are these, too.
    """

    degrees: F64
    limits: Limits
    n: int
    is_square: bool


def find_routes(
    vehicle: Vehicle,
    weighting: Weighting,
    ends: tuple[npt.ArrayLike, npt.ArrayLike],
    radius_m: float,
    anywhere: bool,
    threads: int,
    geometry: bool,
) -> Routes:
    """Routes between origins and destinations, (n, 2) each, as `Engine.routes` does it."""
    origins, destinations = degrees_of("origins", ends[0]), degrees_of("destinations", ends[1])
    n = len(origins)
    if len(destinations) != n:
        raise InvalidInput(f"there are {n} origins and {len(destinations)} destinations")
    points = np.concatenate([origins, destinations])
    located = locate_points(
        weighting.ground, points, radius_m, anywhere=anywhere, with_snaps=geometry
    )
    pairs = np.arange(2 * n).reshape(2, n).T
    costs, lines = answer_pairs(vehicle, weighting, located.positions, pairs, threads, geometry)
    measures = measures_of(*costs, weighting.metric.has_durations)
    return routes_of(measures, located, pairs, lines)


def answer_pairs(
    vehicle: Vehicle,
    weighting: Weighting,
    positions: Positions,
    pairs: I64,
    threads: int = 1,
    with_lines: bool = False,
) -> tuple[Costs, Lines | None]:
    """Costs (m,) and lines of the routes between located points, ``pairs`` int64 (m, 2)."""
    weights = weighting.weights
    assert weights is not None
    hierarchy, roads = vehicle.prepared.hierarchy, weighting.ground.roads
    costs = new_costs(len(pairs))
    rooms = Pool(lambda: no_room().larger(_ROOM) if with_lines else no_room())

    def work(part: slice) -> _Block:
        # Routes that begin close to each other find their part of the hierarchy in the cache.
        start, stop = (ends[pairs[part, 0]] for ends in (positions.first, positions.stop))
        place = np.where(start < stop, start, 0)
        rank = hierarchy.rank[positions.arc[place]] if len(positions.arc) else place
        order = np.argsort(rank, kind="stable")
        block_pairs, block_costs = freeze(pairs[part][order]), new_costs(len(order))
        n_points = np.zeros(len(order), np.uint32)
        scratch = vehicle.scratch.route.take()
        state = scratch.pairs.query
        find = partial(find_pairs, hierarchy, weights, weighting.seeding, roads, state, positions)
        room = trace_pairs(find, block_pairs, block_costs, n_points, rooms.take())
        vehicle.scratch.route.give_back(scratch)
        costs.cost[part][order], costs.third[part][order] = block_costs
        return _Block(freeze(order), freeze(n_points), room)

    collector = LineCollector(len(pairs))
    for block in _in_order(work, len(pairs), threads):
        if with_lines:
            collector.append(*block)
        rooms.give_back(block.room)
    return costs, collector.finish() if with_lines else None


class _Block(NamedTuple):
    """The order in which some rows were answered, and the lines traced."""

    order: I64
    n_points: U32
    room: Traced


def _in_order(work: Callable[[slice], _Block], n: int, threads: int) -> Iterator[_Block]:
    """What some threads make of blocks of n rows, in the order of these."""
    step = max(min(-(-n // threads), _MOST_PAIRS), _LEAST_PAIRS)
    parts = [slice(start, min(start + step, n)) for start in range(0, n, step)]
    if min(threads, len(parts)) <= 1:
        yield from map(work, parts)
    else:
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(work, parts)


def find_table(
    vehicle: Vehicle,
    weighting: Weighting,
    maker: DetailMaker,
    sides: Sides,
    anywhere: bool,
    distances: bool,
    strict: bool,
    threads: int | None,
) -> TravelTable:
    """Routes from each source to each destination, as `Engine.table` does it."""
    radius_m, bearing, side = sides.limits
    located = locate_points(
        weighting.ground, sides.degrees, radius_m, bearing, anywhere, True, side
    )
    if strict:
        located.check()
    n, rows = sides.n, np.arange(len(sides.degrees))
    from_rows, to_rows = (rows, rows) if sides.is_square else (rows[:n], rows[n:])
    found = vehicle.table(weighting, located.positions, from_rows, to_rows, distances, threads)
    stands = located.status == RouteStatus.OK

    def waypoints() -> tuple[tuple[Waypoint, ...], tuple[Waypoint, ...]]:
        some = iter(maker.standing(located.positions, np.flatnonzero(stands)))
        made = tuple(next(some) if ok else _NOWHERE for ok in stands.tolist())
        return (made, made) if sides.is_square else (made[:n], made[n:])

    duration_cs, length = vehicle.table_measures(weighting, found)
    length_cm = freeze(length) if distances else None
    starts, ends = (freeze(located.status[rows]) for rows in (from_rows, to_rows))
    return TravelTable(freeze(duration_cs), length_cm, starts, ends, waypoints)


def find_nearest_roads(
    weighting: Weighting, maker: DetailMaker, degrees: F64, radius_m: float, anywhere: bool
) -> NearestRoads:
    """The nearest place on a road for each point (n, 2), as `Engine.nearest_roads` does it."""
    located = locate_points(weighting.ground, degrees, radius_m, anywhere=anywhere, with_snaps=True)
    stands = located.status == RouteStatus.OK
    nearest = located.positions.snap[located.positions.first[stands]]

    def column(name: str, scale: int = 1) -> F64:
        values = np.full(len(degrees), np.nan)
        values[stands] = nearest[name] / scale
        return freeze(values)

    return NearestRoads(
        column("lon", UNITS_PER_DEGREE),
        column("lat", UNITS_PER_DEGREE),
        column("distance_m"),
        located.status,
        partial(maker.names_where_met, *_edges_that_meet(located)),
    )


def _edges_that_meet(located: LocatedPoints) -> tuple[I64, I64]:
    """The edges at the place nearest to each point, itself first: offsets (n + 1,), and edges."""
    first, middle = located.positions.first, located.positions.middle
    place = ranges(first, middle - first)
    row = np.repeat(np.arange(len(first)), middle - first)
    snap, best = located.positions.snap, first[row]
    edge = snap["edge"][place].astype(np.int64)
    meets = np.ones(len(place), np.bool_)
    for name in ("lon", "lat"):
        meets &= snap[name][place] == snap[name][best]
    # The positions in both directions of a road follow each other.
    meets[1:] &= (edge[1:] != edge[:-1]) | (row[1:] != row[:-1])
    offsets = np.zeros(len(first) + 1, np.int64)
    np.cumsum(np.bincount(row[meets], minlength=len(first)), out=offsets[1:])
    return offsets, edge[meets]
