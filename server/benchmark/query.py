"""Single routes and many: ours and each peer's on the same pairs of points."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from gis.arrays import F64
from server.api.osrm_json import route_answer
from server.api.osrm_params import RouteParams
from server.benchmark.check import compare_durations
from server.benchmark.measure import (
    Contender,
    Findings,
    Progress,
    Subject,
    able,
    prepared,
    take_turns,
)
from server.benchmark.peers.peer import Peer, PeerFailed
from server.benchmark.results import OURS

GROUP = "query"
ROUTE = "route, distance and duration"
GEOMETRY = "route with full geometry, as the HTTP answer's object"
MANY = "routes a second"


def bench_query(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure routes one by one, with their geometry, and as many as can be had in a second."""
    found = Findings(checks=[subject.checked])
    path = str(subject.folder.resolve() / "pairs.npy")
    np.save(path, subject.pairs)
    ready = prepared(subject, peers, "route", found, progress)
    found.notes += _comparisons(subject, ready, path)
    n = len(subject.pairs)
    for name, ours, options in (
        (ROUTE, _plain_routes(subject), {}),
        (GEOMETRY, _whole_routes(subject), {"geometry": True}),
    ):
        contenders = [Contender(OURS, lambda ours=ours: ours() / n)]  # type: ignore[misc]
        contenders += [
            Contender(peer.name, partial(_per_route, peer, path, n, options))
            for peer in able(ready, "route")
        ]
        found.add(take_turns(GROUP, name, "s", contenders, subject.repeat, progress))
    many = subject.more_pairs(subject.n_many)
    for threads in sorted({1, subject.workers}):
        name = f"{MANY}, {threads} thread{'s' * (threads > 1)}"
        contenders = [Contender(OURS, partial(_routes_a_second, subject, many, threads))]
        contenders += [
            Contender(peer.name, partial(_asked_a_second, peer, path, n, threads))
            for peer in able(ready, "threads")
        ]
        found.add(take_turns(GROUP, name, "1/s", contenders, subject.repeat, progress))
    return found


def _comparisons(subject: Subject, peers: Sequence[Peer], path: str) -> list[str]:
    """What to think of the peers' answers: a speed means little if they are others."""
    notes = []
    ours = subject.engine.routes(subject.pairs[:, :2], subject.pairs[:, 2:]).duration_s
    for peer in able(peers, "durations"):
        try:
            theirs = peer.durations(path, len(ours))
            notes.append(compare_durations(peer.name, ours, theirs))
        except PeerFailed as error:
            notes.append(f"{error}: left out")
    return notes


def _plain_routes(subject: Subject) -> Callable[[], float]:
    route = subject.engine.route
    ends = _ends(subject.pairs)

    def run() -> float:
        start = time.perf_counter()
        for pair in ends:
            route(pair)
        return time.perf_counter() - start

    return run


def _whole_routes(subject: Subject) -> Callable[[], float]:
    """As the server does it, apart from the HTTP."""
    route = subject.engine.route
    requests = [RouteParams(pair, overview="full") for pair in _ends(subject.pairs)]

    def run() -> float:
        start = time.perf_counter()
        for params in requests:
            route_answer([route(params.coordinates, with_details=True)], params)
        return time.perf_counter() - start

    return run


def _ends(pairs: F64) -> list[list[tuple[float, float]]]:
    return [[(a, b), (c, d)] for a, b, c, d in pairs.tolist()]


def _per_route(peer: Peer, path: str, n: int, options: dict[str, bool]) -> float:
    return peer.number("route", pairs=path, **options) / n


def _asked_a_second(peer: Peer, path: str, n: int, threads: int) -> float:
    return n / peer.number("route", pairs=path, threads=threads)


def _routes_a_second(subject: Subject, pairs: F64, threads: int) -> float:
    start = time.perf_counter()
    subject.engine.routes(pairs[:, :2], pairs[:, 2:], threads=threads)
    return len(pairs) / (time.perf_counter() - start)
