"""What a dataset knows of the times at which its roads are different."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gis.arrays import U32, freeze, offsets
from gis.profiles.timed import TimedVerdicts, check_timed, no_times
from routing.graph.forbidden_paths import in_order_of_vertices
from routing.graph.turn_graph import Remembered


class Memory(NamedTuple):
    """The vertices that are needed at one time or another. X states, L arcs.

    | array | dtype, shape | content |
    |---|---|---|
    | first_arc | uint32 (X + 1,) | offsets into ``arc`` |
    | arc | uint32 (L,) | the path that each state remembers, two arcs or more |
    | entered | uint32 (E,) | arcs that may be restricted at some time, ascending |

    The states are in the order of the vertices that stand for them. If nothing changes with the
    time there is nothing here.
    """

    first_arc: U32
    arc: U32
    entered: U32

    @classmethod
    def of(cls, remembered: Remembered) -> "Memory":
        """The states, in order, and the arcs."""
        in_order = in_order_of_vertices(remembered.states)
        return cls(
            freeze(offsets(np.array([len(state) for state in in_order], np.int64))),
            freeze(np.array([arc for state in in_order for arc in state], np.uint32)),
            freeze(np.flatnonzero(remembered.entered).astype(np.uint32)),
        )

    def remembered(self, n_arcs: int) -> Remembered:
        """What there are vertices for."""
        arcs = self.arc.tolist()
        entered = np.zeros(n_arcs, np.bool_)
        entered[self.entered] = True
        states = [tuple(arcs[a:b]) for a, b in pairwise(self.first_arc.tolist())]
        return Remembered(states, freeze(entered))


@dataclass(frozen=True)
class Conditions:
    """What holds only at times, for one vehicle."""

    verdicts: TimedVerdicts
    memory: Memory


def no_conditions() -> Conditions:
    """Everything is as it is at all times."""
    return Conditions(no_times(), Memory.of(Remembered((), np.zeros(0, np.bool_))))


def check_conditions(conditions: Conditions, n_arcs: int) -> None:
    """Assert every documented invariant that it alone can show."""
    check_timed(conditions.verdicts)
    memory = conditions.memory
    assert memory.first_arc[0] == 0 and memory.first_arc[-1] == len(memory.arc)
    assert (np.diff(memory.first_arc.astype(np.int64)) >= 2).all()
    assert (memory.arc < n_arcs).all()
    assert (np.diff(memory.entered.astype(np.int64)) > 0).all() and (memory.entered < n_arcs).all()
    states = memory.remembered(n_arcs).states
    assert states == in_order_of_vertices(set(states))
    assert conditions.verdicts.expressions or not (states or len(memory.entered))
