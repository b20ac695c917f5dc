"""What all benchmarks share: the subject, the turns that contenders take, and the report."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, TypeAlias

from gis.arrays import F64
from gis.manifest import About
from gis.version import installed_version
from gis.workers import available_cpus
from routing.engine import Engine
from server.benchmark.check import check_routes
from server.benchmark.pairs import random_pairs, random_points
from server.benchmark.peers.peer import Peer, PeerFailed
from server.benchmark.processes import run_process, whimbrel_command, whimbrel_environment
from server.benchmark.results import OURS, Figure, Report, figure
from server.locations import dataset_of

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is measured now, how many runs of it are done, and how many there will be."""


def no_progress(what: str, done: int, total: int) -> None:
    """Tell nobody."""


@dataclass
class Findings:
    """What one benchmark found; a `Report` is made of several."""

    figures: list[Figure] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: "Findings") -> None:
        """Take in what another found; the same is not said twice."""
        self.figures += other.figures
        self.checks += [line for line in other.checks if line not in self.checks]
        self.notes += [line for line in other.notes if line not in self.notes]


@dataclass
class Subject:
    """What is measured, and how often.

    ``folder`` is for the dataset and for what other engines prepare; whoever makes a subject
    makes it, and deletes it in the end. ``workers`` are processes or threads where all are meant.
    """

    extract: Path
    folder: Path
    repeat: int = 5
    seed: int = 1
    workers: int = field(default_factory=available_cpus)
    n_pairs: int = 1000
    n_many: int = 100_000
    n_table: int = 1000
    n_checked: int = 200
    load: float = field(default_factory=lambda: os.getloadavg()[0])
    """How many processes of others wanted a processor when it all began."""

    @cached_property
    def dataset(self) -> Path:
        """The dataset of the extract, built once by a process of its own."""
        path = self.folder.resolve() / dataset_of(self.extract).name
        build = whimbrel_command("build", self.extract.resolve(), "-o", path, "--json")
        run_process(build, self.folder, whimbrel_environment(), sampled=False)
        return path

    @cached_property
    def engine(self) -> Engine:
        """The dataset, open."""
        return Engine.open(self.dataset)

    @cached_property
    def about(self) -> About:
        """What the dataset holds."""
        return self.engine.info

    @cached_property
    def pairs(self) -> F64:
        """Longitude and latitude of two points each, (n_pairs, 4), with a route between them."""
        return self.more_pairs(self.n_pairs)

    def more_pairs(self, n: int) -> F64:
        """Another number of pairs of the same kind, (n, 4)."""
        return random_pairs(self.engine, n, self.seed)

    def points(self, n: int) -> F64:
        """Points near roads, (n, 2)."""
        return random_points(self.engine, n, self.seed)

    @cached_property
    def checked(self) -> str:
        """That the answers are right, in one line; ``WrongAnswer`` if they are not.

        To be asked for before anything is timed.
        """
        return check_routes(self.engine, self.pairs[: self.n_checked], self.workers)


SHARE_S = 60.0
"""What a peer may take for one figure; it is given less to do, or fewer turns, if it is slow."""

Benchmark: TypeAlias = Callable[[Subject, Sequence[Peer], Progress], Findings]


class Contender(NamedTuple):
    """Somebody who does the same as others; ``run`` does it once and returns the one number."""

    name: str
    run: Callable[[], float]


def take_turns(
    group: str,
    name: str,
    unit: str,
    contenders: Sequence[Contender],
    repeat: int,
    progress: Progress = no_progress,
    warm_up: bool = True,
) -> Findings:
    """Let all contenders run in turn, ``repeat`` times, after one turn that does not count.

    In turn, so that whatever else the machine does meets all of them alike. A peer that fails is
    left out, and one that needs more than its share has fewer turns, which notes say.
    """
    found = Findings()
    runs: dict[str, list[float]] = {contender.name: [] for contender in contenders}
    spent_s = dict.fromkeys(runs, 0.0)
    turns = repeat + warm_up
    for turn in range(turns):
        for index, contender in enumerate(contenders):
            progress(f"{group}: {name}", turn * len(contenders) + index, turns * len(contenders))
            who = contender.name
            if who not in runs or (runs[who] and who != OURS and spent_s[who] > SHARE_S):
                continue
            start = time.perf_counter()
            try:
                value = contender.run()
            except PeerFailed as error:
                found.notes.append(f"{error}: left out")
                del runs[who]
                continue
            spent_s[who] += time.perf_counter() - start
            if turn or not warm_up:
                runs[who].append(value)
    progress(f"{group}: {name}", turns * len(contenders), turns * len(contenders))
    found.notes += [
        f"{who} has {len(values)} of {repeat} runs of {group}: {name}: it took {spent_s[who]:.0f} s"
        for who, values in runs.items()
        if len(values) < repeat
    ]
    found.figures = [figure(group, name, who, unit, values) for who, values in runs.items()]
    return found


def able(peers: Sequence[Peer], ability: str) -> list[Peer]:
    """The peers that can do something and have not failed."""
    return [peer for peer in peers if ability in peer.abilities and not peer.failed]


def prepared(
    subject: Subject, peers: Sequence[Peer], ability: str, found: Findings, progress: Progress
) -> list[Peer]:
    """The peers that can do something, each with the extract prepared."""
    ready = []
    for peer in able(peers, ability):
        progress(f"{peer.name}: preparing {subject.extract.name}", 0, 1)
        try:
            peer.prepare(subject.extract, subject.workers)
            ready.append(peer)
        except PeerFailed as error:
            found.notes.append(f"{error}: left out")
    return ready


def new_report(command: str, subject: Subject, peers: Sequence[Peer]) -> Report:
    """A report without figures: when and where, of what and by whom."""
    return Report(
        command,
        datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        f"{machine()}, load {subject.load:.1f} at the beginning",
        versions() | {peer.package: peer.version for peer in peers},
        subject.extract.name,
        dict(subject.about.counts) | {"extract_bytes": subject.extract.stat().st_size},
    )


def versions() -> dict[str, str]:
    """Of us, of Python, and of what makes us fast."""
    ours = {OURS: installed_version(), "Python": platform.python_version()}
    return ours | {name: version(name) for name in ("numpy", "numba")}


def machine() -> str:
    """Processor, number of processors that may be used, memory, system."""
    model = _line_of("/proc/cpuinfo", "model name") or platform.processor() or "unknown processor"
    parts = [model, f"{available_cpus()} processors"]
    memory = _line_of("/proc/meminfo", "MemTotal")
    if memory:
        parts.append(f"{int(memory.split()[0]) * 1024 / 1e9:.1f} GB")
    return ", ".join([*parts, f"{platform.system()} {platform.release()}"])


def _line_of(path: str, key: str) -> str:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "")
