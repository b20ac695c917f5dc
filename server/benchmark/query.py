"""Single routes and many: ours and each peer's on the same pairs of points."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from gis.arrays import F64
from server.api.osrm_json import route_answer
from server.api.osrm_params import RouteParams
from server.benchmark.check import WrongAnswer, check_sample, compare_durations
from server.benchmark.check_lines import check_lines
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
from server.benchmark.slow import Questions, a_second, notes_of, number_in_share, per_route

GROUP = "query"
ROUTE = "route, distance and duration"
GEOMETRY = "route with full geometry, as the HTTP answer's object"
STEPS = "route with geometry and steps, as the HTTP answer's object"
MANY = "routes a second"


def bench_query(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure routes one by one, with their geometry, and as many as can be had in a second."""
    progress(f"{GROUP}: checking the answers", 0, 1)
    lines = check_lines(subject.engine, subject.pairs[: subject.n_checked])
    found = Findings(checks=[subject.checked, lines])
    asked = _shares(subject, prepared(subject, peers, "route", found, progress), found)
    n = len(subject.pairs)
    for name, ours, wanted in (
        (ROUTE, _plain_routes(subject), ()),
        (GEOMETRY, _whole_routes(subject), ("geometry",)),
        (STEPS, _whole_routes(subject, steps=True), ("geometry", "steps")),
    ):
        contenders = [Contender(OURS, lambda ours=ours: ours() / n)]  # type: ignore[misc]
        contenders += [per_route(peer, asked[peer.name], *wanted) for peer in _still(peers, asked)]
        found.add(take_turns(GROUP, name, "s", contenders, subject.repeat, progress))
    found.add(_many(subject, able(_still(peers, asked), "threads"), asked, progress))
    return found


def _still(peers: Sequence[Peer], asked: Mapping[str, Questions]) -> list[Peer]:
    """The peers that take part and have not failed."""
    return [peer for peer in able(peers, "route") if peer.name in asked]


def _shares(subject: Subject, peers: Sequence[Peer], found: Findings) -> dict[str, Questions]:
    """The pairs that each peer is asked for, and what to think of its answers to them.

    A speed means little if they are others than ours.
    """
    pairs = subject.pairs
    ours = subject.engine.routes(pairs[:, :2], pairs[:, 2:]).duration_s
    asked: dict[str, Questions] = {}
    for peer in peers:
        try:
            n = number_in_share(peer, subject)
            questions = Questions.of(subject.folder, f"{peer.name}-pairs", pairs[:n])
            if "durations" in peer.abilities:
                theirs = peer.durations(questions.path, n)
                found.notes.append(compare_durations(peer.name, ours[:n], theirs))
        except PeerFailed as error:
            found.notes.append(f"{error}: left out")
            continue
        asked[peer.name] = questions
    found.notes += notes_of({name: questions.n for name, questions in asked.items()}, len(pairs))
    return asked


def _many(
    subject: Subject, peers: Sequence[Peer], asked: Mapping[str, Questions], progress: Progress
) -> Findings:
    """Many pairs: ours in one call, others' the first of them one by one."""
    progress(f"{GROUP}: checking many routes", 0, 1)
    many = subject.more_pairs(subject.n_many)
    found = Findings(checks=[_check_many(subject, many)])
    parts = {
        peer.name: Questions.of(subject.folder, f"{peer.name}-many", many[: asked[peer.name].n])
        for peer in peers
    }
    for threads in sorted({1, subject.workers}):
        name = f"{MANY}, {threads} thread{'s' * (threads > 1)}"
        contenders = [Contender(OURS, partial(_routes_a_second, subject, many, threads))]
        contenders += [a_second(peer, parts[peer.name], threads) for peer in peers]
        found.add(take_turns(GROUP, name, "1/s", contenders, subject.repeat, progress))
    found.notes += [
        f"{MANY}: {OURS} is given {len(many):,} pairs in one call, {name} is asked for the first"
        f" {part.n:,} of them one by one, there being no such call; threads share them"
        for name, part in parts.items()
    ]
    return found


def _check_many(subject: Subject, many: F64) -> str:
    """Some of the answers that are timed are right, and those of all threads are the same."""
    one, more = (
        subject.engine.routes(many[:, :2], many[:, 2:], threads=threads)
        for threads in (1, subject.workers)
    )
    for column in ("duration_s", "distance_m"):
        if not np.array_equal(getattr(one, column), getattr(more, column), equal_nan=True):
            raise WrongAnswer(f"routes on {subject.workers} threads finds another {column}")
    sample = subject.n_checked, subject.seed, subject.workers
    return check_sample(subject.engine, many, one.duration_s, *sample)


def _plain_routes(subject: Subject) -> Callable[[], float]:
    route = subject.engine.route
    ends = _ends(subject.pairs)

    def run() -> float:
        start = time.perf_counter()
        for pair in ends:
            route(pair)
        return time.perf_counter() - start

    return run


def _whole_routes(subject: Subject, steps: bool = False) -> Callable[[], float]:
    """As the server does it, apart from the HTTP."""
    route = subject.engine.route
    ends = _ends(subject.pairs)
    requests = [RouteParams(pair, overview="full", steps=steps) for pair in ends]

    def run() -> float:
        start = time.perf_counter()
        for params in requests:
            route_answer([route(params.coordinates, with_details=True)], params)
        return time.perf_counter() - start

    return run


def _ends(pairs: F64) -> list[list[tuple[float, float]]]:
    return [[(a, b), (c, d)] for a, b, c, d in pairs.tolist()]


def _routes_a_second(subject: Subject, pairs: F64, threads: int) -> float:
    start = time.perf_counter()
    subject.engine.routes(pairs[:, :2], pairs[:, 2:], threads=threads)
    return len(pairs) / (time.perf_counter() - start)
