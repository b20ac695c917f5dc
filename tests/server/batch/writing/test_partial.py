"""An output appears when it is whole; until then nothing is lost and nobody else writes it."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.batch.errors import OutputError
from server.batch.writing.partial import PartialOutput

JOB = {"input": "a.csv", "columns": ["a", "b"]}
ROOT = Path(__file__).resolve().parents[4]


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def begin(output: Path) -> PartialOutput:
    """An output with a header and two chunks."""
    partial = PartialOutput.open(output, JOB)
    partial.append(b"header\n", b"", 0, 0, {})
    partial.append(b"one\n", b"note 1", 1, 10, {"Ok": 1})
    partial.append(b"two\nthree\n", b"note 2", 2, 30, {"Ok": 1, "NoRoute": 1})
    return partial


@pytest.fixture
def interrupted(tmp_path: Path) -> Iterator[Path]:
    output = tmp_path / "out.csv"
    begin(output).close()
    yield output


def test_it_appears_when_it_is_whole(tmp_path: Path) -> None:
    """What stood there before stays until then."""
    output = tmp_path / "out.csv"
    output.write_text("before")
    with begin(output) as partial:
        assert output.read_text() == "before"
        assert names(tmp_path) == ["out.csv", "out.csv.journal", "out.csv.partial"]
        assert (partial.size, partial.n_rows, partial.end) == (21, 3, 30)
        assert partial.counts == {"Ok": 2, "NoRoute": 1}
        partial.finish([b"tail"])
    assert names(tmp_path) == ["out.csv"]
    assert output.read_text() == "header\none\ntwo\nthree\ntail"


def test_permissions_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    begin(tmp_path / "out.csv").finish([])
    assert (tmp_path / "out.csv").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_it_is_gone_on_with(interrupted: Path) -> None:
    """All that was known of it is known again."""
    with PartialOutput.open(interrupted, JOB, resume=True) as partial:
        assert not partial.is_new
        assert (partial.size, partial.n_rows, partial.end) == (21, 3, 30)
        assert partial.counts == {"Ok": 2, "NoRoute": 1}
        assert list(partial.notes) == [b"", b"note 1", b"note 2"]
        partial.append(b"four\n", b"note 3", 1, 40, {"Ok": 1})
        partial.finish([])
    assert interrupted.read_text() == "header\none\ntwo\nthree\nfour\n"
    assert names(interrupted.parent) == ["out.csv"]


def test_nothing_to_go_on_with_is_a_new_one(tmp_path: Path) -> None:
    """So a script may always ask to go on."""
    with PartialOutput.open(tmp_path / "out.csv", JOB, resume=True) as partial:
        assert partial.is_new
        assert (partial.size, partial.n_rows, partial.end, [*partial.notes]) == (0, 0, 0, [])


def test_what_is_there_is_not_lost_unasked(interrupted: Path) -> None:
    message = (
        f"{interrupted}.partial holds 3 rows of an interrupted run: "
        "add --resume to go on or --overwrite to begin anew"
    )
    for _ in range(2):
        with pytest.raises(OutputError) as raised:
            PartialOutput.open(interrupted, JOB)
        assert str(raised.value) == message
    with PartialOutput.open(interrupted, JOB, overwrite=True) as partial:
        assert partial.is_new
        assert Path(f"{interrupted}.partial").read_bytes() == b""
        partial.finish([b"new"])
    assert interrupted.read_text() == "new"


def test_without_rows_nothing_is_lost(tmp_path: Path) -> None:
    """A run that ended before its first chunk stands in nobody's way, whatever its job."""
    with PartialOutput.open(tmp_path / "out.csv", JOB) as partial:
        partial.append(b"header\n", b"", 0, 0, {})
    with PartialOutput.open(tmp_path / "out.csv", {"other": 1}) as partial:
        assert partial.is_new


def test_another_job_is_not_gone_on_with(interrupted: Path) -> None:
    with pytest.raises(OutputError) as raised:
        PartialOutput.open(interrupted, {**JOB, "columns": ["b"]}, resume=True)
    assert str(raised.value) == (
        f"{interrupted}: the interrupted run was another: columns was ['a', 'b'], is ['b']; "
        "expected the same, or --overwrite to begin anew"
    )
    PartialOutput.open(interrupted, JOB, resume=True).close()


@pytest.mark.parametrize("name", ["out.csv.partial", "out.csv.journal"])
def test_files_of_others_are_not_overwritten_unasked(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious\n")
    with pytest.raises(OutputError, match=r"nothing tells what .* hold: add --overwrite"):
        PartialOutput.open(tmp_path / "out.csv", JOB)
    assert (tmp_path / name).read_text() == "precious\n"
    with PartialOutput.open(tmp_path / "out.csv", JOB, overwrite=True) as partial:
        assert partial.is_new


def test_a_run_that_ended_after_the_rename(interrupted: Path) -> None:
    """The journal is left, but there is nothing to go on with."""
    Path(f"{interrupted}.partial").rename(interrupted)
    with PartialOutput.open(interrupted, JOB) as partial:
        assert partial.is_new


def test_inputs_are_not_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("input")
    with pytest.raises(OutputError, match=r"a\.csv: is the input"):
        PartialOutput.open(tmp_path / "a.csv", JOB, overwrite=True, inputs=[tmp_path / "a.csv"])
    assert names(tmp_path) == ["a.csv"]


def test_only_one_writes(tmp_path: Path) -> None:
    """As long as it is open, whatever the other is asked."""
    output = tmp_path / "out.csv"
    with begin(output) as partial:
        wishes: list[dict[str, Any]] = [{}, {"resume": True}, {"overwrite": True}]
        for options in wishes:
            with pytest.raises(OutputError, match="another process is writing it"):
                PartialOutput.open(output, JOB, **options)
        partial.append(b"four\n", b"", 1, 40, {})
        partial.finish([])
    assert output.read_text() == "header\none\ntwo\nthree\nfour\n"
    PartialOutput.open(output, JOB).close()


def test_a_lock_on_a_journal_that_is_gone_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one who had it may finish between another's opening and locking of the journal."""
    import fcntl

    output, flock = tmp_path / "out.csv", fcntl.flock
    first = begin(output)

    def slow(descriptor: int, how: int) -> None:
        if output.exists():
            flock(descriptor, how)
        else:
            first.finish([])
            flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    with PartialOutput.open(output, JOB) as second:
        assert second.is_new
        assert Path(f"{output}.journal").exists()


def test_the_journal_is_read_once_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one who had it may write more between another's opening and locking of it."""
    import fcntl

    output, flock = tmp_path / "out.csv", fcntl.flock
    first = begin(output)

    def slow(descriptor: int, how: int) -> None:
        first.append(b"four\n", b"", 1, 40, {})
        first.close()
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", slow)
    with PartialOutput.open(output, JOB, resume=True) as second:
        assert (second.n_rows, second.end) == (4, 40)


def test_forked_processes_hold_no_lock(tmp_path: Path) -> None:
    """One that outlives its parent must not keep others from going on."""
    script = f"""
import os, signal
from pathlib import Path
from server.batch.writing.partial import PartialOutput
output = Path({str(tmp_path / "out.csv")!r})
partial = PartialOutput.open(output, {{}})
reading, writing = os.pipe()
child = os.fork()
if not child:
    os.write(writing, b"x")
    signal.pause()
try:
    os.read(reading, 1)
    partial.close()
    PartialOutput.open(output, {{}}).close()
finally:
    os.kill(child, signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, timeout=60)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write: File name too long"):
        PartialOutput.open(tmp_path / ("a" * 250), JOB)


def test_a_folder_that_cannot_be_written_to() -> None:
    """Not even by the superuser."""
    with pytest.raises(OutputError, match=r"^/sys/out\.csv: cannot write: "):
        PartialOutput.open(Path("/sys/out.csv"), JOB)


def test_a_folder_in_the_place_of_the_partial_file(tmp_path: Path) -> None:
    (tmp_path / "out.csv.partial").mkdir()
    with pytest.raises(OutputError, match="cannot write: Is a directory"):
        PartialOutput.open(tmp_path / "out.csv", JOB, overwrite=True)


@pytest.mark.parametrize("fails", ["data", "journal", "tail"])
def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    """What was whole stays as it was; with space again it goes on, at once or later."""
    output, pwrite = tmp_path / "out.csv", os.pwrite

    def full(descriptor: int, data: memoryview, at: int) -> int:
        if os.readlink(f"/proc/self/fd/{descriptor}").endswith(".journal") == (fails == "journal"):
            pwrite(descriptor, data[:2], at)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(descriptor, data, at)

    partial = begin(output)
    files = Path(f"{output}.partial"), Path(f"{output}.journal")
    before = [file.read_bytes() for file in files]
    with monkeypatch.context() as patch, pytest.raises(OutputError) as raised:
        patch.setattr(os, "pwrite", full)
        if fails == "tail":
            partial.finish([b"tail"])
        else:
            partial.append(b"four\n", b"", 1, 40, {"Ok": 1})
    assert str(raised.value) == (
        f"{output}: cannot write: No space left on device; "
        "3 rows are kept, --resume goes on from there"
    )
    assert [file.read_bytes() for file in files] == before
    partial.append(b"four\n", b"", 1, 40, {"Ok": 1})
    partial.close()
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.n_rows == 4
        partial.finish([])
    assert output.read_text() == "header\none\ntwo\nthree\nfour\n"


def test_an_interrupt_while_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves no half of a chunk to what may still be written."""

    def interrupt(fields: object) -> bytes:
        raise KeyboardInterrupt

    partial = begin(tmp_path / "out.csv")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("server.batch.writing.partial.encode_entry", interrupt)
        partial.append(b"four\n", b"", 1, 40, {})
    partial.finish([])
    assert (tmp_path / "out.csv").read_text() == "header\none\ntwo\nthree\n"


def test_a_folder_that_came_to_stand_there(tmp_path: Path) -> None:
    """The rename fails; all rows are kept, and the tail is not doubled."""
    output = tmp_path / "out.csv"
    partial = begin(output)
    output.mkdir()
    with partial, pytest.raises(OutputError, match="cannot write: Is a directory"):
        partial.finish([b"tail"])
    output.rmdir()
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.n_rows == 3
        partial.finish([b"tail"])
    assert output.read_text() == "header\none\ntwo\nthree\ntail"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("resume", [False, True])
def test_a_failure_before_the_first_row_leaves_nothing(
    tmp_path: Path, error: type[BaseException], resume: bool
) -> None:
    """Nor is what stood there touched."""
    output = tmp_path / "out.csv"
    output.write_text("before")
    with pytest.raises(error), PartialOutput.open(output, JOB, resume=resume) as partial:
        partial.append(b"header\n", b"", 0, 0, {})
        raise error
    assert names(tmp_path) == ["out.csv"]
    assert output.read_text() == "before"


def test_what_is_removed_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process cannot begin between the two files."""
    output, unlink = tmp_path / "out.csv", Path.unlink
    refused = []

    def slow(file: Path) -> None:
        with pytest.raises(OutputError, match="another process is writing it"):
            PartialOutput.open(output, JOB)
        refused.append(file.name)
        unlink(file)

    monkeypatch.setattr(Path, "unlink", slow)
    with pytest.raises(RuntimeError), PartialOutput.open(output, JOB):
        raise RuntimeError
    assert refused == ["out.csv.partial", "out.csv.journal"]


def test_a_failure_after_the_first_row_loses_nothing(interrupted: Path) -> None:
    with pytest.raises(RuntimeError), PartialOutput.open(interrupted, JOB, resume=True):
        raise RuntimeError
    with PartialOutput.open(interrupted, JOB, resume=True) as partial:
        assert partial.n_rows == 3


def test_no_journal_is_left_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "out.csv.partial").mkdir()
    with pytest.raises(OutputError):
        PartialOutput.open(tmp_path / "out.csv", JOB, overwrite=True)
    (tmp_path / "b.csv.partial").write_text("precious")
    with pytest.raises(OutputError, match="nothing tells"):
        PartialOutput.open(tmp_path / "b.csv", JOB)
    assert "b.csv.journal" not in names(tmp_path)


def test_notes_are_those_that_were_written(tmp_path: Path) -> None:
    """As often as they are asked for; a journal that others damage meanwhile is no end of them."""
    with begin(tmp_path / "out.csv") as partial:
        for _ in range(2):
            assert list(partial.notes) == [b"", b"note 1", b"note 2"]
        journal = tmp_path / "out.csv.journal"
        journal.write_bytes(journal.read_bytes()[:-20] + b"x" * 20)
        with pytest.raises(OutputError, match="journal: has been damaged"):
            partial.finish(partial.notes)
    assert names(tmp_path) == ["out.csv.journal", "out.csv.partial"]


def test_nothing_is_written_once_it_is_closed(tmp_path: Path) -> None:
    """Its descriptors may be those of other files."""
    partial = begin(tmp_path / "out.csv")
    partial.close()
    for use in (
        lambda: partial.append(b"x", b"", 1, 1, {}),
        lambda: partial.finish([]),
        lambda: list(partial.notes),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()
