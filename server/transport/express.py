"""The short way of requests that are answered at once, past the machinery for all others.

What a quick request costs is mostly not its answer but the way there: a parser with a callback for
every header, a task, messages to and fro. Those that are plain, whole in one packet and quick to
answer need none of that. Whatever is in any way special goes the long way, faults of our own
included, and the answers are the same.
"""

import re
from time import perf_counter
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from server.api.osrm import OsrmServices
from server.transport.protocol import LimitedHttpProtocol

_REQUEST = re.compile(
    rb"GET (/(?:route|nearest|table|trip|match)/v1/[!-~]+) HTTP/1\.1\r\n"
    rb"((?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t -~\x80-\xff]*\r\n)+)\r\n"
)
"""A request as RFC 9112 (sections 3 and 5) has it, without a body."""

_SERVICE = len(b"GET /")
"""Where it names the service."""

_SPECIAL = re.compile(
    rb"^(?:content-length|transfer-encoding|expect|upgrade|te|trailer|connection:(?!\s*keep-alive\s*$))",
    re.IGNORECASE | re.MULTILINE,
)
"""Headers that say more than that a plain answer is wanted."""

_ENCODING = re.compile(rb"^accept-encoding:[^\r]*", re.IGNORECASE | re.MULTILINE)


class ExpressProtocol(LimitedHttpProtocol):
    """Answers quick requests as their packet comes in."""

    services: ClassVar[OsrmServices]
    """What answers; a subclass for each server has them."""

    def data_received(self, data: bytes) -> None:
        """Bytes from the network."""
        if self.is_idle:
            began = perf_counter()
            found = self._answer_at_once(data)
            if found is not None:
                is_last = self.state.stopping and not self.has_more()
                self.transport.write(self._with_head(*found, is_last))
                self._wait_for_another()
                if is_last:
                    self.part()
                service = data[_SERVICE : data.index(b"/", _SERVICE)]
                self.state.metrics.observe(service, found[0], perf_counter() - began)
                return
        super().data_received(data)

    def _answer_at_once(self, data: bytes) -> tuple[int, bytes, bytes] | None:
        """Status, headers and body of the answer, or None if that takes the long way."""
        request = _REQUEST.fullmatch(data)
        if request is None or self.access_log or self.flow.write_paused or self._refused:
            return None
        target, headers = request.groups()
        if _SPECIAL.search(headers) or self.has_parted or self.transport.is_closing():
            return None
        encoding = _ENCODING.search(headers)
        accepted = encoding.group()[len("accept-encoding:") :] if encoding else b""
        return self.services.answer_at_once(target, len(headers), accepted)

    def _with_head(self, status: int, head: bytes, body: bytes, is_last: bool) -> bytes:
        """All that is sent."""
        date = b"".join(
            b"%b: %b\r\n" % (name, value) for name, value in self.server_state.default_headers
        )
        end = b"connection: close\r\n" if is_last else b""
        return b"%b%b%b%b\r\n%b" % (STATUS_LINE[status], date, head, end, body)

    def _wait_for_another(self) -> None:
        """Close the connection if nothing comes for a while."""
        self.server_state.total_requests += 1
        self._idle_since_s = self.loop.time()
        self._since_s = -1.0
        if self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def timeout_keep_alive_handler(self) -> None:
        """Nothing has come since this was set, but for quick requests."""
        left_s = self._idle_since_s + self.timeout_keep_alive - self.loop.time()
        if left_s <= 0:
            super().timeout_keep_alive_handler()
            return
        self.timeout_keep_alive_task = self.loop.call_later(left_s, self.timeout_keep_alive_handler)
