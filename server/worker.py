"""What one worker process runs: uvicorn on a socket that it shares with others."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator
from types import FrameType

import uvicorn

from gis.errors import EngineError
from server.app import create_app
from server.express import ExpressProtocol
from server.state import EngineState

_log = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """Ends on SIGTERM, or when the supervisor is no more."""

    def __init__(self, config: uvicorn.Config, parent: int, state: EngineState) -> None:
        super().__init__(config)
        self._parent, self._state = parent, state

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        asyncio.get_running_loop().add_reader(self._parent, self._orphaned)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Only SIGTERM is ours, and the process does not raise it again at the end."""
        signal.signal(signal.SIGTERM, self._told_to_stop)
        yield

    def _told_to_stop(self, signum: int, frame: FrameType | None) -> None:
        self.should_exit = self._state.stopping = True

    def _orphaned(self) -> None:
        asyncio.get_running_loop().remove_reader(self._parent)
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
            http=type("Protocol", (ExpressProtocol,), {"services": app.state.services}),
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

    def run(self, sock: socket.socket, parent: int) -> None:
        """Answer requests until told to stop; those that have begun are finished."""
        self._mend()
        _Server(self._config, parent, self._state).run(sockets=[sock])

    def _mend(self) -> None:
        """Put in force what a worker before this one was killed over."""
        try:
            self._state.live.restore(self._state.engine)
        except EngineError:
            _log.exception("live speeds are not as they should be")
