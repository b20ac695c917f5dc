"""The socket that all workers listen on, from its beginning to its end."""

import ctypes
import errno
import select
import socket
import struct
import sys
from contextlib import suppress

from gis.errors import ResourceError

_SO_ATTACH_FILTER = 26
"""As Linux has it on the machines that Whimbrel runs on; Python does not name it."""

_TCP_FLAGS = 13
"""Where the flags are in the header of a TCP segment (RFC 9293, section 3.1)."""
_SYN = 0x02

_ONLY_WHAT_HAS_BEGUN = (
    (0x30, 0, 0, _TCP_FLAGS),  # load the byte
    (0x45, 0, 1, _SYN),  # if the bit is not set, skip one
    (0x06, 0, 0, 0),  # drop
    (0x06, 0, 0, 0xFFFFFFFF),  # take all of it
)
"""A classic BPF program: code, jumps if true and if false, operand."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; ``ResourceError`` says why there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(2048)
    except (OSError, OverflowError, TypeError, ValueError) as error:  # the last two: odd names
        sock.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            reason = "something else is listening there; choose another with --port"
        else:
            reason = getattr(error, "strerror", None) or str(error)
        raise ResourceError(f"cannot listen on {host} port {port}: {reason}") from None
    return sock


def let_nobody_begin(sock: socket.socket) -> None:
    """Have the system pass over whoever begins to connect, in all processes with this socket.

    Who has begun still gets in: once all of these are accepted, the socket can be closed and
    nobody who was let in is cut off. The others try again after a second and are refused then.
    Where there is no such thing, a client that connects at the last moment is cut off.
    """
    if sys.platform != "linux":
        return
    code = b"".join(struct.pack("=HBBI", *step) for step in _ONLY_WHAT_HAS_BEGUN)
    program = ctypes.create_string_buffer(code, len(code))
    where = struct.pack("@HP", len(_ONLY_WHAT_HAS_BEGUN), ctypes.addressof(program))
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, where)


def is_readable(descriptor: int) -> bool:
    """Whether something has come in: bytes, their end, or, where one listens, a connection."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
