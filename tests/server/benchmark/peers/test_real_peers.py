"""The engines themselves, where they are installed.

``WHIMBREL_PEERS_PYTHON`` names a Python that has them; without it this one is asked.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benches import quick_subject

from server.benchmark.build import bench_build
from server.benchmark.measure import Subject
from server.benchmark.memory import bench_memory
from server.benchmark.peers.finding import find_peers
from server.benchmark.peers.peer import Peer
from server.benchmark.query import bench_query
from server.benchmark.table import bench_table

pytestmark = pytest.mark.compiled

PYTHON = os.environ.get("WHIMBREL_PEERS_PYTHON")


@pytest.fixture(params=["OSRM", "Valhalla", "RoutingKit"])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    peers, _ = find_peers(Path(PYTHON) if PYTHON else None, tmp_path)
    found = [peer for peer in peers if peer.name == request.param]
    if not found:
        pytest.skip(f"{request.param} is not installed: set WHIMBREL_PEERS_PYTHON")
    with found[0]:
        yield found[0]


@pytest.fixture
def subject(sample: Path, dataset: Path, tmp_path: Path) -> Subject:
    return quick_subject(sample, dataset, tmp_path)


def test_everything_it_can(peer: Peer, subject: Subject) -> None:
    """It takes part in each benchmark that it has the abilities for, and is never left out."""
    groups = {}
    for benchmark in (bench_build, bench_query, bench_table, bench_memory):
        found = benchmark(subject, [peer], lambda *_: None)
        assert not any("left out" in note for note in found.notes), found.notes
        groups[benchmark] = {f.name for f in found.figures if f.contender == peer.name}
    assert groups[bench_build]
    for benchmark in (bench_query, bench_table, bench_memory):
        assert bool(groups[benchmark]) == (peer.name != "RoutingKit")


def test_its_answers(peer: Peer, subject: Subject) -> None:
    """They are much like ours: it was asked for the same."""
    if "durations" not in peer.abilities:
        pytest.skip("it answers for graphs alone")
    peer.prepare(subject.extract)
    path = subject.folder / "pairs.npy"
    np.save(path, subject.pairs)
    theirs = peer.durations(str(path), len(subject.pairs))
    ours = subject.engine.routes(subject.pairs[:, :2], subject.pairs[:, 2:]).duration_s
    ratio = theirs / ours
    assert 0.6 < np.nanmedian(ratio) < 1.6
    assert np.isfinite(ratio).mean() > 0.5
