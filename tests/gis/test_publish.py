import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gis.arrays import AnyArray
from gis.dataset import Dataset, open_dataset, verify_dataset
from gis.errors import DatasetError, ResourceError
from gis.manifest import About, Extract
from gis.publish import DatasetWriter

ROOT = Path(__file__).resolve().parents[2]


def about(generation: int) -> About:
    extract = Extract("a.osm.pbf", 1, "")
    return About("0.1.0", extract, ("car",), (0.0, 0.0, 1.0, 1.0), {"generation": generation})


def arrays(generation: int) -> dict[str, AnyArray]:
    return {f"car.a{i}": np.full(2000, generation, np.uint32) for i in range(12)}


def publish(path: Path, generation: int) -> None:
    with DatasetWriter(path) as writer:
        writer.add(arrays(generation))
        writer.publish(about(generation))


def generation_of(dataset: Dataset) -> int:
    """Which generation a dataset is; fails if it is a mixture."""
    generation = dataset.manifest.about.counts["generation"]
    for array in dataset.arrays.values():
        assert (array == generation).all()
    return generation


def files_of(path: Path) -> dict[str, bytes]:
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}


def test_same_content_gives_the_same_folder(tmp_path: Path) -> None:
    """Two builds are alike to the byte, at new places and over one another."""
    for name in ("a", "b"):
        publish(tmp_path / name, 1)
    publish(tmp_path / "c", 2)
    publish(tmp_path / "c", 1)
    publish(tmp_path / "c", 1)
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b") == files_of(tmp_path / "c")
    assert sorted(os.listdir(tmp_path)) == ["a", "b", "c"]
    assert sorted(os.listdir(tmp_path / "c"))[1:] == ["manifest.json"]


def test_order_of_adding_does_not_matter(tmp_path: Path) -> None:
    """The folder is the same however the arrays come."""
    publish(tmp_path / "a", 1)
    with DatasetWriter(tmp_path / "b") as writer:
        for name, array in reversed(arrays(1).items()):
            writer.add({name: array})
        writer.publish(about(1))
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


def test_readers_keep_what_they_have_mapped(tmp_path: Path) -> None:
    """A dataset that is open stays as it was when it is replaced."""
    publish(tmp_path / "a", 1)
    old = open_dataset(tmp_path / "a")
    publish(tmp_path / "a", 2)
    assert generation_of(old) == 1
    assert generation_of(open_dataset(tmp_path / "a")) == 2


def test_rebuild_repairs_damage(tmp_path: Path) -> None:
    """The same build again mends a damaged, a missing and a foreign file."""
    publish(tmp_path / "a", 1)
    whole = files_of(tmp_path / "a")
    (data,) = (tmp_path / "a").glob("data-*")
    (data / "car.a0.npy").write_bytes(b"x")
    (data / "car.a1.npy").unlink()
    (data / "car.zzz.npy").write_bytes(b"x")
    publish(tmp_path / "a", 1)
    assert files_of(tmp_path / "a") == whole


@pytest.mark.parametrize("manifest", [b"", b"{}", b'{"format": "whimbrel dataset", "version": 0}'])
def test_rebuild_over_a_manifest_that_is_unusable(tmp_path: Path, manifest: bytes) -> None:
    """A dataset of another version or with a damaged manifest can be built anew."""
    publish(tmp_path / "a", 1)
    (tmp_path / "a" / "manifest.json").write_bytes(manifest)
    publish(tmp_path / "a", 2)
    assert generation_of(open_dataset(tmp_path / "a")) == 2
    assert len(os.listdir(tmp_path / "a")) == 2


def test_what_is_no_dataset_is_not_overwritten(tmp_path: Path) -> None:
    """A file, a folder of something else, be it a lone manifest, and a missing parent are refused.

    They are left as they were.
    """
    (tmp_path / "file").write_text("x")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"format": "something else"}')
    (tmp_path / "other" / "notes.txt").write_text("x")
    for name, text in {"web": '{"name": "app"}', "list": "[]", "text": "x", "none": ""}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    before = files_of(tmp_path)
    for name in ("file", "other", "web", "list", "text", "none", "missing/a", "file/a"):
        with pytest.raises(DatasetError) as caught:
            DatasetWriter(tmp_path / name)
        assert "\n" not in str(caught.value) and str(tmp_path) in str(caught.value)
    assert files_of(tmp_path) == before


def test_an_empty_folder_and_a_link_are_filled(tmp_path: Path) -> None:
    """A folder made beforehand (a mount point, say) takes the dataset, through a link too."""
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    publish(tmp_path / "link", 1)
    publish(tmp_path / "link", 2)
    assert generation_of(open_dataset(tmp_path / "a")) == 2
    assert (tmp_path / "link").is_symlink() and sorted(os.listdir(tmp_path)) == ["a", "link"]


def test_failed_build_leaves_nothing(tmp_path: Path) -> None:
    """An exception in a build removes what was written, and an old dataset stays."""
    publish(tmp_path / "old", 1)
    before = files_of(tmp_path)
    for name in ("new", "old"):
        with pytest.raises(KeyError), DatasetWriter(tmp_path / name) as writer:
            writer.add(arrays(2))
            raise KeyError
    assert files_of(tmp_path) == before and os.listdir(tmp_path) == ["old"]


def test_two_builds_at_once(tmp_path: Path) -> None:
    """Builds to one place that overlap leave each other's parts alone; the last one stays."""
    with DatasetWriter(tmp_path / "a") as first, DatasetWriter(tmp_path / "a") as second:
        first.add(arrays(1))
        second.add(arrays(2))
        second.publish(about(2))
        with DatasetWriter(tmp_path / "a") as third:
            third.add(arrays(3))
            first.publish(about(1))
            assert generation_of(open_dataset(tmp_path / "a")) == 1
            third.publish(about(3))
    assert generation_of(open_dataset(tmp_path / "a")) == 3
    assert os.listdir(tmp_path) == ["a"] and len(os.listdir(tmp_path / "a")) == 2


BUILDS = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from test_publish import publish
for generation in range(1, 10**9):
    publish(Path(sys.argv[3]), generation)
    print(generation, flush=True)
"""


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[list[str]]:
    """Command of a process that publishes one generation after another."""
    yield [
        sys.executable,
        "-c",
        BUILDS,
        str(ROOT),
        str(ROOT / "tests" / "gis"),
        str(tmp_path / "a"),
    ]


def test_readers_never_see_a_mixture(tmp_path: Path, builder: list[str]) -> None:
    """While datasets replace one another, every opening finds a whole one, never an older one."""
    publish(tmp_path / "a", 0)
    seen: list[int] = []
    with subprocess.Popen(builder, stdout=subprocess.PIPE) as process:
        try:
            deadline = time.monotonic() + 30
            while len(set(seen)) < 20 and time.monotonic() < deadline:
                seen.append(generation_of(open_dataset(tmp_path / "a")))
        finally:
            process.kill()
    assert len(set(seen)) >= 20 and seen == sorted(seen)


KILLS = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from test_publish import kill_builds
kill_builds(Path(sys.argv[3]), 40)
"""


def kill_builds(path: Path, rounds: int) -> None:
    """Fork builders and kill each at a random moment; what stands there is whole after each."""
    rng = random.Random(5)
    for _ in range(rounds):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            for generation in range(1, 10**9):
                publish(path, generation)
                os.write(writer, b".")
        os.close(writer)
        reported = len(os.read(reader, 1))
        time.sleep(rng.random() * 0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while found := os.read(reader, 1 << 16):
            reported += len(found)
        os.close(reader)
        assert verify_dataset(path) == ()
        assert generation_of(open_dataset(path)) in (reported, reported + 1)


def test_kill_at_any_moment(tmp_path: Path, builder: list[str]) -> None:
    """After a kill a whole dataset stands there: the one reported last, or the next.

    What the killed build leaves is removed by the next one.
    """
    subprocess.run([*builder[:2], KILLS, *builder[3:]], check=True)
    publish(tmp_path / "a", 10**6)
    assert os.listdir(tmp_path) == ["a"] and len(os.listdir(tmp_path / "a")) == 2


def test_leftovers_of_a_first_build_are_swept(tmp_path: Path) -> None:
    """What builds killed before their first publication left is removed, and nothing else."""
    for name in (".a.part-0123456789abcdef", ".a.part-0123456789abcdee"):
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "data" / "car.a0.npy").write_bytes(b"x")
    (tmp_path / ".a.part-of-something-else").mkdir()
    publish(tmp_path / "a", 1)
    assert sorted(os.listdir(tmp_path)) == [".a.part-of-something-else", "a"]


FULL = """
import resource, sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from gis.errors import ResourceError
from test_publish import publish
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    publish(Path(sys.argv[3]), 7)
except ResourceError as error:
    sys.exit(str(error))
"""


@pytest.mark.parametrize("exists", [True, False])
def test_file_size_limit(tmp_path: Path, builder: list[str], exists: bool) -> None:
    """Where a file cannot be written whole, one line says so and nothing is left behind."""
    if exists:
        publish(tmp_path / "a", 1)
    before = files_of(tmp_path)
    run = subprocess.run([*builder[:2], FULL, *builder[3:]], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr == f"{tmp_path / 'a'}: cannot write the dataset: File too large\n"
    assert files_of(tmp_path) == before and len(os.listdir(tmp_path)) == exists


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 160 KiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("may not mount a file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("folder", [".", "a"])
def test_full_disk(small_disk: Path, folder: str) -> None:
    """No space for a second dataset: one line, the first stays whole, and space is given back."""
    path = small_disk / folder
    publish(path, 1)
    before = files_of(small_disk)
    for _ in range(2):
        with pytest.raises(
            ResourceError, match="cannot write the dataset: No space left on device"
        ):
            publish(path, 2)
        assert files_of(small_disk) == before
    assert generation_of(open_dataset(path)) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(tmp_path: Path) -> None:
    """A folder that may not be written is refused in one line, before anything is done."""
    tmp_path.chmod(0o500)
    with pytest.raises(DatasetError, match="cannot write the dataset: Permission denied"):
        DatasetWriter(tmp_path / "a")
    tmp_path.chmod(0o700)


def test_threads_publish_and_read(tmp_path: Path) -> None:
    """Several threads that publish and one that reads do not disturb each other."""
    publish(tmp_path / "a", 0)
    threads = [
        threading.Thread(target=lambda k=k: [publish(tmp_path / "a", k) for _ in range(8)])
        for k in (1, 2)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert generation_of(open_dataset(tmp_path / "a")) in (0, 1, 2)
    assert len(os.listdir(tmp_path / "a")) == 2
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > len(os.listdir("/proc/self/fd"))
