"""Turn restrictions applied to turns: what is forbidden outright, and what needs memory.

A restriction of two arcs removes turns. A longer one forbids a path whose turns are each
allowed, so a search must remember how far along such a path it is. As in the string matching of
Aho and Corasick (CACM 18, 1975), a state is a beginning, two arcs or longer, of a forbidden
path, and a walk is in the longest state that it ends with.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from gis.arrays import I64, U8, U32, Bool, freeze
from gis.network.road_network import Restrictions
from gis.profiles.verdicts import DEMANDS, FORBIDS
from routing.graph.arc_turns import ArcTurns

Path: TypeAlias = tuple[int, ...]
"""Consecutive arcs."""

Forbidden: TypeAlias = Mapping[Path, set[int]]
"""Arcs that may not follow a path, whatever came before it."""


class VertexTurns(NamedTuple):
    """Turns between vertices, each a turn between their arcs. A arcs, X states, T turns.

    | array | dtype, shape | content |
    |---|---|---|
    | tail, head | uint32 (T,) | an arc, or A + a state; ascending by tail, then by head |
    | like | int64 (T,) | the turn between arcs |
    | state_arc | uint32 (X,) | last arc of each state, ascending |
    """

    tail: U32
    head: U32
    like: I64
    state_arc: U32


def restrict_turns(
    turns: ArcTurns, restrictions: Restrictions, kind: U8, remembered: Iterable[Path] | None = None
) -> VertexTurns:
    """The turns that are left when every restriction is obeyed to the letter.

    ``kind`` (S,) is that of ``Verdicts``, by the restrictions' tag sets. Whoever has come along
    a demanded path but for its last arc must take that arc, or where several begin alike, one of
    theirs; a demand for what is forbidden has no effect. A path that holds a turn that is not
    there has none either. ``remembered`` are the states
    if more are wanted than these restrictions need.
    """
    forbidden = _forbidden_steps(turns, restrictions, kind[restrictions.tagset])
    banned = np.zeros(len(turns.to_arc), np.bool_)
    for path, arcs in forbidden.items():
        if len(path) == 1:
            banned[[turns.position(path[0], arc) for arc in arcs]] = True
    in_order = in_order_of_vertices(_states(forbidden) if remembered is None else remembered)
    n_arcs = len(turns.first) - 1
    vertex_of = {state: n_arcs + index for index, state in enumerate(in_order)}

    head = turns.to_arc.copy()
    for state, vertex in vertex_of.items():
        if len(state) == 2 and turns.has(*state):
            head[turns.position(*state)] = vertex
    kept = np.flatnonzero(~banned)
    steps = list(_state_turns(turns, banned, forbidden, vertex_of))
    state_tail, state_head, state_like = np.array(steps, np.int64).reshape(-1, 3).T
    tail = np.concatenate([turns.from_arc[kept], state_tail])
    head = np.concatenate([head[kept], state_head])
    order = np.argsort(tail << 32 | head, kind="stable")
    return VertexTurns(
        freeze(tail[order].astype(np.uint32)),
        freeze(head[order].astype(np.uint32)),
        freeze(np.concatenate([kept, state_like])[order]),
        freeze(np.array([state[-1] for state in in_order], np.uint32)),
    )


def states_needed(turns: ArcTurns, restrictions: Restrictions, kind: U8) -> set[Path]:
    """The states that `restrict_turns` needs for these restrictions."""
    return _states(_forbidden_steps(turns, restrictions, kind[restrictions.tagset]))


def in_order_of_vertices(states: Iterable[Path]) -> list[Path]:
    """States in the order of their vertices."""
    return sorted(states, key=lambda state: (state[-1], state))


def _states(forbidden: Iterable[Path]) -> set[Path]:
    """All beginnings of some paths, the paths included."""
    return {path[:end] for path in forbidden for end in range(2, len(path) + 1)}


def _forbidden_steps(turns: ArcTurns, restrictions: Restrictions, kind: U8) -> Forbidden:
    """What the paths, of ``kind`` (R,), forbid; those that can be travelled at all."""
    forbidden: dict[Path, set[int]] = {}
    demanded: dict[Path, set[int]] = {}
    first = restrictions.first_arc.tolist()
    arcs = restrictions.arc.tolist()
    possible = turns.has_steps(restrictions.arc)
    for index in np.flatnonzero((kind == FORBIDS) | (kind == DEMANDS)).tolist():
        start, last = first[index], first[index + 1] - 1
        if possible[start:last].all():
            steps = forbidden if kind[index] == FORBIDS else demanded
            steps.setdefault(tuple(arcs[start:last]), set()).add(arcs[last])
    for path, wanted in demanded.items():
        allowed = wanted - forbidden.get(path, set())
        if not allowed:
            continue
        others = {int(turns.to_arc[turn]) for turn in turns.out_of(path[-1])} - allowed
        forbidden.setdefault(path, set()).update(others)
    return {path: following for path, following in forbidden.items() if following}


def _state_turns(
    turns: ArcTurns, banned: Bool, forbidden: Forbidden, vertex_of: Mapping[Path, int]
) -> Iterator[tuple[int, int, int]]:
    """Tail, head and turn between arcs of every turn out of a state."""
    for state, vertex in vertex_of.items():
        endings = [state[start:] for start in range(len(state) - 1)]
        for turn in turns.out_of(state[-1]):
            arc = int(turns.to_arc[turn])
            if banned[turn] or any(arc in forbidden.get(ending, ()) for ending in endings):
                continue
            next_states = (vertex_of.get((*ending, arc)) for ending in (*endings, state[-1:]))
            yield vertex, next((v for v in next_states if v is not None), arc), turn
