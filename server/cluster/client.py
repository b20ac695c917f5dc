"""Chunks of points sent to a Dask cluster, and their answers in order."""

import asyncio
import logging
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64
from gis.dataset import Dataset
from server.batch.task import Answer, Ragged, Task
from server.cluster.errors import ClusterError
from server.cluster.quiet import quiet_logs
from server.cluster.worker_side import Where, encode_job

_log = logging.getLogger(__name__)

_CONNECT_S = 10.0
_CLOSE_S = 10.0
_ANSWER_S = 60.0
"""How long the scheduler may take to say which workers there are."""

_TRANSFER_S = 600.0
"""How long the answer for a chunk may be on its way once it is computed."""

_LOOK_S = 1.0
"""How often the workers are counted while an answer is awaited."""

_NOTE_S = 5.0
"""After how long without workers it is said that there are none."""

PATIENCE_S = 600.0
"""How long to wait for a worker, since some clusters start theirs when there is work."""


def answers_on_dask(
    address: str,
    dataset: Dataset,
    task: Task,
    points: Iterable[F64],
    url: str | None = None,
    say: Callable[[str], None] = _log.warning,
    patience_s: float = PATIENCE_S,
) -> Generator[Answer, None, None]:
    """The answers for chunks of points, in order, computed by the workers of a scheduler.

    Each worker opens the dataset at the same path; one that lacks it fetches it from ``url``,
    any of fsspec's. Chunks are drawn as they are needed, two or three for each thread of the
    cluster, and those of a lost worker are computed again by another. ``say`` is told what a
    user should know meanwhile. Raises ``ClusterError``; to end early, close the iterator.
    """
    where = Where(dataset.manifest.data, str(dataset.path.absolute()), url)
    _import_distributed()
    with quiet_logs(), _large_chunks(), _connected(address, say) as client:
        sender = _Sender(client, address, partial(encode_job, where, task))
        watch = _Watch(client, address, say, patience_s)
        with closing(_in_order(sender, watch, points)) as answers:
            yield from answers


class _Sent(NamedTuple):
    future: Any
    n_rows: int


def _in_order(
    sender: "_Sender", watch: "_Watch", points: Iterable[F64]
) -> Generator[Answer, None, None]:
    """Keep a window of chunks on their way and yield the answer of the first."""
    chunks = iter(points)
    sent: deque[_Sent] = deque()
    ended = False
    while True:
        while not ended and len(sent) < watch.window():
            chunk = next(chunks, None)
            if chunk is None:
                ended = True
            else:
                sent.append(sender.send(chunk))
        if not sent:
            return
        # Nothing here may keep the future: the cluster forgets the answer as soon as it has gone.
        yield sender.take(sent.popleft(), watch)


class _Sender:
    """Sends chunks and takes their answers; whatever fails is one line."""

    def __init__(self, client: Any, address: str, encode: Callable[[F64], bytes]) -> None:
        self._client = client
        self._address = address
        self._encode = encode
        self._function = _function_by_value()
        self._name = f"whimbrel-{uuid.uuid4().hex}"
        self._n_sent = 0

    def send(self, points: F64) -> _Sent:
        """Submit a chunk; earlier ones have precedence, also those that are computed again."""
        with _one_line(self._address):
            future = self._client.submit(
                self._function,
                self._encode(points),
                key=f"{self._name}-{self._n_sent}",
                priority=-self._n_sent,
                pure=False,
            )
        self._n_sent += 1
        return _Sent(future, len(points))

    def take(self, sent: _Sent, watch: "_Watch") -> Answer:
        """Wait for the answer of a chunk."""
        with _one_line(self._address):
            while True:
                try:
                    error = sent.future.exception(timeout=_LOOK_S)
                    break
                except TimeoutError:
                    watch.look()
            if error is not None:
                raise error
            found = sent.future.result(timeout=_TRANSFER_S)
        if isinstance(found, str):
            raise ClusterError(found)
        answer = Answer(*found)
        if len(answer.status) != sent.n_rows:
            raise ClusterError(
                f"{self._address}: an answer has {len(answer.status)} rows, expected {sent.n_rows}"
            )
        return _aligned(answer)


class _Watch:
    """Follows how many threads the cluster has, and gives up when it has none for too long."""

    def __init__(
        self, client: Any, address: str, say: Callable[[str], None], patience_s: float
    ) -> None:
        self._client = client
        self._address = address
        self._say = say
        self._patience_s = patience_s
        self._n_threads = 0
        self._looked = float("-inf")
        self._last_seen = time.monotonic()
        self._has_said = False

    def window(self) -> int:
        """How many chunks to have on their way: one computed and one waiting for each thread.

        There are some more for few threads, since the answers that are done wait for the first;
        and some without any, since a cluster that adapts starts workers when there is work.
        """
        if time.monotonic() - self._looked > _LOOK_S:
            self.look()
        return 2 * self._n_threads + 2

    def look(self) -> None:
        """Count the threads."""
        with _one_line(self._address, "the scheduler says nothing"):
            found = self._client.sync(self._client.scheduler.ncores, callback_timeout=_ANSWER_S)
        self._looked = time.monotonic()
        self._n_threads = sum(found.values())
        if self._n_threads:
            self._last_seen = self._looked
            self._has_said = False
            return
        waited_s = self._looked - self._last_seen
        if waited_s > self._patience_s:
            raise ClusterError(f"{self._address}: has had no workers for {waited_s:.0f} s")
        if waited_s > _NOTE_S and not self._has_said:
            self._say(f"{self._address}: has no workers; waiting for one")
            self._has_said = True


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ClusterError(
            "Dask is not installed: pip install 'whimbrel[dask]' (the package distributed)"
        ) from None
    return distributed


@contextmanager
def _connected(address: str, say: Callable[[str], None]) -> Iterator[Any]:
    """A client of a scheduler. Closing it makes the scheduler drop what it has not computed."""
    from distributed import Client
    from distributed.versions import VersionMismatchWarning

    if not address.strip():
        raise ClusterError(
            "the address of the scheduler is empty, expected such as tcp://host:8786"
        )
    make_client: Any = Client
    with _one_line(address, "no scheduler answers"), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", VersionMismatchWarning)
        asyncio.run(asyncio.wait_for(_knock(address), _CONNECT_S))
        client = make_client(address, timeout=_CONNECT_S, set_as_default=False, name="whimbrel")
    for warning in found:
        if issubclass(warning.category, VersionMismatchWarning):
            say(f"{address}: {_mismatch(str(warning.message))}")
    try:
        yield client
    finally:
        try:
            client.close(timeout=_CLOSE_S)
        except Exception as error:  # the work is done, or has failed before
            _log.debug("closing the client: %s", error)


async def _knock(address: str) -> None:
    """Connect once, since a client waits forever for one that takes calls but says nothing."""
    from distributed import comm
    from distributed.security import Security

    network: Any = comm
    make_security: Any = Security
    arguments = make_security().get_connection_args("client")
    connection = await network.connect(address, timeout=_CONNECT_S, **arguments)
    connection.abort()


def _large_chunks() -> AbstractContextManager[object]:
    """Settings without the warning that a task is large: it must hold its points to be repeated."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})


def _mismatch(table: str) -> str:
    """The table of versions that differ, in one line."""
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    differing = [
        f"{package} (client {client}, scheduler {scheduler}, workers {workers})"
        for package, client, scheduler, workers in rows[1:]
    ]
    return f"versions differ: {', '.join(differing)}"


def _function_by_value() -> Callable[[bytes], Any]:
    """Make what a worker calls.

    It is local, and so travels as code rather than as a name: the scheduler, which unpacks it
    too, needs no Whimbrel, and a worker without one can say so.
    """

    def whimbrel(job: bytes) -> Any:
        from distributed import get_worker

        address = get_worker().address
        try:
            from server.cluster.worker_side import answer_job
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            return f"worker {address}: has no such Whimbrel as the client: {what}"
        return answer_job(address, job)

    return whimbrel


@contextmanager
def _one_line(address: str, what: str = "") -> Iterator[None]:
    """Turn whatever Dask raises into a ``ClusterError``."""
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except ClusterError:
        raise
    except (CancelledError, CommClosedError):
        raise ClusterError(f"{address}: the scheduler has gone away or dropped the work") from None
    except KilledWorker as error:
        raise ClusterError(
            f"worker {error.last_worker.address}: died over a chunk of the input, as did "
            f"{error.allowed_failures} workers before"
        ) from None
    except Exception as error:
        place = ", ".join(getattr(error, "__notes__", ())) or address
        reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
        raise ClusterError(": ".join(filter(None, [place, what, reason]))) from error


def _aligned(answer: Answer) -> Answer:
    """The answer with arrays as they would be had they not been received in one piece."""

    def align(value: Any) -> Any:
        if isinstance(value, Ragged):
            return Ragged(*map(align, value))
        return np.require(value, requirements=["C", "A"])

    columns = {name: align(value) for name, value in answer.columns.items()}
    return Answer(align(answer.status), columns)
