"""Memory of processes that answer: the first, and what each further one adds."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from routing.engine import Engine
from server.benchmark.measure import (
    Contender,
    Findings,
    Progress,
    Subject,
    prepared,
    take_turns,
)
from server.benchmark.peers.peer import Peer
from server.benchmark.processes import (
    ProcessFailed,
    descendants,
    last_line,
    private_of,
    resident_of,
    whimbrel_environment,
)
from server.benchmark.results import OURS

GROUP = "memory"
FIRST = "a process that has answered"
FURTHER = "each further process"

_ENTRY = "from server.benchmark.memory import answer_and_wait; answer_and_wait()"
_TIMEOUT_S = 600.0


def bench_memory(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure a process after the pairs of the subject, and one that is forked from it.

    The first counts in full, whoever else has the same pages mapped, as this very process has
    the dataset; a further one costs what it shares with nobody.
    """
    found = Findings(checks=[subject.checked])
    path = subject.folder.resolve() / "pairs.npy"
    np.save(path, subject.pairs)
    ready = prepared(subject, peers, "route", found, progress)
    contenders = [Contender(OURS, lambda: _memory_of(subject, path, 1)[0])]
    contenders += [Contender(peer.name, partial(_memory_of_peer, peer, path)) for peer in ready]
    found.add(take_turns(GROUP, FIRST, "MB", contenders, subject.repeat, progress, warm_up=False))
    more = [Contender(OURS, lambda: _memory_of(subject, path, 2)[1])]
    found.notes.append(
        f"{GROUP}: {FIRST}: all that is resident, ours and others' alike; {FURTHER}: what it"
        " shares with no other"
    )
    found.add(take_turns(GROUP, FURTHER, "MB", more, subject.repeat, progress, warm_up=False))
    return found


def _memory_of_peer(peer: Peer, path: Path) -> float:
    peer.reopen()
    peer.ask("route", pairs=str(path))
    return peer.memory_bytes / 1e6


def _memory_of(subject: Subject, path: Path, n: int) -> tuple[float, float]:
    """Megabytes of a fresh process, and of the further ones it has forked, after every pair.

    There are n in all. Of the further ones, what each has for itself.
    """
    command = [sys.executable, "-P", "-c", _ENTRY, str(subject.dataset), str(path), str(n)]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=whimbrel_environment(),
            start_new_session=True,
        )
        with process:
            try:
                assert process.stdout is not None
                ready, _, _ = select.select([process.stdout], [], [], _TIMEOUT_S)
                if not ready or len(os.read(process.stdout.fileno(), n)) < 1:
                    errors.seek(0)
                    said = last_line(errors.read().decode(errors="replace"))
                    raise ProcessFailed(f"a process that should answer routes failed: {said}")
                first, *further = descendants(process.pid)
                return resident_of(first) / 1e6, sum(map(private_of, further)) / 1e6
            finally:
                os.killpg(process.pid, signal.SIGKILL)


def answer_and_wait() -> None:
    """Open a dataset, find the routes of all pairs, say so, and wait to be killed.

    With two processes the second is forked once the dataset is open, as the server does it.
    """
    dataset, pairs, n = sys.argv[1:]
    engine = Engine.open(dataset)
    ends = [[(a, b), (c, d)] for a, b, c, d in np.load(pairs).tolist()]
    engine.route(ends[0])
    children = []
    for _ in range(int(n) - 1):
        reading, writing = os.pipe()
        if os.fork() == 0:
            _answer(engine, ends)
            os.write(writing, b".")
            signal.pause()
        os.close(writing)
        children.append(reading)
    _answer(engine, ends)
    for reading in children:
        if not os.read(reading, 1):
            sys.exit("a forked process ended")
    os.write(1, b".")
    sys.stdin.read()


def _answer(engine: Engine, ends: Sequence[Sequence[tuple[float, float]]]) -> None:
    for pair in ends:
        engine.route(pair)
