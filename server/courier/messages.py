"""What a process that solves a problem tells, through a pipe."""

import os
import pickle
import struct
from dataclasses import dataclass
from typing import Any, TypeAlias

from routing.courier.plan import CourierPlan

_SIZE = struct.Struct("<Q")
SIZE_BYTES = _SIZE.size


@dataclass(frozen=True)
class Going:
    """How far the search is; ``plan`` is the best so far if there is a new one to be shown."""

    elapsed_s: float
    iterations: int
    cost: float
    unserved: int
    plan: CourierPlan | None


@dataclass(frozen=True)
class Done:
    """The end, with the best plan."""

    plan: CourierPlan


@dataclass(frozen=True)
class Failed:
    """An error that the user's problem caused, or none of his."""

    message: str
    is_input: bool


Message: TypeAlias = Going | Done | Failed


def write_message(descriptor: int, message: Message) -> None:
    """Write all of a message; waits while the pipe is full."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    data = memoryview(_SIZE.pack(len(body)) + body)
    while data:
        data = data[os.write(descriptor, data) :]


def size_of(head: bytes) -> int:
    """How many bytes follow a message's head."""
    size: int = _SIZE.unpack(head)[0]
    return size


def read_message(body: bytes) -> Message:
    """A message of a process of our own."""
    found: Any = pickle.loads(body)
    assert isinstance(found, Going | Done | Failed)
    return found
