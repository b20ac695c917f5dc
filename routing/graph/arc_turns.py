"""The turns between arcs before any restriction speaks of them."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32, Bool, freeze
from gis.jit import kernel
from gis.network.road_network import RoadNetwork, arc_ends

FREE, GUARDED, BLOCKED = 0, 1, 2
"""How a node may be passed: freely, only from or to a restricted road, or not at all."""

OPEN, BEHIND, RESTRICTED = 0, 1, 2
"""How far an arc is restricted: not at all, by what lies before it, or by itself."""


class ArcTurns(NamedTuple):
    """Turns between arcs. A arcs, T turns.

    | array | dtype, shape | content |
    |---|---|---|
    | first | uint32 (A + 1,) | offsets into the other two |
    | from_arc | uint32 (T,) | ascending |
    | to_arc | uint32 (T,) | ascending within an arc left |
    """

    first: U32
    from_arc: U32
    to_arc: U32

    def out_of(self, arc: int) -> range:
        """Positions of the turns that leave an arc."""
        return range(int(self.first[arc]), int(self.first[arc + 1]))

    def has(self, arc: int, to_arc: int) -> bool:
        """Whether there is a turn."""
        out = self.out_of(arc)
        return to_arc in self.to_arc[out.start : out.stop]

    def keys(self) -> I64:
        """Both arcs of each turn as one ascending number, int64 (T,)."""
        return self.from_arc.astype(np.int64) << 32 | self.to_arc

    def has_steps(self, arc: U32, among: Bool | None = None) -> Bool:
        """Whether each arc of a list (L,) can be followed by the next: bool (L - 1,).

        By one of the turns ``among`` (T,) them, if given.
        """
        keys = self.keys() if among is None else self.keys()[among]
        step = arc[:-1].astype(np.int64) << 32 | arc[1:]
        found = np.searchsorted(keys, step, "right") > np.searchsorted(keys, step)
        return freeze(found)

    def position(self, arc: int, to_arc: int) -> int:
        """Position of a turn that exists."""
        out = self.out_of(arc)
        return out.start + int(np.searchsorted(self.to_arc[out.start : out.stop], to_arc))


def join_arcs(network: RoadNetwork, passage: U8, open_arc: Bool, restricted: U8) -> ArcTurns:
    """The turns between the open arcs, by how each node may be passed, uint8 (N,).

    ``open_arc`` is bool (A,), ``restricted`` uint8 (A,). Every arc may be followed by every other
    that leaves its head, unless its node forbids that. It may be followed by its own reverse only
    where no other arc goes on that is not more restricted, and at nodes that are not free.
    """
    n_out = np.diff(network.first_out).astype(np.int64)
    _, head = arc_ends(network)
    first = np.empty(network.n_arcs + 1, np.uint32)
    to_arc = np.empty(int(n_out @ n_out), np.uint32)
    n_turns = _fill_turns(
        network.first_out,
        network.out_arc,
        freeze(head),
        freeze(passage),
        freeze(open_arc),
        freeze(restricted),
        first,
        to_arc,
    )
    from_arc = np.repeat(np.arange(network.n_arcs, dtype=np.uint32), np.diff(first))
    return ArcTurns(freeze(first), freeze(from_arc), freeze(to_arc[:n_turns].copy()))


@kernel
def _fill_turns(
    first_out: U32,
    out_arc: U32,
    head: U32,
    passage: U8,
    open_arc: Bool,
    restricted: U8,
    first: U32,
    to_arc: U32,
) -> int:
    """Fill the turns out of every arc by the rule of ``join_arcs``; their number."""
    n_turns = 0
    for arc in range(len(head)):
        first[arc] = n_turns
        if not open_arc[arc]:
            continue
        node = head[arc]
        goes_on = False  # without a way back
        for attempt in range(2):  # first whether anything goes on, then what does
            for i in range(first_out[node], first_out[node + 1]):
                onward = out_arc[i]
                if not open_arc[onward]:
                    continue
                if onward == arc ^ 1:
                    follows = attempt == 1 and not goes_on
                else:
                    is_through = restricted[arc] == OPEN and restricted[onward] == OPEN
                    follows = passage[node] == FREE or (passage[node] == GUARDED and not is_through)
                    if passage[node] == FREE and restricted[onward] <= restricted[arc]:
                        goes_on = True
                if attempt == 1 and follows:
                    to_arc[n_turns] = onward
                    n_turns += 1
    first[len(head)] = n_turns
    return n_turns
