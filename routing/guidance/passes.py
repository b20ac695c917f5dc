"""The passes over the drafts of a leg, in their order."""

from routing.guidance.collapse import collapse
from routing.guidance.drafts import Draft
from routing.guidance.fold import drop_short_names, fold
from routing.guidance.lane_use import LaneUse, anticipate
from routing.guidance.no_choice import silence_only_ways
from routing.guidance.passage import Passage
from routing.guidance.roundabouts import join_rings
from routing.guidance.segregated import collapse_segregated
from routing.guidance.sliproads import mark_sliproads
from routing.guidance.trim import trim_ends


def run_passes(passage: Passage, drafts: list[Draft], lane_use: LaneUse) -> None:
    """Make of a draft for each crossing those of a leg's steps, in place.

    Lanes come first, since joined drafts keep those of one crossing; what follows on lanes
    must know which maneuvers are left.
    """
    lane_use.assign(passage, drafts)
    mark_sliproads(passage, drafts)
    trim_ends(passage, drafts)
    collapse_segregated(passage, drafts)
    join_rings(drafts)
    collapse(passage, drafts)
    anticipate(passage, drafts)
    fold(passage, drafts)
    drop_short_names(passage, drafts)
    silence_only_ways(passage, drafts)
