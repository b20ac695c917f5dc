"""The line between the supervisor and a worker: one JSON document per line, both ways."""

import json
import socket
from typing import Any, NamedTuple

_PART_BYTES = 1 << 16


class Link(NamedTuple):
    """What a worker has of its supervisor.

    ``parent`` is a descriptor that becomes readable if the supervisor is to end or is no more,
    ``slot`` the worker's place among the others, and ``channel`` the line to the supervisor.
    """

    parent: int
    slot: int
    channel: socket.socket


class Line:
    """One end of a line; it never waits."""

    def __init__(self, channel: socket.socket) -> None:
        channel.setblocking(False)
        self.channel = channel
        self._rest = b""

    def send(self, message: dict[str, Any]) -> bool:
        """Send a message; whether the other side takes any."""
        data = json.dumps(message).encode() + b"\n"
        try:
            return self.channel.send(data) == len(data)
        except OSError:
            return False

    def receive(self) -> list[dict[str, Any]] | None:
        """The messages that have come in; None if the other side has gone."""
        try:
            part = self.channel.recv(_PART_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not part:
            return None
        *lines, self._rest = (self._rest + part).split(b"\n")
        return [json.loads(line) for line in lines]
