"""Whether the arrays of a dataset fit together, so that no kernel reads outside of one.

Checksums tell what has been damaged, not what was wrong when it was written. These checks only
compare sizes and ranges, each in one pass; the ``check_x`` beside the structures assert the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gis.arrays import INF, INVALID, AnyArray
from gis.errors import DatasetError
from gis.network.road_class import RoadClass
from gis.profiles.rules import Mode
from gis.profiles.timed import MOST_EXPRESSIONS
from gis.profiles.verdicts import ALL_WAY_FLAGS, DEMANDS
from gis.rtree import NODE_SIZE
from gis.snap_index import POINTS_OF_BLOCK
from routing.cch.weights import INF_COST


@dataclass(frozen=True)
class _Arrays:
    """Arrays whose names begin alike."""

    prefix: str
    arrays: Mapping[str, AnyArray]

    def part(self, name: str) -> "_Arrays":
        return _Arrays(f"{self.prefix}.{name}", self.arrays)

    def __getitem__(self, name: str) -> AnyArray:
        return self.arrays[f"{self.prefix}.{name}"]

    def fail(self, name: str, what: str) -> DatasetError:
        return DatasetError(f"array {self.prefix}.{name} of the dataset {what}")

    def shaped(self, shape: tuple[int, ...], *names: str) -> None:
        """Each has this shape."""
        for name in names:
            if self[name].shape != shape:
                raise self.fail(name, f"has the shape {self[name].shape}, expected {shape}")

    def length(self, name: str) -> int:
        """The length of an array that has one dimension."""
        self.shaped((self[name].size,), name)
        return self[name].size

    def below(self, limit: int, *names: str) -> None:
        """No value reaches the limit."""
        for name in names:
            highest = int(self[name].max(initial=0))
            if self[name].size and highest >= limit:
                raise self.fail(name, f"holds {highest}, expected less than {limit}")

    def offsets(self, name: str, n_groups: int, n_members: int, at_least: int = 0) -> None:
        """Groups of consecutive members, each of so many at least."""
        self.shaped((n_groups + 1,), name)
        first = self[name]
        ends = first[:1].tolist(), first[-1:].tolist()
        if ends != ([0], [n_members]):
            raise self.fail(name, f"runs from {ends[0]} to {ends[1]}, expected 0 to {n_members}")
        back = (first[1:] < first[:-1]).any()
        if back or (at_least and (first[1:] - first[:-1] < at_least).any()):
            raise self.fail(name, f"has a step of less than {at_least}")


def check_network_arrays(arrays: Mapping[str, AnyArray]) -> None:
    """Raise ``DatasetError`` unless the arrays of a network and of its index fit together."""
    network = _Arrays("network", arrays)
    n_nodes, n_edges = network.length("node_id"), network.length("edge_tail")
    n_points = network.length("point_id")
    network.shaped((n_nodes,), "node_lon", "node_lat", "node_tagset")
    network.shaped((n_edges,), "edge_head", "edge_way", "edge_tagset", "edge_label")
    network.shaped((n_edges,), "edge_length_m", "edge_share", "edge_left_hand")
    network.shaped((n_points,), "point_lon", "point_lat")
    network.shaped((2 * n_edges,), "out_arc")
    network.offsets("first_point", n_edges, n_points, at_least=2)
    network.offsets("first_out", n_nodes, 2 * n_edges)
    network.below(n_nodes, "edge_tail", "edge_head")
    network.below(2 * n_edges, "out_arc")
    network.below(_check_tagsets(network.part("node_tags")), "node_tagset")
    n_way_sets = _check_tagsets(network.part("way_tags"))
    network.below(n_way_sets, "edge_tagset")
    network.shaped((n_way_sets,), "way_class")
    network.below(len(RoadClass), "way_class")
    network.below(_check_tagsets(network.part("labels")), "edge_label")
    restrictions = network.part("restrictions")
    n_restrictions = restrictions.length("tagset")
    restrictions.shaped((n_restrictions,), "relation_id")
    restrictions.offsets("first_arc", n_restrictions, restrictions.length("arc"), at_least=2)
    restrictions.below(2 * n_edges, "arc")
    restrictions.below(_check_tagsets(restrictions.part("tags")), "tagset")
    _check_index(_Arrays("index", arrays), n_edges, n_points)


def _check_tagsets(tags: _Arrays) -> int:
    """The number of tag sets."""
    n_sets, n_strings = tags.length("first_tag") - 1, tags.length("first_byte") - 1
    n_tags = tags.length("key")
    tags.shaped((n_tags,), "value")
    tags.offsets("first_tag", n_sets, n_tags)
    tags.offsets("first_byte", n_strings, tags.length("text"))
    tags.below(n_strings, "key", "value")
    return n_sets


def _check_index(index: _Arrays, n_edges: int, n_points: int) -> None:
    """A segment runs to the next point; the levels are those of a tree with full nodes."""
    index.shaped((-(-n_points // POINTS_OF_BLOCK),), "block_edge")
    index.below(n_edges, "block_edge")
    index.shaped((n_points - n_edges,), "tree.segment")
    index.below(n_points - 1, "tree.segment")
    levels, n_nodes = [0], n_points - n_edges
    while n_nodes and (len(levels) == 1 or n_nodes > 1):
        n_nodes = -(-n_nodes // NODE_SIZE)
        levels.append(levels[-1] + n_nodes)
    if index["tree.level"].tolist() != levels:
        raise index.fail("tree.level", f"is {index['tree.level'].tolist()}, expected {levels}")
    index.shaped((levels[-1], 4), "tree.box")


def check_profile_arrays(name: str, arrays: Mapping[str, AnyArray]) -> None:
    """Raise ``DatasetError`` unless the arrays of one vehicle fit to each other and the network."""
    n_nodes, n_arcs = arrays["network.node_id"].size, 2 * arrays["network.edge_tail"].size
    profile = _Arrays(f"profile.{name}", arrays)
    n_way_sets = arrays["network.way_class"].size
    _check_roads(profile.part("roads"), n_way_sets)
    graph = profile.part("turn_graph")
    n_vertices, n_turns = graph.length("vertex_arc"), graph.length("turn_head")
    graph.shaped((n_turns,), "turn_cost", "back_tail", "back_cost")
    graph.offsets("first_turn", n_vertices, n_turns)
    graph.offsets("first_back", n_vertices, n_turns)
    graph.below(n_vertices, "turn_head", "back_tail")
    graph.below(n_arcs, "vertex_arc")
    graph.shaped((n_vertices - n_arcs,), "leaves_as")
    graph.below(n_vertices, "leaves_as")
    if not np.array_equal(graph["vertex_arc"][:n_arcs], np.arange(n_arcs, dtype=np.uint32)):
        raise graph.fail("vertex_arc", f"does not begin with the {n_arcs} arcs")
    profile.shaped((n_arcs,), "metric.weight", "components.arc_component", "components.arc_flags")
    profile.below(INF + 1, "metric.weight")
    if not profile["metric.weight"].all():
        raise profile.fail("metric.weight", "holds 0, expected 1 or more")
    own = profile.length("metric.own_duration_cs")
    if own:
        profile.shaped((n_arcs,), "metric.own_duration_cs")
        profile.below(INF + 1, "metric.own_duration_cs")
    _check_hierarchy(profile, n_vertices, with_third=own > 0)
    landmarks = profile.part("landmarks")
    n_landmarks = landmarks.length("node")
    landmarks.shaped((n_nodes, n_landmarks), "from_landmark", "to_landmark")
    landmarks.below(n_nodes, "node")
    landmarks.below(INF + 1, "from_landmark", "to_landmark")
    n_node_sets, n_restriction_sets = (
        arrays[f"network.{tags}.first_tag"].size - 1 for tags in ("node_tags", "restrictions.tags")
    )
    n_sets = n_way_sets, n_node_sets, n_restriction_sets
    _check_conditions(profile.part("conditions"), n_sets)
    n_expressions = profile.length("conditions.verdicts.expressions.first_byte") - 1
    memory, changes = profile.part("conditions.memory"), n_expressions > 0
    _check_memory(memory, n_arcs, graph["vertex_arc"][n_arcs:], changes)


def check_shared_arrays(arrays: Mapping[str, AnyArray]) -> None:
    """Raise ``DatasetError`` unless what all vehicles share fits to the network."""
    n_nodes, n_arcs = arrays["network.node_id"].size, 2 * arrays["network.edge_tail"].size
    shared = _Arrays("arcs", arrays)
    shared.shaped((n_arcs,), "length_cm", "tail")
    shared.below(n_nodes, "tail")


def _check_memory(memory: _Arrays, n_arcs: int, copies: AnyArray, changes: bool) -> None:
    """The vertices of all times are the graph's; none are named if nothing changes with the time.

    ``copies`` are the arcs of its vertices that are not the first of theirs.
    """
    n_states = memory.length("first_arc") - 1
    memory.offsets("first_arc", n_states, memory.length("arc"), at_least=2)
    memory.length("entered")
    memory.below(n_arcs, "arc", "entered")
    entered = np.zeros(n_arcs, np.bool_)
    entered[memory["entered"]] = True
    last = memory["arc"][memory["first_arc"][1:] - np.uint32(1)]
    named = np.concatenate([last, np.flatnonzero(entered), last[entered[last]]])
    if not np.array_equal(np.sort(named), copies if changes else copies[:0]):
        raise memory.fail("entered", "does not name what the turn graph has vertices for")


def _check_conditions(conditions: _Arrays, n_sets: tuple[int, int, int]) -> None:
    """Verdicts for other times are there for the ways, nodes and restrictions that change."""
    n_way_sets, n_node_sets, n_restriction_sets = n_sets
    verdicts = conditions.part("verdicts")
    n_expressions = verdicts.length("expressions.first_byte") - 1
    tables = verdicts.part("tables")
    if not n_expressions:
        n_way_sets = n_node_sets = n_restriction_sets = 0
    n_rows = n_way_sets + _check_switches(verdicts.part("ways"), n_expressions, n_way_sets)
    tables.shaped((n_rows,), "way_flags", "duration_s")
    for way in ("forward", "backward"):
        tables.shaped((n_rows,), *(f"{way}_{what}" for what in _OF_DIRECTIONS))
    tables.shaped((n_node_sets,), "node_blocked", "node_restricted")
    tables.shaped((n_node_sets,), "node_forward_s", "node_backward_s")
    tables.shaped((2, 2, 2, 361), "turn_s")
    switches = verdicts.part("restrictions")
    n_rows = n_restriction_sets + _check_switches(switches, n_expressions, n_restriction_sets)
    tables.shaped((n_rows,), "restriction_kind")
    tables.shaped((n_rows + 1,), "restriction_reason.first_byte")
    tables.below(ALL_WAY_FLAGS + 1, "way_flags")
    tables.below(len(Mode), "forward_mode", "backward_mode")
    tables.below(DEMANDS + 1, "restriction_kind")


_OF_DIRECTIONS = ("kmh", "preference", "mode", "classes")


def _check_switches(switches: _Arrays, n_expressions: int, n_sets: int) -> int:
    """How many rows of verdicts there are for the tag sets that change with the time."""
    n = switches.length("tagset")
    switches.offsets("first_expression", n, switches.length("expression"), at_least=1)
    switches.below(n_expressions, "expression")
    switches.below(n_sets, "tagset")
    switches.shaped((n,), "first_row")
    most = np.diff(switches["first_expression"]).max(initial=0)
    if most > MOST_EXPRESSIONS:
        raise switches.fail("first_expression", f"has a step of more than {MOST_EXPRESSIONS}")
    rows = (1 << np.diff(switches["first_expression"]).astype(np.int64)) - 1
    n_rows = int(rows.sum())
    if n and (switches["first_row"].astype(np.int64) + rows > n_sets + n_rows).any():
        raise switches.fail("first_row", f"leads beyond the {n_sets + n_rows} verdicts")
    return n_rows


def _check_roads(roads: _Arrays, n_way_sets: int) -> None:
    """What is known of each tag set is something that there is."""
    roads.shaped((n_way_sets,), "way_flags", "forward_mode", "backward_mode")
    roads.shaped((n_way_sets,), "forward_classes", "backward_classes")
    roads.shaped((1,), "straight")
    roads.below(ALL_WAY_FLAGS + 1, "way_flags")
    roads.below(len(Mode), "forward_mode", "backward_mode")
    n_classes = roads.length("classes.first_byte") - 1
    roads.below(1 << n_classes, "forward_classes", "backward_classes")
    roads.below(2, "straight")


def _check_hierarchy(profile: _Arrays, n_vertices: int, with_third: bool) -> None:
    """The arcs of a hierarchy lead upward to vertices, and its weights are those of its arcs."""
    hierarchy, weights = profile.part("hierarchy"), profile.part("weights")
    n_up, n_down = hierarchy.length("up_head"), hierarchy.length("down_tail")
    hierarchy.shaped((n_vertices,), "rank", "vertex", "parent")
    hierarchy.below(n_vertices, "rank", "vertex", "up_head", "down_tail")
    hierarchy.offsets("first_up", n_vertices, n_up)
    hierarchy.offsets("first_down", n_vertices, n_down)
    every = np.arange(n_vertices, dtype=np.uint32)
    if not np.array_equal(hierarchy["rank"][hierarchy["vertex"]], every):
        raise hierarchy.fail("vertex", "is not the inverse of the ranks")
    above = hierarchy["parent"] > every
    if not (above & ((hierarchy["parent"] < n_vertices) | (hierarchy["parent"] == INVALID))).all():
        raise hierarchy.fail("parent", "holds a vertex that is not above its child")
    hierarchy.offsets("bounds", hierarchy.length("bounds") - 1, n_vertices)
    lower = {}
    for name, ends in (("up", "up_head"), ("down", "down_tail")):
        lower[name] = np.repeat(every, np.diff(hierarchy[f"first_{name}"]))
        if not (lower[name] < hierarchy[ends]).all():
            raise hierarchy.fail(ends, "holds a vertex that is not above the lower end of its arc")
    for name, n in (("up", n_up), ("down", n_down)):
        weights.shaped((n,), name)
        weights.below(INF_COST + 1, name)
        weights.shaped((n, 2), f"{name}_children")
        weights.shaped((n * with_third,), f"{name}_third")
        _check_children(weights, name, lower, n_vertices)


def _check_children(
    weights: _Arrays, name: str, lower: Mapping[str, AnyArray], n_vertices: int
) -> None:
    """An arc with a cost is a turn, or leads over arcs that are below it."""
    first, second = weights[f"{name}_children"].T
    is_turn = first == INVALID
    none = weights[name] >= INF_COST
    sound = np.where(is_turn, (second < n_vertices) | none, second < len(lower["up"]))
    sound &= is_turn | (first < len(lower["down"]))
    over = np.flatnonzero(~is_turn & sound)
    for side, child in (("down", first[over]), ("up", second[over])):
        sound[over] &= lower[side][child] < lower[name][over]
    if not sound.all():
        raise weights.fail(f"{name}_children", "leads to an arc that there is not")
