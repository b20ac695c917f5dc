"""What map matching tells."""

from typing import NamedTuple

from routing.route import Route, Waypoint


class Tracepoint(NamedTuple):
    """A point of a trace on the roads.

    It is part of the ``matching``-th matching, and its ``waypoint_index``-th waypoint; None if no
    leg ends there. ``alternatives`` are other roads that it might be on, by what is known.
    """

    waypoint: Waypoint
    matching: int
    waypoint_index: int | None
    alternatives: int


class Matching(NamedTuple):
    """A route along a piece of a trace, and how likely it is right, 0..1."""

    route: Route
    confidence: float


class Match(NamedTuple):
    """What a trace is matched to, in pieces; None for points that no road was found for."""

    matchings: tuple[Matching, ...]
    tracepoints: tuple[Tracepoint | None, ...]
