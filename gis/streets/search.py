"""Streets for what somebody types."""

from bisect import bisect_left
from threading import Lock
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, Bool, ranges
from gis.geodesy import UNITS_PER_DEGREE
from gis.network.road_network import RoadNetwork
from gis.snap_index import SnapIndex
from gis.streets.folding import words_of
from gis.streets.index import StreetIndex, Texts, build_street_index

_AFTER = b"\xff"
"""Greater than every byte of UTF-8."""


class Street(NamedTuple):
    """A street: a place in the middle of its longest piece, and how far it reaches, in degrees."""

    name: str
    lon: float
    lat: float
    bounds: tuple[float, float, float, float]
    """West, south, east and north."""
    length_m: float
    """Of all its pieces, each carriageway for itself."""


class StreetFinder:
    """Finds the streets of a network; threads may share it.

    The index is built when it is first needed: some 0.1 s for a city.
    """

    def __init__(self, network: RoadNetwork, index: SnapIndex) -> None:
        self._roads = network, index
        self._index: StreetIndex | None = None
        self._lock = Lock()

    def find(self, text: str, number: int) -> list[Street]:
        """See `find_streets`."""
        with self._lock:
            if self._index is None:
                self._index = build_street_index(*self._roads)
        return find_streets(self._index, text, number)


def find_streets(index: StreetIndex, text: str, number: int) -> list[Street]:
    """Up to ``number`` streets in whose names every word of a text begins a word.

    First those that are called so, then those whose names begin so, then the others; the longest
    first.
    """
    words = words_of(text)
    if not words or not index.n_names:
        return []
    matches = np.ones(index.n_names, np.bool_)
    for word in dict.fromkeys(words):
        matches &= _names_with(index, word.encode("utf-8", "replace"))
    names = np.flatnonzero(matches)
    streets, rank = _ranked(index, names, " ".join(words).encode("utf-8", "replace"))
    order = np.lexsort((streets, -index.length_m[streets], rank))[:number]
    return [_street(index, street) for street in streets[order].tolist()]


def _names_with(index: StreetIndex, word: bytes) -> Bool:
    """Which names have a word that begins so, bool (N,)."""
    first, stop = _beginning_with(index.word, word)
    has = np.zeros(index.n_names, np.bool_)
    has[index.posting[index.first_posting[first] : index.first_posting[stop]]] = True
    return has


def _beginning_with(texts: Texts, text: bytes) -> tuple[int, int]:
    """First and past-the-last of ascending texts that begin so."""
    first = _place(texts, text)
    return first, _place(texts, text + _AFTER, first)


def _place(texts: Texts, text: bytes, low: int = 0) -> int:
    """The first of ascending texts that is not less."""
    return bisect_left(range(len(texts)), text, low, key=texts.text)


def _ranked(index: StreetIndex, names: I64, folded: bytes) -> tuple[I64, I64]:
    """The streets of names, and how well each fits: 0 best."""
    first, stop = _beginning_with(index.folded, folded)
    last_exact = _place(index.folded, folded + b"\0", first)
    rank = np.where((names >= first) & (names < stop), np.where(names < last_exact, 0, 1), 2)
    start = index.first_street[names].astype(np.int64)
    count = index.first_street[names + 1].astype(np.int64) - start
    return ranges(start, count), np.repeat(rank, count)


def _street(index: StreetIndex, street: int) -> Street:
    name = int(np.searchsorted(index.first_street, street, "right")) - 1
    west, south, east, north = (float(side) / UNITS_PER_DEGREE for side in index.box[street])
    return Street(
        index.name.text(name).decode(),
        float(index.lon[street]) / UNITS_PER_DEGREE,
        float(index.lat[street]) / UNITS_PER_DEGREE,
        (west, south, east, north),
        float(index.length_m[street]),
    )
