"""Tiny pieces at the ends of a leg, left by points that lie at a junction, are not driven."""

from routing.guidance.drafts import Draft
from routing.guidance.passage import Passage

TINY_M = 1.0


def trim_ends(passage: Passage, drafts: list[Draft]) -> None:
    """Let a leg depart after a tiny first piece and arrive before a tiny last one.

    Nobody is told to turn within a step of where he starts or where he is; but whoever leaves a
    roundabout hears of its exit, however near the goal is, and so does one who enters it. The
    departure's and the arrival's ``at`` move; what lies before and behind still belongs to the
    leg's line.
    """
    while len(drafts) > 2 and not drafts[1].ring and passage.length_m(drafts, 0) <= TINY_M:
        departure, after = drafts[0], drafts.pop(1)
        departure.at, departure.texts = after.at, after.texts
        departure.crossings.extend(after.crossings[1:])
    while (
        len(drafts) > 2
        and not drafts[-2].ring
        and passage.length_m(drafts, len(drafts) - 2) <= TINY_M
    ):
        arrival, before = drafts[-1], drafts.pop(-2)
        arrival.at, arrival.texts = before.at, passage.texts_of(before.at - 1)
