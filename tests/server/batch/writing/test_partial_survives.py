"""Whatever ends a run and damages its files, going on yields the bytes of a run in one go."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.batch.errors import OutputError
from server.batch.writing.formats import format_of
from server.batch.writing.partial import PartialOutput

ROOT = Path(__file__).resolve().parents[4]
JOB = {"input": "a.csv"}
N_ROWS, CHUNK = 60, 7
TABLE = pa.table({"id": [f"row {i}" for i in range(N_ROWS)], "n": range(N_ROWS)})
STATUSES = {"Ok": CHUNK - 1, "NoRoute": 1}


class Stop(BaseException):
    """What ends a run."""


def go_on(output: Path, n_chunks: int | None = None, resume: bool = True) -> int:
    """Write the table, or so many chunks more of it; the row that it began with."""
    form = format_of(output, TABLE.schema)
    with PartialOutput.open(output, JOB, resume=resume) as partial:
        if partial.is_new:
            partial.append(form.begin(), b"", 0, 0, {})
        begun = partial.end
        for number, at in enumerate(range(begun, N_ROWS, CHUNK)):
            if number == n_chunks:
                return begun
            chunk = TABLE.slice(at, CHUNK)
            data, note = form.encode(chunk, partial.size)
            partial.append(data, note, len(chunk), at + len(chunk), {"Ok": len(chunk)})
        assert (partial.n_rows, partial.counts) == (N_ROWS, {"Ok": N_ROWS})
        if n_chunks is None:
            partial.finish(form.end(partial.notes))
        else:  # so near to the end that only the name is wanting
            with mock.patch.object(Path, "replace", side_effect=Stop), suppress(Stop):
                partial.finish(form.end(partial.notes))
    return begun


def in_one_go(suffix: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / f"out{suffix}"
        go_on(output)
        assert os.listdir(folder) == [output.name]
        return output.read_bytes()


MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where files need not be waited for."""

WHOLE = {suffix: in_one_go(suffix) for suffix in (".csv", ".parquet", ".geojsonl")}


def torn(data: bytes, at: int) -> bytes:
    """The end has never reached the disk."""
    return data[:at]


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :] if at < len(data) else data


def zeroed(data: bytes, at: int) -> bytes:
    """The length has reached the disk, but not the content."""
    return data[:at] + bytes(len(data) - at)


def longer(data: bytes, at: int) -> bytes:
    """A chunk of which there is no line in the journal, or half a line."""
    return data + data[: at + 1]


def gone(data: bytes, at: int) -> None:
    return None


DAMAGES = st.tuples(
    st.sampled_from(["partial", "journal"]),
    st.sampled_from([torn, torn, flipped, zeroed, longer, gone]),
    st.floats(0, 1),
)


def damage(file: Path, how: Callable[[bytes, int], bytes | None], where: float) -> None:
    if file.exists():
        data = file.read_bytes()
        damaged = how(data, int(where * len(data)))
        file.unlink() if damaged is None else file.write_bytes(damaged)


@given(
    st.sampled_from(sorted(WHOLE)),
    st.lists(st.tuples(st.integers(0, 9), st.lists(DAMAGES, max_size=2)), min_size=1, max_size=4),
)
@settings(max_examples=300, deadline=None)
def test_damages(
    suffix: str,
    runs: list[tuple[int, list[tuple[str, Callable[[bytes, int], bytes | None], float]]]],
) -> None:
    """Runs that end after some chunks, after each of which something happens to its files."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        output = Path(folder) / f"out{suffix}"
        for n_chunks, damages in runs:
            go_on(output, n_chunks)
            for kind, how, where in damages:
                damage(Path(f"{output}.{kind}"), how, where)
        go_on(output)
        assert output.read_bytes() == WHOLE[suffix]
        assert os.listdir(folder) == [output.name]


@pytest.mark.parametrize("kind", ["partial", "journal"])
def test_what_follows_a_tear_is_kept(tmp_path: Path, kind: str) -> None:
    """Nothing of what the tear has cost is left between the lines of the journal."""
    output = tmp_path / "out.csv"
    go_on(output, 4)
    file = Path(f"{output}.{kind}")
    os.truncate(file, file.stat().st_size - 30)
    assert go_on(output, 2) == 3 * CHUNK
    assert go_on(output, 1) == 5 * CHUNK
    assert go_on(output) == 6 * CHUNK


@pytest.mark.parametrize("suffix", sorted(WHOLE))
def test_no_more_is_done_again_than_must_be(tmp_path: Path, suffix: str) -> None:
    """A tear in either file costs the chunk that it is in, and those after it."""
    output = tmp_path / f"out{suffix}"
    sizes = [0]
    with PartialOutput.open(output, JOB):
        pass
    for n_chunks in range(6):
        go_on(output, min(n_chunks, 1))
        sizes.append(Path(f"{output}.partial").stat().st_size)
    for n_whole in reversed(range(6)):
        os.truncate(f"{output}.partial", sizes[n_whole + 1] - (n_whole % 2))
        expected = max(n_whole - n_whole % 2, 0)
        assert go_on(output, 0) == expected * CHUNK
    go_on(output)
    assert output.read_bytes() == WHOLE[suffix]


SCRIPT = """
import sys, zlib, random, resource
from pathlib import Path
from server.batch.errors import OutputError
from server.batch.writing.partial import PartialOutput

if len(sys.argv) > 3:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))

def chunk(number):
    return random.Random(number).randbytes(number * 7919 % 40_000)

try:
    with PartialOutput.open(Path(sys.argv[1]), {}, resume=True) as partial:
        print("from", partial.n_rows, flush=True)
        for number in range(partial.end, int(sys.argv[2])):
            data = chunk(number)
            partial.append(data, data[:100], 1, number + 1, {"Ok": 1})
        partial.finish([bytes([zlib.crc32(note) % 256 for note in partial.notes])])
except OutputError as error:
    print("error", error, flush=True)
"""


def start(output: Path, n_chunks: int, *limit: int) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", SCRIPT, output, n_chunks, *limit]
    return subprocess.Popen(list(map(str, arguments)), cwd=ROOT, stdout=subprocess.PIPE, text=True)


def said(process: "subprocess.Popen[str]") -> list[str]:
    return process.communicate(timeout=60)[0].splitlines()


def test_kills(tmp_path: Path) -> None:
    """A process that is killed at any moment, again and again, comes to the same end."""
    n_chunks = 3000
    whole, output = tmp_path / "whole", tmp_path / "out"
    begun = time.monotonic()
    assert said(start(whole, n_chunks)) == ["from 0"]
    seconds = time.monotonic() - begun
    rng = random.Random(1)
    reached = []
    for _ in range(12):
        process = start(output, n_chunks)
        assert process.stdout
        reached.append(int(process.stdout.readline().split()[1]))
        time.sleep(rng.uniform(0, seconds / 8))
        process.kill()
        process.communicate()
        if output.exists():
            break
    assert reached == sorted(reached)
    assert reached[-1] > 0
    if not output.exists():
        said(start(output, n_chunks))
    assert output.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["out", "whole"]


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """Whatever the limit, on either file; each time it may be somewhat larger."""
    whole, output = tmp_path / "whole", tmp_path / "out"
    assert said(start(whole, 40)) == ["from 0"]
    size = whole.stat().st_size
    reached = []
    for limit in (10, 50_000, size // 3, size // 2, size - 1):
        *begun, error = said(start(output, 40, limit))
        assert "out: cannot write: File too large" in error
        reached += [int(line.split()[1]) for line in begun]
    assert reached == sorted(reached)
    assert reached[-1] > 15
    assert len(said(start(output, 40))) == 1
    assert output.read_bytes() == whole.read_bytes()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB, where one may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if not mount or subprocess.run([mount, *options], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    """It says so in one line, keeps what is whole, and goes on once there is space."""
    whole, output = tmp_path / "whole", small_disk / "out"
    assert said(start(whole, 20)) == ["from 0"]
    for _ in range(2):
        [begun, error] = said(start(output, 20))
        assert "out: cannot write: No space left on device; " in error
        assert "rows are kept, --resume goes on from there" in error
    assert int(begun.split()[1]) > 3
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    assert said(start(output, 20)) == [begun]
    assert output.read_bytes() == whole.read_bytes()


def test_memory_does_not_grow_with_the_number_of_chunks(tmp_path: Path) -> None:
    """Notes of 25 MB are read from the journal, one after the other."""
    note = os.urandom(5000)
    tracemalloc.start()
    try:
        with PartialOutput.open(tmp_path / "out", JOB) as partial:
            for number in range(5000):
                partial.append(b"chunk", note, 1, number + 1, {"Ok": 1})
        with PartialOutput.open(tmp_path / "out", JOB, resume=True) as partial:
            assert sum(map(len, partial.notes)) == 5000 * 5000
            partial.finish(partial.notes)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    assert (tmp_path / "out").stat().st_size == 5000 * 5005


def test_memory_does_not_grow_with_the_output(tmp_path: Path) -> None:
    """No chunk is held."""
    tracemalloc.start()
    try:
        with PartialOutput.open(tmp_path / "out", JOB) as partial:
            for number in range(50):
                partial.append(os.urandom(1 << 20), b"note", 1, number + 1, {"Ok": 1})
        with PartialOutput.open(tmp_path / "out", JOB, resume=True) as partial:
            assert partial.size == 50 << 20
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_the_file_of_parquet_is_whole(tmp_path: Path) -> None:
    """What the bytes are compared with is read, too."""
    file = tmp_path / "out.parquet"
    file.write_bytes(WHOLE[".parquet"])
    assert pq.read_table(file).equals(TABLE)
    assert WHOLE[".csv"].count(b"\n") == N_ROWS + 1


KILLED_IN_THE_END = """
import os, signal, sys
from pathlib import Path
from server.batch.writing.partial import PartialOutput

def kill(self, *other):
    os.kill(os.getpid(), signal.SIGKILL)

with PartialOutput.open(Path(sys.argv[1]), {"input": "a.csv"}) as partial:
    partial.append(b"header\\n", b"", 0, 0, {})
    partial.append(b"one\\ntwo\\n", b"", 2, 10, {"Ok": 1, "NoRoute": 1})
    setattr(Path, sys.argv[2], kill)
    partial.finish([b"the ", b"end"])
"""
IN_THE_END = b"header\none\ntwo\nthe end"


def killed(folder: Path, at: str) -> Path:
    """An output whose run has been killed at this step of its end."""
    output = folder / "out.csv"
    arguments = [sys.executable, "-c", KILLED_IN_THE_END, str(output), at]
    assert subprocess.run(arguments, cwd=ROOT, check=False).returncode == -signal.SIGKILL
    return output


def test_killed_before_the_rename(tmp_path: Path) -> None:
    """Only what stands after the last chunk is made again."""
    output = killed(tmp_path, "replace")
    assert sorted(os.listdir(tmp_path)) == ["out.csv.journal", "out.csv.partial"]
    with pytest.raises(OutputError, match="holds 2 rows of an interrupted run"):
        PartialOutput.open(output, JOB)
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert not partial.is_finished
        assert (partial.n_rows, partial.end, partial.size) == (2, 10, 15)
        partial.finish([b"the end"])
    assert output.read_bytes() == IN_THE_END
    assert os.listdir(tmp_path) == ["out.csv"]


def test_killed_after_the_rename(tmp_path: Path) -> None:
    """The output is whole; it stays as it is, and the journal goes."""
    output = killed(tmp_path, "unlink")
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "out.csv.journal"]
    before = output.stat()
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.is_finished
        assert not partial.is_new
        assert (partial.n_rows, partial.end) == (2, 10)
        assert partial.counts == {"Ok": 1, "NoRoute": 1}
        with pytest.raises(ValueError, match="closed"):
            partial.append(b"x", b"", 1, 11, {})
    assert os.listdir(tmp_path) == ["out.csv"]
    assert output.read_bytes() == IN_THE_END
    after = output.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.is_new and not partial.is_finished


@pytest.mark.parametrize(
    ("job", "options"), [(JOB, {}), (JOB, {"overwrite": True}), ({"input": "b"}, {"resume": True})]
)
def test_what_is_finished_stands_in_nobodys_way(
    tmp_path: Path, job: dict[str, str], options: dict[str, Any]
) -> None:
    """Another run, or the same without a word for it, begins anew; the output stays until then."""
    output = killed(tmp_path, "unlink")
    with PartialOutput.open(output, job, **options) as partial:
        assert partial.is_new and not partial.is_finished
        assert output.read_bytes() == IN_THE_END
        partial.finish([b"new"])
    assert output.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    "content", [None, b"", b"other", IN_THE_END[:-1], IN_THE_END + b"x", IN_THE_END[:-1] + b"D"]
)
def test_another_output_is_not_taken_for_it(tmp_path: Path, content: bytes | None) -> None:
    output = killed(tmp_path, "unlink")
    output.unlink()
    if content is not None:
        output.write_bytes(content)
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.is_new and not partial.is_finished
    assert content is None or output.read_bytes() == content


def test_the_same_output_of_an_earlier_run_is_not_taken_for_it(tmp_path: Path) -> None:
    """As long as this one's has not taken its name, it is what is gone on with."""
    output = killed(tmp_path, "replace")
    output.write_bytes(IN_THE_END)
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert not partial.is_finished
        partial.finish([b"the end"])
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("n_bytes", range(1, 200, 20))
def test_a_torn_journal_tells_of_no_end(tmp_path: Path, n_bytes: int) -> None:
    output = killed(tmp_path, "unlink")
    journal = Path(f"{output}.journal")
    journal.write_bytes(journal.read_bytes()[:-n_bytes])
    with PartialOutput.open(output, JOB, resume=True) as partial:
        assert partial.is_new and not partial.is_finished
    assert output.read_bytes() == IN_THE_END
