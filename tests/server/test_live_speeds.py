"""Live speeds of processes that are killed, wait for each other, and share memory."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
from engines import engine_of
from world import World

from gis.errors import DatasetError, ResourceError
from routing.engine import Engine
from routing.live.publishing import LiveWriter
from server.errors import Conflict
from server.live import speeds as live_speeds
from server.live.journal import Entry, Journal
from server.live.rows import SpeedRows
from server.live.speeds import LiveSpeeds
from server.processes.folder_users import FolderUsers, remove_unused
from server.settings import Settings

TOWN = World(
    "a---b---c\n|   |   |\nd---e---f", "abc highway=x\ndef highway=x\nad highway=x\ncf highway=x"
)
SETTINGS = Settings(admin_token="a-token-of-24-characters")
CLOSED = SpeedRows({(ord("a"), ord("b")): 0.0}, {})
SLOW = SpeedRows({}, {(TOWN.way_id("def"), 1): 5.0})


@pytest.fixture(autouse=True)
def _memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shared is kept where it does not outlast the test."""
    monkeypatch.setattr("routing.live.files.MEMORY", tmp_path)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return tmp_path / "town.whimbrel"


def start(dataset: Path, **options: Any) -> tuple[LiveSpeeds, Engine]:
    """A process that serves."""
    live, engine = LiveSpeeds(dataset, SETTINGS), engine_of(TOWN)
    live.restore(engine, **options)
    return live, engine


def in_force(engine: Engine) -> tuple[int, list[int]]:
    """The number, and the arcs that are other than in the dataset."""
    view = engine.snapshot()
    metric, base = view._vehicle(None)[1].metric, view._vehicles["plain"].weighting.metric
    return view.live_sequence(), np.flatnonzero(metric.weight != base.weight).tolist()


def arcs(engine: Engine, speeds: SpeedRows) -> list[int]:
    found: list[int] = engine.wished(speeds.wishes()).changes.arcs.tolist()
    return found


def in_child(work: Callable[[], None]) -> int:
    """The signal that ends a process forked for some work, 0: it ended well."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


@pytest.mark.parametrize("moment", ["before the journal", "in the journal", "after the journal"])
def test_killed_while_putting(dataset: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Whoever is killed leaves what was or what is to be; the next to start sees to that."""
    live, engine = start(dataset)
    live.replace(engine, "plain", CLOSED)
    write, replace = Journal.write, Path.replace

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def write_and_die(journal: Journal, entry: Entry) -> None:
        if moment == "before the journal":
            kill()
        write(journal, entry)
        kill()

    if moment == "in the journal":
        monkeypatch.setattr(Path, "replace", lambda *_: kill())
    else:
        monkeypatch.setattr(Journal, "write", write_and_die)
    assert in_child(lambda: live.replace(engine, "plain", SLOW) and None) == signal.SIGKILL
    monkeypatch.setattr(Journal, "write", write)
    monkeypatch.setattr(Path, "replace", replace)
    assert in_force(engine) == (1, arcs(engine, CLOSED)), "until it is mended"
    other, follower = start(dataset)
    if moment == "after the journal":
        assert in_force(engine) == in_force(follower) == (2, arcs(engine, SLOW))
    else:
        assert in_force(engine) == in_force(follower) == (1, arcs(engine, CLOSED))
    found = other.update(follower, "plain", SpeedRows({}, {}))
    assert in_force(engine)[0] == found.entry.version
    assert not list(dataset.with_name("town.whimbrel.state").rglob("*.part"))
    live.close()
    other.close()


def test_one_after_the_other(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many who change something at once all get their way, in some order."""
    live, engine = start(dataset)

    def add(number: int) -> None:
        mine, own = start(dataset)
        for i in range(5):
            mine.update(own, "plain", SpeedRows({(number, i): 1.0}, {}))
        mine.close()

    def process() -> None:
        assert in_child(lambda: add(99)) == 0

    workers = [threading.Thread(target=add, args=(n,)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    process()
    found = live.in_force(engine, "plain")
    assert found.entry.version == 20 and len(found.entry.speeds) == 20 == len(found.unknown)
    monkeypatch.setattr(live_speeds, "_WAIT_S", 0.05)
    journal = Journal(dataset.with_name("town.whimbrel.state") / "live" / "plain")
    with journal.locked(1), pytest.raises(Conflict):
        live.replace(engine, "plain", SLOW)
    assert live.replace(engine, "plain", SLOW).entry.version == 21
    live.close()


def test_what_is_lost_is_made_again(dataset: Path) -> None:
    """The journal counts: not what shared memory holds, nor that it holds anything."""
    live, engine = start(dataset)
    live.replace(engine, "plain", CLOSED)
    journal = Journal(dataset.with_name("town.whimbrel.state") / "live" / "plain")
    journal.write(Entry(1, "", SLOW))
    start(dataset)
    assert in_force(engine) == (1, arcs(engine, CLOSED)), "the number alone tells nothing"
    start(dataset, thorough=True)
    assert in_force(engine) == (2, arcs(engine, SLOW))
    assert journal.version() == 2
    journal.file.unlink()
    start(dataset)
    assert in_force(engine) == (3, []) and journal.version() == 3
    live.close()


def test_nothing_to_restore(dataset: Path) -> None:
    """Where nothing was ever put in force nothing is written but an empty folder."""
    for settings in (Settings(), SETTINGS):
        live, engine = LiveSpeeds(dataset, settings), engine_of(TOWN)
        live.restore(engine, thorough=True)
        live.restore(engine)
        assert in_force(engine) == (0, [])
        assert engine.is_following()
        live.close()
        folder = dataset.with_name("town.whimbrel.state")
        assert list(folder.rglob("*")) == [] and folder.exists() == bool(settings.admin_token)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b'{"format":"whimbrel live speeds 0"}', b'{"version":']
)
def test_a_damaged_journal(dataset: Path, text: bytes) -> None:
    """One line says what to do; who cannot change anything serves without."""
    journal = Journal(dataset.with_name("town.whimbrel.state") / "live" / "plain")
    journal.folder.mkdir(parents=True)
    journal.file.write_bytes(text)
    with pytest.raises(DatasetError, match=r"speeds\.json: damaged.*remove it") as caught:
        start(dataset)
    assert "\n" not in str(caught.value)
    engine = engine_of(TOWN)
    live = LiveSpeeds(dataset, Settings())
    live.restore(engine)
    assert in_force(engine) == (0, [])
    live.close()


def test_wrong_rows_in_the_journal(dataset: Path) -> None:
    live, engine = start(dataset)
    live.replace(engine, "plain", SLOW)
    journal = Journal(dataset.with_name("town.whimbrel.state") / "live" / "plain")
    document = orjson.loads(journal.file.read_bytes())
    journal.file.write_bytes(orjson.dumps(document | {"speeds": [{"way": "x"}]}))
    with pytest.raises(DatasetError, match="damaged"):
        live.in_force(engine, "plain")
    live.close()


@pytest.mark.skipif(os.getuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ResourceError, match="WHIMBREL_STATE_DIR"):
        start(tmp_path / "town.whimbrel")
    tmp_path.chmod(0o700)


def test_memory_that_cannot_be_shared(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever cannot change anything can do without."""

    def fail(*_: Any, **__: Any) -> None:
        raise DatasetError("no memory to share")

    monkeypatch.setattr(Engine, "follow", fail)
    with pytest.raises(DatasetError):
        start(dataset)
    engine = engine_of(TOWN)
    LiveSpeeds(dataset, Settings()).restore(engine)
    assert not engine.is_following() and engine.snapshot() is engine


def test_versions_of_a_writer(tmp_path: Path) -> None:
    """Numbers go up; what happens before the announcement may still prevent it."""
    engine = engine_of(TOWN)
    engine.follow(tmp_path)
    closed, slow = (engine.wished(s.wishes()).changes for s in (CLOSED, SLOW))

    def fail() -> None:
        assert engine.announced() == 7
        raise RuntimeError("no")

    with engine.live_writer(tmp_path, ready=False) as writer:
        assert isinstance(writer, LiveWriter)
        assert writer.publish(closed, 7) == 7
        with pytest.raises(RuntimeError):
            writer.publish(slow, 9, fail)
        assert in_force(engine) == (7, arcs(engine, CLOSED))
        assert writer.publish(slow, 9, lambda: None) == 9
    assert sorted(p.name for p in tmp_path.iterdir()) == ["control", "lock", "version-9"]
    assert in_force(engine) == (9, arcs(engine, SLOW))


# --- folders in shared memory


def test_folders_in_use(tmp_path: Path) -> None:
    """A folder stays as long as a process keeps it, or an object of that process."""
    folders = [tmp_path / name for name in "ab"]
    users, engine = FolderUsers(), engine_of(TOWN)
    users.keep(folders[0], engine)
    users.keep(folders[1], users)
    remove_unused([*folders, tmp_path / "c"])
    assert all(folder.exists() for folder in folders)
    del engine
    remove_unused(folders)
    assert [folder.exists() for folder in folders] == [False, True]
    users.close()
    remove_unused(folders)
    assert not folders[1].exists()


def test_folders_of_killed_processes(tmp_path: Path) -> None:
    """The system tells that a process is no more."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        users = FolderUsers()
        users.keep(tmp_path / "a", users)
        os.write(told, b"1")
        time.sleep(60)
        os._exit(0)
    os.read(ready, 1)
    remove_unused([tmp_path / "a"])
    assert (tmp_path / "a").exists()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    remove_unused([tmp_path / "a"])
    assert not (tmp_path / "a").exists()


def test_folders_that_come_and_go(tmp_path: Path) -> None:
    """Who keeps a folder has it, whoever removes it at the same time."""
    folder = tmp_path / "a"
    ended = threading.Event()

    def remove() -> None:
        while not ended.is_set():
            remove_unused([folder])

    remover = threading.Thread(target=remove)
    remover.start()
    for _ in range(300):
        users = FolderUsers()
        users.keep(folder, users)
        (folder / "x").touch()
        assert (folder / "x").exists()
        users.close()
    ended.set()
    remover.join()
