"""Solving in processes of their own, as a server's process sees it: start, listen, end."""

import asyncio
import fcntl
import os
import pickle
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from server.benchmark.processes import whimbrel_environment
from server.courier.messages import SIZE_BYTES, Message, read_message, size_of
from server.courier.nursery import fork_nursery, order
from server.courier.solver import Lines, Work
from server.errors import TooManyRuns, Unsupported

_NURSERY = "server.courier.nursery"


class Run:
    """A process that solves a problem, or what is left of it.

    To ``close`` it ends the process, wherever it is; so does the end of this process.
    """

    def __init__(self, told: int, life: int, stop: int) -> None:
        self._told, self._life, self._stop = told, life, stop

    async def messages(self, poll_s: float) -> AsyncGenerator[Message | None, None]:
        """What it tells, until it ends; None where it has told nothing for so long."""
        reader = asyncio.StreamReader()
        pipe = os.fdopen(self._told, "rb", buffering=0)
        self._told = -1  # the pipe's from now on, even if this ends at the next line
        transport: asyncio.BaseTransport | None = None
        try:
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(reader), pipe
            )
            while True:
                try:
                    async with asyncio.timeout(poll_s):
                        head = await reader.readexactly(SIZE_BYTES)  # all of it or nothing
                    body = await reader.readexactly(size_of(head))
                except TimeoutError:
                    yield None
                except asyncio.IncompleteReadError:
                    return
                else:
                    yield read_message(body)
        finally:
            (pipe if transport is None else transport).close()

    def finish(self) -> None:
        """Ask for the best plan so far."""
        with suppress(OSError):  # it has ended
            os.write(self._stop, b"x")

    def close(self) -> None:
        """End the process."""
        for descriptor in (self._told, self._life, self._stop):
            if descriptor >= 0:
                os.close(descriptor)
        self._told = self._life = self._stop = -1


class Runs:
    """Starts processes that solve problems; at most ``most`` at once, whatever process starts them.

    To be made before the server's processes are forked, since they count together.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots, name = tempfile.mkstemp()
        os.unlink(name)
        weakref.finalize(self, os.close, self._slots)
        self._taken: set[int] = set()
        self._nursery: socket.socket | None = None
        self._starting = threading.Lock()
        self.threads = ThreadPoolExecutor(max(most, 1))
        """For what has to be done before and after."""

    def prepare(self) -> None:
        """Start what processes are forked of, while this process has no threads."""
        if self._most:
            self._nursery = fork_nursery()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """One of the places for runs; ``TooManyRuns`` or ``Unsupported``."""
        if not self._most:
            raise Unsupported("This server solves no couriers' problems.")
        taken = self._take()
        if taken is None:
            raise TooManyRuns(
                f"{self._most} problems are being solved, as many as may be; try again later."
            )
        try:
            yield
        finally:
            self._taken.discard(taken)
            fcntl.lockf(self._slots, fcntl.LOCK_UN, 1, taken)

    def _take(self) -> int | None:
        """A place that is free now; a process that dies leaves its places."""
        for slot in range(self._most):
            if slot in self._taken:
                continue
            with suppress(OSError):
                fcntl.lockf(self._slots, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, slot)
                self._taken.add(slot)
                return slot
        return None

    def start(self, work: Work) -> Run:
        """A process that solves a problem; to be called in a thread: it may take a second."""
        with tempfile.TemporaryFile() as file:
            pickle.dump(work, file, pickle.HIGHEST_PROTOCOL)
            file.flush()
            file.seek(0)
            told, tell = os.pipe()
            life, hold = os.pipe()
            stop, hurry = os.pipe()
            run = Run(told, hold, hurry)
            try:
                self._order(Lines(file.fileno(), tell, life, stop))
            except BaseException:
                run.close()
                raise
            finally:
                for descriptor in (tell, life, stop):
                    os.close(descriptor)
        return run

    def _order(self, lines: Lines) -> None:
        with self._starting:
            if self._nursery is not None:
                try:
                    order(self._nursery, lines)
                except OSError:  # somebody has killed it
                    self._nursery.close()
                    self._nursery = None
                else:
                    return
            self._nursery = _start_nursery()
            order(self._nursery, lines)


def _start_nursery() -> socket.socket:
    """A nursery as a process that begins from nothing; the line to it."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", _NURSERY, str(theirs.fileno())],
            env=whimbrel_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    threading.Thread(target=process.wait, daemon=True).start()
    return ours
