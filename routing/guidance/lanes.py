"""The lanes of a road in one direction and where their arrows point, from its tags."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gis.arrays import Bool, freeze
from gis.network.names import NamePool
from gis.osm.tagsets import TagSets
from routing.guidance.labels import directed

Arrows: TypeAlias = tuple[str, ...]
"""Where the arrows on a lane point, in the order of `INDICATIONS`; ``none`` if there are none."""

NONE, STRAIGHT, U_TURN = "none", "straight", "uturn"
INDICATIONS = (
    *(NONE, STRAIGHT, "sharp left", "left", "slight left"),
    *("slight right", "right", "sharp right", U_TURN, "merge to left", "merge to right"),
)

_SPELLINGS = {
    **{indication: indication for indication in INDICATIONS},
    "": NONE,
    "through": STRAIGHT,
    "reverse": U_TURN,
    "u turn": U_TURN,
    "merge left": "merge to left",
    "merge right": "merge to right",
}
_CARS = ("motorcar:lanes", "motor_vehicle:lanes", "vehicle:lanes", "access:lanes")
"""From the most special to the most general: the first with a word for a lane decides."""
_CYCLES = ("bicycle:lanes", "vehicle:lanes", "access:lanes")
_BUSES = ("psv:lanes", "bus:lanes", "taxi:lanes")
_COUNTS = ("lanes:psv", "lanes:bus")
_OPEN = frozenset(("yes", "designated", "permissive", "destination", "customers", "official"))

_DIRECTED_KEYS = ("turn:lanes", *_CARS, *_BUSES, "bicycle:lanes", *_COUNTS)
LANE_KEYS = (
    *(key + side for key in _DIRECTED_KEYS for side in ("", ":forward", ":backward")),
    "turn:lanes:both_ways",
)
"""The tags that are read here."""
_TURN_KEYS = tuple(key for key in LANE_KEYS if key.startswith("turn:lanes"))

MAX_LANES = 32
_CACHED_READINGS = 1 << 12


class RoadLanes:
    """The lanes of labels, read once for each direction."""

    def __init__(self, names: NamePool) -> None:
        @lru_cache(_CACHED_READINGS)
        def readings(
            label: int, backward: bool, oneway: bool, left_hand: bool, cycles: bool
        ) -> tuple[tuple[Arrows, ...], ...]:
            return read_lanes(names.tags(label), backward, oneway, left_hand, cycles)

        self._readings = readings

    def readings(
        self, label: int, backward: bool, oneway: bool, left_hand: bool, cycles: bool = False
    ) -> tuple[tuple[Arrows, ...], ...]:
        """See `read_lanes`."""
        return self._readings(label, backward, oneway, left_hand, cycles)


def read_lanes(
    tags: Mapping[str, str],
    backward: bool,
    oneway: bool,
    left_hand: bool,
    cycles: bool = False,
) -> tuple[tuple[Arrows, ...], ...]:
    """What a driver finds: lanes from left to right, or nothing if they are not known.

    Lanes that are closed to cars, or to who ``cycles``, are left out. There is one reading, or two
    of which the first is to be preferred: with and without a lane in the middle that both
    directions share.
    """
    lanes = parse_turns(directed(tags, "turn:lanes", backward, oneway))
    if not lanes:
        return ()
    lanes = _open_lanes(lanes, tags, backward, oneway, cycles)
    lanes = _without_bus_lanes(lanes, _bus_lanes(tags, backward, oneway), left_hand)
    shared = parse_turns(tags.get("turn:lanes:both_ways", ""))
    readings = [lanes]
    if len(shared) == 1 and not oneway:
        readings.insert(0, lanes + shared if left_hand else shared + lanes)
    return tuple(lanes for lanes in readings if lanes)


def has_turns(tags: Mapping[str, str]) -> bool:
    """Whether anything is said of arrows on lanes."""
    return any(key in tags for key in _TURN_KEYS)


def labels_with_turns(labels: TagSets) -> Bool:
    """Of which labels that is so, (L,)."""
    found = np.zeros(len(labels), np.bool_)
    owner = np.repeat(np.arange(len(labels)), np.diff(labels.first_tag))
    keys = [key for key in np.unique(labels.key).tolist() if labels.string(key) in _TURN_KEYS]
    found[owner[np.isin(labels.key, keys)]] = True
    return freeze(found)


def parse_turns(text: str) -> tuple[Arrows, ...]:
    """The lanes of a value such as ``left|through;right|``; none if a word is not understood."""
    if not text.strip():
        return ()
    lanes = tuple(_parse_lane(lane) for lane in text.split("|"))
    return lanes if all(lanes) and len(lanes) <= MAX_LANES else ()


def _parse_lane(text: str) -> Arrows:
    words = [" ".join(word.lower().replace("_", " ").replace("-", " ").split())
             for word in text.replace(",", ";").split(";")]  # fmt: skip
    known = {_SPELLINGS.get(word) for word in words if word} or {NONE}
    if None in known:
        return ()
    if len(known) > 1:
        known.discard(NONE)
    return tuple(indication for indication in INDICATIONS if indication in known)


def _open_lanes(
    lanes: tuple[Arrows, ...], tags: Mapping[str, str], backward: bool, oneway: bool, cycles: bool
) -> tuple[Arrows, ...]:
    """The lanes that a vehicle may use, by the words on access that are given for each."""

    def words(key: str) -> list[str]:
        given = [word.strip() for word in directed(tags, key, backward, oneway).split("|")]
        return given if len(given) == len(lanes) else [""] * len(lanes)

    own_keys = _CYCLES if cycles else _CARS
    other_keys = _BUSES if cycles else (*_BUSES, "bicycle:lanes")
    for_own = zip(*(words(key) for key in own_keys), strict=True)
    for_others = zip(*(words(key) for key in other_keys), strict=True)
    return tuple(
        lane
        for lane, own, others in zip(lanes, for_own, for_others, strict=True)
        if next((word in _OPEN for word in own if word), "designated" not in others)
    )


def _bus_lanes(tags: Mapping[str, str], backward: bool, oneway: bool) -> int:
    """How many lanes are said to be there for buses, wherever they are."""
    for key in _COUNTS:
        text = directed(tags, key, backward, oneway)
        if text.isdecimal() and len(text) < 3:
            return int(text)
    return 0


def _without_bus_lanes(
    lanes: tuple[Arrows, ...], count: int, left_hand: bool
) -> tuple[Arrows, ...]:
    """Leave out bus lanes at the side of the road: those without arrows can only be theirs."""
    for _ in range(count):
        if len(lanes) < 2 or lanes[0 if left_hand else -1] != (NONE,):
            break
        lanes = lanes[1:] if left_hand else lanes[:-1]
    return lanes
