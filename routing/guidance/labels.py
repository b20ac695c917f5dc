"""What signs say about a road in one direction: names, numbers, destinations and exits."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from gis.network.names import NamePool

_CACHED_TEXTS = 1 << 14


class RoadTexts(NamedTuple):
    """The texts of a road in one direction, empty where there is nothing to read.

    A list of numbers (``ref``, ``exits``) is joined by ``; ``, one of destinations by ``, ``.
    """

    name: str = ""
    ref: str = ""
    pronunciation: str = ""
    destinations: str = ""
    exits: str = ""

    @property
    def is_unnamed(self) -> bool:
        """Whether there is neither a name nor a number."""
        return not self.name and not self.ref

    @property
    def title(self) -> str:
        """The name, or the number of a road without one."""
        return self.name or self.ref


NO_TEXTS = RoadTexts()


class RoadLabels:
    """The texts of labels, made once for each direction."""

    def __init__(self, names: NamePool) -> None:
        @lru_cache(_CACHED_TEXTS)
        def texts(label: int, backward: bool, oneway: bool) -> RoadTexts:
            return read_texts(names.tags(label), backward, oneway)

        self._texts = texts

    def texts(self, label: int, backward: bool, oneway: bool) -> RoadTexts:
        """What one reads when driving along (or against) the direction of a way.

        ``oneway``: the vehicle may use it in one direction only. Signs without a direction are
        then meant for it; on a road for both they are read by nobody, since whom they are meant
        for is not known.
        """
        return self._texts(label, backward, oneway)


def read_texts(tags: Mapping[str, str], backward: bool, oneway: bool) -> RoadTexts:
    """The texts of a tag set for one direction."""
    # A sidewalk may tell the name of its street in a tag of its own.
    name = next((tags[key] for key in _NAME_KEYS if tags.get(key)), "")
    return RoadTexts(
        name=" ".join(name.split()),
        ref=join_list(tags.get("ref", ""), ";"),
        pronunciation=tags.get("name:pronunciation", "").strip(),
        destinations=_destinations(tags, backward, oneway),
        exits=join_list(directed(tags, "junction:ref", backward, True), ";"),
    )


_NAME_KEYS = ("name", "is_sidepath:of:name", "street:name")


def _destinations(tags: Mapping[str, str], backward: bool, oneway: bool) -> str:
    """Numbers, a colon and places: ``A 59, A 3: Köln, Bonn``; a street if there is neither."""
    refs, places, streets = (
        join_list(directed(tags, key, backward, oneway).replace(";", ","), ",")
        for key in ("destination:ref", "destination", "destination:street")
    )
    if refs and places:
        return f"{refs}: {places}"
    return refs or places or streets


def directed(tags: Mapping[str, str], key: str, backward: bool, undirected: bool) -> str:
    """The value for a direction, or else, if ``undirected`` counts, the one without any."""
    found = tags.get(f"{key}:backward" if backward else f"{key}:forward", "")
    return found or (tags.get(key, "") if undirected else "")


def join_list(text: str, separator: str) -> str:
    """A list in one spelling: a space after each separator and none before it."""
    parts = (" ".join(part.split()) for part in text.split(separator))
    return f"{separator} ".join(part for part in parts if part)
