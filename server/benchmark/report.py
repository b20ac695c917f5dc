"""A report as tables, for the terminal and for a page in Markdown."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from server.benchmark.growth import Growth
from server.benchmark.results import OURS, Figure, Report

BETTER = "Whimbrel is better by"

_LACKING = "-"
_MAX_BESIDE = 3
"""Peers that have columns of their own."""
_SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


class Table(NamedTuple):
    """Rows of text; the first column is what, the others are numbers."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def value_of(value: float, unit: str) -> str:
    """A value with its unit, in three digits that matter."""
    if unit == "1/s":
        return f"{_digits(value)} /s"
    if unit != "s":
        return f"{_digits(value)} {unit}"
    scale, name = next((s for s in _SCALES if value >= 0.9995 * s[0]), _SCALES[-1])
    return f"{_digits(value / scale)} {name}"


def spread_of(found: Figure) -> str:
    """The least and the most of several runs, in the unit of the median."""
    if found.runs < 2:
        return ""
    scale = 1.0
    if found.unit == "s":
        scale = next((s for s, _ in _SCALES if found.value >= 0.9995 * s), _SCALES[-1][0])
    return f"{_digits(found.low / scale)} to {_digits(found.high / scale)}"


def ratio_of(ours: Figure, theirs: Figure) -> float:
    """How many times as good ours is: faster, smaller, or more of it."""
    better, worse = (ours, theirs) if ours.more_is_better else (theirs, ours)
    return better.value / worse.value if worse.value else math.inf


def tables_of(report: Report) -> list[Table]:
    """A table for each group of figures."""
    groups = dict.fromkeys(found.group for found in report.figures)
    return [
        _table(group, [found for found in report.figures if found.group == group])
        for group in groups
    ]


def plain_tables_of(report: Report) -> list[Table]:
    """A table for each group with a column for each contender and medians alone."""
    tables = []
    for group in dict.fromkeys(found.group for found in report.figures):
        figures = [found for found in report.figures if found.group == group]
        by_place = {(found.name, found.contender): found for found in figures}
        contenders = sorted(
            dict.fromkeys(found.contender for found in figures), key=lambda who: who != OURS
        )
        rows = [
            [name, *(_value(by_place.get((name, who)), with_spread=False) for who in contenders)]
            for name in dict.fromkeys(found.name for found in figures)
        ]
        columns = ["", *(who.capitalize() if _is_ours(who) else who for who in contenders)]
        tables.append(Table(group, columns, rows))
    return tables


def growth_table(growth: Growth, with_spread: bool = True) -> Table:
    """A row for each grid, and the exponents below."""
    columns = ["grid", "nodes", "arcs", "extract", *growth.names]
    figures = {(found.name, found.contender): found for found in growth.figures}
    rows = [
        [
            grid.name,
            f"{grid.nodes:,}",
            f"{grid.arcs:,}",
            value_of(grid.extract_bytes / 1e6, "MB"),
            *(_value(figures[name, grid.name], with_spread) for name in growth.names),
        ]
        for grid in growth.grids
    ]
    if growth.exponents:
        exponents = [f"{growth.exponents[name]:.2f}" for name in growth.names]
        rows.append(["exponent", "", "", "", *exponents])
    return Table("growth", columns, rows)


def heading_of(report: Report) -> str:
    """What was measured where, and by which versions."""
    return "\n".join(
        (
            f"{report.date}: {report.command}",
            report.machine,
            versions_of(report),
            f"{_map_of(report)}; medians, least and most in brackets",
        )
    )


def versions_of(report: Report) -> str:
    """The names and versions of all that took part."""
    return ", ".join(f"{name} {version}" for name, version in report.versions.items())


def markdown_of(report: Report, growth: Growth | None = None) -> str:
    """The tables as they stand in a README, with date, machine and command.

    How far the runs lie apart is left to the other forms: it would fill the tables.
    """
    runs = max((found.runs for found in report.figures), default=0)
    parts = [
        f"Measured on {report.date} on {report.machine}, with {versions_of(report)}, by"
        f" `{report.command}`: {_map_of(report)}; medians of up to {runs} runs."
    ]
    grown = [growth_table(growth, with_spread=False)] if growth else []
    for group in [*plain_tables_of(report), *grown]:
        head = [group.title, *group.columns[1:]]
        lines = [head, ["---"] * len(head), *group.rows]
        parts.append("\n".join(f"| {' | '.join(cells)} |" for cells in lines))
    remarks = [*report.checks, *report.notes]
    if remarks:
        parts.append("\n".join(f"- {line}" for line in remarks))
    return "\n\n".join(parts) + "\n"


def _table(group: str, figures: Sequence[Figure]) -> Table:
    """What was measured, ours, each peer's, and how many times as good ours is.

    Many contenders stand below one another.
    """
    by_place = {(found.name, found.contender): found for found in figures}
    names = list(dict.fromkeys(found.name for found in figures))
    peers = [name for name in dict.fromkeys(found.contender for found in figures) if name != OURS]
    if len(peers) > _MAX_BESIDE:
        rows = [
            [f"{found.name}: {found.contender}", _value(found), _times(by_place, found)]
            for found in sorted(figures, key=lambda found: names.index(found.name))
        ]
        return Table(group, ["", "", BETTER], rows)
    columns = ["", OURS]
    for peer in peers:
        columns += [peer, BETTER]
    rows = []
    for name in names:
        row = [name, _value(by_place.get((name, OURS)))]
        for peer in peers:
            theirs = by_place.get((name, peer))
            row += [_value(theirs), _times(by_place, theirs)]
        rows.append(row)
    return Table(group, columns, rows)


def _is_ours(contender: str) -> bool:
    """Whether it is ours, or ours in another way."""
    return contender.split(",")[0] == OURS


def _value(found: Figure | None, with_spread: bool = True) -> str:
    if found is None:
        return _LACKING
    spread = spread_of(found) if with_spread else ""
    return value_of(found.value, found.unit) + (f" ({spread})" if spread else "")


def _times(figures: Mapping[tuple[str, str], Figure], theirs: Figure | None) -> str:
    """How many times as good ours is as theirs; nothing for ours itself."""
    ours = figures.get((theirs.name, OURS)) if theirs else None
    if ours is None or theirs is None or _is_ours(theirs.contender):
        return ""
    return f"{_digits(ratio_of(ours, theirs))} x"


def _map_of(report: Report) -> str:
    counts = report.counts
    parts = [f"{counts[name]:,} {name}" for name in ("nodes", "arcs") if name in counts]
    size = counts.get("extract_bytes")
    if size:
        parts.insert(0, value_of(size / 1e6, "MB"))
    return f"{report.extract} ({', '.join(parts)})" if parts else report.extract


def _digits(value: float) -> str:
    """Three digits that matter, and no more than the value has."""
    if not math.isfinite(value) or value == 0:
        return f"{value:.0f}"
    decimals = max(2 - math.floor(math.log10(abs(value)) + 1e-9), 0)
    rounded = round(value, decimals)
    if abs(rounded) >= 10.0 ** (3 - decimals):  # 9.996 has become 10.00
        decimals = max(decimals - 1, 0)
    if abs(value) >= 1000:
        rounded = round(value, 2 - math.floor(math.log10(abs(value))))
    return f"{rounded:,.{decimals}f}"
