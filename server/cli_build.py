"""The command that turns an extract into a dataset."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routing.build import BuildReport, build_dataset
from server.console import out, showing_stages, size, table, write_json
from server.kernels import load_kernels
from server.locations import dataset_of


def build_and_report(
    extract: Path,
    output: Path | None,
    profiles: tuple[str, ...],
    workers: int | None,
    as_json: bool,
) -> None:
    """Build, and say on standard output what came of it."""
    load_kernels()
    report = build(extract, output or dataset_of(extract), profiles, workers, quiet=as_json)
    if as_json:
        write_json(as_object(report))
    else:
        _show(report)


def build(
    extract: Path,
    dataset: Path,
    profiles: tuple[str, ...] = ("car",),
    workers: int | None = None,
    quiet: bool = False,
) -> BuildReport:
    """Build with a bar for each stage."""
    with showing_stages(quiet):
        return build_dataset(extract, dataset, profiles=profiles, workers=workers)


def as_object(report: BuildReport) -> dict[str, Any]:
    """A build report for programs: seconds, bytes and counts, in all and by stage."""
    return {
        "extract": str(report.extract),
        "dataset": str(report.dataset),
        "wall_s": sum(stage.wall_s for stage in report.stages),
        "cpu_s": sum(stage.cpu_s for stage in report.stages),
        "peak_rss_bytes": max((stage.peak_rss_bytes for stage in report.stages), default=0),
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


def _show(report: BuildReport) -> None:
    rows = [
        (s.name, f"{s.wall_s:.2f} s", f"{s.cpu_s:.2f} s", size(s.peak_rss_bytes))
        for s in report.stages
    ]
    total = as_object(report)
    rows.append(
        (
            "in all",
            f"{total['wall_s']:.2f} s",
            f"{total['cpu_s']:.2f} s",
            size(total["peak_rss_bytes"]),
        )
    )
    out.print(table("", ("stage", "time", "CPU", "memory"), rows))
    out.print()
    out.print(table("", ("counted", ""), [(k, f"{n:,}") for k, n in report.counts.items()]))
    _show_counts("restrictions without effect", report.restrictions_dropped)
    for profile, kinds in report.warnings.items():
        _show_counts(
            f"tags not understood by {profile}",
            {kind: sum(values.values()) for kind, values in kinds.items()},
        )
    out.print(f"\n{report.dataset}")


def _show_counts(title: str, counts: Mapping[str, int]) -> None:
    if counts:
        out.print()
        out.print(table("", (title, ""), [(k, f"{n:,}") for k, n in counts.items()]))
