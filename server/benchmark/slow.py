"""How much of the work a peer is given: as many pairs as it can be asked for in its share."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gis.arrays import F64
from server.benchmark.measure import SHARE_S, Contender, Subject
from server.benchmark.peers.peer import Peer

_N_PROBED = 20


class Questions(NamedTuple):
    """Pairs in a file, as a peer wants them."""

    path: str
    n: int

    @classmethod
    def of(cls, folder: Path, name: str, pairs: F64) -> "Questions":
        """Write pairs (n, 4) to ``name``.npy in a folder."""
        path = str(folder.resolve() / f"{name}.npy")
        np.save(path, pairs)
        return cls(path, len(pairs))


def number_in_share(peer: Peer, subject: Subject) -> int:
    """How many of the subject's pairs a peer answers in every turn of one figure within its share.

    It is asked for a few of them, whose geometry is wanted, twice: the first time does not count.
    """
    probe = Questions.of(subject.folder, "probe", subject.pairs[:_N_PROBED])
    seconds = [peer.number("route", pairs=probe.path, geometry=True) for _ in range(2)][1]
    possible = int(SHARE_S / (subject.repeat + 1) / (seconds / probe.n))
    return min(max(possible, probe.n), len(subject.pairs))


def per_route(peer: Peer, asked: Questions, *wanted: str) -> Contender:
    """Seconds of one route, the mean of all: with ``geometry`` or ``steps`` if wanted."""
    ask = partial(peer.number, "route", pairs=asked.path, **dict.fromkeys(wanted, True))
    return Contender(peer.name, lambda: ask() / asked.n)


def a_second(peer: Peer, asked: Questions, threads: int) -> Contender:
    """Routes a second, asked for one by one on so many threads."""
    ask = partial(peer.number, "route", pairs=asked.path, threads=threads)
    return Contender(peer.name, lambda: asked.n / ask())


def notes_of(asked: dict[str, int], n_pairs: int) -> Sequence[str]:
    """Which peers are asked for fewer pairs than we are."""
    return [
        f"{name} is asked for the first {n:,} of {n_pairs:,} single routes, which take it"
        f" {SHARE_S:.0f} s for each figure"
        for name, n in asked.items()
        if n < n_pairs
    ]
