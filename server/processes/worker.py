"""What one worker process runs: uvicorn on a socket that it shares with others."""

import asyncio
import contextlib
import logging
import resource
import signal
import socket
from collections.abc import Iterator

import uvicorn

from gis.errors import EngineError
from server.app import create_app
from server.processes.link import Link
from server.processes.reload_client import ReloadClient
from server.state import EngineState
from server.transport.express import ExpressProtocol

_log = logging.getLogger(__name__)

_OTHER_DESCRIPTORS = 500
"""More than a worker has open besides its connections."""


class _Server(uvicorn.Server):
    """Ends on SIGTERM, or when the supervisor is no more."""

    def __init__(self, config: uvicorn.Config, state: EngineState, link: Link) -> None:
        super().__init__(config)
        self._state = state
        self._link = link
        self._client = ReloadClient(state, link.channel)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self._told_to_stop)
        self._client.start()
        await super().startup(sockets)
        loop.add_reader(self._link.parent, self._orphaned)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Only SIGTERM is ours, and the process does not raise it again at the end."""
        yield

    def _told_to_stop(self) -> None:
        self._state.stopping = True
        delay_s = self._state.settings.stop_delay_s
        asyncio.get_running_loop().call_later(delay_s, self._stop)

    def _stop(self) -> None:
        self.should_exit = True

    def _orphaned(self) -> None:
        asyncio.get_running_loop().remove_reader(self._link.parent)
        self.should_exit = self._state.stopping = True


class Worker:
    """Ready to answer requests in any process that is forked from this one.

    As much as can be is made before the fork, so that the processes share it.
    """

    def __init__(self, state: EngineState) -> None:
        settings = state.settings
        self._state = state
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
