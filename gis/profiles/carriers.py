"""Ferries and trains that carry people and vehicles, and what takes as long as a tag says."""

from gis.profiles.durations import parse_duration
from gis.profiles.rules import Mode, Tags, Warn

CARRIERS = {"ferry": Mode.FERRY, "shuttle_train": Mode.TRAIN}
"""How one travels on them, by ``route``."""

CARRIER_KMH = {"ferry": 5.0, "shuttle_train": 10.0}
"""How fast they are where no tag says how long they take."""


def tagged_duration(tags: Tags, warn: Warn) -> float | None:
    """Seconds that the whole way takes, where a tag says so."""
    value = tags.get("duration")
    if value is None:
        return None
    seconds = parse_duration(value)
    if seconds is None:
        warn("duration", value)
    return seconds
