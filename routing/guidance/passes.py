"""The passes over the drafts of a leg, in their order."""

from collections.abc import Callable

from routing.guidance.collapse import collapse
from routing.guidance.drafts import Crossing, Draft, Trail
from routing.guidance.facts import RoadFacts
from routing.guidance.fold import drop_short_names, fold
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse, anticipate
from routing.guidance.no_choice import silence_only_ways
from routing.guidance.passage import Passage
from routing.guidance.roundabouts import join_rings
from routing.guidance.segregated import collapse_segregated
from routing.guidance.signs import RoadSigns
from routing.guidance.sliproads import Sliproads
from routing.guidance.trim import trim_ends


class Passes:
    """Makes of a draft for each crossing those of a leg's steps; threads may share it.

    ``classify`` tells of a crossing's road ``out``.
    """

    def __init__(
        self,
        facts: RoadFacts,
        junctions: Junctions,
        classify: Callable[[Crossing], Draft | None],
    ) -> None:
        self._facts, self._junctions = facts, junctions
        self._classify = classify
        self._signs = RoadSigns(facts)
        self._sliproads = Sliproads(facts, junctions)

    def run(self, trail: Trail, drafts: list[Draft]) -> Passage:
        """Change the drafts of a leg in place; the leg as the passes have looked at it.

        Lanes come first, since joined drafts keep those of one crossing; what follows on lanes
        must know which maneuvers are left.
        """
        passage = Passage(trail, self._facts, self._signs)
        LaneUse(passage, self._junctions, self._classify).assign(drafts)
        self._sliproads.mark(passage, drafts)
        trim_ends(passage, drafts)
        collapse_segregated(passage, drafts)
        join_rings(drafts)
        collapse(passage, drafts)
        anticipate(passage, drafts)
        fold(passage, drafts)
        drop_short_names(passage, drafts)
        silence_only_ways(passage, drafts)
        return passage
