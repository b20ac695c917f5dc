"""What the roads weigh for the routes of a request."""

from dataclasses import dataclass, field

import numpy as np

from gis.arrays import U32, freeze
from gis.profiles.verdicts import RoadUse
from routing.cch.weights import Weights
from routing.graph.turn_graph import TurnGraph
from routing.many.pairs import Seeding
from routing.metric import Metric
from routing.places.candidates import CandidateFinder
from routing.places.positions import Ground

NO_ARCS = freeze(np.empty(0, np.uint32))


@dataclass(frozen=True)
class Weighting:
    """The turns, a metric, and the hierarchy's weights for both.

    Without weights only searches that need no preparation can be asked for routes. Nobody stands
    on a road that the metric closes. If something is cheaper than landmarks know, they do not hold.
    ``roads`` are how one travels along them. ``live_arcs``, ascending, are those whose speeds are
    live ones.
    """

    graph: TurnGraph
    metric: Metric
    weights: Weights | None
    seeding: Seeding
    ground: Ground
    candidates: CandidateFinder
    landmarks_hold: bool
    roads: RoadUse
    live_arcs: U32 = field(default_factory=lambda: NO_ARCS)
