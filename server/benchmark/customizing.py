"""Steps of a build that libraries of hierarchies have, too: ordering and customizing a graph."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from gis.arrays import INF, freeze
from gis.dataset import open_dataset
from gis.geodesy import UNITS_PER_DEGREE
from gis.network.road_network import RoadNetwork, arc_ends
from routing.cch.customize import Customizer
from routing.cch.query import new_state, run_query
from routing.cch.weights import Weights
from routing.search.dijkstra import SearchState, dijkstra
from routing.search.seeds import Seeds
from routing.store import PreparedProfile, load_network, load_profile
from server.benchmark.check import WrongAnswer
from server.benchmark.measure import Contender, Findings, Progress, Subject, able, take_turns
from server.benchmark.peers.peer import Peer, PeerFailed
from server.benchmark.results import OURS, figure

GROUP = "build"
ORDERING = "order and hierarchy of the search graph"
CUSTOMIZING = "customization"

_N_COMPARED = 50


def customizations(subject: Subject, peers: Sequence[Peer], progress: Progress) -> Findings:
    """Give the hierarchy all its weights anew, beside peers that take a graph: they get ours."""
    found = Findings()
    dataset = open_dataset(subject.dataset, verify=False)
    profile = load_profile(subject.about.profiles[0], dataset.arrays)
    customizer = Customizer.of(profile.turn_graph, profile.hierarchy)
    path = subject.folder.resolve() / "graph.npz"
    ready: list[Peer] = []
    ends = _random_ends(profile, subject.seed)
    wanted = _costs_by_dijkstra(profile, ends)
    numbers = sorted({1, subject.workers})
    for threads in numbers:
        weights = customizer.customize(profile.metric, threads)
        _check_weights(profile, weights, ends, wanted)
    found.checks.append(
        f"{len(ends)} paths by the weights of a customization cost what Dijkstra's search finds"
    )
    for peer in able(peers, "graph"):
        progress(f"{peer.name}: ordering", 0, 1)
        if not path.exists():
            write_graph(path, profile, load_network(dataset.arrays)[0])
        try:
            runs = [peer.number("order", graph=str(path))]
            found.checks.append(_compare(peer, subject, ends, wanted))
        except PeerFailed as error:
            found.notes.append(f"{error}: left out")
            continue
        ready.append(peer)
        found.figures.append(figure(GROUP, ORDERING, peer.name, "s", runs))
        found.notes.append(
            f"{peer.name} answers for vertices of a graph, not for points on a map: it orders and"
            " customizes our search graph, roads as vertices, on one thread"
        )
    for threads in numbers:

        def customize(threads: int = threads) -> float:
            start = time.perf_counter()
            customizer.customize(profile.metric, threads)
            return time.perf_counter() - start

        name = f"{CUSTOMIZING}, {threads} thread{'s' * (threads > 1)}"
        contenders = [Contender(OURS, customize)]
        if threads == 1:
            contenders += [
                Contender(peer.name, partial(peer.number, "customize")) for peer in ready
            ]
        found.add(take_turns(GROUP, name, "s", contenders, subject.repeat, progress))
    return found


def _random_ends(profile: PreparedProfile, seed: int) -> list[tuple[int, int]]:
    """Pairs of vertices of the search graph."""
    n = profile.turn_graph.n_vertices
    drawn = np.random.default_rng(seed).integers(0, n, (_N_COMPARED, 2))
    return [(first, last) for first, last in drawn.tolist()]


def _costs_by_dijkstra(
    profile: PreparedProfile, ends: Sequence[tuple[int, int]]
) -> list[int | None]:
    """What the paths cost, None where there is none."""
    graph, metric = profile.turn_graph, profile.metric
    state = SearchState(graph)
    costs = [dijkstra(state, graph, metric, _at(first), _at(last)).cost for first, last in ends]
    return [None if cost == INF else cost for cost in costs]


def _check_weights(
    profile: PreparedProfile,
    weights: Weights,
    ends: Sequence[tuple[int, int]],
    wanted: Sequence[int | None],
) -> None:
    """Hold paths by customized weights against Dijkstra's search."""
    state = new_state(profile.hierarchy)
    for (first, last), cost in zip(ends, wanted, strict=True):
        found = run_query(state, profile.hierarchy, weights, _at(first), _at(last)).cost
        if found != (INF if cost is None else cost):
            raise WrongAnswer(
                f"by customized weights the path from vertex {first} to {last} costs {found},"
                f" Dijkstra's search finds {cost}"
            )


def _compare(
    peer: Peer,
    subject: Subject,
    ends: Sequence[tuple[int, int]],
    wanted: Sequence[int | None],
) -> str:
    """Hold a peer's paths against Dijkstra's search."""
    path = subject.folder.resolve() / "ends.npy"
    np.save(path, np.array(ends))
    theirs = peer.ask("costs", ends=str(path))["costs"]
    for (first, last), cost, found in zip(ends, wanted, theirs, strict=True):
        if found != cost:
            raise PeerFailed(
                f"{peer.name}: the path from {first} to {last} costs {found}, not {cost}"
            )
    return f"{len(ends)} paths of {peer.name} cost what Dijkstra's search finds"


def _at(vertex: int) -> Seeds:
    """Where the road of a vertex begins."""
    nothing = freeze(np.zeros(1, np.uint32))
    return Seeds(freeze(np.array([vertex], np.uint32)), nothing, nothing, nothing, nothing)


def write_graph(path: Path, profile: PreparedProfile, network: RoadNetwork) -> None:
    """Write the search graph as an ``.npz`` of tail, head, weight, and lon and lat of vertices.

    A vertex lies where its road ends; the weight of an arc is that of the road it leaves, and of
    the turn. Turns from a road onto itself are left out: no shortest path has one.
    """
    graph = profile.turn_graph
    tail = np.repeat(np.arange(graph.n_vertices, dtype=np.uint32), np.diff(graph.first_turn))
    keep = tail != graph.turn_head
    weight = profile.metric.weight[graph.vertex_arc[tail]].astype(np.int64) + graph.turn_cost
    node = arc_ends(network)[1][graph.vertex_arc]
    np.savez(
        path,
        tail=tail[keep],
        head=graph.turn_head[keep],
        weight=weight[keep].astype(np.uint32),
        lon=(network.node_lon[node] / UNITS_PER_DEGREE).astype(np.float32),
        lat=(network.node_lat[node] / UNITS_PER_DEGREE).astype(np.float32),
    )
