"""A report as a picture: bars of ours beside those of others, and lines of the growth."""

import math
from collections import Counter
from io import BytesIO
from pathlib import Path
from textwrap import shorten, wrap
from typing import Any, NamedTuple

from gis.errors import EngineError
from server.benchmark.growth import Growth
from server.benchmark.report import value_of, versions_of
from server.benchmark.results import OURS, Figure, Report
from server.output_file import check_output, write_output

SUFFIXES = (".svg", ".png", ".pdf")

_COLOURS = (
    *("#0b7285", "#f08c00", "#868e96", "#ae3ec9", "#2f9e44"),
    *("#e03131", "#1971c2", "#a9834f", "#495057"),
)
"""Ours comes first."""
_INK, _FAINT_INK, _FAINT = "#212529", "#868e96", "#dee2e6"
_WIDTH_IN = 11.0
_BAR_IN = 0.24
_PANEL_IN = 0.85
"""What each panel needs beside its bars: title, ticks and room."""
_HEAD_IN = 1.2
_GROWTH_IN = 4.5
_LOG_ABOVE = 30.0
"""Panels whose values differ by more than this have a logarithmic scale."""
_MAX_STEPS = 4
"""Between ticks of a linear scale: a value with its unit takes a fifth of the width."""
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "whimbrel",  # the same report makes the same bytes
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}


class _Panel(NamedTuple):
    """The figures of one group and unit: what can share a scale."""

    group: str
    unit: str
    names: list[str]
    contenders: list[str]
    figures: dict[tuple[str, str], Figure]

    @property
    def bars(self) -> int:
        return len(self.figures)


def check_plot(path: Path) -> None:
    """Raise ``EngineError`` if no picture can be written to the path: now, not after measuring."""
    if path.suffix.lower() not in SUFFIXES:
        raise EngineError(f"--plot: got '{path}', expected a name that ends in .svg, .png or .pdf")
    try:
        check_output(path)
    except EngineError as error:
        raise EngineError(f"--plot: {error}") from None
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise EngineError("--plot needs matplotlib: pip install 'whimbrel[plot]'") from None


def draw(report: Report, growth: Growth | None, path: Path) -> None:
    """Draw a report; the suffix of the path says in which format."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    panels = _panels(report)
    heights = [_PANEL_IN + _BAR_IN * (panel.bars + 0.6 * len(panel.names)) for panel in panels]
    heights += [_GROWTH_IN] if growth and growth.grids else []
    total = _HEAD_IN + sum(heights)
    with rc_context(_SETTINGS):
        canvas = Canvas(figsize=(_WIDTH_IN, total), facecolor="white")
        _title(canvas, report, total)
        colours = _colours(report)
        top = total - _HEAD_IN
        for panel, height in zip(panels, heights, strict=False):
            left, width, low = 0.31, 0.43, 0.4
            axes = canvas.add_axes(
                (left, (top - height + low) / total, width, (height - _PANEL_IN) / total)
            )
            _draw_bars(axes, panel, colours)
            top -= height
        if growth and growth.grids:
            for number, unit in enumerate(("s", "MB")):
                box = (0.09 + 0.49 * number, (top - 3.25) / total, 0.39, 2.8 / total)
                _draw_growth(canvas.add_axes(box), growth, unit)
        metadata: dict[str, Any] = {
            ".svg": {"Date": None},
            ".pdf": {"CreationDate": None},
        }.get(path.suffix.lower(), {})
        picture = BytesIO()
        form = path.suffix.lower().removeprefix(".")
        canvas.savefig(picture, format=form, dpi=150, metadata=metadata)
        write_output(path, picture.getvalue())


def _panels(report: Report) -> list[_Panel]:
    keys = dict.fromkeys((found.group, found.unit) for found in report.figures)
    panels = []
    for group, unit in keys:
        figures = [found for found in report.figures if (found.group, found.unit) == (group, unit)]
        panels.append(
            _Panel(
                group,
                unit,
                list(dict.fromkeys(found.name for found in figures)),
                list(dict.fromkeys(found.contender for found in figures)),
                {(found.name, found.contender): found for found in figures},
            )
        )
    return panels


def _colours(report: Report) -> dict[str, str]:
    """Ours first, then those that are met most often."""
    number = Counter(found.contender for found in report.figures)
    others = [name for name, _ in number.most_common() if name != OURS]
    colours = dict(zip(others, _COLOURS[1:], strict=False))
    return {OURS: _COLOURS[0], **dict.fromkeys(others, _COLOURS[-1]), **colours}


def _title(canvas: Any, report: Report, height: float) -> None:
    def write(inches: float, text: str, **style: Any) -> None:
        canvas.text(0.02, 1 - inches / height, text, ha="left", va="top", **style)

    write(0.15, f"Whimbrel on {report.extract}", size=15, weight="bold")
    arcs = report.counts.get("arcs")
    size = f"{arcs:,} arcs; " if arcs else ""
    write(0.5, shorten(f"{size}{report.date}; {report.machine}", 150), size=9)
    write(0.68, shorten(report.command, 150), size=9)
    write(0.86, shorten(versions_of(report), 150), size=9, color=_FAINT_INK)


def _draw_bars(axes: Any, panel: _Panel, colours: dict[str, str]) -> None:
    """A bar for each contender under each name, best read from the top."""
    low = min(found.value for found in panel.figures.values())
    high = max(found.high for found in panel.figures.values())
    logarithmic = low > 0 and high / low > _LOG_ABOVE
    start = 10.0 ** math.floor(math.log10(low / 2)) if logarithmic else 0.0
    at = 0.0
    ticks: list[float] = []
    for name in panel.names:
        shown = [who for who in colours if (name, who) in panel.figures]
        ticks.append(at + (len(shown) - 1) / 2)
        for who in shown:
            found = panel.figures[name, who]
            axes.barh(at, found.value - start, 0.82, left=start, color=colours[who])
            if found.runs > 1:
                axes.plot([found.low, found.high], [at, at], color=_INK, linewidth=1.0)
            axes.annotate(
                f"{value_of(found.value, found.unit)}  {who}",
                (max(found.high, start), at),
                (5, 0),
                textcoords="offset points",
                va="center",
                size=8.5,
                weight="bold" if who == OURS else "normal",
                annotation_clip=False,
            )
            at += 1
        at += 0.6
    if logarithmic:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=_MAX_STEPS)
    axes.xaxis.set_major_formatter(lambda value, _: _tick(value, panel.unit))
    axes.xaxis.set_minor_formatter("")
    axes.set_xlim(start, 1.02 * high if high > start else start + 1)
    axes.set_ylim(at - 0.6 - 0.4, -0.6)
    axes.set_yticks(ticks, ["\n".join(wrap(name, 44)) for name in panel.names])
    better = "more is better" if panel.unit == "1/s" else "less is better"
    scale = ", logarithmic scale" if logarithmic else ""
    axes.set_title(
        f"{panel.group}: {better}{scale}",
        loc="left",
        size=10.5,
        weight="bold",
    )
    _plain(axes, "x")


def _draw_growth(axes: Any, growth: Growth, unit: str) -> None:
    """Lines over the number of arcs on logarithmic scales; the exponent stands beside each."""
    arcs = [grid.arcs for grid in growth.grids]
    names = [name for name in growth.names if growth.of(name)[0].unit == unit]
    for name, colour in zip(names, _COLOURS, strict=False):
        values = [found.value for found in growth.of(name)]
        label = name
        if name in growth.exponents:
            label += f": arcs to the power of {growth.exponents[name]:.2f}"
        axes.plot(arcs, values, "o-", color=colour, label=label, linewidth=1.8, markersize=4)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(arcs, [f"{grid.arcs:,}\n{grid.name}" for grid in growth.grids])
    axes.xaxis.set_minor_formatter("")
    axes.yaxis.set_major_formatter(lambda value, _: _tick(value, unit))
    axes.yaxis.set_minor_formatter("")
    _plain(axes, "both")
    axes.set_xlabel("arcs")
    title = "growth of time" if unit == "s" else "growth of memory and disk"
    axes.set_title(title, loc="left", size=10.5, weight="bold")
    axes.margins(0.08, 0.1)
    axes.legend(frameon=False, fontsize=8.5, loc="upper left", bbox_to_anchor=(-0.02, -0.17))


def _tick(value: float, unit: str) -> str:
    """A value without the noughts that say how exact it is."""
    number, _, name = value_of(value, unit).partition(" ")
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {name}" if value else "0"


def _plain(axes: Any, grid: str) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_FAINT)
    axes.grid(axis=grid, color=_FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, which="both")
