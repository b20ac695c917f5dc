"""What is said where there is only one way on, straight: nothing, but that its name is another."""

from routing.guidance.directions import deviation
from routing.guidance.drafts import CONTINUE, NEW_NAME, STRAIGHT, TURN, Draft
from routing.guidance.passage import Passage

_MAX_BEND_DEG = 20.0


def silence_only_ways(passage: Passage, drafts: list[Draft]) -> None:
    """Take away maneuvers at which a driver can do nothing else but go straight on.

    OSRM says ``turn`` at some of these: where the name changes, or a road joins that nobody may
    turn into.
    """
    kept: list[Draft] = []
    for draft in drafts:
        if draft.type in (TURN, CONTINUE) and _is_only_way(draft):
            if passage.have_same_name(kept[-1], draft):
                kept[-1].crossings += draft.crossings
                continue
            draft.type, draft.modifier = NEW_NAME, STRAIGHT
        kept.append(draft)
    drafts[:] = kept


def _is_only_way(draft: Draft) -> bool:
    """Whether no other road may be entered, and the one taken leads straight on."""
    crossing = draft.crossing
    came_in, out = crossing.came_in, crossing.out
    if came_in is None or out is None or came_in == out or len(draft.crossings) > 1:
        return False
    if deviation(crossing.angle(out)) > _MAX_BEND_DEG:
        return False
    return not any(road.entry for i, road in enumerate(crossing.roads) if i not in (came_in, out))
