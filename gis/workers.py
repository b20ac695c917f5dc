"""A pool of processes for tasks whose bulk results travel in shared memory, never in a pickle."""

import mmap
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing import connection, context, reduction
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NamedTuple, TypeVar

from gis.errors import EngineError, ResourceError
from gis.stage import peak_rss_bytes, report_worker

Result = TypeVar("Result")

_TASKS_AHEAD = 2
"""Tasks that a worker holds: it begins the next while the result of the last is taken."""

_ALIGNMENT = 64
_LEAST_WINDOW_BYTES = 1 << 20


def available_cpus() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def forks() -> bool:
    """Whether workers are forked, so that they share memory that was made to be."""
    return sys.platform == "linux"


def run_tasks(
    function: Callable[..., Result],
    shared: object,
    tasks: Iterable[tuple[object, ...]],
    workers: int,
    start_method: str | None = None,
) -> Iterator[Result]:
    """Yield ``function(shared, *task)`` for each task, in the order of the tasks.

    With one worker or one task all happens in this process. Otherwise workers are forked, so
    that ``shared`` costs nothing, or started by another method of ``multiprocessing``, for which
    function and ``shared`` must be picklable, as tasks always must. Tasks are drawn as workers
    become free, a few ahead. Arrays in a result lie in shared memory that is used again: copy
    what is to be kept before asking for the next result.

    Raises
    ------
    ResourceError
        A worker was killed, or there is no memory for its results.
    Exception
        Whatever the function raises.
    """
    drawn = iter(tasks)
    first = list(islice(drawn, workers))
    every = chain(first, drawn)
    if len(first) <= 1:
        for task in every:
            yield function(shared, *task)
        return
    pool = _Pool(start_method, every)
    try:
        pool.start(len(first), (function, shared))
        yield from pool.results()
    finally:
        pool.stop()


class _Window:
    """Shared memory for one task or result at a time, seen by a worker and by its parent.

    It is an anonymous file that both have open, so that nothing is left when they are killed.
    """

    def __init__(self, file: int | None = None) -> None:
        self._file = _anonymous_file() if file is None else file
        self._memory: mmap.mmap | None = None

    def __reduce__(self) -> tuple[Callable[..., "_Window"], tuple[object]]:
        return _open_window, (reduction.DupFd(self._file),)

    def pack(self, content: object) -> "_Packed":
        """Write the buffers of a task or result; returns the rest and where the buffers are."""
        buffers: list[pickle.PickleBuffer] = []
        payload = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
        contents = [buffer.raw() for buffer in buffers]
        spans = []
        end = 0
        for part in contents:
            spans.append((end, part.nbytes))
            end += -(-part.nbytes // _ALIGNMENT) * _ALIGNMENT
        if end:
            memory = self._room_for(end)
            for part, (start, length) in zip(contents, spans, strict=True):
                memory[start : start + length] = part
        return _Packed(payload, spans)

    def unpack(self, packed: "_Packed") -> Any:
        """What the other side packed."""
        payload, spans = packed
        end = max((start + length for start, length in spans), default=0)
        if not end:
            return pickle.loads(payload, buffers=[b"" for _ in spans])
        if self._memory is None or len(self._memory) < end:
            self._memory = mmap.mmap(self._file, os.fstat(self._file).st_size)
        memory = memoryview(self._memory).toreadonly()
        return pickle.loads(payload, buffers=[memory[a : a + n] for a, n in spans])

    def _room_for(self, n_bytes: int) -> mmap.mmap:
        if self._memory is None or len(self._memory) < n_bytes:
            size = max(_LEAST_WINDOW_BYTES, 1 << (n_bytes - 1).bit_length())
            try:
                _reserve(self._file, size)
                self._memory = mmap.mmap(self._file, size)
            except OSError as error:
                raise ResourceError(
                    f"no shared memory for the results of a worker process: {size} bytes:"
                    f" {error.strerror}"
                ) from error
        return self._memory

    def close(self) -> None:
        """Close the file; what was unpacked remains until it is dropped."""
        os.close(self._file)
        self._memory = None


def _open_window(duplicate: Any) -> _Window:
    """The window that a parent handed to a process that was not forked."""
    return _Window(duplicate.detach())


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("whimbrel", os.MFD_CLOEXEC)
    file, name = tempfile.mkstemp(prefix="whimbrel-")
    os.unlink(name)
    return file


def _reserve(file: int, size: int) -> None:
    """Give a file this size for certain: a page that cannot be had would kill whoever uses it."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    zeros = bytes(_LEAST_WINDOW_BYTES)
    for start in range(os.fstat(file).st_size, size, len(zeros)):
        os.pwrite(file, zeros, start)


class _Packed(NamedTuple):
    """A task or result whose buffers are in a window: the rest of it, and where they are."""

    payload: bytes
    spans: list[tuple[int, int]]


class _Windows(NamedTuple):
    """The windows of a worker, as many of each kind as it holds tasks, in turn."""

    tasks: list[_Window]
    results: list[_Window]


@dataclass
class _Worker:
    """A process, as its parent sees it."""

    process: BaseProcess
    connection: Connection
    windows: _Windows
    queue: deque[int] = field(default_factory=deque)
    n_tasks: int = 0
    n_results: int = 0


@dataclass
class _Usage:
    """What a worker says in the end."""

    cpu_s: float
    peak_rss: int


class _Pool:
    """The workers, their tasks and results."""

    def __init__(self, start_method: str | None, tasks: Iterator[tuple[object, ...]]) -> None:
        if start_method is None and forks():
            start_method = "fork"
        self._context: Any = multiprocessing.get_context(start_method)
        self._workers: list[_Worker] = []
        self._tasks = tasks
        self._n_sent = 0

    def start(self, n_workers: int, job: tuple[Any, ...]) -> None:
        """Start the processes; each gets a connection and its windows."""
        try:
            for _ in range(n_workers):
                self._start_one(job)
        except OSError as error:
            raise ResourceError(f"cannot start a worker process: {error.strerror}") from error

    def _start_one(self, job: tuple[Any, ...]) -> None:
        ours, theirs = self._context.Pipe()
        with theirs, warnings.catch_warnings():
            # A forked process has copies of our ends, which must not outlive us in its hands.
            forked = isinstance(self._context, context.ForkContext)
            copies = [*(worker.connection for worker in self._workers), ours] if forked else []
            windows = _Windows([], [])
            process = self._context.Process(
                target=_work, args=(theirs, copies, windows, *job), daemon=True
            )
            self._workers.append(_Worker(process, ours, windows))
            for kind in windows:
                kind.extend(_Window() for _ in range(_TASKS_AHEAD))
            # Since Python 3.12 forking warns of threads; these workers take no lock of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()

    def results(self) -> Iterator[Any]:
        """Hand out the tasks as workers become free and yield the results in order."""
        for _ in range(_TASKS_AHEAD):
            for worker in self._workers:
                self._assign(worker)
        ready: dict[int, tuple[_Worker, _Packed | Exception]] = {}
        task = 0
        while task < self._n_sent:
            while task not in ready:
                for worker in self._wait():
                    ready[worker.queue.popleft()] = worker, self._receive(worker)
            worker, message = ready.pop(task)
            if isinstance(message, Exception):
                raise message
            window = worker.windows.results[worker.n_results % _TASKS_AHEAD]
            worker.n_results += 1
            yield window.unpack(message)
            self._assign(worker)
            task += 1
        for worker in self._workers:
            usage = self._receive(worker)
            report_worker(usage.cpu_s, usage.peak_rss)
            worker.process.join()

    def _assign(self, worker: _Worker) -> None:
        """Send the next task, or the word that there are no more.

        It goes through a window, since a pipe would hold us up until the worker reads from it.
        """
        packed = None
        for task in islice(self._tasks, 1):
            packed = worker.windows.tasks[worker.n_tasks % _TASKS_AHEAD].pack(task)
            worker.n_tasks += 1
            worker.queue.append(self._n_sent)
            self._n_sent += 1
        try:
            worker.connection.send(packed)
        except OSError:
            if packed is not None:
                self._fail(worker)

    def _wait(self) -> list[_Worker]:
        """The workers that have something to say, among those with tasks."""
        busy = {worker.connection: worker for worker in self._workers if worker.queue}
        return [busy[ready] for ready in connection.wait(list(busy))]  # type: ignore[index]

    def _receive(self, worker: _Worker) -> Any:
        try:
            return worker.connection.recv()
        except (EOFError, OSError):
            return self._fail(worker)

    def _fail(self, worker: _Worker) -> None:
        """Raise what became of a worker that is gone."""
        worker.process.join()
        code = worker.process.exitcode or 0
        if code < 0:
            raise ResourceError(
                f"a worker process was killed by signal {-code} ({signal.Signals(-code).name})"
            )
        raise ResourceError(f"a worker process ended with exit status {code}")

    def stop(self) -> None:
        """End all processes, at once if they are not done."""
        for worker in self._workers:
            if worker.process.is_alive():
                worker.process.kill()
        for worker in self._workers:
            if worker.process.pid is not None:
                worker.process.join()
            worker.connection.close()
            for window in chain(*worker.windows):
                window.close()


def _work(
    parent: Connection,
    copies: list[Connection],
    windows: _Windows,
    function: Callable[..., object],
    shared: object,
) -> None:
    """The life of a worker; it ends when told to, or when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and ends us
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for copy in copies:
        copy.close()
    turn = 0
    try:
        while (packed := parent.recv()) is not None:
            task = windows.tasks[turn].unpack(packed)
            parent.send(_result_of(windows.results[turn], function, shared, task))
            turn = (turn + 1) % _TASKS_AHEAD
        parent.send(_Usage(time.process_time(), peak_rss_bytes()))
    except (EOFError, OSError):
        pass


def _result_of(
    window: _Window, function: Callable[..., object], shared: object, task: tuple[object, ...]
) -> _Packed | Exception:
    try:
        return window.pack(function(shared, *task))
    except Exception as error:
        if not isinstance(error, EngineError):
            error.add_note("in a worker process:\n" + traceback.format_exc())
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return RuntimeError(f"{type(error).__name__} in a worker process: {error}")
        return error
