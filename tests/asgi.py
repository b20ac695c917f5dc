"""Asks an ASGI application without a network in between."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote


@dataclass(frozen=True)
class Response:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    app: Any,
    method: str,
    target: str,
    body: bytes | Iterable[bytes] = b"",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One request; a body in several parts comes without its length."""
    return asyncio.run(ask_in_loop(app, method, target, body, headers))


async def ask_in_loop(
    app: Any,
    method: str,
    target: str,
    body: bytes | Iterable[bytes] = b"",
    headers: Mapping[str, str] | None = None,
    gone_after_s: float = 3600.0,
) -> Response:
    """One request among others of the same event loop; who sends it goes after some time."""
    fields = {"host": "test"} | dict(headers or {})
    parts = [body] if isinstance(body, bytes) else list(body)
    if isinstance(body, bytes) and body:
        fields["content-length"] = str(len(body))
    raw_path, _, query = target.encode().partition(b"?")
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(raw_path.decode()),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
    }
    messages = iter(
        {"type": "http.request", "body": part, "more_body": i + 1 < len(parts)}
        for i, part in enumerate(parts)
    )
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        message = next(messages, None)
        if message is None:
            await asyncio.sleep(gone_after_s)
            return {"type": "http.disconnect"}
        return message

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Response(sent[0]["status"], found, b"".join(m["body"] for m in sent[1:]))
