"""The files that runs of the parse benchmark leave, as other processes see them."""

import os
from pathlib import Path

from server.benchmark.parse_files import MAX_RESULTS, RunFiles


def event(number: int) -> dict[str, object]:
    return {"event": "progress", "run": "a", "percent": number}


def test_nothing_yet(tmp_path: Path) -> None:
    """Without files there is nothing to tell."""
    files = RunFiles(tmp_path)
    assert not files.is_locked()
    assert files.results() == [] and files.last_event() is None
    assert files.follow().news() == []
    assert list(tmp_path.iterdir()) == []


def test_one_has_the_lock(tmp_path: Path) -> None:
    """Until its last copy is closed; to look does not take it."""
    first, second = RunFiles(tmp_path), RunFiles(tmp_path)
    lock = first.take_lock()
    assert lock is not None
    assert first.is_locked() and second.is_locked()
    assert second.take_lock() is None
    copy = os.dup(lock)
    os.close(lock)
    assert second.is_locked()
    os.close(copy)
    assert not second.is_locked()
    again = second.take_lock()
    assert again is not None
    os.close(again)


def test_events_are_followed(tmp_path: Path) -> None:
    """Each is seen once, whole, whoever comes when."""
    files = RunFiles(tmp_path)
    follower = files.follow()
    files.begin(event(0))
    files.tell(event(1))
    assert follower.news() == [event(0), event(1)]
    assert follower.news() == []
    late = files.follow()
    files.tell(event(2))
    assert follower.news() == [event(2)]
    assert late.news() == [event(0), event(1), event(2)]
    assert files.last_event() == event(2)
    files.begin(event(3))
    assert follower.news() == late.news() == [event(3)]


def test_half_a_line(tmp_path: Path) -> None:
    """It is seen when it is whole; what a crash leaves of one is passed over."""
    files = RunFiles(tmp_path)
    files.begin(event(0))
    follower = files.follow()
    assert len(follower.news()) == 1
    with (tmp_path / "parse-benchmark.progress").open("ab", buffering=0) as file:
        file.write(b'{"event":"progress","ru')
        assert follower.news() == []
        assert files.last_event() == event(0)
        file.write(b'n":"a","percent":1}\n{"event"\n[1]\n')
    assert follower.news() == [event(1)]
    assert files.last_event() == event(1)


def test_results_are_kept(tmp_path: Path) -> None:
    """The newest first, and not too many."""
    files = RunFiles(tmp_path)
    for number in range(MAX_RESULTS + 3):
        files.keep({"run": str(number)})
    kept = RunFiles(tmp_path).results()
    assert [result["run"] for result in kept] == [
        str(number) for number in range(MAX_RESULTS + 2, 2, -1)
    ]
    (tmp_path / "parse-benchmark.results").write_bytes(b'{"run":"a"}\n{"run"')
    assert files.results() == [{"run": "a"}]
