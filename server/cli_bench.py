"""The command that measures: what is planned, how it is shown, where it is written."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gis.errors import EngineError, FormatError
from gis.osm.pbf import IN_PROCESS_BYTES
from server.benchmark.parse import EXPLANATIONS, READING, ParseBenchmark, run_parse_benchmark
from server.benchmark.plot import check_plot, draw
from server.benchmark.report import (
    Table,
    growth_table,
    heading_of,
    markdown_of,
    tables_of,
)
from server.benchmark.run import ALL, BENCHMARKS, Plan, Result, run_benchmarks
from server.console import err, out, size, table, write_json
from server.kernels import load_kernels
from server.locations import sample_extract

_MOST_WORKERS = 1024
_PARSE_WORKERS = "1,2"
_PARSE_REPEAT = 5


@dataclass(frozen=True)
class BenchOptions:
    """The options of the command as they were given."""

    workers: str | None
    repeat: int | None
    seed: int
    peers: bool
    peers_python: Path | None
    grow: bool
    quick: bool
    as_json: bool
    markdown: bool
    plot: Path | None

    def command(self, what: str, extract: str) -> str:
        """The command line that repeats this."""
        parts = ["whimbrel", "bench", what, extract]
        if self.repeat is not None:
            parts.append(f"--repeat {self.repeat}")
        if self.workers is not None:
            parts.append(f"--workers {self.workers}")
        if self.seed != 1:
            parts.append(f"--seed {self.seed}")
        for name in ("peers", "grow", "quick"):
            parts += [f"--{name}"] if getattr(self, name) else []
        return " ".join(parts)


def measure(what: str, extract: Path | None, options: BenchOptions) -> None:
    """Measure, and write what came of it to standard output and to the picture."""
    numbers = _numbers(_PARSE_WORKERS if options.workers is None else options.workers)
    what, path = _subject_of(what, extract)
    if options.as_json and options.markdown:
        raise EngineError("--json and --markdown exclude each other")
    if options.peers_python is not None and not options.peers:
        raise EngineError("--peers-python is of no use without --peers")
    if options.plot is not None:
        check_plot(options.plot)
    load_kernels()
    if what == "parse" and not (options.plot or options.markdown or options.grow or options.peers):
        _bench_parsing(path, numbers, options.repeat or _PARSE_REPEAT, options.as_json)
        return
    plan = Plan(
        what,
        path,
        options.repeat,
        options.seed,
        max(numbers) if options.workers else None,
        options.peers,
        options.peers_python,
        options.grow,
        options.quick,
    )
    with _showing(quiet=options.as_json) as show:
        found = run_benchmarks(plan, options.command(what, path.name), show)
    _write(found, options)
    if options.plot is not None:  # at last: a picture that cannot be written costs no figures
        draw(*found, options.plot)
        if not (options.as_json or options.markdown):
            out.print(f"\n{options.plot}")


def _subject_of(what: str, extract: Path | None) -> tuple[str, Path]:
    """Which benchmark of which extract: a single argument may be either."""
    if what not in (ALL, *BENCHMARKS):
        if extract is not None or not _looks_like_a_file(what):
            raise EngineError(f"there is no benchmark '{what}': {', '.join(BENCHMARKS)} or {ALL}")
        what, extract = ALL, Path(what)
    extract = extract or sample_extract()
    if extract.is_dir():
        raise FormatError(f"{extract}: is a folder, expected an OpenStreetMap extract")
    if not extract.exists():
        raise FormatError(f"{extract}: no such file")
    return what, extract


def _looks_like_a_file(text: str) -> bool:
    return Path(text).exists() or "." in text or "/" in text


@contextmanager
def _showing(quiet: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for what is measured now, or a line for each where there is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    said: list[str] = []
    # Nothing here runs in a thread: benchmarks start processes by fork.
    with Progress(
        *columns, console=err, auto_refresh=False, transient=True, disable=not err.is_terminal
    ) as bars:
        bar = bars.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            bars.update(bar, description=what, completed=done, total=total, refresh=True)
            if what not in said:
                said.append(what)
                if not (quiet or err.is_terminal):
                    err.print(what)

        yield show


def _write(found: Result, options: BenchOptions) -> None:
    if options.as_json:
        growth = asdict(found.growth) if found.growth else None
        write_json(asdict(found.report) | {"growth": growth})
    elif options.markdown:
        out.print(markdown_of(*found), end="")
    else:
        _show(found)


def _show(found: Result) -> None:
    """Tables for people: what was measured, then what was checked and what is to be known."""
    out.print(heading_of(found.report))
    tables = tables_of(found.report) + ([growth_table(found.growth)] if found.growth else [])
    for part in tables:
        out.print()
        _show_table(part)
    _show_lines("checked before any time was believed", found.report.checks)
    _show_lines("notes", found.report.notes)


def _show_table(part: Table) -> None:
    out.print(table("", [part.title, *part.columns[1:]], part.rows))


def _show_lines(title: str, lines: Sequence[str]) -> None:
    if lines:
        out.print(f"\n{title}")
    for line in lines:
        out.print(f"  {line}", style="dim")


def _numbers(text: str) -> list[int]:
    numbers = [
        int(part) if part.isascii() and part.isdigit() and len(part) < 5 else 0
        for part in text.split(",")
    ]
    if not all(0 < number <= _MOST_WORKERS for number in numbers):
        raise EngineError(f"--workers: got '{text}', expected numbers of processes such as 1,2")
    return list(dict.fromkeys(numbers))


def _bench_parsing(extract: Path, numbers: Sequence[int], repeat: int, as_json: bool) -> None:
    """Measure reading alone, stage by stage."""
    with _showing(quiet=True) as show:
        found = run_parse_benchmark(
            extract, numbers, repeat, lambda done, total: show("measuring", done, total)
        )
    if as_json:
        write_json(asdict(found))
    else:
        _show_parsing(found)


def _show_parsing(found: ParseBenchmark) -> None:
    rows = []
    for timing in found.timings:
        name = timing.name
        if name == READING:
            name += f", {timing.workers} worker{'s' * (timing.workers > 1)}"
        rows.append((name, _ms(timing.wall_s), _ms(timing.cpu_s), f"{timing.mb_s:.1f}"))
        for stage in timing.stages:
            wall_s, cpu_s, mb_s = (float(stage[key]) for key in ("wall_s", "cpu_s", "mb_s"))
            rows.append((f"  {stage['name']}", _ms(wall_s), _ms(cpu_s), f"{mb_s:.1f}"))
    out.print(f"{found.extract}, {size(found.bytes)}, medians of {found.repeat} runs\n")
    out.print(table("", ("", "time", "CPU", "MB/s"), rows))
    out.print()
    first, *others = found.readings
    for timing in others:
        out.print(
            f"{timing.workers} workers are {timing.speed_up:.2f} times as fast as {first.workers}"
        )
    out.print(f"reading takes {found.cpu_ratio:.1f} times the CPU time of inflating alone\n")
    if others and found.bytes < IN_PROCESS_BYTES:
        out.print(f"files below {size(IN_PROCESS_BYTES)} are read by one process in any case\n")
    for name, explanation in EXPLANATIONS.items():
        out.print(f"{name}: {explanation}", style="dim")


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
