"""Where results are written, and where they are not."""

import os
from pathlib import Path

import pytest

from server.batch.errors import OutputError
from server.batch.writing.places import find_place, refuse_inputs


def test_beside_the_file(tmp_path: Path) -> None:
    place = find_place(tmp_path / "a.csv")
    assert [file.name for file in place] == ["a.csv", "a.csv.partial", "a.csv.journal"]
    assert {file.parent for file in place} == {tmp_path}


def test_links_are_followed(tmp_path: Path) -> None:
    """To a file, or to where one would be: there the space is that was meant."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "a.csv").symlink_to(tmp_path / "disk" / "b.csv")
    for _ in range(2):
        assert find_place(tmp_path / "a.csv").partial == tmp_path / "disk" / "b.csv.partial"
        (tmp_path / "disk" / "b.csv").touch()


def test_a_relative_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_place(Path("a.csv")).output == tmp_path / "a.csv"


def test_folders(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=f"{tmp_path}: a folder"):
        find_place(tmp_path)
    with pytest.raises(OutputError, match=f"{tmp_path}/no: no such folder to write a.csv into"):
        find_place(tmp_path / "no" / "a.csv")
    (tmp_path / "dangling").symlink_to(tmp_path / "no" / "b.csv")
    with pytest.raises(OutputError, match="no such folder to write"):
        find_place(tmp_path / "dangling")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="no such folder"):
        find_place(tmp_path / "file" / "a.csv")


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/dev/null", "/proc/self/fd/1"])
def test_devices(name: str) -> None:
    """Whatever they lead to."""
    with pytest.raises(OutputError, match=f"{name}: a device or a pipe, expected a file"):
        find_place(Path(name))


def test_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        with pytest.raises(OutputError, match="a device or a pipe"):
            find_place(tmp_path / name)


def test_inputs_are_not_written(tmp_path: Path) -> None:
    """Under whatever name they are known, nor the files beside the output."""
    for name in ("a.csv", "b.csv.partial", "c.csv.journal"):
        (tmp_path / name).touch()
        (tmp_path / f"link-{name}").symlink_to(tmp_path / name)
        os.link(tmp_path / name, tmp_path / f"hard-{name}")
    for output, read in (
        ("a.csv", "a.csv"),
        ("b.csv", "b.csv.partial"),
        ("c.csv", "c.csv.journal"),
    ):
        for name in (read, f"link-{read}", f"hard-{read}"):
            with pytest.raises(OutputError, match="is the input"):
                refuse_inputs(find_place(tmp_path / output), [Path("/none"), tmp_path / name])
    refuse_inputs(find_place(tmp_path / "d.csv"), [tmp_path / "a.csv", tmp_path / "d.csv"])
