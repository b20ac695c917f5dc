"""The end of connections: nobody who asked is left without an answer, or cut off with it.

Whoever closes a connection while a request is on its way loses it, and the sender sees a reset.
So the last answer says that it is the last, and one's own half of the connection is closed first:
what still comes in is read and thrown away until the other half is closed (RFC 9112, section 9.6).
"""

import asyncio
from typing import ClassVar, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from server.processes.listening import is_readable
from server.state import EngineState

LINGER_S = 1.0
"""How long the other side may take to close its half."""


class PartingHttpProtocol(HttpToolsProtocol):
    """Ends connections where nothing is lost by it."""

    state: ClassVar[EngineState]
    """Whose settings and metrics these are; a subclass for each server has it."""

    has_parted = False
    """Whether the last word has been said; what comes in is for nobody."""
    _is_between = True
    """Whether the parser waits for a request to begin."""
    _idle_since_s = 0.0
    """When the last answer was given, or the connection made."""
    _last: RequestResponseCycle | None = None
    """The request whose answer will say that it is the last."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody wants to ask."""
        super().connection_made(transport)
        self._idle_since_s = self.loop.time()

    def data_received(self, data: bytes) -> None:
        """Bytes from the network."""
        if not self.has_parted:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins: what is asked before it is not the last."""
        self._is_between = False
        if self._last is not None and not self._last.response_started:
            self._last.keep_alive, self._last = True, None
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The request is known but for its body."""
        super().on_headers_complete()
        if self.state.stopping:
            self.end_after_answer()

    def on_message_complete(self) -> None:
        """It has come in whole."""
        super().on_message_complete()
        self._is_between = True

    def on_response_complete(self) -> None:
        """An answer has been given."""
        self._idle_since_s = self.loop.time()
        if self.has_parted:
            self.server_state.total_requests += 1
        else:
            super().on_response_complete()

    def end_after_answer(self) -> None:
        """Let the answer to what has been asked last be the last, unless it has begun already.

        Then, or where nothing has been asked, there may be another request.
        """
        cycle = self.cycle
        is_newest = cycle is not None and cycle.scope is self.scope
        if is_newest and cycle.keep_alive and not cycle.response_started:
            cycle.keep_alive, self._last = False, cycle
            cycle.transport = cast("asyncio.Transport", _LastAnswer(self))

    def end_if_idle(self, idle_s: float = 0.0) -> bool:
        """End the connection if it has waited for a request so long, and none has come in yet."""
        if self.has_parted or self.transport.is_closing() or not self.is_idle:
            return False
        if self.loop.time() - self._idle_since_s < idle_s or self.has_more():
            return False
        self.part()
        return True

    @property
    def is_idle(self) -> bool:
        """Whether there is no request, nor a part of one, that has no answer yet."""
        return self._is_between and (self.cycle is None or self.cycle.response_complete)

    def has_more(self) -> bool:
        """Whether something has come in that was not read yet."""
        return is_readable(self.transport.get_extra_info("socket").fileno())

    def part(self) -> None:
        """Say no more, and close when the other side has nothing more to say."""
        if self.has_parted or self.transport.is_closing():
            return
        self.has_parted = True
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write_eof()
        self.loop.call_later(LINGER_S, self.transport.close)

    def shutdown(self) -> None:
        """Go on: whoever stops the server ends connections as they become idle."""

    def timeout_keep_alive_handler(self) -> None:
        """Nothing has come for a while."""
        self.timeout_keep_alive_task = None
        self.end_if_idle()


class _LastAnswer:
    """Where the last answer is written: closing this is parting."""

    def __init__(self, protocol: PartingHttpProtocol) -> None:
        self._protocol = protocol
        self.write = protocol.transport.write
        self.is_closing = protocol.transport.is_closing
        self.close = protocol.part
