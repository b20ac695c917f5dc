import errno
import gc
import itertools
import multiprocessing
import operator
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gis.workers
from gis.arrays import AnyArray
from gis.errors import FormatError, ResourceError
from gis.stage import recording, stage
from gis.workers import available_cpus, run_tasks

ROOT = Path(__file__).resolve().parents[2]
LINUX = sys.platform == "linux"
PROMPT_S = 30.0
"""Far longer than anything here takes, far shorter than the naps of workers that hang."""
NAP_S = 120.0


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process, file descriptor or named shared memory outlives a test."""
    resource_tracker.ensure_running()
    before = open_files()
    yield
    gc.collect()
    assert multiprocessing.active_children() == []
    assert open_files() == before


def open_files() -> tuple[int, set[str]]:
    """How many descriptors this process holds, and the names of shared memory."""
    shared = Path("/dev/shm")
    names = {entry.name for entry in shared.iterdir()} if shared.is_dir() else set()
    ours = {name for name in names if name.startswith(("psm_", "whimbrel", "pym-"))}
    return len(os.listdir("/dev/fd")), ours


def wait_until_gone(pids: set[int]) -> None:
    """Return once all these processes have ended; fail if they do not."""
    deadline = time.monotonic() + PROMPT_S
    while left := {pid for pid in pids if runs(pid)}:
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Whether a process exists and is more than a zombie."""
    status = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return status.stdout.strip()[:1] not in ("", "Z")


# What workers do.


def square(shared: int, number: int, delay_s: float) -> tuple[int, int, AnyArray]:
    time.sleep(delay_s)
    return os.getpid(), shared + number * number, np.full(number, number)


def pid_after(_shared: object, delay_s: float) -> int:
    time.sleep(delay_s)
    return os.getpid()


def large(_shared: object, number: int, n_bytes: int) -> AnyArray:
    return np.arange(number, number + n_bytes // 8, dtype=np.int64)


def raise_it(_shared: object, error: BaseException | None, delay_s: float = 0.0) -> int:
    time.sleep(delay_s)
    if error is not None:
        raise error
    return os.getpid()


def die(_shared: object, how: str, delay_s: float = 0.0) -> int:
    time.sleep(delay_s)
    match how:
        case "exit":
            os._exit(0)
        case "exit 3":
            os._exit(3)
        case "sys.exit":
            sys.exit(4)
        case "SIGKILL" | "SIGTERM" | "SIGSEGV":
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)  # without a fault handler's report
            os.kill(os.getpid(), getattr(signal, how))
            time.sleep(NAP_S)
    return os.getpid()


def burn(_shared: object, cpu_s: float) -> float:
    begin = time.process_time()
    while time.process_time() - begin < cpu_s:
        pass
    return time.process_time() - begin


@dataclass
class Mixture:
    """A result of many kinds."""

    matrix: AnyArray
    by_column: AnyArray
    nothing: AnyArray
    every_other: AnyArray
    words: dict[str, list[str | None]]


def mixture(shared: int, number: int) -> Mixture:
    some = np.arange(number * 100 * shared, dtype=np.float32)
    return Mixture(
        some.reshape(-1, 5),
        np.asfortranarray(some.reshape(-1, 4)),
        np.empty(0, np.uint8),
        some[::2],
        {"a": [None, "b" * number]},
    )


# Results.


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("n_tasks", [0, 1, 2, 3, 5, 14, 40])
def test_results_come_in_order(n_tasks: int, workers: int) -> None:
    """All results come, in the order of the tasks, whichever worker is done first."""
    tasks = [(i, 0.01 * (i * 7 % 3)) for i in range(n_tasks)]
    pids = set()
    for i, (pid, value, array) in enumerate(run_tasks(square, 1000, tasks, workers)):
        assert value == 1000 + i * i and array.tolist() == [i] * i
        pids.add(pid)
    if workers == 1 or n_tasks <= 1:
        assert pids <= {os.getpid()}
    else:
        assert os.getpid() not in pids
        assert min(2, n_tasks) <= len(pids) <= min(workers, n_tasks)
    assert n_tasks == 0 or len(pids) > 0


def test_workers_work_at_the_same_time() -> None:
    """Naps of four workers overlap."""
    begin = time.monotonic()
    pids = set(run_tasks(pid_after, None, [(0.5,)] * 8, 4))
    assert len(pids) == 4
    assert time.monotonic() - begin < 8 * 0.5


def test_workers_do_not_run_far_ahead(tmp_path: Path) -> None:
    """While nobody takes results a worker begins no more than two tasks."""
    results = run_tasks(touch, tmp_path, [(i,) for i in range(20)], 2)
    next(results)
    time.sleep(0.3)
    assert len(os.listdir(tmp_path)) <= 4
    assert len(list(results)) == 19 and len(os.listdir(tmp_path)) == 20


def test_tasks_are_drawn_as_workers_become_free() -> None:
    """Of tasks without end a few are drawn ahead, and any number of results can be had."""
    drawn = []

    def tasks() -> Iterator[tuple[int]]:
        for number in itertools.count():
            drawn.append(number)
            yield (number,)

    results = run_tasks(operator.add, 1, tasks(), 2)
    for number in range(100):
        assert next(results) == number + 1
        assert len(drawn) <= number + 4
    results.close()


@pytest.mark.parametrize("size", [10, 1 << 15, 1 << 22])
def test_large_tasks(size: int) -> None:
    """Tasks that are larger than a pipe holds go to workers that are busy, and arrive intact."""
    tasks = ((np.arange(i, i + size), i % 3 * 0.01) for i in range(12))
    for number, total in enumerate(run_tasks(sum_after, None, tasks, 2)):
        assert total == size * number + size * (size - 1) // 2


def sum_after(shared: None, array: AnyArray, delay_s: float) -> int:
    time.sleep(delay_s)
    assert not array.flags.writeable
    return int(array.sum())


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("n_good", [0, 1, 2, 5, 9])
def test_what_draws_tasks_may_fail(n_good: int, workers: int) -> None:
    """Its error is the caller's, however late it comes."""

    def tasks() -> Iterator[tuple[int]]:
        yield from ((i,) for i in range(n_good))
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        list(run_tasks(operator.add, 1, tasks(), workers))


def touch(folder: Path, number: int) -> int:
    (folder / str(number)).touch()
    return number


def test_results_of_many_kinds() -> None:
    """Arrays of any layout and all that surrounds them arrive as they were."""
    for number, result in enumerate(run_tasks(mixture, 2, [(i,) for i in range(6)], 2)):
        expected = mixture(2, number)
        for name in ("matrix", "by_column", "nothing", "every_other"):
            sent, got = getattr(expected, name), getattr(result, name)
            assert got.dtype == sent.dtype and np.array_equal(got, sent)
        assert result.words == expected.words


def test_a_result_stays_until_the_next_is_asked_for() -> None:
    """The worker that goes on does not write over what was not yet let go."""
    for number, array in enumerate(run_tasks(large, None, [(i, 1 << 20) for i in range(9)], 2)):
        time.sleep(0.05)
        assert np.array_equal(array, np.arange(number, number + (1 << 17)))


def test_large_arrays() -> None:
    """Arrays of 100 MB travel intact, as do small ones before and after."""
    sizes = [800, 100_000_000, 0, 100_000_000, 8_000_000, 100_000_000, 8]
    tasks = [(i, size) for i, size in enumerate(sizes)]
    for (number, size), array in zip(tasks, run_tasks(large, None, tasks, 2), strict=True):
        assert np.array_equal(array, np.arange(number, number + size // 8))


def test_arrays_that_are_kept_outlive_the_workers() -> None:
    """The last result is still there when all processes have ended."""
    *_, last = run_tasks(large, None, [(i, 1 << 22) for i in range(5)], 2)
    assert np.array_equal(last, np.arange(4, 4 + (1 << 19)))
    with pytest.raises(ValueError, match="read-only"):
        last[0] = 1
    del last


@pytest.mark.parametrize("start_method", multiprocessing.get_all_start_methods())
def test_start_methods(start_method: str) -> None:
    """However workers are started, results are the same."""
    if start_method == "forkserver":
        forkserver.ensure_running()
    before = open_files()
    shared = np.arange(1 << 18)
    tasks = [(i,) for i in range(5)]
    for factor, result in enumerate(run_tasks(operator.mul, shared, tasks, 2, start_method)):
        assert np.array_equal(result, shared * factor)
    with pytest.raises(TypeError):
        list(run_tasks(operator.mul, shared, [(1,), (None,), (2,)], 2, start_method))
    del result
    gc.collect()
    assert open_files() == before
    if start_method == "forkserver":
        forkserver._forkserver._stop()  # type: ignore[attr-defined]


def test_in_a_thread() -> None:
    """Workers can be started by another thread than the main one."""
    results: list[int] = []
    tasks = [(1, i) for i in range(5)]
    thread = threading.Thread(
        target=lambda: results.extend(
            int(a[0]) for a in run_tasks(np.full, 3, [(i,) for _, i in tasks], 2)
        )
    )
    thread.start()
    thread.join()
    assert results == list(range(5))


def test_two_pools_at_a_time() -> None:
    """Two runs may take turns; the end of one does not disturb the other."""
    first = run_tasks(square, 0, [(i, 0.0) for i in range(9)], 2)
    next(first)
    second = run_tasks(square, 100, [(i, 0.0) for i in range(9)], 2)
    next(second)
    assert [value for _, value, _ in first] == [i * i for i in range(1, 9)]
    assert [value for _, value, _ in second] == [100 + i * i for i in range(1, 9)]


def test_available_cpus() -> None:
    """It is a number of processors that this machine can have."""
    assert 1 <= available_cpus() <= (os.cpu_count() or 1)


# Errors.


class UnpicklableError(Exception):
    """An exception that holds what cannot be sent, and cannot be made from its message alone."""

    def __init__(self, some: int, other: int) -> None:
        super().__init__(f"{some} and {other}")
        self.lock = threading.Lock()


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize(
    "error",
    [FormatError("a.osm.pbf: bad"), ValueError("x", 3), KeyError("k"), OSError(28, "full", "f")],
    ids=lambda error: type(error).__name__,
)
def test_exceptions_are_raised_as_themselves(error: Exception, workers: int) -> None:
    """The type and the arguments survive, after all results before; one line for a user."""
    results = run_tasks(raise_it, None, [(None,), (None,), (error,), (None,), (None,)], workers)
    assert next(results) and next(results)
    with pytest.raises(type(error)) as caught:
        next(results)
    assert type(caught.value) is type(error) and caught.value.args == error.args
    if isinstance(error, FormatError):
        assert not getattr(caught.value, "__notes__", [])
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_first_task_that_fails_counts(workers: int) -> None:
    """Not the first that is noticed: the error does not depend on which worker is faster."""
    tasks = [(None, 0.0), (ValueError("slow"), 0.3), (KeyError("fast"), 0.0), (None, 0.0)]
    with pytest.raises(ValueError, match="slow"):
        list(run_tasks(raise_it, None, tasks, workers))


def test_an_exception_that_cannot_be_sent() -> None:
    """Its name and words are told nevertheless."""
    with pytest.raises(RuntimeError, match=r"UnpicklableError.*: 1 and 2"):
        list(run_tasks(raise_it, None, [(None,), (None,)], 2)) and list(
            run_tasks(raise_unpicklable, None, [(1,), (2,)], 2)
        )


def raise_unpicklable(_shared: object, some: int) -> None:
    raise UnpicklableError(some, 2)


def test_a_result_that_cannot_be_sent() -> None:
    """It is an error of that task, not the end of the worker."""
    with pytest.raises(Exception, match="pickle"):
        list(run_tasks(make_lock, None, [(1,), (2,)], 2))


def make_lock(_shared: object, _number: int) -> Any:
    return threading.Lock()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("SIGKILL", r"killed by signal 9 \(SIGKILL\)"),
        ("SIGTERM", r"killed by signal 15 \(SIGTERM\)"),
        ("SIGSEGV", r"killed by signal 11 \(SIGSEGV\)"),
        ("exit", "exit status 0"),
        ("exit 3", "exit status 3"),
        ("sys.exit", "exit status 4"),
    ],
)
@pytest.mark.parametrize("n_tasks", [2, 9])
def test_a_worker_that_dies(how: str, words: str, n_tasks: int) -> None:
    """It is noticed at once, also while the other worker has long to go."""
    begin = time.monotonic()
    tasks = [("", NAP_S), (how, 0.0), *[("", 0.0)] * (n_tasks - 2)]
    with pytest.raises(ResourceError, match=words) as caught:
        list(run_tasks(die, None, tasks, 2))
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begin < PROMPT_S
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("delay_s", [0.0, 0.1])
def test_a_worker_that_is_killed_from_outside(delay_s: float) -> None:
    """Idle or at work, while results are being taken."""
    begin = time.monotonic()
    results = run_tasks(pid_after, None, [(delay_s,)] * 50, 3)
    with pytest.raises(ResourceError, match="SIGKILL"):
        for done, pid in enumerate(results):
            if done == 3:
                os.kill(pid, signal.SIGKILL)
    assert time.monotonic() - begin < PROMPT_S


def test_a_worker_that_dies_after_its_last_result() -> None:
    """Even then no result is lost in silence, and nothing hangs."""
    results = run_tasks(pid_after, None, [(0.0,)] * 4, 2)
    pids = {next(results) for _ in range(3)}
    for process in multiprocessing.active_children():
        process.kill()
    try:
        pids.add(next(results))
        assert list(results) == []
    except ResourceError as error:
        assert "SIGKILL" in str(error)
    assert multiprocessing.active_children() == []


# Shared memory.


def no_space(*_args: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_no_memory(tasks: list[tuple[int, int]]) -> None:
    """The run ends with one clear line."""
    with pytest.raises(ResourceError, match="no shared memory") as caught:
        list(run_tasks(large, None, tasks, 2))
    assert "\n" not in str(caught.value)
    assert not getattr(caught.value, "__notes__", [])


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="reserves in another way here")
def test_no_space_for_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that cannot be reserved gives one line, before it is touched."""
    monkeypatch.setattr(os, "posix_fallocate", no_space)
    check_no_memory([(i, 1 << 20) for i in range(4)])


@pytest.mark.parametrize("fallback", [False, True], ids=["usual", "fallback"])
def test_limit_of_the_size_of_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fallback: bool
) -> None:
    """So does a limit of the system, however the memory is reserved."""
    if fallback:
        without_linux(monkeypatch, tmp_path)
    with pytest.raises(ResourceError, match="no shared memory") as caught:
        list(run_tasks(large_within_limit, None, [(0, 800), (0, 800), (1 << 24, 0)], 2))
    assert "\n" not in str(caught.value)


def large_within_limit(_shared: object, size: int, _number: int) -> AnyArray:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 22, resource.RLIM_INFINITY))
    return np.zeros(size, np.uint8)


def without_linux(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Take away what only Linux has; files that would be made instead go to the folder."""
    for name in ("memfd_create", "posix_fallocate"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))


def test_systems_without_anonymous_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There results travel in files without names."""
    without_linux(monkeypatch, tmp_path)
    sizes = [800, 20_000_000, 0, 20_000_000, 8_000_000]
    tasks = [(i, size) for i, size in enumerate(sizes)]
    for (number, size), array in zip(tasks, run_tasks(large, None, tasks, 2), strict=True):
        assert os.listdir(tmp_path) == []
        assert np.array_equal(array, np.arange(number, number + size // 8))


# Ends.


@pytest.mark.parametrize("how", ["break", "close", "raise"])
def test_an_abandoned_run_ends_its_workers(how: str) -> None:
    """Whoever stops taking results leaves no process behind, not even a busy one."""
    begin = time.monotonic()
    results = run_tasks(pid_after, None, [(0.0,), (0.0,), *[(NAP_S,)] * 7], 2)
    pids = set()
    try:
        for pid in results:
            pids.add(pid)
            if len(pids) == 2 or how == "close":
                break
        if how == "raise":
            raise ValueError
    except ValueError:
        pass
    if how == "close":
        results.close()  # type: ignore[attr-defined]
    else:
        del results
    assert multiprocessing.active_children() == []
    wait_until_gone(pids)
    assert time.monotonic() - begin < PROMPT_S


def test_a_run_that_never_begins() -> None:
    """A run whose first result nobody asks for starts nothing."""
    results = run_tasks(pid_after, None, [(NAP_S,)] * 4, 2)
    assert multiprocessing.active_children() == []
    del results


RUN = """
import os, sys, time
from gis.workers import run_tasks

def nap(_shared, delay_s):
    time.sleep(delay_s)
    return os.getpid()

try:
    for pid in run_tasks(nap, None, [({nap_s},)] * 2000, 4):
        print(pid, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def start_run(nap_s: float) -> tuple[subprocess.Popen[str], set[int]]:
    """A process group of a parent and four workers; returns it and the workers."""
    parent = subprocess.Popen(
        [sys.executable, "-c", RUN.format(nap_s=nap_s)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout is not None
    pids: set[int] = set()
    while len(pids) < 4:
        pids.add(int(parent.stdout.readline()))
    return parent, pids


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_their_parent(how: signal.Signals) -> None:
    """However their parent ends, workers end with their task."""
    parent, pids = start_run(0.1)
    parent.send_signal(how)
    _, complaints = parent.communicate(timeout=PROMPT_S)
    wait_until_gone(pids)
    assert complaints == "" and parent.returncode == -how


def test_interrupt_from_the_keyboard() -> None:
    """All processes of the group get it; the parent alone speaks, and ends the others."""
    parent, pids = start_run(0.1)
    os.killpg(parent.pid, signal.SIGINT)
    output, complaints = parent.communicate(timeout=PROMPT_S)
    wait_until_gone(pids)
    assert output.splitlines()[-1] == "interrupted"
    assert complaints == "" and parent.returncode == 0


def test_cpu_of_workers_belongs_to_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each worker tells in the end what it took, once."""
    told: list[float] = []
    tell = gis.workers.report_worker

    def listen(cpu_s: float, peak_rss: int) -> None:
        told.append(cpu_s)
        assert not LINUX or peak_rss > 1 << 20
        tell(cpu_s, peak_rss)

    monkeypatch.setattr(gis.workers, "report_worker", listen)
    with recording() as stages, stage("burn"):
        burnt = sum(run_tasks(burn, None, [(0.2,)] * 5, 2))
    assert len(told) == 2
    assert burnt >= 1.0 and burnt <= sum(told) < 3 * burnt
    assert stages[0].cpu_s >= sum(told)


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOMEM])
@pytest.mark.parametrize("n_made", [0, 1, 3])
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="makes its files in another way")
def test_no_file_for_results(monkeypatch: pytest.MonkeyPatch, code: int, n_made: int) -> None:
    """Workers that cannot all be started give one line, and those that were are ended."""
    make = os.memfd_create
    made: list[int] = []

    def make_some(*args: Any) -> int:
        if len(made) == n_made:
            raise OSError(code, os.strerror(code))
        made.append(make(*args))
        return made[-1]

    monkeypatch.setattr(os, "memfd_create", make_some)
    with pytest.raises(ResourceError, match="cannot start a worker process") as caught:
        list(run_tasks(pid_after, None, [(0.0,)] * 9, 4))
    assert "\n" not in str(caught.value)
