"""The work of the command that plans for couriers."""

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from rich.live import Live
from rich.text import Text

from gis.errors import EngineError, FormatError
from routing.courier.plan import CourierPlan, Progress
from routing.courier.problem import MOST_STOPS
from routing.courier.schedule import CourierParams
from routing.courier.solve import solve_courier
from routing.engine import Engine
from server.api.osrm_json import to_bytes
from server.console import duration, err, out, write_bytes, write_json
from server.courier.asked import Asked
from server.courier.geojson import plan_geojson
from server.courier.reading import read_problem
from server.courier.solving import Prepared, prepare, read_json
from server.kernels import load_kernels
from server.output_file import (
    Named,
    check_distinct,
    check_output,
    is_standard_output,
    write_output,
)

_DEFAULT_S = 10.0
_LINE_S = 2.0
"""Seconds between two lines of progress where there is no terminal."""
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Search:
    """How to search, as it was typed; None: as the problem has it, or by default."""

    seconds: float | None
    iterations: int | None
    seed: int | None
    workers: int | None

    def params(self, asked: Asked) -> CourierParams:
        """What the solver is told."""
        wishes = asked.wishes
        iterations = wishes.iterations if self.iterations is None else self.iterations
        limited = self.iterations is not None  # by what was typed, and not by the clock too
        seconds = wishes.seconds if self.seconds is None and not limited else self.seconds
        if seconds is None and iterations is None:
            seconds = _DEFAULT_S
        return CourierParams(
            seconds=seconds,
            iterations=iterations,
            seed=wishes.seed if self.seed is None else self.seed,
            workers=self.workers,
        )


def plan_for_couriers(
    dataset: Path,
    problem: Path,
    outputs: tuple[Path | None, Path | None],
    search: Search,
    roads: dict[str, Any],
    as_json: bool,
) -> None:
    """Solve the problem of a file, write the plan and perhaps its lines, and say how it went."""
    output, lines = _checked(problem, outputs)
    if as_json and output is None:
        raise EngineError("--json tells of the search, so it needs --output for the plan")
    engine = Engine.open(dataset)
    roads = roads | {"profile": roads["profile"] or engine.profiles[0]}
    engine.snapshot(roads["profile"])  # which knows whether there is such a vehicle
    document = _read(problem)
    try:
        asked = read_problem(read_json(document), roads["profile"], MOST_STOPS)
        if asked.profile is not None and asked.matrix is None:
            roads = roads | {"profile": asked.profile}
        if lines is not None and asked.matrix is not None:
            raise EngineError("--geojson: with matrices nobody knows where the roads are")
        load_kernels()
        prepared = prepare(asked, engine, roads, search.params(asked), MOST_STOPS)
    except EngineError as error:
        raise EngineError(f"{problem}: {error}") from error
    plan, is_stopped = _solved(prepared)
    answer = prepared.answer(plan, is_last=True)
    _write_plan(output, to_bytes(answer))
    if lines is not None:
        write_output(lines, to_bytes(plan_geojson(prepared.writer, plan, answer)) + b"\n")
    if is_stopped:
        err.print("interrupted: the plan is the best so far")
    if as_json:
        write_json({"plan": str(output), "stopped": is_stopped, **answer["summary"]})
    elif output is not None:
        out.print(f"{output}: {_told(plan)}")


def _solved(prepared: Prepared) -> tuple[CourierPlan, bool]:
    """The plan, and whether somebody has stopped the search."""
    with _asked_to_stop() as stop, _Shown() as shown:

        def listen(progress: Progress) -> bool:
            shown.show(progress)
            return stop.is_asked

        plan = solve_courier(prepared.problem, prepared.params, listen)
    return plan, stop.is_asked


class _Stop:
    """Whether the search is to be stopped; who asks twice will not wait."""

    is_asked = False

    def ask(self, signum: int, frame: FrameType | None) -> None:
        """Take a signal."""
        if self.is_asked:
            raise KeyboardInterrupt
        self.is_asked = True


@contextmanager
def _asked_to_stop() -> Iterator[_Stop]:
    """Let signals ask for the best so far."""
    stop = _Stop()
    before = {signum: signal.signal(signum, stop.ask) for signum in _STOP_SIGNALS}
    try:
        yield stop
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


class _Shown:
    """A line that tells how far a search is, or one now and then where there is no terminal."""

    def __init__(self) -> None:
        self._live = Live(console=err, auto_refresh=False, transient=True)
        self._said = time.monotonic()

    def __enter__(self) -> "_Shown":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, progress: Progress) -> None:
        """Tell of the best plan."""
        line = f"{progress.elapsed_s:.1f} s, {progress.iterations:,} iterations: "
        line += _told(progress.plan)
        if err.is_terminal:
            self._live.update(Text(line), refresh=True)
        elif time.monotonic() - self._said >= _LINE_S:
            self._said = time.monotonic()
            err.print(line)


def _told(plan: CourierPlan) -> str:
    """A plan in a few words."""
    n = len(plan.routes)
    left = f", {len(plan.unserved):,} left undone" if plan.unserved else ""
    travel = duration(plan.travel_cs / 100)
    return (
        f"{n:,} {'route' if n == 1 else 'routes'}, {travel} of travel, cost {plan.cost:,.0f}{left}"
    )


def _read(problem: Path) -> bytes:
    if str(problem) == "-":
        return sys.stdin.buffer.read()
    if problem.is_dir():
        raise FormatError(f"{problem}: is a folder, expected a JSON file")
    return problem.read_bytes()


def _checked(
    problem: Path, outputs: tuple[Path | None, Path | None]
) -> tuple[Path | None, Path | None]:
    """Where plan and lines go, None: to standard output; rather wrong now than after a search."""
    named = [
        Named(what, path)
        for what, path in zip(("--output", "--geojson"), outputs, strict=True)
        if path is not None
    ]
    for _, path in named:
        check_output(path)
    source = Path("/dev/stdin") if str(problem) == "-" else problem
    check_distinct(named, [Named("the problem", source)])
    output, lines = outputs
    if output is not None and is_standard_output(output):
        output = None
    if output is None and lines is not None and is_standard_output(lines):
        raise EngineError(f"--geojson {lines} is where the plan goes, expected another")
    return output, lines


def _write_plan(output: Path | None, body: bytes) -> None:
    """Write the plan; to standard output rather than nowhere."""
    if output is None:
        write_bytes(body)
        return
    try:
        write_output(output, body + b"\n")
    except EngineError as error:
        write_bytes(body)
        raise EngineError(f"{error}; the plan is on standard output instead") from error
