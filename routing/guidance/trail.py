"""A leg as guidance sees it: its arcs, what is driven of each, which crossings are known."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gis.arrays import F32, F64, I64, U8, U16, U32, Bool, freeze
from gis.jit import inner_kernel, int64, plain_kernel
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import RoadUse
from routing.assemble import PathOfArcs
from routing.graph.turn_graph import TurnGraph
from routing.guidance.lanes import labels_with_turns
from routing.guidance.passage import (
    DRAFT_COLUMNS,
    MAX_NEEDED,
    NEEDED,
    PASSED_COLUMNS,
    WITHIN,
)
from routing.guidance.slots import UNKNOWN, look_up

LANES_AHEAD_M = 30.0
"""Lanes may end so far before the crossing that they are drawn for."""

_BLOCK = 128


class LegLine(NamedTuple):
    """Where a leg leads: paths that follow each other, and its line with n + 1 points.

    ``lon``, ``lat`` float64 (n + 1,) in degrees. ``first_point`` int64 (k,) is the point at which
    each of the k arcs of all paths begins, 0 for the first.
    ``begin`` and ``goal`` are the points of the request, longitude and latitude in degrees.
    """

    paths: Sequence[PathOfArcs]
    lon: F64
    lat: F64
    first_point: I64
    begin: tuple[float, float]
    goal: tuple[float, float]


class Paths(NamedTuple):
    """The p paths of a leg, k arcs in all, as `PathOfArcs` has them.

    ``first`` int64 (p + 1,) are offsets into ``arc`` uint32, ``cost_cs`` and ``weight_cs`` float64
    (k,); ``fraction`` float64 (p, 2) are those of the ends, ``length_cm`` int64 (p,).
    """

    first: I64
    arc: U32
    cost_cs: F64
    weight_cs: F64
    fraction: F64
    length_cm: I64


class Course(NamedTuple):
    """What is found out of the k arcs of a leg; room for more.

    | array | dtype, shape | content |
    |---|---|---|
    | arc | int64 (k,) | the arcs |
    | driven | float64 (3, k) | metres, seconds and weight of what is driven of each |
    | metres | float64 (k + 1,) | how far each begins |
    | record | int64 (k,) | of the crossing before each but the first |
    | texts | int64 (k,) | what signs say on each |
    | title | int64 (k,) | what each is called |
    | mode | int64 (k,) | how one travels along each |
    | lanes | int64 (k,) | before each, if they are drawn before another crossing |
    | facing | int64 (k,) | the arcs before which lanes are drawn, or shortly before that |
    | seen, seconds | int64 (2^n, 2), float64 (k,) | scratch of `main_roads` |
    | draft, passed, counts | | as in `Passage` |
    """

    arc: I64
    driven: F64
    metres: F64
    record: I64
    texts: I64
    title: I64
    mode: I64
    lanes: I64
    facing: I64
    seen: I64
    seconds: F64
    draft: I64
    passed: I64
    counts: I64


def new_course(k: int) -> Course:
    """Room for k arcs."""
    record, texts, title, mode, lanes, facing = (np.empty(k, np.int64) for _ in range(6))
    return Course(
        np.empty(k, np.int64),
        np.empty((3, k)),
        np.empty(k + 1),
        record,
        texts,
        title,
        mode,
        lanes,
        facing,
        np.empty((1 << (2 * k).bit_length(), 2), np.int64),
        np.empty(k),
        np.empty((k + 1, DRAFT_COLUMNS), np.int64),
        np.empty((k + 1, PASSED_COLUMNS), np.int64),
        np.empty(NEEDED + MAX_NEEDED, np.int64),
    )


class Ground(NamedTuple):
    """What a survey looks at: a network's and a vehicle's arrays.

    ``has_lanes`` bool (L,) tells of labels whether they say anything of arrows on lanes.
    """

    first_turn: U32
    turn_head: U32
    vertex_arc: U32
    edge_tagset: U32
    edge_label: U32
    edge_length_m: F32
    has_lanes: Bool
    forward_mode: U8
    backward_mode: U8


class Names(NamedTuple):
    """What of a `Book` a survey looks at: crossings, texts and titles that are known."""

    slots: I64
    text_of: I64
    title_of: I64


def ground_of(network: RoadNetwork, roads: RoadUse, graph: TurnGraph) -> Ground:
    """What surveys of one vehicle's legs look at."""
    return Ground(
        graph.first_turn,
        graph.turn_head,
        graph.vertex_arc,
        network.edge_tagset,
        network.edge_label,
        network.edge_length_m,
        labels_with_turns(network.labels),
        roads.forward_mode,
        roads.backward_mode,
    )


@inner_kernel
def _sum_of(values: F64, start: int, n: int) -> float:
    """The sum of n values, with the rounding of NumPy's pairwise summation."""
    if n > _BLOCK:
        half = n // 2 - n // 2 % 8
        return _sum_of(values, start, half) + _sum_of(values, start + half, n - half)
    total, stop = 0.0, start + n
    if n >= 8:
        a, b, c, d = values[start], values[start + 1], values[start + 2], values[start + 3]
        e, f, g, h = values[start + 4], values[start + 5], values[start + 6], values[start + 7]
        for i in range(start + 8, stop - n % 8, 8):
            a, b, c, d = a + values[i], b + values[i + 1], c + values[i + 2], d + values[i + 3]
            e, f = e + values[i + 4], f + values[i + 5]
            g, h = g + values[i + 6], h + values[i + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
        start = stop - n % 8
    for i in range(start, stop):
        total += values[i]
    return total


@inner_kernel
def _turn_cost(ground: Ground, turn_cost: U16, arc: int, to: int) -> float:
    for turn in range(ground.first_turn[arc], ground.first_turn[arc + 1]):
        if ground.vertex_arc[ground.turn_head[turn]] == to:
            return float(turn_cost[turn])
    return 0.0


@inner_kernel
def _measure(ground: Ground, turn_cost: U16, paths: Paths, p: int, driven: F64) -> None:
    """Fill metres, seconds and weight of what is driven of each arc of a path."""
    first, last = paths.first[p], paths.first[p + 1] - 1
    cm = driven[0]
    for i in range(first, last + 1):
        cm[i] = round(float(ground.edge_length_m[paths.arc[i] >> 1]) * 100.0)
    left_out = cm[first] * paths.fraction[p, 0]
    cm[last] *= paths.fraction[p, 1]
    cm[first] -= left_out
    measured = _sum_of(cm, int64(first), int64(last + 1 - first))
    cm[first] = max(0.0, cm[first] + paths.length_cm[p] - measured)  # what rounding has lost
    for i in range(first, last + 1):
        turn = 0.0
        if i < last:
            turn = _turn_cost(ground, turn_cost, int64(paths.arc[i]), int64(paths.arc[i + 1]))
        driven[0, i] = cm[i] / 100.0
        driven[1, i] = (paths.cost_cs[i] + turn) / 100.0
        driven[2, i] = (paths.weight_cs[i] + turn) / 100.0


@plain_kernel
def survey(
    ground: Ground, turn_cost: U16, paths: Paths, names: Names, course: Course
) -> tuple[int, bool]:
    """Fill all of a course but the drafts: how many arcs face lanes, and whether all is known."""
    for p in range(len(paths.length_cm)):
        _measure(ground, turn_cost, paths, p, course.driven)
    n_facing, is_known, latest = 0, True, -1
    course.metres[0] = 0.0
    for at in range(len(paths.arc)):
        arc = int64(paths.arc[at])
        label, tagset = int64(ground.edge_label[arc >> 1]), ground.edge_tagset[arc >> 1]
        there, back = int64(ground.forward_mode[tagset]), int64(ground.backward_mode[tagset])
        oneway = 0 if there and back else 1
        course.arc[at], course.lanes[at] = arc, 0
        course.mode[at] = back if arc & 1 else there
        course.texts[at] = names.text_of[label * 4 + (arc & 1) * 2 + oneway]
        course.title[at] = names.title_of[label]
        course.record[at] = WITHIN
        if at > 0:
            course.record[at] = look_up(names.slots, (course.arc[at - 1] << 32 | arc) + 1)
        if course.record[at] == UNKNOWN or course.texts[at] == 0 or course.title[at] == 0:
            is_known = False
        course.metres[at + 1] = course.metres[at] + course.driven[0, at]
        # Lanes of the arc just before count however long what is driven of it is.
        ahead_m = course.metres[at] - course.metres[max(latest, 0)]
        if latest >= 0 and (latest == at or ahead_m <= LANES_AHEAD_M):
            course.facing[n_facing] = at
            n_facing += 1
        if ground.has_lanes[label]:
            latest = at + 1
    return n_facing, is_known


def paths_of(paths: Sequence[PathOfArcs]) -> Paths:
    """The paths of a leg."""
    ends = [(path.start.fraction, path.end.fraction) for path in paths]
    lengths = [path.length_cm for path in paths]
    first = [0]
    for path in paths:
        first.append(first[-1] + len(path.arcs))
    if len(paths) == 1:
        (path,) = paths
        arc, cost, weight = path.arcs, path.cost_cs, _weights(path)
    else:
        arc = freeze(np.concatenate([path.arcs for path in paths]))
        cost = np.concatenate([path.cost_cs for path in paths])
        weight = np.concatenate([_weights(path) for path in paths])
    numbers = np.array(first, np.int64), arc, cost, weight
    return Paths(*numbers, np.array(ends), np.array(lengths, np.int64))


def _weights(path: PathOfArcs) -> F64:
    return path.cost_cs if path.weight_cs is None else path.weight_cs


def joints(paths: Sequence[PathOfArcs]) -> list[int]:
    """The arcs before which one path ends within a road, and the next begins."""
    found: list[int] = []
    at = 0
    for path, after in pairwise(paths):
        at += len(path.arcs)
        if path.end.fraction < 1 or after.start.fraction > 0:
            found.append(at)
    return found
