"""What is so at all times, and what at some."""

from typing import NamedTuple

import numpy as np

from gis.arrays import U8, Bool, freeze, offsets
from gis.network.road_network import RoadNetwork, arc_ends, by_arc
from gis.profiles.timed import Switches, TimedVerdicts
from gis.profiles.verdicts import BACKWARD_RESTRICTED, FORWARD_RESTRICTED, Verdicts
from routing.graph.arc_turns import OPEN, ArcTurns
from routing.graph.restricted_roads import node_passage, roads_behind, turns_through


class ArcsOverTime(NamedTuple):
    """The arcs over all times, bool (A,) each.

    ``sometimes_restricted`` and ``always_restricted`` are those that a profile calls so at some
    time, or whenever they are open. ``may_restrict`` are besides those that may lie behind such
    roads.
    """

    ever_open: Bool
    always_open: Bool
    sometimes_restricted: Bool
    always_restricted: Bool
    may_restrict: Bool


def arcs_over_time(
    network: RoadNetwork, normal: Verdicts, timed: TimedVerdicts, restricted: U8
) -> ArcsOverTime:
    """What the arcs are at all times; ``restricted`` (A,) is how far at no special time."""
    tables = timed.tables
    flags, rows = normal.way_flags, tables.way_flags
    of_directions = []
    for name, flag in (("forward", FORWARD_RESTRICTED), ("backward", BACKWARD_RESTRICTED)):
        opened = getattr(normal, f"{name}_kmh") > 0, getattr(tables, f"{name}_kmh") > 0
        restricts = flags & flag > 0, rows & flag > 0
        of_directions.append(
            (
                _ever(timed.ways, *opened),
                ~_ever(timed.ways, ~opened[0], ~opened[1]),
                _ever(timed.ways, *restricts),
                ~_ever(timed.ways, opened[0] & ~restricts[0], opened[1] & ~restricts[1])
                & _ever(timed.ways, *restricts),
            )
        )
    ever_open, always_open, sometimes, always = (
        by_arc(network, *directions) for directions in zip(*of_directions, strict=True)
    )
    # The fewer roads one may pass through, the more lie behind others.
    through = freeze(always_open & ~sometimes)
    passage = node_passage(network, normal)
    at_times = ever_open & ~through
    turns = _without_turning_back(network, turns_through(network, passage, through), at_times)
    # With fewer turns the largest part may be smaller than it is at times: nor is it big then.
    largest = max(1, int(np.count_nonzero(ever_open)))
    behind = roads_behind(network, passage, turns, through, freeze(at_times), largest)
    may = ever_open & (~through | behind | (restricted > OPEN))
    return ArcsOverTime(ever_open, always_open, sometimes, always, freeze(may))


def _without_turning_back(network: RoadNetwork, turns: ArcTurns, at_times: Bool) -> ArcTurns:
    """The turns without those back along a road where at times another one goes on."""
    tail, head = arc_ends(network)
    goes_on = np.zeros(network.n_nodes, np.bool_)
    goes_on[tail[at_times]] = True
    kept = (turns.to_arc != turns.from_arc ^ np.uint32(1)) | ~goes_on[head[turns.from_arc]]
    from_arc = turns.from_arc[kept]
    first = offsets(np.bincount(from_arc, minlength=network.n_arcs))
    return ArcTurns(freeze(first), freeze(from_arc), freeze(turns.to_arc[kept]))


def _ever(switches: Switches, normal: Bool, rows: Bool) -> Bool:
    """What holds for tag sets (S,) at no special time or in one of their rows."""
    ever = normal.copy()
    for index, tagset in enumerate(switches.tagset.tolist()):
        ever[tagset] |= rows[list(switches.rows_of(index))].any()
    return freeze(ever)
