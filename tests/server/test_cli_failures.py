"""What the command line says of failures that are not the caller's, and how it is stopped."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from server.cli import DEBUG, FAILED, INTERRUPTED, run

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

Capture = pytest.CaptureFixture[str]


def test_interruption(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Ctrl-C is no fault, and says nothing."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("server.cli_info.show_info", interrupt)
    assert run(["info", "x"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied", "/x"), "/x: Permission denied"),
        (OSError("no room"), "no room"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_failures_of_the_system(
    error: Exception, message: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """What the system refuses is told in one line as well."""

    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("server.cli_info.show_info", refuse)
    assert run(["info", "x"]) == FAILED
    assert capsys.readouterr() == ("", f"whimbrel: {message}\n")


@pytest.mark.parametrize("error", [OverflowError("too much"), ValueError("no"), KeyError("x")])
def test_faults_of_ours(error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """They are one line as well; how they came about is told to who wants to know."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("server.cli_info.show_info", fail)
    monkeypatch.delenv(DEBUG, raising=False)
    what = f"whimbrel: internal error: {type(error).__name__}: {error}"
    assert run(["info", "x"]) == FAILED
    assert capsys.readouterr() == ("", f"{what}; set WHIMBREL_DEBUG=1 for details\n")
    monkeypatch.setenv(DEBUG, "1")
    assert run(["info", "x"]) == FAILED
    said = capsys.readouterr().err
    assert said.startswith("Traceback ")
    assert "in fail\n" in said
    assert said.endswith(f"\n{what}\n")


BLOCKED_BUILD = """
import routing.build, time
def block(*_):
    print("building", flush=True)
    time.sleep(60)
routing.build.build_landmarks = block
from server.cli import main
main()
"""


def test_termination_leaves_nothing(
    environment: dict[str, str], sample: Path, tmp_path: Path
) -> None:
    """A build that is told to stop removes what it has written."""
    extract, temporary = tmp_path / "city.osm.pbf", tmp_path / "tmp"
    shutil.copy(sample, extract)
    temporary.mkdir()
    with subprocess.Popen(
        [sys.executable, "-P", "-c", BLOCKED_BUILD, "build", str(extract)],
        env=environment | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        began = process.stdout.readline()
        left = os.listdir(tmp_path)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=20)
    assert began == "building\n", said
    assert len(left) == 3
    assert process.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said
    assert sorted(os.listdir(tmp_path)) == ["city.osm.pbf", "tmp"]
    assert os.listdir(temporary) == []


def test_interruption_while_importing(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """Ctrl-C is no fault either where a library reports it as an error of its own."""

    def fail(*_: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interruption:
            raise RuntimeError("Error calling __set_name__") from interruption

    monkeypatch.setattr("server.cli_info.show_info", fail)
    assert run(["info", "x"]) == INTERRUPTED
    assert capsys.readouterr() == ("", "")


def test_an_empty_name(capsys: Capture) -> None:
    """It is no extract, which is said in one line."""
    assert run(["build", ""]) == FAILED
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_output_stream(
    encoding: str,
    dataset: Path,
    command: Callable[..., list[str]],
    environment: dict[str, str],
) -> None:
    """Names are written with marks where the stream has no such letters."""
    said = subprocess.run(
        command("route", dataset, "24.935,60.166", "24.95,60.172"),
        env=environment | {"PYTHONIOENCODING": encoding},
        check=True,
        capture_output=True,
    )
    name = "Yrj?nkatu" if encoding == "ascii" else "Yrjönkatu"
    assert name in said.stdout.decode(encoding)


def test_a_closed_output_stream(
    dataset: Path, command: Callable[..., list[str]], environment: dict[str, str]
) -> None:
    """There is nobody to write to, and nothing goes wrong."""
    line = shlex.join(map(str, command("route", dataset, "24.935,60.166", "24.95,60.172")))
    done = subprocess.run(
        ["sh", "-c", f"{line} >&-"], env=environment, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_far_points_are_pointed_out(dataset: Path, capsys: Capture) -> None:
    """A sign too many leads to another continent: the route is found, and the distance told."""
    assert run(["route", str(dataset), "24.935,60.166", "-24.95,60.172"]) == 0
    assert "note: -24.95,60.172 is 27" in capsys.readouterr().err
