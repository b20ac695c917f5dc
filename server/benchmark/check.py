"""Holding answers against the plain search before their speed is believed."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gis.arrays import F64
from gis.errors import EngineError
from routing.engine import Engine
from routing.errors import NoRoute
from routing.many.batch import RouteStatus, TravelTable

_CLOSE = 0.15
_MAX_CELLS = 10_000


class WrongAnswer(EngineError):
    """Two ways to the same answer differ: no figure is worth anything."""


def check_routes(engine: Engine, pairs: F64, threads: int = 1) -> str:
    """Compare each kind of answer with Dijkstra's search for pairs (n, 4), and say so.

    Raises ``WrongAnswer`` that names the first pair and both answers.
    """
    reference = reference_durations(engine, pairs, threads)
    routes = engine.routes(pairs[:, :2], pairs[:, 2:])
    for pair, wanted, many in zip(pairs.tolist(), reference, routes.duration_s, strict=True):
        origin, destination = (pair[0], pair[1]), (pair[2], pair[3])
        _compare(pair, "routes", float(many), wanted)
        _compare(pair, "route", _duration(engine, pair, "hierarchy"), wanted)
        cell = engine.table([origin], [destination]).duration_s[0, 0]
        _compare(pair, "table", float(cell), wanted)
    return f"{len(pairs):,} pairs: route, routes and table agree with Dijkstra's search"


def reference_durations(engine: Engine, pairs: F64, threads: int = 1) -> Sequence[float]:
    """Seconds by Dijkstra's search; NaN where there is no route."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda pair: _duration(engine, pair, "dijkstra"), pairs.tolist()))


def check_sample(
    engine: Engine, pairs: F64, durations_s: F64, n: int, seed: int, threads: int = 1
) -> str:
    """Compare some durations of many, drawn at random, with Dijkstra's search."""
    chosen = np.random.default_rng(seed).choice(len(pairs), min(n, len(pairs)), replace=False)
    wanted = reference_durations(engine, pairs[chosen], threads)
    for row, reference in zip(chosen.tolist(), wanted, strict=True):
        _compare(pairs[row].tolist(), "routes", float(durations_s[row]), reference)
    return (
        f"{len(chosen):,} of {len(pairs):,} routes, drawn at random, agree with Dijkstra's search"
    )


def check_table(engine: Engine, points: F64, table: TravelTable, seed: int) -> str:
    """Compare cells of a square table, all or some drawn at random, with routes."""
    n = len(points)
    cells = np.arange(n * n)
    if len(cells) > _MAX_CELLS:
        cells = np.random.default_rng(seed).choice(n * n, _MAX_CELLS, replace=False)
    rows, columns = np.divmod(cells, n)
    routes = engine.routes(points[rows], points[columns])
    wanted = np.where(routes.status == RouteStatus.OK, routes.duration_s, np.nan)
    found = table.duration_s[rows, columns]
    wrong = np.flatnonzero(~((found == wanted) | (np.isnan(found) & np.isnan(wanted))))
    for cell in wrong[:1].tolist():
        pair = [*points[rows[cell]].tolist(), *points[columns[cell]].tolist()]
        _compare(pair, "table", float(found[cell]), float(wanted[cell]), "routes")
    return f"{len(cells):,} cells of the {n} x {n} table agree with routes"


def compare_durations(peer: str, ours_s: F64, theirs_s: F64) -> str:
    """How much another engine's durations are like ours: it has its own speeds and turn costs."""
    both = np.isfinite(ours_s) & np.isfinite(theirs_s) & (ours_s > 0)
    if not both.any():
        return f"{peer} found no route for any of {len(ours_s):,} pairs"
    ratio = theirs_s[both] / ours_s[both]
    close = np.mean(np.abs(ratio - np.median(ratio)) <= _CLOSE * np.median(ratio))
    text = (
        f"{peer}'s durations are {np.median(ratio):.2f} times ours in the median,"
        f" {close:.0%} within {_CLOSE:.0%} of that"
    )
    lost = int(np.count_nonzero(np.isfinite(ours_s) & ~np.isfinite(theirs_s)))
    return text + (f"; it found no route for {lost:,} of {len(ours_s):,} pairs" if lost else "")


def _duration(engine: Engine, pair: Sequence[float], algorithm: str) -> float:
    try:
        ends = [(pair[0], pair[1]), (pair[2], pair[3])]
        return float(engine.route(ends, algorithm=algorithm).duration_s)
    except NoRoute:
        return math.nan


def _compare(
    pair: Sequence[float],
    kind: str,
    found: float,
    wanted: float,
    reference: str = "Dijkstra's search",
) -> None:
    if found == wanted or (math.isnan(found) and math.isnan(wanted)):
        return
    ends = "{:.6f},{:.6f} to {:.6f},{:.6f}".format(*pair)
    raise WrongAnswer(
        f"from {ends}: {kind} finds {_seconds(found)}, {reference} {_seconds(wanted)}"
    )


def _seconds(value: float) -> str:
    return "no route" if math.isnan(value) else f"{value:.2f} s"
