"""Seeds and islands of many points against the same for one point, read literally."""

from fractions import Fraction

import numpy as np
from hierarchies import Prepared, prepared_worlds
from hypothesis import given
from hypothesis import strategies as st

from gis.arrays import INF, freeze
from gis.snap_search import SNAP
from routing.cch.table import SeedGroups, Table, TableState, check_seed_groups, travel_table
from routing.many.matrix import (
    Group,
    islands,
    joined_positions,
    mend_stays,
    nearest_positions,
    seed_groups,
)
from routing.many.pairs import Seeding, seeding
from routing.places.positions import Positions
from routing.search.seeds import Place, source_seeds, target_seeds, vertices_of

N_POINTS = 7


class Points:
    """Random points on the arcs of a world, some of them on islands."""

    def __init__(self, prepared: Prepared, seed: int) -> None:
        _, self.graph, self.metric = prepared.world
        rng = np.random.default_rng(seed)
        n_arcs = len(self.metric.weight)
        nearest = rng.integers(0, 4, N_POINTS) if n_arcs else np.zeros(N_POINTS, int)
        joined = nearest.astype(bool) * rng.choice([0, 0, 1, 3], N_POINTS)
        stop = np.cumsum(nearest + joined)
        first = stop - nearest - joined
        n = int(stop[-1])
        self.component = rng.integers(0, 4, n_arcs).astype(np.uint32)
        self.positions = Positions(
            first,
            first + nearest,
            stop,
            rng.integers(0, max(n_arcs, 1), n).astype(np.uint32),
            rng.integers(0, 9, n) / 8,
            np.empty(0, SNAP),
        )
        self.seeding: Seeding = seeding(self.graph, self.metric, freeze(self.component))

    def places(self, group: Group, row: int) -> list[Place]:
        rows = range(int(group.start[row]), int(group.stop[row]))
        return [Place(int(self.positions.arc[i]), float(self.positions.fraction[i])) for i in rows]


seeds = st.integers(0, 2**32 - 1)


@given(prepared_worlds(), seeds)
def test_seeds_of_groups(prepared: Prepared, seed: int) -> None:
    """Each point has the seeds that it would have alone, in the same order."""
    points = Points(prepared, seed)
    rows = np.random.default_rng(seed).integers(0, N_POINTS, 5)
    n_arcs = len(points.metric.weight)
    for group in (
        nearest_positions(points.positions, rows),
        joined_positions(points.positions, rows),
    ):
        for as_sources in (True, False):
            groups = seed_groups(points.seeding, points.positions, group, as_sources)
            check_seed_groups(groups, points.graph.n_vertices)
            assert groups.n == 5
            for row in range(5):
                places = points.places(group, row)
                if as_sources:
                    alone = source_seeds(points.graph, points.metric, places)
                else:
                    ends = [
                        Place(vertex, place.fraction)
                        for place in places
                        for vertex in vertices_of(points.graph, n_arcs, place.vertex)
                    ]
                    alone = target_seeds(points.graph, points.metric, ends)
                columns = alone[:4]
                wanted = zip(*(column.tolist() for column in columns), strict=True)
                assert rows_of(groups, row) == list(wanted)


def rows_of(groups: SeedGroups, row: int) -> list[tuple[int, ...]]:
    a, b = groups.first[row : row + 2].tolist()
    columns = [column[a:b] for column in groups[1:]]
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(prepared_worlds(), seeds)
def test_groups(prepared: Prepared, seed: int) -> None:
    """The nearest positions, or those that are joined to the rest if there are such."""
    positions = Points(prepared, seed).positions
    rows = np.array([3, 0, 3, 6])
    near, far = nearest_positions(positions, rows), joined_positions(positions, rows)
    for i, row in enumerate(rows.tolist()):
        first, middle, stop = (int(column[row]) for column in positions[:3])
        assert (near.start[i], near.stop[i]) == (first, middle)
        assert (far.start[i], far.stop[i]) == ((middle, stop) if stop > middle else (first, middle))


@given(prepared_worlds(), seeds, st.integers(1, 3))
def test_stays(prepared: Prepared, seed: int, columns: int) -> None:
    """Cells between places on one arc get what driving along it costs, if that is less."""
    points = Points(prepared, seed)
    rng = np.random.default_rng(seed)
    from_rows, to_rows = rng.integers(0, N_POINTS, 4), rng.integers(0, N_POINTS, 5)
    sources = joined_positions(points.positions, from_rows)
    targets = nearest_positions(points.positions, to_rows)
    weight = rng.choice([0, 1, 5, 15, INF], (4, 5)).astype(np.uint32)
    further = rng.choice([0, 1, 2, 10**6], (2, 4, 5)).astype(np.uint32)
    further[:, weight == INF] = 0
    nothing = np.empty((0, 0), np.uint32)
    table = Table(*[weight, *further][:columns], *(nothing,) * (3 - columns))
    wanted = [
        [
            min(
                [
                    tuple(int(column[i, j]) for column in table[:columns]),
                    *stays(points, sources, i, targets, j, columns),
                ]
            )
            for j in range(5)
        ]
        for i in range(4)
    ]
    mend_stays(points.seeding, points.positions, sources, targets, table)
    found = np.stack(table[:columns], axis=-1)
    assert [[tuple(cell) for cell in row] for row in found.tolist()] == wanted


def stays(
    points: Points, sources: Group, i: int, targets: Group, j: int, columns: int
) -> list[tuple[int, ...]]:
    """What the ways along an arc cost from one point to another."""
    metric = points.metric
    third = metric.third if metric.has_durations else np.zeros_like(metric.weight)
    found = []
    for arc, start, _ in points.places(sources, i):
        for other, end, _ in points.places(targets, j):
            if arc == other and start <= end and metric.weight[arc] < INF:
                whole = [int(column[arc]) for column in (metric.weight, metric.second, third)]
                key = tuple(part(w, end) - part(w, start) for w in whole)
                found.append(key[:columns])
    return found


def part(whole: int, fraction: float) -> int:
    return min(int(whole * Fraction(fraction) + Fraction(1, 2)), whole)


@given(prepared_worlds(), seeds)
def test_islands(prepared: Prepared, seed: int) -> None:
    """Cells whose points share a component nearby, where one of them is apart from the rest."""
    points = Points(prepared, seed)
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, N_POINTS, 4), rng.integers(0, N_POINTS, 6)
    rows, columns, meant = islands(points.seeding, points.positions, sources, targets)
    assert (np.diff(rows) > 0).all() and (np.diff(columns) > 0).all()
    assert meant.shape == (len(rows), len(columns)) and meant.dtype == np.bool_
    found = {(int(rows[i]), int(columns[j])) for i, j in np.argwhere(meant).tolist()}
    first, middle, stop = points.positions[:3]
    near = [
        set(points.component[points.positions.arc[a:b]].tolist())
        for a, b in zip(first, middle, strict=True)
    ]
    wanted = {
        (i, j)
        for i, a in enumerate(sources.tolist())
        for j, b in enumerate(targets.tolist())
        if near[a] & near[b] and (middle[a] < stop[a] or middle[b] < stop[b])
    }
    assert found == wanted


def test_no_points() -> None:
    """Nobody is on an island where nobody is."""
    nobody = np.empty(0, np.int64)
    columns = (np.empty(0, dtype) for dtype in (np.uint32, np.float64, SNAP))
    positions = Positions(nobody, nobody, nobody, *columns)
    arrays = (np.empty(0, np.uint32) for _ in Seeding._fields)
    empty = Seeding(*arrays)
    rows, columns_found, meant = islands(empty, positions, nobody, nobody)
    assert len(rows) == len(columns_found) == 0 and meant.shape == (0, 0)


@given(prepared_worlds(), seeds)
def test_tables_of_seeds(prepared: Prepared, seed: int) -> None:
    """A row or a column of a table is what it is when it is asked alone."""
    points = Points(prepared, seed)
    weights = prepared.customizer.customize(points.metric, 1)
    state = TableState(prepared.hierarchy)

    def table(sources: np.ndarray, targets: np.ndarray) -> np.ndarray:
        groups = [
            seed_groups(points.seeding, points.positions, group, as_sources)
            for group, as_sources in (
                (joined_positions(points.positions, sources), True),
                (joined_positions(points.positions, targets), False),
            )
        ]
        return travel_table(state, prepared.hierarchy, weights, *groups, threads=1).weight

    everything = np.arange(N_POINTS)
    whole = table(everything, everything)
    for i in range(0, N_POINTS, 3):
        assert np.array_equal(table(everything[i : i + 1], everything), whole[i : i + 1])
        assert np.array_equal(table(everything, everything[i : i + 1]), whole[:, i : i + 1])
