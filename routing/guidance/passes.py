"""The passes over the drafts of a leg, in their order."""

from collections.abc import Callable

from routing.guidance.collapse import collapse
from routing.guidance.drafts import Crossing, Draft
from routing.guidance.fold import drop_short_names, fold
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse, anticipate
from routing.guidance.no_choice import silence_only_ways
from routing.guidance.passage import Passage
from routing.guidance.segregated import collapse_segregated
from routing.guidance.sliproads import mark_sliproads
from routing.guidance.trim import trim_ends


def run_passes(
    passage: Passage,
    drafts: list[Draft],
    junctions: Junctions,
    classify: Callable[[Crossing], Draft | None],
    count_exits: Callable[[list[Draft]], None],
) -> None:
    """Make of a draft for each crossing those of a leg's steps.

    ``classify`` tells of a crossing's road ``out``; ``count_exits`` joins the drafts within each
    roundabout. Lanes come first, since joined drafts keep those of one crossing; what follows on
    lanes must know which maneuvers are left.
    """
    LaneUse(passage, junctions, classify).assign(drafts)
    mark_sliproads(passage, junctions, drafts)
    trim_ends(passage, drafts)
    collapse_segregated(passage, drafts)
    count_exits(drafts)
    collapse(passage, drafts)
    anticipate(passage, drafts)
    fold(passage, drafts)
    drop_short_names(passage, drafts)
    silence_only_ways(passage, drafts)
