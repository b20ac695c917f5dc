"""Another engine behind a pipe: what it answers, and all that it can do wrong."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import stub_peer

from server.benchmark.peers import peer as peer_module
from server.benchmark.peers.peer import Peer, PeerFailed
from server.benchmark.processes import Run


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with stub_peer(tmp_path) as peer:
        yield peer


def test_questions_and_answers(peer: Peer) -> None:
    """One object there, one back, by one process."""
    assert peer.memory_bytes == 0
    assert peer.ask("echo", pairs="a b\nc", n=3) == {"do": "echo", "pairs": "a b\nc", "n": 3}
    assert peer.number("route") == 0.5
    assert peer.number("halves") == 2.5
    assert peer.ask("echo", text="x" * 300_000)["text"] == "x" * 300_000
    assert peer.memory_bytes > 1e6
    assert not peer.failed


def test_what_it_prepares(peer: Peer, sample: Path) -> None:
    """Once; what is of no use for answers is not counted."""
    took = peer.prepare(sample, 2)
    assert took.wall_s > 0
    assert took.peak_bytes > 1e6
    assert (peer.data / "map.osm.pbf").resolve() == sample.resolve()
    assert (peer.data / "data").stat().st_size == 1000
    assert not (peer.data / "rest").exists()
    assert 1000 <= took.disk_bytes < 2000
    assert peer.prepare(sample, 2) is took


def test_how_it_is_measured(peer: Peer, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As we are: the extract is in memory, and nothing looks at the process while it is timed."""
    done: list[object] = []

    def run(command: list[str], folder: Path, sampled: bool = True) -> Run:
        done.append(("run", sampled))
        return Run(2.0, 10**7, "")

    monkeypatch.setattr(peer_module, "read_through", lambda path: done.append(("read", path)))
    monkeypatch.setattr(peer_module, "run_process", run)
    took = peer.prepare(sample)
    assert done == [("read", sample), ("run", False)]
    assert (took.wall_s, took.peak_bytes) == (2.0, 10**7)


def test_a_fresh_process(peer: Peer) -> None:
    """`reopen` forgets everything but what is on the disk."""
    peer.ask("echo")
    assert peer._process is not None
    before = peer._process.pid
    peer.reopen()
    assert peer._process is not None
    assert peer._process.pid != before
    assert not Path(f"/proc/{before}").exists()


@pytest.mark.parametrize(
    ("do", "message"),
    [
        ("die", "Stub ended while asked for 'die': it hurts"),
        ("rubbish", "Stub answered 'rubbish' with b'Segmentation fault', expected a JSON object"),
        ("list", "Stub answered 'list' with b'[1]', expected a JSON object"),
        ("error", "Stub cannot 'error': ValueError: no such road"),
        ("sleep", "Stub was silent for too long"),
    ],
)
def test_what_goes_wrong(do: str, message: str, peer: Peer) -> None:
    """It is told in a line, the process is gone, and the peer is out for good."""
    peer.ask("echo")
    assert peer._process is not None
    pid = peer._process.pid
    with pytest.raises(PeerFailed) as caught:
        peer.ask(do, timeout_s=0.5)
    assert str(caught.value) == message
    assert peer.failed == message
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(PeerFailed) as again:
        peer.ask("echo")
    assert str(again.value) == message


def test_one_that_is_killed(peer: Peer) -> None:
    """Nobody waits for one that is not there."""
    peer.ask("echo")
    assert peer._process is not None
    os.kill(peer._process.pid, 9)
    with pytest.raises(PeerFailed, match="Stub ended while asked for 'echo'"):
        peer.ask("echo")


@pytest.mark.parametrize("seconds", [0, -1, None, "1", [1]])
def test_impossible_times(seconds: object, peer: Peer) -> None:
    """A time is a number above zero."""
    with pytest.raises(PeerFailed, match=r"Stub answered 'route' with .* seconds"):
        peer.number("route", wanted=seconds)


def test_one_that_cannot_prepare(tmp_path: Path, sample: Path) -> None:
    """The last line of the program that failed is told."""
    script = tmp_path / "bad.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    bad = [sys.executable, '-c', 'import sys; sys.exit(\"out of roads\")']\n"
        "    print(json.dumps({'commands': [bad], 'rest': []}), flush=True)\n"
    )
    with Peer("Bad", "bad", "0", [sys.executable, str(script)], frozenset(), tmp_path) as peer:
        with pytest.raises(PeerFailed, match=r"Bad cannot prepare helsinki.* out of roads"):
            peer.prepare(sample)
        assert peer.failed
