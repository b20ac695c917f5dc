"""Counts and durations of requests, shared by the processes of a server.

All processes see one piece of memory; each worker writes to a slot of its own, so that counting
needs no lock, and a worker that takes the place of a dead one goes on with its slot: what has
been counted is never lost.
"""

import mmap
import os
import struct
import time
from bisect import bisect_left

SERVICES = (
    *("route", "nearest", "table", "match", "trip", "tile", "isochrone", "live", "datasets"),
    "courier",
    *("bench", "search", "health", "ready", "metrics", "docs", "other"),
)
"""What requests are counted by, the first part of their path."""

STATUSES = (200, 202, 204, 400, 401, 404, 405, 408, 409, 413, 414, 415, 422, 429, 431, 500, 503, 0)
"""HTTP statuses that are counted; 0 stands for all others."""

BOUNDS_S = (
    *(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
)
"""Upper bounds of the histograms' buckets, in seconds; a last one has none."""

RELOADS = ("swapped", "unchanged", "refused")
"""How a reload may end."""

_N_BUCKETS = len(BOUNDS_S) + 1
_SUM = len(STATUSES) + _N_BUCKETS
_PER_SERVICE = _SUM + 1
_COUNTS = len(SERVICES) * _PER_SERVICE
_REFUSED_CONNECTIONS, _TIMED_OUT = _COUNTS, _COUNTS + 1
_IN_PROGRESS, _WAITING, _CONNECTIONS, _CONNECTING, _PROCESS = range(_COUNTS + 2, _COUNTS + 7)
_SLOT = _COUNTS + 7

_SERVICE_AT: dict[str | bytes, int] = {
    name: index * _PER_SERVICE
    for index, service in enumerate(SERVICES)
    for name in (service, service.encode())
}
_OTHER_AT = _SERVICE_AT["other"]
_STATUS_AT = {status: index for index, status in enumerate(STATUSES)}
_OTHER_STATUS = _STATUS_AT[0]
_BYTES = struct.calcsize("d")


class Metrics:
    """The counts of a server with some number of workers; made before they are forked.

    Only the thread of a worker's event loop counts.
    """

    def __init__(self, workers: int = 1) -> None:
        n_values = (workers + 1) * _SLOT  # the last slot is the supervisor's
        self._memory = mmap.mmap(-1, n_values * _BYTES)
        self._values = memoryview(self._memory).cast("d")
        self._workers = workers
        self._own = 0
        self._supervisor = workers * _SLOT
        self._values[self._supervisor + _PROCESS] = os.getpid()
        self.began = time.time()

    def take_slot(self, slot: int) -> None:
        """Count for a slot from now on; its last owner has died."""
        self._own = slot * _SLOT
        for gauge in (_IN_PROGRESS, _WAITING, _CONNECTIONS, _CONNECTING):
            self._values[self._own + gauge] = 0.0
        self._values[self._own + _PROCESS] = os.getpid()

    def observe(self, service: str | bytes, status: int, seconds: float) -> None:
        """Count a request that has been answered."""
        values = self._values
        at = self._own + _SERVICE_AT.get(service, _OTHER_AT)
        values[at + _STATUS_AT.get(status, _OTHER_STATUS)] += 1.0
        values[at + len(STATUSES) + bisect_left(BOUNDS_S, seconds)] += 1.0
        values[at + _SUM] += seconds

    def began_or_ended(self, difference: int) -> None:
        """One request more, or one less, is being answered."""
        self._values[self._own + _IN_PROGRESS] += difference

    def waiting(self, number: int) -> None:
        """So many long requests wait for a thread."""
        self._values[self._own + _WAITING] = number

    def connections(self, number: int) -> None:
        """So many connections are open."""
        self._values[self._own + _CONNECTIONS] = number

    def connecting(self, number: int) -> None:
        """So many connections are being let in."""
        self._values[self._own + _CONNECTING] = number

    def excess_connections(self) -> int:
        """How many connections more than the worker with the fewest this one has."""
        values = self._values
        totals = {
            slot: values[slot + _CONNECTIONS] + values[slot + _CONNECTING]
            for slot in range(0, self._supervisor, _SLOT)
            if values[slot + _PROCESS]
        }
        return int(totals[self._own] - min(totals.values()))

    def refused_connection(self) -> None:
        """A connection was one too many."""
        self._values[self._own + _REFUSED_CONNECTIONS] += 1.0

    def timed_out(self) -> None:
        """Somebody was too slow."""
        self._values[self._own + _TIMED_OUT] += 1.0

    def worker_replaced(self) -> None:
        """The supervisor has started a worker in place of another."""
        self._values[self._supervisor + len(RELOADS)] += 1.0

    def reload_ended(self, how: str) -> None:
        """The supervisor has looked at a dataset; ``how`` is one of ``RELOADS``."""
        self._values[self._supervisor + RELOADS.index(how)] += 1.0

    def requests(self) -> dict[tuple[str, int], float]:
        """Answered requests by service and status, those that there were."""
        return {
            (service, status): total
            for i, service in enumerate(SERVICES)
            for j, status in enumerate(STATUSES)
            if (total := self._total(i * _PER_SERVICE + j))
        }

    def histogram(self, service: str) -> tuple[list[float], float]:
        """How many requests took no longer than each of the bounds, and any time; and the sum."""
        at = _SERVICE_AT[service]
        counts, total = [], 0.0
        for bucket in range(_N_BUCKETS):
            total += self._total(at + len(STATUSES) + bucket)
            counts.append(total)
        return counts, self._total(at + _SUM)

    def reloads(self) -> dict[str, float]:
        """How many reloads ended how."""
        return {how: self._values[self._supervisor + i] for i, how in enumerate(RELOADS)}

    def restarts(self) -> float:
        """How many workers had to be replaced."""
        return self._values[self._supervisor + len(RELOADS)]

    def gauges(self) -> dict[str, float]:
        """What goes up and down, over all workers."""
        return {
            "in_progress": self._total(_IN_PROGRESS),
            "waiting": self._total(_WAITING),
            "connections": self._total(_CONNECTIONS),
        }

    def turned_away(self) -> dict[str, float]:
        """Connections that were ended by the server, by reason."""
        return {
            "too_many": self._total(_REFUSED_CONNECTIONS),
            "too_slow": self._total(_TIMED_OUT),
        }

    def processes(self) -> dict[str, int]:
        """Process ids: ``supervisor``, and the workers by the number of their slot."""
        found = {"supervisor": int(self._values[self._supervisor + _PROCESS])}
        for slot in range(self._workers):
            pid = int(self._values[slot * _SLOT + _PROCESS])
            if pid:
                found[str(slot)] = pid
        return found

    def _total(self, at: int) -> float:
        return sum(self._values[slot * _SLOT + at] for slot in range(self._workers))
