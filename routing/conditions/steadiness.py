"""What is so at all times, and what at some."""

from typing import NamedTuple

import numpy as np

from gis.arrays import U8, Bool, freeze
from gis.network.road_network import RoadNetwork
from gis.profiles.timed import Switches, TimedVerdicts, verdicts_ever
from gis.profiles.verdicts import BACKWARD_RESTRICTED, FORWARD_RESTRICTED, Verdicts
from routing.graph.arc_turns import OPEN
from routing.graph.restricted_roads import restricted_arcs


class ArcsOverTime(NamedTuple):
    """The arcs over all times, bool (A,) each.

    ``sometimes_restricted`` and ``always_restricted`` are those that a profile calls so whenever
    they are open; of ``may_restrict`` are besides those that lie behind such roads.
    """

    ever_open: Bool
    always_open: Bool
    sometimes_restricted: Bool
    always_restricted: Bool
    may_restrict: Bool


def arcs_over_time(
    network: RoadNetwork, normal: Verdicts, timed: TimedVerdicts, restricted: U8
) -> ArcsOverTime:
    """What the arcs are at all times; ``restricted`` (A,) is how far at no special time.

    What lies behind restricted roads is known of three times: no special one, that at which all
    is open that ever is, and that at which only those roads are open that always are.
    """
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
        arcs_open(network, *directions) for directions in zip(*of_directions, strict=True)
    )
    may = sometimes | (restricted > OPEN)
    for verdicts, is_open in ((verdicts_ever(timed, normal), ever_open), (normal, always_open)):
        may |= restricted_arcs(network, verdicts, is_open) > OPEN
    return ArcsOverTime(ever_open, always_open, sometimes, always, freeze(may))


def arcs_open(network: RoadNetwork, forward: Bool, backward: Bool) -> Bool:
    """What holds for the directions of ways, bool (S,) each, by arc: bool (A,)."""
    holds = np.empty(network.n_arcs, np.bool_)
    holds[0::2] = forward[network.edge_tagset]
    holds[1::2] = backward[network.edge_tagset]
    return freeze(holds)


def _ever(switches: Switches, normal: Bool, rows: Bool) -> Bool:
    """What holds for tag sets (S,) at no special time or in one of their rows."""
    ever = normal.copy()
    for index, tagset in enumerate(switches.tagset.tolist()):
        ever[tagset] |= rows[list(switches.rows_of(index))].any()
    return freeze(ever)
