"""What the command line shows while it works: bars on standard error, tables on standard output."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import orjson
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from gis.errors import EngineError
from gis.stage import StageListener, StageReport, listening
from server.processes.process import drop_output

_NO_TERMINAL_WIDTH = 160


@contextmanager
def writing_output() -> Iterator[None]:
    """Name standard output where it cannot be written; a reader that has gone is no error."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise EngineError(f"standard output: {error.strerror or error}") from error


class _Output(Console):
    """Standard output, named where it cannot be written."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as any console does."""
        with writing_output():
            super().print(*objects, **options)


out = _Output(
    highlight=False,
    soft_wrap=True,
    markup=False,
    emoji=False,
    width=None if sys.stdout.isatty() else _NO_TERMINAL_WIDTH,
)
err = Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)


class StageBars(StageListener):
    """Shows a bar for each stage, or one line where standard error is no terminal.

    Nothing here runs in a thread: stages start processes by fork.
    """

    def __init__(self, progress: Progress, quiet: bool) -> None:
        self._progress = progress
        self._tasks: dict[int, TaskID] = {}
        self._lines = not (quiet or err.is_terminal)

    def started(self, report: StageReport) -> None:
        """Add a bar."""
        self._tasks[id(report)] = self._progress.add_task(report.name, total=None)
        self._progress.refresh()

    def progressed(self, report: StageReport, done: int, total: int) -> None:
        """Move a bar."""
        self._progress.update(self._tasks[id(report)], completed=done, total=total)
        self._progress.refresh()

    def finished(self, report: StageReport) -> None:
        """Fill a bar."""
        task = self._tasks.pop(id(report))
        self._progress.update(task, completed=1, total=1)
        self._progress.refresh()
        if self._lines:
            err.print(f"{report.name}: {report.wall_s:.2f} s")


@contextmanager
def showing_stages(quiet: bool) -> Iterator[None]:
    """Show all stages within, each with its bar; ``quiet`` leaves out the lines instead of it."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=err,
        auto_refresh=False,
        disable=not err.is_terminal,
    )
    with progress, listening(StageBars(progress, quiet)):
        yield


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A table whose first column is text and whose others are numbers."""
    found = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for index, column in enumerate(columns):
        found.add_column(column, justify="right" if index else "left")
    for row in rows:
        found.add_row(*row)
    return found


def size(n_bytes: float) -> str:
    """A size as people read it."""
    return f"{n_bytes / 1e6:,.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:,.1f} kB"


def distance(metres: float) -> str:
    """A distance as people read it."""
    return f"{metres:.0f} m" if metres < 995 else f"{metres / 1000:.1f} km"


def duration(seconds: float) -> str:
    """A duration as people read it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def write_bytes(text: bytes) -> None:
    """Write a document and a line's end to standard output."""
    with writing_output():
        sys.stdout.buffer.write(text + b"\n")
        sys.stdout.buffer.flush()


def write_json(document: Any) -> None:
    """Write a document to standard output, for programs that people read along with."""
    write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY))
