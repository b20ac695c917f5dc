"""HTTP as uvicorn speaks it with httptools, with a limit on what comes before the body."""

import re
from typing import cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from server.api.osrm_json import error_answer, to_bytes
from server.api.osrm_url import SCOPE_TARGET
from server.errors import HeadersTooLarge, UrlTooLong, status_code_message

MAX_HEAD_BYTES = 256 << 10
"""What is complete and shorter reaches the application, whose limits are the real ones."""

_MAX_PARSED_BYTES = 65_000
"""The parser cannot split a longer URL; the application refuses it by its length."""

_SCHEME_AND_AUTHORITY = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?]*")

_LINGER_S = 1.0
"""How long a refused sender may go on: who is cut off while sending never sees the answer."""


def origin_form(target: bytes) -> bytes:
    """A request target without the scheme and host that it may begin with, as for a proxy."""
    start = _SCHEME_AND_AUTHORITY.match(target)
    if start is None:
        return target
    rest = target[start.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest


class LimitedHttpProtocol(HttpToolsProtocol):
    """Answers 414 or 431 to a request line or headers that do not end."""

    _unfinished_bytes = -1
    """Bytes of a request whose headers go on, from the second packet; -1 outside of them."""
    _refused = False

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._unfinished_bytes = 0

    def on_headers_complete(self) -> None:
        """The request is known but for its body."""
        self._unfinished_bytes = -1
        target = origin_form(self.url)
        # The parser of URLs knows paths only; what is none the application refuses.
        self.url = target[:_MAX_PARSED_BYTES] if target.startswith(b"/") else b"*"
        super().on_headers_complete()
        cast("dict[str, object]", self.scope)[SCOPE_TARGET] = target

    def data_received(self, data: bytes) -> None:
        """Bytes from the network."""
        if self._refused:
            return
        if self._unfinished_bytes >= 0:
            self._unfinished_bytes += len(data)
            if self._unfinished_bytes > MAX_HEAD_BYTES:
                self._refuse()
                return
        super().data_received(data)

    def _refuse(self) -> None:
        self._refused = True
        too_long = HeadersTooLarge if len(self.url) < MAX_HEAD_BYTES // 2 else UrlTooLong
        error = too_long(f"Request line and headers are longer than {MAX_HEAD_BYTES} bytes")
        status, code, message = status_code_message(error)
        body = to_bytes(error_answer(code, message))
        self.transport.write(
            STATUS_LINE[status]
            + b"content-type: application/json; charset=UTF-8\r\n"
            + b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            + body
        )
        self.loop.call_later(_LINGER_S, self.transport.close)
