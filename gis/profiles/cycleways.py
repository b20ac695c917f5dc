"""Cycle lanes and tracks that are mapped as part of a road, and where they lead.

``cycleway=*`` in its variants (OpenStreetMap wiki, Key:cycleway): on both sides or one, with or
against the traffic of a one-way road.
"""

from gis.profiles.access import Oneway
from gis.profiles.rules import Tags

LANES = frozenset(("track", "lane", "share_busway", "sharrow", "shared", "shared_lane", "shoulder"))
CONTRAFLOW_LANES = frozenset(
    ("opposite", "opposite_lane", "opposite_track", "opposite_share_busway")
)

_SIDES = ("left", "right")
_VALUE_KEYS = {side: (f"cycleway:{side}", "cycleway:both", "cycleway") for side in _SIDES}
_ONEWAY_KEYS = {side: tuple(f"{key}:oneway" for key in keys) for side, keys in _VALUE_KEYS.items()}
CYCLEWAY_KEYS = (
    *("cycleway", "cycleway:both", "cycleway:left", "cycleway:right"),
    *("cycleway:oneway", "cycleway:both:oneway"),
    *("cycleway:left:oneway", "cycleway:right:oneway"),
)

_BY_ONEWAY = {
    "no": (True, True),
    **dict.fromkeys(("yes", "1", "true"), (True, False)),
    **dict.fromkeys(("-1", "reverse"), (False, True)),
}


def lanes(tags: Tags, direction: Oneway) -> tuple[bool, bool]:
    """Whether a lane or track of the road leads forward, and whether one leads backward.

    Where a road is driven both ways the lane on the right leads forward, that on the left
    backward; on a one-way road both go with the traffic. ``opposite`` and ``:oneway`` say
    otherwise.
    """
    forward = backward = False
    for side in _SIDES:
        value = _first(tags, _VALUE_KEYS[side])
        if value in LANES:
            usual = _usual_direction(side, direction)
            said = _first(tags, _ONEWAY_KEYS[side])
            leads = _BY_ONEWAY.get(said, usual) if said is not None else usual
        elif value in CONTRAFLOW_LANES:
            backwards, forwards = _usual_direction(side, direction)
            leads = forwards, backwards
        else:
            continue
        forward, backward = forward or leads[0], backward or leads[1]
    return forward, backward


def has_separate_cycleway(tags: Tags) -> bool:
    """Whether the cycleway beside the road, on either side, is a way of its own."""
    return any(_first(tags, _VALUE_KEYS[side]) == "separate" for side in _SIDES)


def _usual_direction(side: str, direction: Oneway) -> tuple[bool, bool]:
    if direction is Oneway.FORWARD:
        return True, False
    if direction is Oneway.BACKWARD:
        return False, True
    return side == "right", side == "left"


def _first(tags: Tags, keys: tuple[str, ...]) -> str | None:
    """The value of the first of the keys that is there."""
    return next((tags[key] for key in keys if key in tags), None)
