"""A process with everything loaded, of which those that solve problems are forked at once."""

import os
import signal
import socket
import sys
from contextlib import suppress
from typing import NoReturn

from routing.courier.solve import warm_up
from server.courier.solver import Lines, solve

_ORDER = b"s"
_N_LINES = 4


def order(nursery: socket.socket, lines: Lines) -> None:
    """Let a process solve what is in a file; ``OSError`` if the nursery is no more."""
    descriptors = [lines.work, lines.told, lines.life, lines.stop]
    socket.send_fds(nursery, [_ORDER], descriptors)


def tend(orders: socket.socket) -> None:
    """Fork a process for each order, until whoever gives them is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that end need not be waited for
    warm_up()
    while True:
        data, descriptors, *_ = socket.recv_fds(orders, len(_ORDER), _N_LINES)
        if not data:
            return
        if len(descriptors) == _N_LINES:
            with suppress(OSError):  # no process to be had: whoever waits sees the pipe closed
                if os.fork() == 0:
                    orders.close()
                    solve(Lines(*descriptors))
        for descriptor in descriptors:
            os.close(descriptor)


def fork_nursery() -> socket.socket:
    """A nursery forked from this process, which must have no threads; the line to it."""
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    if os.fork() == 0:
        _live(theirs)
    theirs.close()
    return ours


def _live(orders: socket.socket) -> NoReturn:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        keep = orders.fileno()
        os.closerange(3, keep)  # what else the parent has open is none of our business
        os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
        tend(orders)
        status = 0
    finally:
        os._exit(status)


def main() -> None:
    """Be a nursery; the argument is the number of the descriptor of the line."""
    tend(socket.socket(fileno=int(sys.argv[1])))


if __name__ == "__main__":
    main()
