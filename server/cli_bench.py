"""The command that measures how fast an extract is read."""

from dataclasses import asdict
from pathlib import Path

from rich.progress import Progress

from gis.errors import EngineError
from gis.osm.pbf import IN_PROCESS_BYTES
from server.console import err, out, size, table, write_json
from server.kernels import load_kernels
from server.parse_benchmark import EXPLANATIONS, READING, ParseBenchmark, run_parse_benchmark

_MOST_WORKERS = 1024


def bench_parsing(extract: Path, workers: str, repeat: int, as_json: bool) -> None:
    """Measure, and write the result to standard output."""
    numbers = _numbers(workers)
    load_kernels()
    with Progress(
        console=err, auto_refresh=False, transient=True, disable=not err.is_terminal
    ) as bars:
        bar = bars.add_task("measuring", total=None)

        def show(done: int, total: int) -> None:
            bars.update(bar, completed=done, total=total, refresh=True)

        found = run_parse_benchmark(extract, numbers, repeat, show)
    if as_json:
        write_json(asdict(found))
    else:
        _show(found)


def _numbers(text: str) -> list[int]:
    numbers = [
        int(part) if part.isascii() and part.isdigit() and len(part) < 5 else 0
        for part in text.split(",")
    ]
    if not all(0 < number <= _MOST_WORKERS for number in numbers):
        raise EngineError(f"--workers: got '{text}', expected numbers of processes such as 1,2")
    return list(dict.fromkeys(numbers))


def _show(found: ParseBenchmark) -> None:
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
