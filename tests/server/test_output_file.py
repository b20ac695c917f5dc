"""Files that are there whole or not at all; links, pipes and descriptors of the system."""

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gis.errors import EngineError
from server.output_file import Named, check_distinct, check_output, write_output


def test_a_file_is_replaced(tmp_path: Path) -> None:
    """Whoever has the old one open keeps it; its rights are those of the new one."""
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o604)
    with path.open() as before:
        write_output(path, b"new")
        assert before.read() == "old"
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o604
    assert os.listdir(tmp_path) == ["a"]


def test_links_are_followed(tmp_path: Path) -> None:
    """Of links too, and to what is not there yet."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("folder/three")
    check_output(tmp_path / "one")
    for body in (b"x", b"y"):
        write_output(tmp_path / "one", body)
        assert (tmp_path / "folder" / "three").read_bytes() == body
        assert not (tmp_path / "folder" / "three").is_symlink()
    assert (tmp_path / "one").is_symlink() and (tmp_path / "two").is_symlink()


def test_pipes_are_written_into(tmp_path: Path) -> None:
    """More than they hold at once."""
    path, body, found = tmp_path / "pipe", os.urandom(1 << 20), []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    check_output(path)
    write_output(path, body)
    reader.join()
    assert found == [body] and path.is_fifo()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no links to open files")
def test_open_files_of_the_system(tmp_path: Path) -> None:
    """Such a name means the open file: what is in it stays, and so does the file."""
    log = tmp_path / "log"
    (tmp_path / "link").symlink_to("/proc/self/fd/2")
    code = (
        "import sys; from pathlib import Path; from server.output_file import *;"
        "sys.stderr.write('before '); sys.stderr.flush();"
        "write_output(Path(sys.argv[1]), b'during ');"
        "print(is_standard_output(Path('/proc/self/fd/1')), is_standard_output(Path(sys.argv[1])))"
    )
    for name in ("/proc/self/fd/2", str(tmp_path / "link")):
        with log.open("a") as file:
            done = subprocess.run(
                [sys.executable, "-c", code, name], stdout=subprocess.PIPE, stderr=file, text=True
            )
        assert done.stdout == "True False\n"
    assert log.read_text() == "before during " * 2


def test_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named as it was; no other file is left."""
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    for name, told in ((".", "is a folder"), ("no/a", "no such folder"), ("loop", "symbolic")):
        with pytest.raises(EngineError, match=told):
            check_output(Path(name))
    with pytest.raises(EngineError, match=r"^no/a: No such file or directory$"):
        write_output(Path("no/a"), b"x")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    Path("kept").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EngineError, match=r"^kept: No space left on device$"):
        write_output(Path("kept"), b"new")
    assert Path("kept").read_text() == "old"
    assert sorted(os.listdir()) == ["kept", "loop"]


def test_the_same_file_twice(tmp_path: Path) -> None:
    """By whatever name; what is written into and then gone may be named twice."""
    for name in ("a", "b"):
        (tmp_path / name).write_text("")
    (tmp_path / "hard").hardlink_to(tmp_path / "a")
    (tmp_path / "soft").symlink_to("new")
    a, b, hard, soft, new = (
        Named(f"--{name}", tmp_path / name) for name in ("a", "b", "hard", "soft", "new")
    )
    check_distinct([b, soft], [a])
    nothing = Named("--nothing", Path(os.devnull))
    check_distinct([nothing, nothing], [nothing])
    for outputs, inputs in (([hard], [a]), ([b, b], []), ([soft, new], []), ([b, hard], [a])):
        with pytest.raises(EngineError, match="is the same file as"):
            check_distinct(outputs, inputs)
