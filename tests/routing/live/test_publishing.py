"""Weights that processes share: real processes publish, are killed, and are watched."""

import errno
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from engines import engine_of
from graphs import with_preferences
from world import World

from gis.arrays import INF
from gis.errors import DatasetError, ResourceError
from routing.cch.weights import Weights, check_weights
from routing.changes.road_changes import (
    RoadChanges,
    apply_changes,
    check_changes,
    make_changes,
    no_changes,
)
from routing.errors import InvalidInput
from routing.live import files as live_files
from routing.live import publishing as live_module
from routing.live.files import default_folder, identity_of
from routing.live.publishing import Live, LiveReader, LiveWriter
from routing.metric import Metric
from routing.vehicle import Vehicle

ROOT = Path(__file__).resolve().parent.parent.parent
IDENTITY = identity_of("data-0123456789abcdef", "car")
CYCLE = 7
SIDE = 7


@cache
def vehicle() -> Vehicle:
    """A town of seven streets across seven."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW")).reshape(SIDE, -1)
    town = "\n\n".join("   ".join(row) for row in letters)
    streets = [*letters, *letters.T]
    ways = "\n".join(f"{''.join(street)} highway=x" for street in streets)
    engine = engine_of(World(town, ways))
    found: Vehicle = engine._vehicles[engine.profiles[0]]
    # Weights apart from durations have more columns to share.
    parts = found.prepared
    metric = with_preferences(parts.metric)
    liked = replace(parts, metric=metric, weights=found.customizer.customize(metric))
    return Vehicle(liked, found._network, found._index)


def changes_of(number: int) -> RoadChanges:
    """Changes that tell which they are: some arcs dearer, some cheaper, one closed."""
    base = vehicle().weighting.metric.duration_cs.astype(np.int64)
    kind = number % CYCLE
    if kind == 0:
        return no_changes()
    arcs = np.arange(kind % 3, len(base), kind)
    weight = np.where(arcs % 2, base[arcs] * (kind + 1), base[arcs] // kind + 1)
    weight[len(weight) // 2] = INF
    return make_changes(arcs, weight)


@cache
def expected(kind: int) -> tuple[Metric, Weights]:
    """The metric and the weights, customized wholly."""
    metric = apply_changes(vehicle().weighting.metric, changes_of(kind))
    weights = vehicle().customizer.customize(metric, 1)
    check_weights(weights, vehicle().prepared.hierarchy)
    return metric, weights


def check_live(live: Live, number: int) -> None:
    """What a reader has is whole, and is the version that its number says."""
    wanted = changes_of(number)
    assert np.array_equal(live.changes.arcs, wanted.arcs)
    assert np.array_equal(live.changes.duration_cs, wanted.duration_cs)
    check_changes(live.changes, len(live.weighting.metric.weight))
    metric, weights = expected(number % CYCLE)
    found = live.weighting
    assert np.array_equal(found.metric.weight, metric.weight)
    assert np.array_equal(found.metric.own_duration_cs, metric.own_duration_cs)
    assert found.seeding.weight is found.metric.weight
    assert found.weights is not None
    for array, other in zip(found.weights, weights, strict=True):
        assert np.array_equal(array, other)
        assert array.dtype == other.dtype and not array.flags.writeable
        assert array.flags.c_contiguous and array.flags.aligned


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "live"


def writer(folder: Path, ready: bool = True) -> LiveWriter:
    return LiveWriter(folder, IDENTITY, vehicle(), ready)


def reader(folder: Path) -> LiveReader:
    return LiveReader(folder, IDENTITY, vehicle())


def versions(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith("version-"))


# --- in one process


@pytest.mark.parametrize("ready", [True, False])
@pytest.mark.parametrize("mends", [True, False])
def test_publish(folder: Path, ready: bool, mends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was in force before, readers get what a full customization gives."""
    monkeypatch.setattr(live_module, "mending_pays", lambda *_: mends)
    rng = np.random.default_rng(1)
    read = reader(folder)
    assert read.current() is vehicle().weighting and read.newest().sequence == 0
    with writer(folder, ready) as write:
        for sequence, kind in enumerate(rng.integers(0, CYCLE, 25).tolist(), 1):
            assert write.publish(changes_of(kind)) == sequence == write.sequence
            live = read.newest()
            assert live.sequence == sequence and read.newest() is live
            check_live(live, kind)
            assert np.array_equal(write.changes.arcs, live.changes.arcs)
            assert versions(folder) == [f"version-{sequence}"]
        assert write.clear() == 26
        assert read.current() is vehicle().weighting and read.newest().sequence == 26
    assert sorted(os.listdir(folder)) == ["control", "lock", "version-26"]


def test_changes_that_change_nothing(folder: Path) -> None:
    """They are in force, too, but take no weights of their own."""
    base = vehicle().weighting.metric.duration_cs
    with writer(folder) as write:
        write.publish(make_changes([3], base[[3]]))
        live = reader(folder).newest()
        assert live.changes.arcs.tolist() == [3] and live.weighting is vehicle().weighting
        assert (folder / "version-1").stat().st_size < 8192
        with pytest.raises(InvalidInput, match="arc"):
            write.publish(make_changes([len(base)], 5))
        assert write.sequence == 1


def test_a_reader_keeps_what_it_has(folder: Path) -> None:
    """Old arrays keep their values while newer versions come and go, and after all is gone."""
    read = reader(folder)
    held: list[Live] = []
    with writer(folder) as write:
        for number in range(1, 20):
            write.publish(changes_of(number))
            held.append(read.newest())
            if number % 5 == 0:
                del held[0]
    for name in os.listdir(folder):
        (folder / name).unlink()
    for live in held:
        check_live(live, live.sequence)


def test_carrying_on(folder: Path) -> None:
    """A new writer continues with the number, and with what is in force."""
    read = reader(folder)
    for number in range(1, 9):
        with writer(folder) as write:
            assert write.sequence == number - 1
            assert np.array_equal(write.changes.arcs, changes_of(number - 1).arcs)
            assert write.publish(changes_of(number)) == number
        check_live(read.newest(), number)
        check_live(reader(folder).newest(), number)


def test_one_writer_at_a_time(folder: Path) -> None:
    """A second one is refused in one line, and changes nothing."""
    with writer(folder) as write:
        write.publish(changes_of(1))
        with pytest.raises(DatasetError, match="another process publishes") as caught:
            writer(folder)
        assert "\n" not in str(caught.value)
        write.publish(changes_of(2))
        check_live(reader(folder).newest(), 2)
    write = writer(folder)
    write.close()
    write.close()
    with pytest.raises(DatasetError, match="closed"):
        write.publish(changes_of(3))
    check_live(reader(folder).newest(), 2)


def test_weights_of_another_dataset(folder: Path) -> None:
    """Neither readers nor writers of another dataset or profile come near."""
    other = identity_of("data-0123456789abcdef", "foot")
    assert other != IDENTITY != identity_of("data-fedcba9876543210", "car")
    with writer(folder) as write:
        write.publish(changes_of(1))
    for kind in (LiveReader, LiveWriter):
        with pytest.raises(DatasetError, match="another dataset"):
            kind(folder, other, vehicle())
    with writer(folder) as write:
        assert write.sequence == 1
    swapped = (folder / "version-1").read_bytes().replace(IDENTITY.encode(), other.encode())
    (folder / "version-1").write_bytes(swapped)
    with pytest.raises(DatasetError, match="another dataset"):
        reader(folder).current()


@pytest.mark.parametrize("damage", ["short", "empty", "changes", "missing", "longer"])
def test_damaged_versions(folder: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    """Readers say what is wrong; the next writer begins anew, with a higher number."""
    with writer(folder) as write:
        write.publish(changes_of(1))
    file = folder / "version-1"
    content = file.read_bytes()
    file.unlink()
    if damage != "missing":
        last = bytes([content[-1] ^ 1])
        cut = {"short": content[:-8], "empty": b"", "changes": content[:-1] + last}
        file.write_bytes(cut.get(damage, content + b"12345678"))
    with pytest.raises(DatasetError, match="version-1"):
        reader(folder).current()
    with writer(folder) as write:
        assert write.sequence == 2 and len(write.changes) == 0
        assert "begin anew" in caplog.text
        check_live(reader(folder).newest(), 0)


@pytest.mark.parametrize("content", [b"", b"x" * 4096, b"\0" * 5000])
def test_foreign_control_files(folder: Path, content: bytes) -> None:
    folder.mkdir()
    (folder / "control").write_bytes(content)
    for kind in (LiveReader, LiveWriter):
        with pytest.raises(DatasetError, match="not a control file"):
            kind(folder, IDENTITY, vehicle())


def test_another_run_of_the_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its weights may have been lost on the way to the disk; its changes are put in force anew."""
    monkeypatch.setattr(live_files, "boot_id", lambda: "another")
    with writer(folder) as write:
        write.publish(changes_of(3))
    monkeypatch.undo()
    read = reader(folder)
    assert read.current() is vehicle().weighting
    with writer(folder) as write:
        assert write.sequence == 2
        check_live(read.newest(), 3)


# --- failures


def failing(error: int) -> object:
    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    return fail


@pytest.mark.parametrize("ready", [True, False])
@pytest.mark.parametrize(
    ("where", "error", "kind"),
    [
        ("posix_fallocate", errno.ENOSPC, ResourceError),
        ("pwrite", errno.ENOSPC, ResourceError),
        ("ftruncate", errno.EDQUOT, ResourceError),
        ("rename", errno.EACCES, DatasetError),
    ],
)
def test_no_room(
    folder: Path,
    ready: bool,
    where: str,
    error: int,
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is in force stays, nothing is left lying about, and later all is well again."""
    read = reader(folder)
    with writer(folder, ready) as write:
        write.publish(changes_of(1))
        if where == "posix_fallocate" and ready:
            write.publish(changes_of(1 + CYCLE))  # until its successor is ready
            write._take_spare().discard()
        monkeypatch.setattr(live_files.os, where, failing(error))
        before = write.sequence
        for _ in range(3):
            with pytest.raises(kind, match=os.strerror(error)) as caught:
                write.publish(changes_of(2))
            assert "\n" not in str(caught.value)
        assert write.sequence == before
        check_live(read.newest(), 1)
        check_live(reader(folder).newest(), 1)
        monkeypatch.undo()
        assert not [name for name in os.listdir(folder) if name.startswith("spare-")]
        assert write.publish(changes_of(2)) == before + 1
        check_live(read.newest(), 2)


def test_no_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reader(folder)
    with writer(folder) as write:
        write.publish(changes_of(1))

        def fail(*_: object, **__: object) -> None:
            raise MemoryError

        monkeypatch.setattr(vehicle().customizer.__class__, "recustomize", fail)
        monkeypatch.setattr(vehicle().customizer.__class__, "customize", fail)
        with pytest.raises(ResourceError, match="no memory"):
            write.publish(changes_of(2))
        monkeypatch.undo()
        check_live(read.newest(), 1)
        write.publish(changes_of(2))
        check_live(read.newest(), 2)


def test_no_memory_to_map_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that is named, but cannot be announced, goes again."""

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    with writer(folder) as write:
        write.publish(changes_of(1))
        monkeypatch.setattr(live_module, "map_version", fail)
        with pytest.raises(ResourceError, match="no memory"):
            write.publish(changes_of(2))
        monkeypatch.undo()
        assert write.sequence == 1 and versions(folder) == ["version-1"]
        check_live(reader(folder).newest(), 1)


@pytest.mark.parametrize("kind", [LiveReader, LiveWriter])
def test_no_permission(kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be made or entered is one line."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DatasetError, match="cannot share live weights"):
        kind(tmp_path / "file" / "live", IDENTITY, vehicle())
    monkeypatch.setattr(live_files.os, "open", failing(errno.EACCES))
    with pytest.raises(DatasetError, match="Permission denied"):
        kind(tmp_path / "live", IDENTITY, vehicle())


def test_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each dataset and profile, in a folder where nobody else may write."""
    shared = tmp_path / "shm"
    shared.mkdir()
    monkeypatch.setattr(live_files, "MEMORY", shared)
    found = default_folder(IDENTITY)
    assert found == default_folder(IDENTITY) != default_folder("f" * 64)
    assert found.parent.parent == shared and found.parent.stat().st_mode & 0o777 == 0o700
    found.parent.chmod(0o777)
    with pytest.raises(DatasetError, match="this user alone"):
        default_folder(IDENTITY)


def test_threads_of_a_reader(folder: Path) -> None:
    """Threads that ask while versions come see whole ones, and none goes back."""
    read, failures = reader(folder), []
    done = threading.Event()

    def watch() -> None:
        last = 0
        try:
            while not done.is_set():
                live = read.newest()
                assert live.sequence >= last
                last = live.sequence
                check_live(live, live.sequence)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=watch) for _ in range(3)]
    for thread in threads:
        thread.start()
    with writer(folder) as write:
        for number in range(1, 40):
            write.publish(changes_of(number))
    done.set()
    for thread in threads:
        thread.join()
    assert not failures


# --- real processes


@contextmanager
def process(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run this file as a program, killed at the end."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    command = [sys.executable, __file__, str(folder), *arguments]
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def line_of(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    assert line, "the process has died"
    return line.strip()


def publish_forever(folder: Path) -> None:
    write = writer(folder)
    while True:
        write.publish(changes_of(write.sequence + 1))


def publish_until(folder: Path, step: str) -> None:
    """Publish once and be killed at a step of the next time."""
    write = writer(folder)
    write.publish(changes_of(write.sequence + 1))

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if step == "before the name":
        live_files.os.rename = die
    elif step == "before the number":
        live_module.map_version = die
    else:
        live_module._remove = die
    write.publish(changes_of(write.sequence + 1))


def kill_many(folder: Path, n: int) -> None:
    """One writer after the other, each killed at a random moment of a storm of versions."""
    rng = np.random.default_rng()
    expected(1)
    print("ready", flush=True)
    for _ in range(n):
        child = os.fork()
        if child == 0:
            publish_forever(folder)
        time.sleep(float(rng.uniform(0.001, 0.08)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print("done", flush=True)
    time.sleep(60)


def watch(folder: Path) -> None:
    """Report every version seen, checked."""
    read, last = reader(folder), -1
    while True:
        live = read.newest()
        if live.sequence != last:
            check_live(live, live.sequence)
            last = live.sequence
            print(last, flush=True)
        time.sleep(0.0005)


def test_another_process_sees_it(folder: Path) -> None:
    with writer(folder) as write, process(folder, "watch") as child:
        assert line_of(child) == "0"
        for number in range(1, 30):
            write.publish(changes_of(number))
            assert line_of(child) == str(number)


@pytest.mark.parametrize("step", ["before the name", "before the number", "after the number"])
def test_killed_at_a_step(folder: Path, step: str) -> None:
    """Killed before the number is stored all is as it was, from then on as it is to be."""
    read = reader(folder)
    with process(folder, "until", step) as child:
        assert child.wait(60) == -signal.SIGKILL
    number = 2 if step == "after the number" else 1
    assert read.newest().sequence == number
    check_live(read.newest(), number)
    assert len(versions(folder)) == (1 if step == "before the name" else 2)
    with writer(folder) as write:
        assert write.sequence == number and versions(folder) == [f"version-{number}"]
        assert write.publish(changes_of(number + 1)) == number + 1
    check_live(read.newest(), number + 1)
    assert sorted(os.listdir(folder)) == ["control", "lock", f"version-{number + 1}"]


@pytest.mark.compiled
def test_killed_at_random_moments(folder: Path) -> None:
    """Whenever a writer dies, every version that is seen is whole, and numbers never fall."""
    read, last, n_seen = reader(folder), 0, 0
    with ExitStack() as stack:
        other = stack.enter_context(process(folder, "watch"))
        assert line_of(other) == "0"
        child = stack.enter_context(process(folder, "kill", "60"))
        assert line_of(child) == "ready"
        ended = threading.Event()

        def wait() -> None:
            try:
                assert line_of(child) == "done"
            finally:
                ended.set()

        threading.Thread(target=wait).start()
        while not ended.wait(0.0003):
            live = read.newest()
            assert live.sequence >= last
            if live.sequence != last:
                n_seen, last = n_seen + 1, live.sequence
                check_live(live, last)
        last = read.newest().sequence
        check_live(read.newest(), last)
        seen = [int(line_of(other))]
        while seen[-1] < read.newest().sequence:
            seen.append(int(line_of(other)))
        assert seen == sorted(seen)
    assert n_seen > 20 and last > 100
    with writer(folder) as write:
        assert write.sequence == last
        assert write.publish(changes_of(last + 1)) == last + 1
    check_live(read.newest(), last + 1)
    assert sorted(os.listdir(folder)) == ["control", "lock", f"version-{last + 1}"]


if __name__ == "__main__":
    place, what, *rest = sys.argv[1:]
    if what == "watch":
        watch(Path(place))
    elif what == "kill":
        kill_many(Path(place), int(rest[0]))
    else:
        publish_until(Path(place), rest[0])


def test_a_fork_does_not_publish(folder: Path) -> None:
    """A forked process neither keeps the lock of its parent nor publishes by it."""
    write = writer(folder)
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads
        child = os.fork()
    if child == 0:
        try:
            write.publish(changes_of(1))
        except DatasetError:
            os.write(writing, b"refused")
        time.sleep(60)
        os._exit(0)
    try:
        os.close(writing)
        assert os.read(reading, 100) == b"refused"
        write.close()
        with writer(folder) as other:
            assert other.publish(changes_of(1)) == 1
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
