"""Random little road networks, with verdicts, for hypothesis."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from gis.arrays import INF, AnyArray, freeze, group_by, offsets
from gis.network.road_class import RoadClass
from gis.network.road_network import Restrictions, RoadNetwork, check_network
from gis.osm.tagsets import TagSets, build_tagsets
from gis.profiles.rules import Mode
from gis.profiles.verdicts import (
    BACKWARD_RESTRICTED,
    FORWARD_RESTRICTED,
    STARTPOINT,
    RoadUse,
    Verdicts,
    check_verdicts,
)
from routing.graph.turn_graph import TurnGraph, build_turn_graph
from routing.metric import Metric, check_metric, duration_metric

N_WAY_SETS, N_NODE_SETS = 5, 4


class World(NamedTuple):
    """A network and what a vehicle makes of it."""

    network: RoadNetwork
    verdicts: Verdicts


class SearchWorld(NamedTuple):
    """A network with its turn graph, and any weights on the open arcs."""

    network: RoadNetwork
    graph: TurnGraph
    metric: Metric


class SmallEdge(NamedTuple):
    """An edge between two nodes, straight or with one point in between."""

    tail: int
    head: int
    tagset: int
    length_m: float
    bend: tuple[int, int] | None
    left_hand: bool = False


@st.composite
def worlds(
    draw: st.DrawFn,
    max_nodes: int = 6,
    n_edges: tuple[int, int] = (0, 10),
    n_paths: tuple[int, int] = (0, 4),
) -> World:
    """Small networks with everything that is hard about real ones.

    Loops, parallel edges, one-ways, closed and restricted roads, roads without length, barriers,
    gates, signals, several components, and restrictions of two to five arcs that overlap in any
    way.
    Hypothesis draws the sizes and a seed for everything else: small worlds are then as varied
    as large ones, and quick to make.
    """
    n_nodes = draw(st.integers(1, max_nodes))
    edge_count, path_count = draw(st.integers(*n_edges)), draw(st.integers(*n_paths))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    edges = [_random_edge(rng, n_nodes) for _ in range(edge_count)]
    used = sorted({node for edge in edges for node in edge[:2]})
    edges = [e._replace(tail=used.index(e.tail), head=used.index(e.head)) for e in edges]
    place = [_random_place(rng) for _ in used]
    tagset = rng.integers(0, N_NODE_SETS, len(used)).tolist()
    paths: list[list[int]] = []
    for _ in range(path_count if edges else 0):
        paths.append(_random_path(rng, edges, paths))
    kinds = rng.choice([0, 1, 1, 1, 2, 2], len(paths)).tolist()
    network = build_small_network(edges, place, tagset, paths, kinds)
    check_network(network)
    return World(network, _random_verdicts(rng))


@st.composite
def lattice_worlds(draw: st.DrawFn, side: int = 12) -> World:
    """A town of straight streets with gaps, one-ways, dead ends and a few restrictions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    crossing = np.arange(side * side).reshape(side, side)
    streets = np.concatenate(
        [
            np.stack([crossing[:, :-1].ravel(), crossing[:, 1:].ravel()], axis=1),
            np.stack([crossing[:-1].ravel(), crossing[1:].ravel()], axis=1),
        ]
    )
    streets = rng.permuted(streets[rng.random(len(streets)) < 0.8], axis=1)
    used, ends = np.unique(streets, return_inverse=True)
    edges = [
        SmallEdge(tail, head, int(rng.integers(0, N_WAY_SETS)), 40.0, None)
        for tail, head in ends.reshape(-1, 2).tolist()
    ]
    paths: list[list[int]] = []
    for _ in range(side):
        paths.append(_random_path(rng, edges, paths))
    place = [(node % side, node // side) for node in used.tolist()]
    tagset = rng.integers(0, N_NODE_SETS, len(used)).tolist()
    network = build_small_network(edges, place, tagset, paths, [1] * len(paths))
    return World(network, _random_verdicts(rng))


@st.composite
def search_worlds(
    draw: st.DrawFn,
    max_weight: int = 20,
    of: st.SearchStrategy[World] | None = None,
    own: bool | None = None,
) -> SearchWorld:
    """A turn graph with weights 1..max_weight on its open arcs, and lengths to tell ties apart.

    Lengths know nothing of weights: many are 0 or alike, some are long. Nor do durations, if there
    are ``own`` ones: as the draw has it unless given.
    """
    network, verdicts = draw(worlds() if of is None else of)
    open_arc = duration_metric(network, verdicts).open_arc
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weight = np.where(open_arc, rng.integers(1, max_weight, len(open_arc), endpoint=True), INF)
    graph = build_turn_graph(network, verdicts, open_arc)
    length_cm = rng.choice([0, 0, 1, 2, 3, 10**6], len(open_arc))
    columns = [weight, length_cm]
    if len(weight) and (draw(st.booleans()) if own is None else own):
        columns.append(np.where(open_arc, rng.choice([1, 1, 2, 3, 10**6], len(open_arc)), INF))
    metric = Metric(*(_column(column, np.uint32) for column in columns))
    check_metric(metric, network.n_arcs)
    return SearchWorld(network, graph, metric)


def with_preferences(metric: Metric, seed: int = 0) -> Metric:
    """The same durations, and weights of which a third is half or twice as much, by chance."""
    rng = np.random.default_rng(seed)
    factor = rng.choice([1, 1, 1, 1, 2, 0.5], len(metric.weight))
    weight = np.clip(np.rint(metric.weight * factor), 1, INF - 1)
    weight = np.where(metric.weight < INF, weight, INF)
    columns = weight, metric.length_cm, metric.duration_cs
    liked = Metric(*(_column(column, np.uint32) for column in columns))
    check_metric(liked, len(weight))
    return liked


def make_graph(
    vertex_arc: list[int], turns: list[tuple[int, int, int]], leaves_as: list[int] | None = None
) -> TurnGraph:
    """A turn graph from (tail, head, cost), each pair of vertices once."""

    def by(key: int, other: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ordered = sorted(turns, key=lambda turn: (turn[key], turn[other]))
        counts = np.bincount([turn[key] for turn in ordered], minlength=len(vertex_arc))
        ends = np.array([turn[other] for turn in ordered], np.uint32)
        costs = np.array([turn[2] for turn in ordered], np.uint16)
        return freeze(offsets(counts)), freeze(ends), freeze(costs)

    if leaves_as is None:
        leaves_as = [v for v, arc in enumerate(vertex_arc) if v != arc]
    ends = (_column(column, np.uint32) for column in (vertex_arc, leaves_as))
    return TurnGraph(*by(0, 1), *by(1, 0), *ends)


def make_metric(weight: list[int], length_cm: list[int] | None = None) -> Metric:
    """Weights of arcs, INF: closed, and their lengths; all arcs are of no length by default."""
    length = [0] * len(weight) if length_cm is None else length_cm
    metric = Metric(_column(weight, np.uint32), _column(length, np.uint32))
    check_metric(metric, len(weight))
    return metric


def _random_place(rng: np.random.Generator) -> tuple[int, int]:
    east, north = rng.integers(-2, 3, 2).tolist()
    return east, north


def _random_edge(rng: np.random.Generator, n_nodes: int) -> SmallEdge:
    tail, head = rng.integers(0, n_nodes, 2).tolist()
    if tail == head and rng.random() < 0.7:
        head = (head + 1) % n_nodes
    bend = _random_place(rng) if tail == head or rng.random() < 0.3 else None
    length_m = float(rng.choice([0.0, 1.0, 7.25, 40.0, 333.3]))
    tagset, left_hand = int(rng.integers(0, N_WAY_SETS)), bool(rng.random() < 0.3)
    return SmallEdge(tail, head, tagset, length_m, bend, left_hand)


def _random_path(
    rng: np.random.Generator, edges: list[SmallEdge], others: list[list[int]]
) -> list[int]:
    """Two to five consecutive arcs, open or not; often it starts like a piece of another path."""
    tails = [end for edge in edges for end in (edge.tail, edge.head)]
    arcs = [int(rng.integers(0, len(tails)))]
    if others and rng.random() < 0.6:
        stem = others[rng.integers(0, len(others))]
        start = int(rng.integers(0, len(stem)))
        arcs = stem[start : int(rng.integers(start + 1, len(stem) + 1))]
    for _ in range(int(rng.integers(int(len(arcs) == 1), 6 - len(arcs)))):
        node, back = tails[arcs[-1] ^ 1], arcs[-1] ^ 1
        onward = [arc for arc, tail in enumerate(tails) if tail == node and arc != back]
        arcs.append(int(rng.choice(onward)) if onward and rng.random() < 0.9 else back)
    return arcs


def _random_verdicts(rng: np.random.Generator) -> Verdicts:
    speed = rng.choice([50, 18, 3.6, 0], (2, N_WAY_SETS), p=[0.5, 0.2, 0.15, 0.15])
    is_open = speed.any(axis=0)
    blocked = rng.random(N_NODE_SETS) < 0.15
    guarded = (rng.random(N_NODE_SETS) < 0.15) & ~blocked
    delay_s = np.where(blocked, 0, rng.choice([0, 2, 3.14], (2, N_NODE_SETS)))
    restricted = (rng.random((2, N_WAY_SETS)) < rng.choice([0, 0.3])) & (speed > 0)
    flags = is_open * rng.choice([0, STARTPOINT], N_WAY_SETS)
    flags += restricted[0] * FORWARD_RESTRICTED + restricted[1] * BACKWARD_RESTRICTED
    verdicts = Verdicts(
        forward_kmh=_column(speed[0], np.float32),
        backward_kmh=_column(speed[1], np.float32),
        forward_preference=_column([1] * N_WAY_SETS, np.float32),
        backward_preference=_column([1] * N_WAY_SETS, np.float32),
        duration_s=_column(is_open * rng.choice([0, 0, 0, 90], N_WAY_SETS), np.float32),
        way_flags=_column(flags, np.uint8),
        forward_mode=_column(speed[0] > 0, np.uint8),
        backward_mode=_column(speed[1] > 0, np.uint8),
        forward_classes=_column([0] * N_WAY_SETS, np.uint8),
        backward_classes=_column([0] * N_WAY_SETS, np.uint8),
        node_blocked=_column(blocked, np.bool_),
        node_restricted=_column(guarded, np.bool_),
        node_forward_s=_column(delay_s[0], np.float32),
        node_backward_s=_column(delay_s[1], np.float32),
        turn_s=_column(rng.choice([0, 0.5, 3.21, 20], (2, 2, 2, 361)), np.float32),
        restriction_kind=_column([0, 1, 2], np.uint8),
        restriction_reason=("does not bind", "", ""),
        warnings={},
    )
    check_verdicts(verdicts)
    return verdicts


def plain_road_use(n_way_sets: int) -> RoadUse:
    """Roads without any class or mode of their own."""
    nothing = _column([0] * n_way_sets, np.uint8)
    driving = _column([Mode.DRIVING] * n_way_sets, np.uint8)
    straight = _column([1], np.uint8)
    return RoadUse(nothing, driving, driving, nothing, nothing, straight, (), (), ("duration",))


def build_small_network(
    edges: list[SmallEdge],
    place: list[tuple[int, int]],
    tagset: list[int],
    paths: list[list[int]],
    kinds: list[int],
) -> RoadNetwork:
    """Nodes on a grid of about eleven metres; each path a restriction with tag set ``kind``."""
    shape: list[tuple[int, tuple[int, int]]] = []
    for index, edge in enumerate(edges):
        bend = [] if edge.bend is None else [(1000 + index, edge.bend)]
        shape += [(edge.tail, place[edge.tail]), *bend, (edge.head, place[edge.head])]
    tail = _column([edge.tail for edge in edges], np.uint32)
    head = _column([edge.head for edge in edges], np.uint32)
    first_out, out_arc = group_by(np.column_stack([tail, head]).ravel(), len(place))
    restrictions = Restrictions(
        _offsets([len(path) for path in paths]),
        _column([arc for path in paths for arc in path], np.uint32),
        _column(kinds, np.uint32),
        _column(range(len(paths)), np.int64),
        _numbered_sets(3),
    )
    return RoadNetwork(
        node_id=_column(range(len(place)), np.int64),
        node_lon=_column([1000 * lon for lon, _ in place], np.int32),
        node_lat=_column([1000 * lat for _, lat in place], np.int32),
        node_tagset=_column(tagset, np.uint32),
        edge_tail=tail,
        edge_head=head,
        edge_way=_column(range(len(edges)), np.int64),
        edge_tagset=_column([edge.tagset for edge in edges], np.uint32),
        edge_label=_column([0] * len(edges), np.uint32),
        edge_length_m=_column([edge.length_m for edge in edges], np.float32),
        edge_share=_column([1] * len(edges), np.float32),
        edge_left_hand=_column([edge.left_hand for edge in edges], np.bool_),
        way_class=_column([RoadClass.RESIDENTIAL] * N_WAY_SETS, np.uint8),
        first_point=_offsets([2 if edge.bend is None else 3 for edge in edges]),
        point_lon=_column([1000 * lon for _, (lon, _) in shape], np.int32),
        point_lat=_column([1000 * lat for _, (_, lat) in shape], np.int32),
        point_id=_column([node for node, _ in shape], np.int64),
        first_out=freeze(first_out),
        out_arc=freeze(out_arc),
        way_tags=_numbered_sets(N_WAY_SETS),
        node_tags=_numbered_sets(N_NODE_SETS),
        labels=_numbered_sets(1),
        restrictions=restrictions,
    )


def _numbered_sets(n: int) -> TagSets:
    return build_tagsets([{}] + [{"set": str(i)} for i in range(1, n)])


def _column(values: Iterable[object], dtype: type) -> AnyArray:
    return freeze(np.array(values, dtype))


def _offsets(counts: list[int]) -> AnyArray:
    return freeze(offsets(np.array(counts, np.int64)))
