"""The steps of a leg: what a driver has to do, where, and what the roads are called."""

import numpy as np

from gis.arrays import I64, U8, Bool, freeze
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import Mode
from gis.profiles.verdicts import RoadUse
from routing.graph.turn_graph import TurnGraph
from routing.guidance.classify import Classifier
from routing.guidance.crossings import Crossings
from routing.guidance.drafts import ARRIVE, DEPART, Draft
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse
from routing.guidance.passage import Passage
from routing.guidance.passes import run_passes
from routing.guidance.single_turns import SingleTurn, single_turns
from routing.guidance.steps import Step
from routing.guidance.summary import summarize
from routing.guidance.telling import Teller
from routing.guidance.trail import LegLine, Surveyor, Trail, joints
from routing.metric import Metric


class Guide:
    """Describes the legs of one vehicle's routes; threads may share it."""

    def __init__(
        self,
        network: RoadNetwork,
        roads: RoadUse,
        graph: TurnGraph,
        arc_flags: U8 | None = None,
    ) -> None:
        self._network = network
        self._facts = RoadFacts(network, roads, arc_flags)
        self._surveyor = Surveyor(network, roads, graph)
        self._junctions = Junctions(network, roads, graph, open_arcs(network, roads))
        self._classifier = Classifier(self._facts, self._junctions)
        self._lane_use = LaneUse(self._facts, self._junctions, self._classifier.say)
        self._crossings = Crossings(self._facts, self._junctions, self._classifier, self._lane_use)

    def steps(self, leg: LegLine, metric: Metric) -> tuple[tuple[Step, ...], str]:
        """The steps of a leg, as long as its roads take by a metric, and the leg's summary."""
        arcs = np.concatenate([path.arcs for path in leg.paths]).astype(np.int64)
        crossings = self._crossings.along(arcs)
        for at in joints(leg.paths):
            crossings[at - 1] = self._crossings.within(at, int(arcs[at]))
        trail = self._surveyor.trail(leg, arcs, crossings, metric)
        drafts = self.drafts(trail)
        run_passes(Passage(trail, self._facts), drafts, self._lane_use)
        titles = self._facts.titles(self._network.edge_label[arcs >> 1].tolist())
        summary = summarize(titles, trail.driven[1].tolist())
        return Teller(leg, trail, self._facts).steps(drafts), summary

    def single_turns(self, arcs: I64) -> list[SingleTurn]:
        """What turns demand, each by itself: from the first to the second arc of (n, 2)."""
        return single_turns(self._junctions, self._classifier, arcs)

    def drafts(self, trail: Trail) -> list[Draft]:
        """A draft for each crossing of a leg, for its departure and its arrival."""
        n = len(trail.arcs)
        begin = self._crossings.within(0, trail.arcs[0])
        drafts = [Draft(0, DEPART, None, [begin], 0, begin.onto.texts)]
        drafts += [
            Draft(at, c.said[0], c.said[1], [c], c.said[2], c.onto.texts)
            for at, c in enumerate(trail.crossings, 1)
            if c is not None and c.said is not None
        ]
        end = self._crossings.within(n, trail.arcs[-1])
        drafts.append(Draft(n, ARRIVE, None, [end], 0, end.onto.texts))
        return drafts


def open_arcs(network: RoadNetwork, roads: RoadUse) -> Bool:
    """Which arcs the vehicle may use at all, bool (A,), whatever they weigh."""
    is_open = np.empty(network.n_arcs, np.bool_)
    is_open[0::2] = (roads.forward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    is_open[1::2] = (roads.backward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    return freeze(is_open)
