"""HTTP as uvicorn speaks it with httptools, with a limit on what comes before the body."""

import re
import sys
from typing import cast

from httptools import HttpParserInvalidMethodError

from server.api.osrm_url import SCOPE_TARGET
from server.errors import HeadersTooLarge, InvalidMethod, InvalidUrl, UrlTooLong
from server.transport.connections import GuardedHttpProtocol

MAX_HEAD_BYTES = 256 << 10
"""What is complete and shorter reaches the application, whose limits are the real ones."""

_MAX_PARSED_BYTES = 65_000
"""The parser cannot split a longer URL; the application refuses it by its length."""

_METHOD = re.compile(rb"[A-Z]+ /")
"""How a request begins, whatever its method."""

_SCHEME_AND_AUTHORITY = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*://[^/?]*")


def origin_form(target: bytes) -> bytes:
    """A request target without the scheme and host that it may begin with, as for a proxy."""
    start = _SCHEME_AND_AUTHORITY.match(target)
    if start is None:
        return target
    rest = target[start.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest


class LimitedHttpProtocol(GuardedHttpProtocol):
    """Answers 414 or 431 to a request line or headers that do not end."""

    _unfinished_bytes = -1
    """Bytes of a request whose headers go on, from the second packet; -1 outside of them."""

    _latest = b""
    """What has come last."""

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
        if self._refused or self.has_parted:
            return
        if self._unfinished_bytes >= 0:
            self._unfinished_bytes += len(data)
            if self._unfinished_bytes > MAX_HEAD_BYTES:
                self._refuse()
                return
        self._latest = data
        super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or has a method that nobody knows."""
        is_method = isinstance(sys.exception(), HttpParserInvalidMethodError)
        if is_method and _METHOD.match(self._latest):
            self.refuse(InvalidMethod("Method not allowed. Use GET, HEAD, POST, or OPTIONS."))
        else:
            self.refuse(InvalidUrl(msg))

    def _refuse(self) -> None:
        too_long = HeadersTooLarge if len(self.url) < MAX_HEAD_BYTES // 2 else UrlTooLong
        self.refuse(too_long(f"Request line and headers are longer than {MAX_HEAD_BYTES} bytes"))
