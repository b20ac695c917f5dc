"""A worker's part in taking another dataset: it asks for it, and does as it is told."""

import asyncio
import itertools
import logging
import socket
from collections.abc import Callable
from typing import Any

from gis.errors import DatasetError
from routing.engine import Engine
from server.errors import Busy
from server.processes.link import Line
from server.processes.memory import give_back
from server.processes.touch import touch
from server.state import EngineState

_log = logging.getLogger(__name__)


class ReloadClient:
    """Speaks with the supervisor from within a worker's event loop."""

    def __init__(self, state: EngineState, channel: socket.socket) -> None:
        self._state = state
        self._line = Line(channel)
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()

    def start(self) -> None:
        """Listen, from within the event loop."""
        asyncio.get_running_loop().add_reader(self._line.channel, self._heard)
        self._state.reload = self.reload

    async def reload(self) -> dict[str, Any]:
        """What came of it when the supervisor was asked to take the dataset as it is now.

        Raises ``Busy`` if there is no supervisor any more.
        """
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            if not self._line.send({"what": "reload", "number": number}):
                raise Busy("Nothing can be reloaded now; try again later.")
            return await answer
        finally:
            self._asked.pop(number, None)

    def _heard(self) -> None:
        messages = self._line.receive()
        if messages is None:
            asyncio.get_running_loop().remove_reader(self._line.channel)
            for answer in self._asked.values():
                if not answer.done():
                    answer.set_exception(Busy("The server is stopping."))
            return
        for message in messages:
            if message["what"] == "switch":
                task = asyncio.create_task(self._switch(message["dataset"]))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            elif (asked := self._asked.get(message["number"])) is not None and not asked.done():
                asked.set_result(message["answer"])

    async def _switch(self, wanted: str) -> None:
        """Answer from another dataset from now on; say whether that went well."""
        loop, state = asyncio.get_running_loop(), self._state
        report: dict[str, Any] = {"what": "switched", "dataset": wanted}
        async with self._turn:
            try:
                if state.engine.data_id != wanted:
                    state.take(await _in_own_thread(loop, lambda: self._open(wanted)))
                await _in_own_thread(loop, lambda: state.live.restore(state.engine))
                await _in_own_thread(loop, give_back)
            except Exception as error:
                is_other = isinstance(error, _AnotherOne)
                if not is_other:
                    _log.exception("cannot take the dataset %s", wanted)
                report |= {"error": str(error), "again": is_other}
        self._line.send(report)

    def _open(self, wanted: str) -> Engine:
        """The dataset that the supervisor has checked, ready to answer."""
        try:
            engine = Engine.open(self._state.dataset, verify=False)
        except DatasetError as error:  # it was whole a moment ago
            raise _AnotherOne(str(error)) from None
        if engine.data_id != wanted:
            raise _AnotherOne(f"{self._state.dataset} has been replaced again")
        self._state.live.restore(engine)
        touch(engine)
        return engine


class _AnotherOne(Exception):
    """The dataset at the path is not the one that was checked."""


async def _in_own_thread(loop: asyncio.AbstractEventLoop, work: Callable[[], Any]) -> Any:
    """The result of work that must not wait for the threads of requests."""
    return await loop.run_in_executor(None, work)
