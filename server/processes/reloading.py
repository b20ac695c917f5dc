"""The supervisor's part in taking another dataset: it is checked, then every worker takes it.

One process looks at the dataset; then the supervisor opens it, from which workers are forked
from then on; then each worker opens it beside its work and answers from it. No connection is
touched, and no request waits. A worker that cannot take it is replaced.
"""

import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gis.errors import EngineError
from gis.manifest import MANIFEST
from routing.engine import Engine
from server.processes.dataset_check import DatasetCheck
from server.processes.link import Line
from server.processes.memory import give_back
from server.processes.touch import touches
from server.state import EngineState

_log = logging.getLogger(__name__)

_CHECK_S = 900.0
"""How long a dataset may be looked at."""
_SWITCH_S = 60.0
"""How long a worker may take to answer from another dataset."""
_ATTEMPTS = 5
"""How often to begin anew when the dataset is replaced while it is being taken."""


class _Asker(NamedTuple):
    """A worker's question that waits for an answer."""

    slot: int
    number: int


class _Member(NamedTuple):
    """A worker that runs."""

    pid: int
    line: Line


class _Opened(NamedTuple):
    """A dataset that is made ready step by step; ``answer`` is told once it is served."""

    engine: Engine
    answer: dict[str, Any]
    steps: Iterator[None]


class _Switch(NamedTuple):
    """Workers that are to take a dataset; ``answer`` is told once all have."""

    waiting: set[int]
    answer: dict[str, Any]
    began: float


class Reloader:
    """Takes the dataset at the path of ``state`` when a worker asks for it, or it has changed.

    The supervisor calls it, one thing at a time.
    """

    def __init__(self, state: EngineState) -> None:
        self._state = state
        self._members: dict[int, _Member] = {}
        self._asking: list[_Asker] = []
        self._later: list[_Asker] = []
        self._check: DatasetCheck | None = None
        self._opened: _Opened | None = None
        self._switch: _Switch | None = None
        self._attempts = 0
        self._seen = self._signature()
        self._next_look = time.monotonic() + state.settings.watch_s

    def joined(self, slot: int, pid: int, channel: socket.socket) -> None:
        """A worker has been started; it answers from what the supervisor has open."""
        self._members[slot] = _Member(pid, Line(channel))

    def left(self, slot: int) -> None:
        """A worker has ended."""
        del self._members[slot]
        self._asking = [asker for asker in self._asking if asker.slot != slot]
        self._later = [asker for asker in self._later if asker.slot != slot]
        self._no_more_waiting_for(slot)

    def readers(self) -> dict[int, Callable[[], None]]:
        """Descriptors, and what to call when they are readable."""
        found: dict[int, Callable[[], None]] = {
            member.line.channel.fileno(): lambda slot=slot: self._heard(slot)  # type: ignore[misc]
            for slot, member in self._members.items()
        }
        if self._check is not None:
            found[self._check.pipe] = self._check_goes_on
        return found

    def tick(self) -> float:
        """Do what is due; how many seconds there is nothing more to do."""
        if self._opened is not None:
            self._make_ready(self._opened)
            return 0.0
        now = time.monotonic()
        if self._check is not None and now - self._check.began > _CHECK_S:
            self._check.kill()
        if self._switch is not None and now - self._switch.began > _SWITCH_S:
            for slot in list(self._switch.waiting):
                _log.error("worker %d does not answer", self._members[slot].pid)
                os.kill(self._members[slot].pid, signal.SIGKILL)
                self._no_more_waiting_for(slot)
        watch_s = self._state.settings.watch_s
        if watch_s and now >= self._next_look:
            self._next_look = now + watch_s
            seen = self._signature()
            if seen is not None and seen != self._seen and not self._is_busy:
                self._begin()
        wait_s = 1.0 if self._is_busy else 3600.0
        return min(wait_s, max(self._next_look - now, 0.0)) if watch_s else wait_s

    @property
    def _is_busy(self) -> bool:
        return any((self._check, self._opened, self._switch))

    def _signature(self) -> tuple[int, ...] | None:
        """What changes whenever the dataset at the path is another one."""
        try:
            found = os.stat(self._state.dataset / MANIFEST)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _heard(self, slot: int) -> None:
        member = self._members[slot]
        for message in member.line.receive() or ():
            if message["what"] == "reload":
                self._later.append(_Asker(slot, message["number"]))
            elif self._switch is not None and (
                message["dataset"] == self._switch.answer["dataset"]
                and slot in self._switch.waiting
            ):
                self._reported(slot, member, message)
        self._begin_if_asked()

    def _reported(self, slot: int, member: _Member, message: dict[str, Any]) -> None:
        """A worker has taken the dataset, or cannot."""
        if message.get("again") and self._attempts < _ATTEMPTS:
            self._seen = None  # which another look will find, once all others are through
        elif "error" in message:
            _log.error("worker %d is replaced: %s", member.pid, message["error"])
            os.kill(member.pid, signal.SIGTERM)
        self._no_more_waiting_for(slot)

    def _begin_if_asked(self) -> None:
        if self._later and not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        """Look at the dataset."""
        self._asking, self._later = self._asking + self._later, []
        self._seen = self._signature() or (0,)
        try:
            self._check = DatasetCheck(self._state, self.close)
        except OSError as error:
            self._refuse(f"cannot check the dataset: {error.strerror}")

    def close(self) -> None:
        """Let go of the lines, in a process that is no supervisor."""
        for member in self._members.values():
            member.line.channel.close()

    def _check_goes_on(self) -> None:
        if self._check is None or not self._check.ended():
            return
        found = self._check.result()
        self._check = None
        if "error" in found:
            self._refuse(found["error"])
        else:
            self._take(found["dataset"])
        self._begin_if_asked()

    def _take(self, checked: str) -> None:
        """Open a dataset that has been checked."""
        state, before = self._state, self._state.engine
        answer = {
            "dataset": checked,
            "previous": before.data_id,
            "profiles": list(before.profiles),
            "removed_profiles": [],
        }
        if checked == before.data_id and not self._attempts:
            state.metrics.reload_ended("unchanged")
            self._answer(answer)
            return
        try:
            engine = Engine.open(state.dataset, verify=False)
            if engine.data_id != checked and self._attempts < _ATTEMPTS:
                self._attempts += 1
                self._begin()
                return
            if engine.data_id != checked:
                raise EngineError(f"{state.dataset} is being replaced all the time")
            state.live.restore(engine)
        except EngineError as error:
            self._refuse(str(error))
            return
        removed = [name for name in before.profiles if name not in engine.profiles]
        answer |= {"profiles": list(engine.profiles), "removed_profiles": removed}
        self._opened = _Opened(engine, answer, touches(engine))

    def _make_ready(self, opened: _Opened) -> None:
        """One step of what takes long; signals and dead workers are seen to in between."""
        try:
            next(opened.steps)
        except StopIteration:
            self._opened = None
            self._answer_from(opened)
        except EngineError as error:
            self._opened = None
            self._refuse(str(error))
            self._begin_if_asked()

    def _answer_from(self, opened: _Opened) -> None:
        """Answer from another dataset, here and in each worker."""
        state, answer = self._state, opened.answer
        state.take(opened.engine)
        give_back()
        self._switch = _Switch(set(self._members), answer, time.monotonic())
        for slot, member in self._members.items():
            if not member.line.send({"what": "switch", "dataset": answer["dataset"]}):
                os.kill(member.pid, signal.SIGKILL)  # it has stopped listening
                self._switch.waiting.discard(slot)
        self._end_if_all_have()

    def _no_more_waiting_for(self, slot: int) -> None:
        if self._switch is not None:
            self._switch.waiting.discard(slot)
            self._end_if_all_have()

    def _end_if_all_have(self) -> None:
        if self._switch is None or self._switch.waiting:
            return
        answer = self._switch.answer
        self._switch = None
        if self._seen is None:
            self._attempts += 1
            self._begin()
            return
        self._attempts = 0
        _log.warning("dataset %s is served, in place of %s", answer["dataset"], answer["previous"])
        if answer["removed_profiles"]:
            _log.warning("not served any more: %s", ", ".join(answer["removed_profiles"]))
        self._state.metrics.reload_ended("swapped")
        self._answer(answer)
        self._begin_if_asked()

    def _refuse(self, why: str) -> None:
        self._attempts = 0
        _log.error("dataset refused, the one before it is still served: %s", why)
        self._state.metrics.reload_ended("refused")
        self._answer({"error": why})

    def _answer(self, answer: dict[str, Any]) -> None:
        asking, self._asking = self._asking, []
        for slot, number in asking:
            if slot in self._members:
                self._members[slot].line.send(
                    {"what": "answer", "number": number, "answer": answer}
                )
