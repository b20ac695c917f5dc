"""The rules of turns between arcs, read literally from a network and the verdicts on it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from graphs import World
from oracles import naive_dijkstra

from gis.network.road_network import RoadNetwork

Following: TypeAlias = dict[int, list[int]]
"""The arcs that may come after each open one."""


def ends(network: RoadNetwork) -> tuple[list[int], list[int]]:
    """Tail and head of every arc."""
    pairs = zip(network.edge_tail.tolist(), network.edge_head.tolist(), strict=True)
    tails = [node for pair in pairs for node in pair]
    return tails, [tails[arc ^ 1] for arc in range(len(tails))]


def following(world: World, is_open: list[bool], level: Sequence[int]) -> Following:
    """The arcs that may follow each open arc where no restriction speaks.

    ``level`` tells how far each arc is restricted: 0 for an open road.
    """
    tails, heads = ends(world.network)
    blocked = world.verdicts.node_blocked[world.network.node_tagset].tolist()
    gate = world.verdicts.node_restricted[world.network.node_tagset].tolist()
    result = {}
    for arc in np.flatnonzero(is_open).tolist():
        node = heads[arc]
        others = [b for b, tail in enumerate(tails) if is_open[b] and tail == node and b != arc ^ 1]
        goes_on = not (blocked[node] or gate[node]) and any(level[b] <= level[arc] for b in others)
        if blocked[node]:
            others = []
        elif gate[node] and not level[arc]:
            others = [b for b in others if level[b]]
        back = [arc ^ 1] if is_open[arc ^ 1] and not goes_on else []
        result[arc] = sorted(others + back)
    return result


def keeps_out(walk: Sequence[int], level: Sequence[int]) -> bool:
    """Whether a walk is restricted at most at its ends: never between two open roads."""
    shape = "".join("r" if level[arc] else "o" for arc in walk)
    return re.fullmatch("r*o*r*", shape) is not None


def phased_steps(
    onward: Mapping[int, Iterable[int]], level: Sequence[int], cost: Callable[[int, int], int]
) -> Callable[[tuple[int, str]], list[tuple[tuple[int, str], int]]]:
    """Steps between arcs in three phases: before, on and after open roads.

    Restricted arcs may be used before the first open one, and again after the last.
    """
    next_phase = {
        ("before", True): "before",
        ("before", False): "open",
        ("open", False): "open",
        ("open", True): "after",
        ("after", True): "after",
    }

    def steps(place: tuple[int, str]) -> list[tuple[tuple[int, str], int]]:
        arc, phase = place
        return [
            ((b, next_phase[phase, level[b] > 0]), cost(arc, b))
            for b in onward.get(arc, ())
            if (phase, level[b] > 0) in next_phase
        ]

    return steps


def phased_costs(
    onward: Mapping[int, Iterable[int]],
    level: Sequence[int],
    cost: Callable[[int, int], int],
    source: int,
) -> dict[int, int]:
    """Least costs from the start of an arc to the starts of all others."""
    phase = "before" if level[source] else "open"
    found = naive_dijkstra(phased_steps(onward, level, cost), [((source, phase), 0)])
    best: dict[int, int] = {}
    for (arc, _), reached in found.items():
        best[arc] = min(reached, best.get(arc, reached))
    return best
