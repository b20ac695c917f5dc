"""From an extract to what answers: time, memory, disk, and single steps of it."""

import json
import shutil
from collections.abc import Sequence

from server.benchmark.customizing import ORDERING, customizations
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
    Run,
    folder_bytes,
    run_process,
    whimbrel_command,
    whimbrel_environment,
)
from server.benchmark.results import OURS, Figure, figure

GROUP = "build"
PREPARING = "extract to ready data"
MEMORY = "memory for that"
DISK = "on disk"

_STAGES = {"order", "hierarchy"}


def bench_build(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Measure our build several times, each in a process of its own, and each peer's once."""
    checks = [subject.checked]
    found = _our_build(subject, progress)
    ready = prepared(subject, peers, "prepare", found, progress)
    for peer in ready:
        took = peer.prepare(subject.extract, subject.workers)
        found.figures += _figures(peer.name, [took.wall_s], took.peak_bytes, took.disk_bytes)
        found.notes.append(
            f"{peer.name}'s {PREPARING}: one run, with the extract in the page cache; ours:"
            f" median of {subject.repeat} after one that does not count"
        )
    if ready:
        found.notes.append(
            f"{GROUP}: {MEMORY}: ours is the most that all processes together had, sampled in a"
            " run of its own that is not timed; others' is the most that their largest process"
            " had, which the kernel counts in the timed run"
        )
    found.checks += checks
    found.add(customizations(subject, peers, progress))
    return found


def _our_build(subject: Subject, progress: Progress) -> Findings:
    """Time without sampling, then memory in a run of its own."""
    dataset = subject.folder.resolve() / "measured.whimbrel"
    command = whimbrel_command("build", subject.extract.resolve(), "-o", dataset, "--json")
    runs: list[Run] = []

    def build(sampled: bool = False) -> float:
        shutil.rmtree(dataset, ignore_errors=True)
        runs.append(run_process(command, subject.folder, whimbrel_environment(), sampled))
        return runs[-1].wall_s

    contenders = [Contender(OURS, build)]
    found = take_turns(GROUP, PREPARING, "s", contenders, subject.repeat, progress)
    reports = [json.loads(run.output) for run in runs[1:]]
    build(sampled=True)
    found.figures += _figures(OURS, [], runs[-1].peak_bytes, folder_bytes(dataset))
    own = [float(report["wall_s"]) for report in reports]
    found.figures.append(figure(GROUP, f"{PREPARING}, Python running", OURS, "s", own))
    steps = [
        sum(float(stage["wall_s"]) for stage in report["stages"] if stage["name"] in _STAGES)
        for report in reports
    ]
    found.figures.append(figure(GROUP, ORDERING, OURS, "s", steps))
    shutil.rmtree(dataset)
    return found


def _figures(who: str, wall_s: Sequence[float], peak: int, disk: int) -> list[Figure]:
    figures = [figure(GROUP, PREPARING, who, "s", wall_s)] if wall_s else []
    return [
        *figures,
        figure(GROUP, MEMORY, who, "MB", [peak / 1e6]),
        figure(GROUP, DISK, who, "MB", [disk / 1e6]),
    ]
