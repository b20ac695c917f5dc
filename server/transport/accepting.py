"""Letting connections in, so that the workers of a server have about as many each."""

import asyncio
import logging
import socket
from collections.abc import Callable

from server.metrics import Metrics

_log = logging.getLogger(__name__)

_LOOK_S = 0.001
"""Left to others, a connection is looked at again after this time."""
_MAX_LOOKS = 20
_PERIOD_S = 0.25
"""So often, at most, is one left to others in a period: they may be too busy, or gone."""
_EXHAUSTED_S = 0.5
"""When there is no descriptor or no memory left, letting in is tried again after this time."""


class Acceptor:
    """Lets connections in from a socket that other processes listen on as well.

    All of them wake up when somebody wants to be let in. If each took whom it finds, the first to
    wake up would take all who came at the same time, and have the work of all of them alone for
    as long as these connections last.

    Parameters
    ----------
    sock
        A listening socket.
    protocol
        Makes what speaks on a new connection.
    metrics
        Where the workers see how many connections each has.
    """

    def __init__(
        self,
        sock: socket.socket,
        protocol: Callable[[], asyncio.Protocol],
        metrics: Metrics,
    ) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._protocol = protocol
        self._metrics = metrics
        self._loop = asyncio.get_running_loop()
        self._connecting: set[asyncio.Task[None]] = set()
        self._later: asyncio.TimerHandle | None = None
        self._looks = 0
        self._period_ends_s = 0.0
        self._listen()

    async def stop(self) -> None:
        """Let nobody in any more; whoever was let in has a protocol then."""
        self._loop.remove_reader(self._sock.fileno())
        if self._later is not None:
            self._later.cancel()
        await asyncio.gather(*self._connecting)

    def _listen(self) -> None:
        self._later = None
        self._loop.add_reader(self._sock.fileno(), self._somebody_waits)

    def _listen_in(self, seconds: float) -> None:
        self._loop.remove_reader(self._sock.fileno())
        self._later = self._loop.call_later(seconds, self._listen)

    def _somebody_waits(self) -> None:
        if self._leaves_it_to_others():
            self._listen_in(_LOOK_S)
            return
        try:
            connection, _ = self._sock.accept()
        except (BlockingIOError, ConnectionAbortedError, InterruptedError):
            return  # another process was faster, or the other side has gone
        except OSError:
            self._listen_in(_EXHAUSTED_S)
            return
        task = self._loop.create_task(self._connect(connection))
        self._connecting.add(task)
        self._metrics.connecting(len(self._connecting))
        task.add_done_callback(self._connected)

    def _leaves_it_to_others(self) -> bool:
        """Whether a process that has fewer connections may still let in who waits."""
        if self._metrics.excess_connections() <= 0:
            return False
        now = self._loop.time()
        if now > self._period_ends_s:
            self._looks, self._period_ends_s = 0, now + _PERIOD_S
        self._looks += 1
        return self._looks <= _MAX_LOOKS

    def _connected(self, task: asyncio.Task[None]) -> None:
        self._connecting.discard(task)
        self._metrics.connecting(len(self._connecting))

    async def _connect(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocol, connection)
        except Exception:
            _log.exception("a connection could not be let in")
            connection.close()
