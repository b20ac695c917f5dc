"""What a solver tells of its search."""

import os
from collections.abc import Iterator

import pytest

from routing.courier.plan import JOB, NO_ROOM, CourierPlan, Progress, Unserved
from server.courier.messages import SIZE_BYTES, Going, read_message, size_of
from server.courier.solver import Lines, Teller


@pytest.fixture
def lines() -> Iterator[tuple[int, Lines]]:
    """The end at which it is read, and those of the solver."""
    heard, told = os.pipe()
    stop, hurry = os.pipe()
    yield heard, Lines(-1, told, -1, stop)
    for descriptor in (heard, told, stop, hurry):
        os.close(descriptor)


def left(*jobs: int) -> CourierPlan:
    """A plan that leaves these jobs undone."""
    return CourierPlan((), tuple(Unserved(JOB, i, NO_ROOM) for i in jobs), 5, 5.0, 0, 0.0)


def test_another_job_left_undone(lines: tuple[int, Lines], monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan is better that leaves out what matters less, though not fewer."""
    heard, ours = lines
    monkeypatch.setattr("server.courier.solver._SMALL_S", 0.0)
    monkeypatch.setattr("server.courier.solver._TICK_S", 0.0)
    teller = Teller(ours, 2)
    told = []
    for plan in (left(0), left(0), left(1), left(1, 0), left(0, 1)):
        assert not teller(Progress(0.1, 1, plan))
        message = read_message(os.read(heard, size_of(os.read(heard, SIZE_BYTES))))
        assert isinstance(message, Going)
        told.append(message.plan is not None)
    assert told == [True, False, True, True, False]
