"""The two main roads of a leg."""

from collections.abc import Sequence

MAIN_ROADS = 2
TOO_SHORT_S = 0.1


def summarize(titles: Sequence[str], duration_s: Sequence[float]) -> str:
    """The titles of a leg's arcs that take most of the time, in the order of the way."""
    seconds: dict[str, float] = {}
    for title, duration in zip(titles, duration_s, strict=True):
        seconds[title] = seconds.get(title, 0.0) + duration
    seconds.pop("", None)
    last = titles[-1]
    if len(seconds) > 1 and seconds.get(last, 1.0) <= TOO_SHORT_S:
        del seconds[last]
    # Sorting is stable: of roads that take equally long, the earlier ones count.
    main = set(sorted(seconds, key=lambda title: -seconds[title])[:MAIN_ROADS])
    return ", ".join(title for title in seconds if title in main)
