"""Travel-time tables: ours on one thread and on all, beside each peer's."""

import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from gis.arrays import F64
from server.benchmark.check import check_table
from server.benchmark.measure import (
    Contender,
    Findings,
    Progress,
    Subject,
    able,
    prepared,
    take_turns,
)
from server.benchmark.peers.peer import Peer
from server.benchmark.results import OURS

GROUP = "table"

SMALL = 50
"""Points of the table for peers that take seconds for it."""


def bench_table(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure a square table of durations; a smaller one, too, if a peer needs it smaller."""
    found = Findings(checks=[subject.checked])
    ready = prepared(subject, peers, "table", found, progress)
    fast = able(ready, "large tables")
    found.add(_tables(subject, subject.n_table, fast, progress))
    if len(able(ready, "table")) > len(able(fast, "table")):
        small = min(SMALL, subject.n_table)
        found.add(_tables(subject, small, able(ready, "table"), progress))
    return found


def _tables(subject: Subject, n: int, peers: Sequence[Peer], progress: Progress) -> Findings:
    points = subject.points(n)
    table = subject.engine.table(points)
    found = Findings(checks=[check_table(subject.engine, points, table, subject.seed)])
    path = str(subject.folder.resolve() / f"points{n}.npy")
    np.save(path, points)
    for threads in sorted({1, subject.workers}):
        name = f"{n} x {n} durations, {threads} thread{'s' * (threads > 1)}"
        contenders = [Contender(OURS, partial(_our_table, subject, points, threads))]
        if threads == 1:  # none of them uses more for one table
            contenders += [
                Contender(peer.name, partial(peer.number, "table", points=path)) for peer in peers
            ]
        found.add(take_turns(GROUP, name, "s", contenders, subject.repeat, progress))
    return found


def _our_table(subject: Subject, points: F64, threads: int) -> float:
    start = time.perf_counter()
    # Seconds as floating-point numbers are made when they are asked for.
    _ = subject.engine.table(points, threads=threads).duration_s
    return time.perf_counter() - start
