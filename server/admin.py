"""Who may change what the server answers from: whoever knows the token."""

import hmac
from collections.abc import Callable

from starlette.requests import Request

from server.errors import Unauthorized
from server.settings import Settings


def admin_only(settings: Settings) -> Callable[[Request], None]:
    """A dependency of routes that raises ``Unauthorized`` unless a request has the token.

    It comes as ``Authorization: Bearer <token>`` and is compared in constant time.
    """
    expected = f"bearer {settings.admin_token}".encode()

    def check(request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = f"{scheme.lower()} {token.strip()}".encode()
        if not settings.admin_token or not hmac.compare_digest(given, expected):
            raise Unauthorized("Send the server's token: 'Authorization: Bearer <token>'.")

    return check
