"""The two main roads of a leg."""

from routing.guidance.passage import Passage

MAIN_ROADS = 2
TOO_SHORT_S = 0.1


def summarize(passage: Passage) -> str:
    """The names that take most of the time, in the order of the way; a number if unnamed."""
    seconds: dict[str, float] = {}
    trail, texts = passage.trail, passage.facts.texts
    for arc, duration_s in zip(trail.arcs, trail.duration_s, strict=True):
        title = texts(arc).title
        if title:
            seconds[title] = seconds.get(title, 0.0) + duration_s
    last = texts(trail.arcs[-1]).title
    if len(seconds) > 1 and seconds.get(last, 1.0) <= TOO_SHORT_S:
        del seconds[last]
    # Sorting is stable: of roads that take equally long, the earlier ones count.
    main = set(sorted(seconds, key=lambda title: -seconds[title])[:MAIN_ROADS])
    return ", ".join(title for title in seconds if title in main)
