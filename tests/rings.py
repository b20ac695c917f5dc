"""Roundabouts as a person would count them: by walking along the nodes of an extract."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import osmium

ROADS = frozenset(
    (
        *("motorway", "trunk", "primary", "secondary", "tertiary", "unclassified"),
        *("residential", "living_street", "service", "motorway_link", "trunk_link"),
        *("primary_link", "secondary_link", "tertiary_link"),
    )
)
ACCESS = ("access", "vehicle", "motor_vehicle", "motorcar", "barrier", "area", "construction")
"""Tags that make it doubtful whether one may leave by a road."""


@dataclass
class Rings:
    """What an extract tells of its roundabouts.

    ``ring`` has for each piece of a roundabout, as (node, next node), the number of its ring;
    ``exits`` the roads that leave at a node, as (next node, class),
    ``entries`` where those come from that enter there.
    """

    ring: dict[tuple[int, int], int] = field(default_factory=dict)
    exits: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    entries: dict[int, list[int]] = field(default_factory=dict)
    places: dict[int, tuple[float, float]] = field(default_factory=dict)
    doubtful: set[int] = field(default_factory=set)

    def nodes_of(self, ring: int) -> list[int]:
        """The nodes of a ring, each once."""
        return [a for (a, _), number in self.ring.items() if number == ring]

    def four_armed(self) -> list[int]:
        """The closed rings with four ways out, service roads left aside."""
        found = []
        for ring in sorted(set(self.ring.values())):
            pieces = [piece for piece, number in self.ring.items() if number == ring]
            starts, ends = {a for a, _ in pieces}, {b for _, b in pieces}
            ways_out = [node for node in starts if self.is_counted(node)]
            if starts == ends and len(starts) == len(pieces) and len(ways_out) == 4:
                found.append(ring)
        return found

    def is_counted(self, node: int) -> bool:
        """Whether a road leaves at a node that is more than a service road."""
        return any(kind != "service" for _, kind in self.exits.get(node, ()))

    def passages(self, nodes: Sequence[int]) -> Iterator[tuple[int, int | None]]:
        """Each ring that a route enters and leaves: the place where it does, and its exit.

        The exit is None if something on the way is doubtful.
        """
        on_ring = [pair in self.ring for pair in pairwise(nodes)]
        first = 0
        while first < len(on_ring):
            if not on_ring[first]:
                first += 1
                continue
            last = first
            while last < len(on_ring) and on_ring[last]:
                last += 1
            if first > 0 and last < len(on_ring):
                passed = nodes[first + 1 : last]
                doubtful = any(node in self.doubtful for node in nodes[first : last + 1])
                # A road that leaves where one enters, but not the one that one comes by.
                others = {b for b, _ in self.exits.get(nodes[first], ())} - {nodes[first - 1]}
                doubtful = doubtful or bool(others)
                number = 1 + sum(self.is_counted(node) for node in passed)
                yield first, None if doubtful else number
            first = last


def rings_of(path: Path) -> Rings:
    """Read the roundabouts of an extract, and what leads to and from them."""
    found = Rings()
    ring_of_node: dict[int, int] = {}
    roads = []
    for way in osmium.FileProcessor(str(path)).with_locations():
        if not way.is_way():
            continue
        tags = dict(way.tags)
        if tags.get("highway") not in ROADS:
            continue
        # Of nodes at one place a route tells the last.
        places = [(node.lon, node.lat) for node in way.nodes]
        nodes = [
            node.ref
            for node, here, after in zip(way.nodes, places, [*places[1:], None], strict=True)
            if here != after
        ]
        found.places |= {n.ref: (n.lon, n.lat) for n in way.nodes if n.location.valid()}
        if tags.get("junction") == "roundabout":
            known = {ring_of_node[node] for node in nodes if node in ring_of_node}
            ring = min(known, default=way.id)
            for node in [n for n, number in ring_of_node.items() if number in known]:
                ring_of_node[node] = ring
            ring_of_node.update(dict.fromkeys(nodes, ring))
            found.ring |= dict.fromkeys(pairwise(nodes), ring)
        else:
            roads.append((nodes, tags))
    found.ring = {pair: ring_of_node[pair[0]] for pair in found.ring}
    for nodes, tags in roads:
        _join(found, nodes, tags, ring_of_node)
    return found


def _join(found: Rings, nodes: list[int], tags: dict[str, str], rings: dict[int, int]) -> None:
    """Note where a road leads to and from a ring."""
    kind = tags["highway"]
    oneway = tags.get("oneway", "yes" if kind.startswith("motorway") else "no")
    if oneway == "-1":
        nodes = nodes[::-1]
    both_ways = oneway in ("no", "false", "0")
    for a, b in pairwise(nodes):
        if (a in rings or b in rings) and any(key in tags for key in ACCESS):
            found.doubtful |= {a, b}
        pairs = ((a, b), (b, a)) if both_ways else ((a, b),)
        for tail, head in pairs:
            if tail in rings:
                found.exits.setdefault(tail, []).append((head, kind))
            if head in rings:
                found.entries.setdefault(head, []).append(tail)
