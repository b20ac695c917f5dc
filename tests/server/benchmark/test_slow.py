"""How much a peer is asked for."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from server.benchmark.slow import Questions, notes_of, number_in_share


class Pace:
    """A peer that takes so many seconds for a route, and thrice as many the first time."""

    name = "OSRM"

    def __init__(self, seconds: float) -> None:
        self.seconds = 3 * seconds
        self.asked: list[tuple[int, bool]] = []

    def number(self, do: str, pairs: str, geometry: bool = False) -> float:
        """What the pairs of a file take."""
        n = len(np.load(pairs))
        self.asked.append((n, geometry))
        taken, self.seconds = n * self.seconds, self.seconds / 3
        return taken


@pytest.mark.parametrize(
    ("seconds", "n"), [(1e-6, 1000), (0.0099, 1000), (0.02, 500), (0.5, 20), (9.0, 20)]
)
def test_shares(seconds: float, n: int, tmp_path: Path) -> None:
    """Ten seconds for each of six turns; what it is asked to see its pace is the least."""
    subject: Any = SimpleNamespace(folder=tmp_path, pairs=np.zeros((1000, 4)), repeat=5)
    peer: Any = Pace(seconds)
    assert number_in_share(peer, subject) == pytest.approx(n, abs=1)
    assert peer.asked == [(20, True)] * 2


def test_questions(tmp_path: Path) -> None:
    """Pairs as they were, in a file that any process finds."""
    pairs = np.arange(12.0).reshape(3, 4)
    asked = Questions.of(tmp_path, "a", pairs)
    assert asked.n == 3
    assert Path(asked.path).is_absolute()
    assert np.array_equal(np.load(asked.path), pairs)


def test_notes() -> None:
    """Of those who are slow alone."""
    (note,) = notes_of({"OSRM": 1000, "Valhalla": 400}, 1000)
    assert note.startswith("Valhalla is asked for the first 400 of 1,000 single routes")
