"""What people read on signs: names and refs of roads, decoded when asked for."""

from collections.abc import Mapping
from functools import lru_cache

from gis.osm.tagsets import TagSets

_CACHED_LABELS = 1 << 16


class NamePool:
    """Names by label. Label 0 has none; labels in use are kept decoded."""

    def __init__(self, labels: TagSets) -> None:
        tags = lru_cache(_CACHED_LABELS)(labels.tags)

        def where_met(met: tuple[int, ...]) -> str:
            names = dict.fromkeys(tags(label).get("name", "") for label in met)
            return " / ".join(name for name in names if name)

        self._tags, self._where_met = tags, lru_cache(_CACHED_LABELS)(where_met)

    def tags(self, label: int) -> Mapping[str, str]:
        """All tags of a label; not to be changed."""
        return self._tags(label)

    def name(self, label: int) -> str:
        """Name of the road, or an empty string."""
        return self._tags(label).get("name", "")

    def where_met(self, labels: tuple[int, ...]) -> str:
        """Names of roads that meet, each once, or an empty string."""
        return self._where_met(labels)

    def ref(self, label: int) -> str:
        """Number of the road, or an empty string."""
        return self._tags(label).get("ref", "")

    def destination(self, label: int) -> str:
        """Where signs say that the road leads, or an empty string."""
        return self._tags(label).get("destination", "")
