"""Limits on connections: how many there are, and how long a slow one may take."""

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from routing.errors import QueryError
from server.api.osrm_json import error_answer, to_bytes
from server.errors import Busy, TooSlow, status_code_message
from server.transport.parting import LINGER_S, PartingHttpProtocol

_LOOK_S = 2.0
"""How often a connection is looked at, at most; more often where less time is given."""


class GuardedHttpProtocol(PartingHttpProtocol):
    """Refuses a connection too many, and ends those that make no progress.

    What waits between requests is not its matter: that has a time of its own.
    """

    _since_s = -1.0
    """When that began to come in which is not yet complete; negative: nothing is awaited."""
    _in_body = False
    _refused = False
    _unsent_bytes = 0
    """What was still to be sent when it was last looked at."""
    _stalled_since_s = 0.0
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody wants to ask."""
        super().connection_made(transport)
        self.state.metrics.connections(len(self.connections))
        if len(self.connections) > self.state.settings.max_connections:
            self.state.metrics.refused_connection()
            self.refuse(Busy("Too many connections; try again later."))
            return
        self._since_s = self._stalled_since_s = self.loop.time()
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)
        self.state.metrics.connections(len(self.connections))

    def data_received(self, data: bytes) -> None:
        """Bytes from the network."""
        if self._since_s < 0 and (self.cycle is None or self.cycle.response_complete):
            self._since_s = self.loop.time()
        super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        if self._since_s < 0:
            self._since_s = self.loop.time()

    def on_headers_complete(self) -> None:
        """The request is known but for its body."""
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """It has come in whole."""
        self._in_body = False
        self._since_s = -1.0
        super().on_message_complete()

    def refuse(self, error: QueryError) -> None:
        """Answer a request that was not read to its end, and end the connection."""
        self._refused = True
        status, code, message = status_code_message(error)
        body = to_bytes(error_answer(code, message))
        self.transport.write(
            STATUS_LINE[status]
            + b"content-type: application/json; charset=UTF-8\r\n"
            + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            + body
        )
        # Who is cut off while sending never sees the answer.
        self.loop.call_later(LINGER_S, self.transport.close)

    def _look_later(self) -> None:
        settings = self.state.settings
        wait_s = min(_LOOK_S, settings.head_s / 4, settings.body_s / 4)
        self._look = self.loop.call_later(wait_s, self._look_at_progress)

    def _look_at_progress(self) -> None:
        """End the connection if it takes too long for what it is about."""
        now, settings = self.loop.time(), self.state.settings
        if self.transport.is_closing():
            return
        if self.flow.read_paused and self._since_s >= 0:
            self._since_s = now  # it is we who do not read
        limit_s = settings.body_s if self._in_body else settings.head_s
        if self._since_s >= 0 and now - self._since_s > limit_s and not self.has_parted:
            self._give_up()
            return
        unsent = self.transport.get_write_buffer_size()
        if unsent == 0 or unsent != self._unsent_bytes:
            self._unsent_bytes, self._stalled_since_s = unsent, now
        elif now - self._stalled_since_s > settings.body_s:
            self.state.metrics.timed_out()
            self.transport.abort()
            return
        self._look_later()

    def _give_up(self) -> None:
        """What was to come in did not."""
        self.state.metrics.timed_out()
        cycle = self.cycle
        idle = cycle is None or cycle.response_complete
        has_begun = cast("object", self.headers) is not None
        if has_begun and (idle or (self._in_body and not cycle.response_started)):
            self.refuse(TooSlow("The request took too long to come in."))
        else:
            self.transport.close()
