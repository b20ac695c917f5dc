"""What a benchmark has found: figures with their spread, and where they were measured."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

OURS = "whimbrel"


@dataclass(frozen=True)
class Figure:
    """One thing that was measured of one contender: the median of some runs, least and most.

    ``group`` is the benchmark ("query"), ``name`` what was measured ("route, distance and
    duration"); figures of one group and name can be compared. ``unit`` is "s", "MB" or "1/s".
    """

    group: str
    name: str
    contender: str
    unit: str
    value: float
    low: float
    high: float
    runs: int

    @property
    def more_is_better(self) -> bool:
        return self.unit == "1/s"


@dataclass
class Report:
    """The result of one command."""

    command: str
    date: str
    machine: str
    versions: dict[str, str]
    extract: str
    counts: dict[str, int]
    figures: list[Figure] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    """What was compared with the reference before a figure was believed, one line each."""
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""


def figure(group: str, name: str, contender: str, unit: str, runs: Sequence[float]) -> Figure:
    """The figure of some runs."""
    return Figure(
        group, name, contender, unit, statistics.median(runs), min(runs), max(runs), len(runs)
    )
