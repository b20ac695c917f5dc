"""A good tour over many stops within a time or a number of rounds, on several threads.

Two lines of search, however many threads: in each round each makes a tour from a beginning of its
own and merges it with the best of its line; then the lines merge theirs.
"""

import time
from concurrent.futures import ThreadPoolExecutor

from gis.arrays import I64
from routing.trips.construct import insert_farthest
from routing.trips.effort import QUICK, Effort
from routing.trips.improve import improve, ways_between
from routing.trips.merge import merge_tours

KICKS_PER_STOP = 9
"""Of the quick search."""
_KICKS_PER_STOP = 50
"""Of a round and of a merge."""
_MOST_KICKS = 20_000
"""Of a round: about a quarter of a second."""
_N_LINES = 2


def search_tour(cost: I64, effort: Effort = QUICK) -> I64:
    """A short tour over all n >= 2 stops, int64 (n,); ``cost`` int64 (n, n), at most 2^50."""
    ends = None if effort.seconds is None else time.perf_counter() + effort.seconds
    n = len(cost)
    ways = ways_between(cost)
    if n < 4 or (effort.rounds < 1 and ends is None):
        return improve(ways, insert_farthest(ways.cost), KICKS_PER_STOP * n, effort.seed)
    bests: list[I64 | None] = [None] * _N_LINES
    n_kicks = min(_KICKS_PER_STOP * n, _MOST_KICKS)

    def go_on(line: int, at: int) -> I64:
        """One round of a line."""
        seed = (effort.seed * 1009 + at) * _N_LINES + line
        begin = insert_farthest(ways.cost, seed % n)
        if (at + line) % 2:
            begin = begin[::-1].copy()
        found = improve(ways, begin, n_kicks, seed)
        best = bests[line]
        return found if best is None else merge_tours(cost, best, found, _KICKS_PER_STOP, seed)

    def share(at: int) -> I64:
        """The best of all lines."""
        one, other = bests
        assert one is not None and other is not None
        return merge_tours(cost, one, other, _KICKS_PER_STOP, effort.seed + at)

    with ThreadPoolExecutor(max(1, min(effort.threads, _N_LINES))) as pool:
        at = 0
        while True:
            began = time.perf_counter()
            bests = list(pool.map(go_on, range(_N_LINES), [at] * _N_LINES))
            at += 1
            now = time.perf_counter()
            last = at >= effort.rounds if ends is None else 2 * now - began > ends
            if last or at % 4 == 0:
                bests[0] = share(at)
            if last:
                assert bests[0] is not None
                return bests[0]
