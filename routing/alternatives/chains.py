"""Alternatives to a route over points: other ways for one of its stretches."""

from collections.abc import Sequence

import numpy as np

from gis.arrays import freeze
from routing.alternatives.selection import find_alternatives
from routing.places.candidates import Candidates
from routing.search.chain import Stretch
from routing.search.seeds import Place, Position, source_seeds, target_seeds, vertices_of
from routing.vehicle import Vehicle
from routing.weighting import Weighting

_SPARE = 2
"""So many more are asked for, in case some differ in nothing that is driven."""


def other_chains(
    vehicle: Vehicle,
    weighting: Weighting,
    chain: Sequence[Stretch],
    candidates: Sequence[Candidates],
    number: int,
) -> list[list[Stretch]]:
    """Up to ``number`` other ways over the same points, those that cost least more first.

    Each replaces one stretch of the best chain by an alternative between the same vertices, so
    that all that was said of passing the points holds for it, too. Between two points it may
    begin and end at any of their positions.
    """
    found: list[tuple[int, int, Stretch]] = []
    for leg, best in enumerate(chain):
        if len(chain) == 1:
            begins = [(p.arc, p) for p in candidates[0].positions]
            ends = _all_vertices(vehicle, candidates[1].positions)
        else:
            begins, ends = [(best.leaves, best.start)], [(best.enters, best.end)]
        known = {_driven(best)}
        for other in _alternatives(vehicle, weighting, begins, ends, best, number):
            # At a junction the same way may begin at the end of one road or the start of another.
            if _driven(other) not in known:
                known.add(_driven(other))
                found.append((other.cost - best.cost, leg, other))
    found.sort(key=lambda entry: entry[:2])
    return [[*chain[:leg], other, *chain[leg + 1 :]] for _, leg, other in found[:number]]


def _driven(stretch: Stretch) -> tuple[int, ...]:
    """The arcs of which a part with a length is driven."""
    first = int(stretch.start.fraction == 1)
    stop = len(stretch.arcs) - int(stretch.end.fraction == 0)
    return tuple(stretch.arcs[first:stop].tolist())


def _all_vertices(vehicle: Vehicle, positions: Sequence[Position]) -> list[tuple[int, Position]]:
    graph, n_arcs = vehicle.prepared.turn_graph, len(vehicle.prepared.metric.weight)
    return [(vertex, p) for p in positions for vertex in vertices_of(graph, n_arcs, p.arc)]


def _alternatives(
    vehicle: Vehicle,
    weighting: Weighting,
    begins: Sequence[tuple[int, Position]],
    ends: Sequence[tuple[int, Position]],
    best: Stretch,
    number: int,
) -> list[Stretch]:
    """Other stretches than the best; none if that stays on its arc."""
    assert weighting.weights is not None
    if len(best.arcs) == 1:
        return []
    graph, metric = weighting.graph, weighting.metric
    sources = [Place(vertex, position.fraction) for vertex, position in begins]
    targets = [Place(vertex, position.fraction) for vertex, position in ends]
    scratch = vehicle.scratch.route.take()
    _, *others = find_alternatives(
        scratch.pairs.query,
        vehicle.prepared.hierarchy,
        weighting.weights,
        source_seeds(graph, metric, sources),
        target_seeds(graph, metric, targets),
        number + _SPARE,
    )
    vehicle.scratch.route.give_back(scratch)
    stretches = []
    for path in others:
        (leaves, start), (enters, end) = begins[path.source], ends[path.target]
        first = np.array([start.arc], np.uint32)
        arcs = freeze(np.concatenate([first, graph.vertex_arc[path.vertices]]))
        stretches.append(Stretch(path.cost, arcs, start, end, leaves, enters))
    return stretches
