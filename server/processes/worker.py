"""What one worker process runs: uvicorn on a socket that it shares with others."""

import asyncio
import contextlib
import logging
import os
import resource
import signal
import socket
from collections.abc import Iterator

import uvicorn

from gis.errors import EngineError
from server.app import create_app
from server.processes.link import Link
from server.processes.listening import is_readable, let_nobody_begin
from server.processes.reload_client import ReloadClient
from server.state import EngineState
from server.transport.accepting import Acceptor
from server.transport.express import ExpressProtocol
from server.transport.parting import PartingHttpProtocol

_log = logging.getLogger(__name__)

_OTHER_DESCRIPTORS = 500
"""More than a worker has open besides its connections."""


_ALONE_S = 0.2
"""Told to stop, a worker hears within this time if all the others are, too."""
_HANDSHAKE_S = 0.2
"""How long whoever has begun to connect may take to be let in; then they are all answered."""
_IDLE_S = 1.0
"""A connection that has been idle so long is ended: who asks again and again has asked by then."""
_LOOK_S = 0.05


class _Server(uvicorn.Server):
    """Ends on SIGTERM, when the supervisor says so, or when that is no more.

    From then on each answer is the last one of its connection. After the time in which it is only
    not ready it lets nobody in, but answers all who are in, and ends connections as they are idle.
    """

    def __init__(self, config: uvicorn.Config, state: EngineState, link: Link) -> None:
        super().__init__(config)
        self._state = state
        self._link = link
        self._client = ReloadClient(state, link.channel)
        self._supervisor = os.getppid()
        self._all_end = False
        self._acceptors: list[Acceptor] = []
        self._exit: asyncio.TimerHandle | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._told_to_stop)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        self._client.start()
        await super().startup([])
        self._acceptors = [
            Acceptor(sock, self._protocol, self._state.metrics) for sock in sockets or []
        ]
        loop.add_reader(self._link.parent, self._all_are_to_end)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Only SIGTERM is ours, and the process does not raise it again at the end."""
        yield

    def _told_to_stop(self) -> None:
        """End alone, unless the others are to end as well."""
        if not self._state.stopping:
            self._stop_in(_ALONE_S)

    def _all_are_to_end(self) -> None:
        """End with all others, after the time set if there is a supervisor that waits for it."""
        asyncio.get_running_loop().remove_reader(self._link.parent)
        self._all_end = True
        is_orphan = os.getppid() != self._supervisor
        self._stop_in(0 if is_orphan else self._state.settings.stop_delay_s)

    def _stop_in(self, seconds: float) -> None:
        self._state.stopping = True
        for connection in self._connections():
            connection.end_after_answer()
        if self._exit is not None:
            self._exit.cancel()
        self._exit = asyncio.get_running_loop().call_later(seconds, self._stop)

    def _stop(self) -> None:
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody in any more, answer all who are in, and end."""
        for sock in sockets or []:
            await self._let_in_who_has_begun(sock)
        for acceptor in self._acceptors:
            await acceptor.stop()
        ending = asyncio.create_task(self._end_idle_connections())
        try:
            await super().shutdown(sockets)
        finally:
            ending.cancel()

    async def _let_in_who_has_begun(self, sock: socket.socket) -> None:
        """See to it that nobody waits to be let in, unless another worker is there to do that."""
        if not self._all_end:
            return
        let_nobody_begin(sock)
        await asyncio.sleep(_HANDSHAKE_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_S):
                while is_readable(sock.fileno()):
                    await asyncio.sleep(_LOOK_S)

    async def _end_idle_connections(self) -> None:
        while True:
            for connection in self._connections():
                connection.end_if_idle(_IDLE_S)
            await asyncio.sleep(_LOOK_S)

    def _protocol(self) -> asyncio.Protocol:
        """What speaks on a new connection."""
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def _connections(self) -> list[PartingHttpProtocol]:
        return [
            connection
            for connection in self.server_state.connections
            if isinstance(connection, PartingHttpProtocol)
        ]


class Worker:
    """Ready to answer requests in any process that is forked from this one.

    As much as can be is made before the fork, so that the processes share it.
    """

    def __init__(self, state: EngineState) -> None:
        settings = state.settings
        app = create_app(state)
        self._config = uvicorn.Config(
            app,
            http=type(
                "Protocol", (ExpressProtocol,), {"services": app.state.services, "state": state}
            ),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=settings.access_log,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=settings.keep_alive_s,
            timeout_graceful_shutdown=settings.drain_s,
        )
        self._state = state
        self._config.load()
        self._config.get_loop_factory()

    def run(self, sock: socket.socket, link: Link) -> None:
        """Answer requests until told to stop; those that have begun are finished."""
        self._state.metrics.take_slot(link.slot)
        self._state.runs.prepare()  # before there are threads
        self._allow_connections()
        self._mend()
        _Server(self._config, self._state, link).run(sockets=[sock])

    def _allow_connections(self) -> None:
        """Let the process have as many descriptors as it may need."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = self._state.settings.max_connections + _OTHER_DESCRIPTORS
        if soft != resource.RLIM_INFINITY and soft < wanted:
            if hard != resource.RLIM_INFINITY:
                wanted = min(wanted, hard)
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

    def _mend(self) -> None:
        """Put in force what a worker before this one was killed over."""
        try:
            self._state.live.restore(self._state.engine)
        except EngineError:
            _log.exception("live speeds are not as they should be")
