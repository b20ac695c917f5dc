"""The command that turns an extract into a dataset."""

import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gis.profiles.custom import find_profiles
from gis.profiles.rules import Profile
from routing.build import BuildReport, build_dataset
from server.console import out, showing_stages, size, table, write_json
from server.kernels import load_kernels
from server.locations import dataset_of

_MOST_IDS = 4
"""So many relations are named; ``--json`` has them all."""


@dataclass(frozen=True)
class Usage:
    """What a build took from its beginning to its end, its processes included."""

    wall_s: float
    cpu_s: float


def build_and_report(
    extract: Path,
    output: Path | None,
    profiles: tuple[str, ...],
    workers: int | None,
    as_json: bool,
) -> None:
    """Build, and say on standard output what came of it."""
    vehicles = find_profiles(profiles)  # rather now than after compiling
    load_kernels()
    wall_s, cpu_s = time.perf_counter(), _cpu_s()
    report = build(extract, output or dataset_of(extract), vehicles, workers, quiet=as_json)
    usage = Usage(time.perf_counter() - wall_s, _cpu_s() - cpu_s)
    if as_json:
        write_json(as_object(report, usage))
    else:
        _show(report, usage)


def _cpu_s() -> float:
    """CPU time of this process and of those it has started and awaited."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def build(
    extract: Path,
    dataset: Path,
    profiles: Sequence[str | Profile] = ("car",),
    workers: int | None = None,
    quiet: bool = False,
) -> BuildReport:
    """Build with a bar for each stage."""
    with showing_stages(quiet):
        return build_dataset(extract, dataset, profiles=profiles, workers=workers)


def as_object(report: BuildReport, usage: Usage) -> dict[str, Any]:
    """A build report for programs: seconds, bytes and counts, in all and by stage."""
    return {
        "extract": str(report.extract),
        "dataset": str(report.dataset),
        "wall_s": usage.wall_s,
        "cpu_s": usage.cpu_s,
        "peak_rss_bytes": _peak_rss_bytes(report),
        "stages": [
            {
                "name": stage.name,
                "wall_s": stage.wall_s,
                "cpu_s": stage.cpu_s,
                "peak_rss_bytes": stage.peak_rss_bytes,
                "counts": stage.counts,
            }
            for stage in report.stages
        ],
        "counts": report.counts,
        "restrictions_dropped": report.restrictions_dropped,
        "warnings": report.warnings,
    }


def _show(report: BuildReport, usage: Usage) -> None:
    rows = [
        (s.name, f"{s.wall_s:.2f} s", f"{s.cpu_s:.2f} s", size(s.peak_rss_bytes))
        for s in report.stages
    ]
    peak = size(_peak_rss_bytes(report))
    rows.append(("in all", f"{usage.wall_s:.2f} s", f"{usage.cpu_s:.2f} s", peak))
    out.print(table("", ("stage", "time", "CPU", "memory"), rows))
    out.print()
    out.print(table("", ("counted", ""), [(k, f"{n:,}") for k, n in report.counts.items()]))
    _show_dropped(report.restrictions_dropped)
    for profile, kinds in report.warnings.items():
        _show_counts(
            f"tag combinations not understood by {profile}",
            {kind: sum(values.values()) for kind, values in kinds.items()},
        )
    out.print(f"\n{report.dataset}")


def _peak_rss_bytes(report: BuildReport) -> int:
    return max((stage.peak_rss_bytes for stage in report.stages), default=0)


def _show_counts(title: str, counts: Mapping[str, int]) -> None:
    if counts:
        out.print()
        out.print(table("", (title, ""), [(k, f"{n:,}") for k, n in counts.items()]))


def _show_dropped(dropped: Mapping[str, Sequence[int]]) -> None:
    """The relations without effect: how many by reason, and which."""
    if dropped:
        rows = [(reason, f"{len(ids):,}", _some_of(ids)) for reason, ids in dropped.items()]
        out.print()
        out.print(table("", ("restrictions without effect", "", "relations"), rows))


def _some_of(ids: Sequence[int]) -> str:
    names = ", ".join(map(str, ids[:_MOST_IDS]))
    return names if len(ids) <= _MOST_IDS else f"{names} and {len(ids) - _MOST_IDS:,} more"
