"""The car: which roads it may use, how fast, and what barriers and turns cost it.

Speeds are those of free-flowing traffic; the tables follow what OSRM's car profile is known for.
"""

import math
import re
from itertools import chain

from gis.profiles.access import (
    Access,
    AccessRules,
    Oneway,
    directed_keys,
    directed_values,
    oneway,
)
from gis.profiles.durations import parse_duration
from gis.profiles.restrictions import judge_restriction, restriction_keys
from gis.profiles.rules import Mode, NodeRule, Profile, RestrictionRule, Tags, Warn, WayRule
from gis.profiles.speeds import CONTEXT_KEYS, maxspeed, slowest

MAX_SPEED_KMH = 180.0
SHARE_OF_MAXSPEED = 0.8
"""Of a posted limit this is driven on average."""
DEFAULT_KMH = 10.0
"""On ways of other kinds, such as tracks, that are open to cars by their tags."""

CLASS_KMH = {
    "motorway": 90.0,
    "motorway_link": 45.0,
    "trunk": 85.0,
    "trunk_link": 40.0,
    "primary": 65.0,
    "primary_link": 30.0,
    "secondary": 55.0,
    "secondary_link": 25.0,
    "tertiary": 40.0,
    "tertiary_link": 20.0,
    "unclassified": 25.0,
    "residential": 25.0,
    "living_street": 10.0,
    "service": 15.0,
    "winter_road": 20.0,
    "ice_road": 15.0,
}
FERRY_KMH = {"ferry": 5.0, "shuttle_train": 10.0}
_MODES = {"ferry": Mode.FERRY, "shuttle_train": Mode.TRAIN}
MOVABLE_BRIDGE_KMH = 5.0

CONDITION_KMH = {
    "surface": {
        **dict.fromkeys(("cement", "compacted", "fine_gravel"), 80.0),
        **dict.fromkeys(("paving_stones", "metal", "bricks"), 60.0),
        **dict.fromkeys(("grass", "wood", "sett", "grass_paver", "gravel", "unpaved"), 40.0),
        **dict.fromkeys(("ground", "dirt", "pebblestone", "tartan"), 40.0),
        **dict.fromkeys(("cobblestone", "unhewn_cobblestone", "clay", "snow"), 30.0),
        **dict.fromkeys(("earth", "stone", "rocky", "sand", "ice"), 20.0),
        "laterite": 15.0,
        "mud": 10.0,
    },
    "tracktype": {"grade1": 60.0, "grade2": 40.0, "grade3": 30.0, "grade4": 25.0, "grade5": 20.0},
    "smoothness": {
        "intermediate": 80.0,
        "bad": 40.0,
        "very_bad": 20.0,
        "horrible": 10.0,
        "very_horrible": 5.0,
        "impassable": 0.0,
    },
}

ACCESS = AccessRules(
    keys=("motorcar", "motor_vehicle", "vehicle", "access"),
    open=frozenset(
        (
            *("yes", "permissive", "designated", "public", "discouraged", "hov"),
            *("motorcar", "motor_vehicle", "vehicle"),
        )
    ),
    restricted=frozenset(("destination", "delivery", "customers", "customer", "unknown")),
    # Private roads may be reached by those who live there: until a search can tell reaching from
    # passing through, they are closed.
    closed=frozenset(
        (
            *("no", "private", "permit", "residents", "restricted", "agricultural", "forestry"),
            *("emergency", "emergency_vehicle", "military", "official"),
            *("psv", "bus", "minibus", "taxi", "share_taxi", "foot"),
        )
    ),
)
_WAY_ACCESS = directed_keys(ACCESS.keys)
_VEHICLE_ACCESS = directed_keys(ACCESS.keys[:-1])
_ONEWAY_KEYS = ("oneway:motorcar", "oneway:motor_vehicle", "oneway:vehicle", "oneway")
_MAXSPEED_KEYS = directed_keys(("maxspeed:advisory", "maxspeed"))
_HOV_LANES = directed_keys(("hov:lanes",))
_CONDITIONAL_KEYS = tuple(
    f"{key}:conditional"
    for key in (*chain(*_WAY_ACCESS), *_ONEWAY_KEYS, *chain(*directed_keys(("maxspeed",))))
)

_GENERAL_CLASSES = frozenset(("track", "road"))
"""Outside ``CLASS_KMH``, where a plain ``access=yes`` speaks of cars; on a footpath it does not."""
_CLOSED_CLASSES = frozenset(
    (
        *("construction", "proposed", "planned", "steps", "corridor", "elevator", "platform"),
        *("abandoned", "disused", "razed", "demolished", "removed", "no"),
    )
)
_HARMLESS_CONSTRUCTION = frozenset(("no", "widening", "minor"))

_SERVICE_PREFERENCE = dict.fromkeys(
    ("alley", "parking", "parking_aisle", "driveway", "drive-through", "drive-thru"), 0.5
)
_NARROW_PREFERENCE = ((3.01, 0.5), (4.0, 0.6), (5.0, 0.75), (6.0, 0.8))
"""Below so many metres, on a road for both directions."""
_YIELDING_PREFERENCE = 0.7
"""In the direction that gives way to oncoming traffic at a bottleneck."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?", re.ASCII)


def way(tags: Tags, warn: Warn) -> WayRule | None:
    """The verdict on a way; None where it is closed to cars."""
    highway = tags.get("highway", "")
    ferry_kmh = FERRY_KMH.get(tags.get("route", ""))
    if not _is_passable(tags) or (ferry_kmh is None and highway in _CLOSED_CLASSES):
        return None
    forward, backward = _access(tags, highway, ferry_kmh is not None, warn)
    direction = oneway(tags, _ONEWAY_KEYS, warn)
    if direction in (Oneway.BACKWARD, Oneway.REVERSIBLE):
        forward = Access.CLOSED
    if direction in (Oneway.FORWARD, Oneway.REVERSIBLE):
        backward = Access.CLOSED
    if forward == backward == Access.CLOSED:
        return None
    forward_kmh, backward_kmh = _speeds(tags, highway, ferry_kmh, warn)
    two_way = forward > Access.CLOSED and backward > Access.CLOSED
    forward_preference, backward_preference = _preferences(tags, direction, two_way)
    mode = None if ferry_kmh is None else _MODES[tags["route"]]
    return WayRule(
        forward_kmh=forward_kmh if forward else 0.0,
        backward_kmh=backward_kmh if backward else 0.0,
        duration_s=_duration(tags, ferry_kmh is not None, warn),
        startpoint=ferry_kmh is None,
        forward_restricted=forward == Access.RESTRICTED,
        backward_restricted=backward == Access.RESTRICTED,
        roundabout=tags.get("junction") == "roundabout",
        circular=tags.get("junction") == "circular",
        forward_mode=mode,
        backward_mode=mode,
        forward_preference=forward_preference,
        backward_preference=backward_preference,
    )


def _is_passable(tags: Tags) -> bool:
    """Whether a vehicle can drive here at all."""
    return not (
        tags.get("area") == "yes"
        or tags.get("impassable") == "yes"
        or tags.get("status") == "impassable"
        or tags.get("service") == "emergency_access"
        or tags.get("construction", "no") not in _HARMLESS_CONSTRUCTION
    )


def _access(tags: Tags, highway: str, ferry: bool, warn: Warn) -> tuple[Access, Access]:
    """Access forward and backward, one-way rules aside."""
    open_unless_closed = ferry or highway in CLASS_KMH
    general = open_unless_closed or highway in _GENERAL_CLASSES
    forward, backward = ACCESS.judge_directions(
        tags, _WAY_ACCESS if general else _VEHICLE_ACCESS, warn
    )
    unsaid = Access.OPEN if open_unless_closed else Access.CLOSED
    pool_forward, pool_backward = _for_car_pools_only(tags)
    return (
        Access.CLOSED if pool_forward else unsaid if forward is None else forward,
        Access.CLOSED if pool_backward else unsaid if backward is None else backward,
    )


def _for_car_pools_only(tags: Tags) -> tuple[bool, bool]:
    """Whether every lane forward and backward is reserved for cars with several people in them."""
    if tags.get("hov") == "designated":
        return True, True
    forward, backward = directed_values(tags, _HOV_LANES)
    return (
        forward is not None and set(forward.split("|")) == {"designated"},
        backward is not None and set(backward.split("|")) == {"designated"},
    )


def _speeds(tags: Tags, highway: str, ferry_kmh: float | None, warn: Warn) -> tuple[float, float]:
    """Speeds in km/h forward and backward, as if both directions were open."""
    if ferry_kmh is not None:
        return ferry_kmh, ferry_kmh
    movable = tags.get("bridge") == "movable"
    kmh = MOVABLE_BRIDGE_KMH if movable else CLASS_KMH.get(highway, DEFAULT_KMH)
    forward, backward = maxspeed(tags, _MAXSPEED_KEYS, warn)
    limit = min(slowest(tags, CONDITION_KMH), MAX_SPEED_KMH)
    return (
        min(kmh if forward is None else forward * SHARE_OF_MAXSPEED, limit),
        min(kmh if backward is None else backward * SHARE_OF_MAXSPEED, limit),
    )


def _duration(tags: Tags, ferry: bool, warn: Warn) -> float | None:
    """Seconds that a ferry or the opening of a bridge takes, where a tag says so."""
    value = tags.get("duration")
    if value is None or not (ferry or tags.get("bridge") == "movable"):
        return None
    duration = parse_duration(value)
    if duration is None:
        warn("duration", value)
    return duration


def _preferences(tags: Tags, direction: Oneway, two_way: bool) -> tuple[float, float]:
    """How gladly a driver takes the road forward and backward, 1 as any other: see ``WayRule``."""
    reasons = [_SERVICE_PREFERENCE.get(tags.get("service", ""), 1.0)]
    if direction is Oneway.ALTERNATING:
        reasons.append(0.4)
    if tags.get("side_road") in ("yes", "rotary"):
        reasons.append(0.8)
    if two_way:
        width_m = _first_number(tags.get("width", ""))
        reasons += [preference for below_m, preference in _NARROW_PREFERENCE if width_m < below_m]
        if _first_number(tags.get("lanes", "")) <= 1.0:
            reasons.append(0.5)
        if tags.get("lane_markings") == "no":
            reasons.append(0.75)
    preference = min(reasons)
    priority = tags.get("priority")
    return (
        min(preference, _YIELDING_PREFERENCE) if priority == "backward" else preference,
        min(preference, _YIELDING_PREFERENCE) if priority == "forward" else preference,
    )


def _first_number(text: str) -> float:
    """The first number in a text, infinite where there is none."""
    number = _NUMBER.search(text)
    return float(number[0].replace(",", ".")) if number else math.inf


SIGNAL_S = {"traffic_signals": 2.0, "stop": 2.0, "give_way": 1.0}
GATE_S = 60.0
"""To stop at a gate, open it and go on."""

_OPEN_BARRIERS = frozenset(
    (
        *("no", "entrance", "cattle_grid", "border_control", "toll_booth", "sally_port"),
        *("height_restrictor", "arch"),
    )
)
_GATES = frozenset(("gate", "lift_gate", "swing_gate"))


def node(tags: Tags, warn: Warn) -> NodeRule | None:
    """The verdict on a node; None where it neither stops nor delays a car."""
    access = ACCESS.judge_node(tags, warn)
    barrier = tags.get("barrier")
    delay_s = 0.0
    if access == Access.CLOSED:
        return NodeRule(blocked=True)
    if access is None and barrier is not None and not _lets_pass(tags, barrier):
        if barrier not in _GATES:
            return NodeRule(blocked=True)
        delay_s = GATE_S
    highway = tags.get("highway", "")
    for_side_roads = highway == "stop" and tags.get("stop") == "minor"
    signal_s = 0.0 if for_side_roads else SIGNAL_S.get(highway, 0.0)
    direction = tags.get("direction")
    if highway == "traffic_signals":
        direction = tags.get("traffic_signals:direction", direction)
    forward_s = delay_s + (0.0 if direction == "backward" else signal_s)
    backward_s = delay_s + (0.0 if direction == "forward" else signal_s)
    if forward_s == backward_s == 0.0:
        return None
    return NodeRule(forward_s=forward_s, backward_s=backward_s)


def _lets_pass(tags: Tags, barrier: str) -> bool:
    """Whether a car passes a barrier without opening it."""
    return (
        barrier in _OPEN_BARRIERS
        or tags.get("bollard") == "rising"
        or tags.get("kerb") in ("lowered", "flush")
        or (barrier == "kerb" and tags.get("highway") == "crossing")
    )


TURN_S = 7.5
TURN_BIAS = 1.075
"""Turns across the oncoming traffic cost more."""
U_TURN_S = 20.0


def turn(angle_deg: int, u_turn: bool, junction: bool, left_hand: bool) -> float:
    """Seconds that a turn costs: a sigmoid of the angle, where there is a choice of ways."""
    if not (junction or u_turn):
        return 0.0
    bias = TURN_BIAS if (angle_deg >= 0) != left_hand else 1.0 / TURN_BIAS
    steepness = 13.0 / bias * abs(angle_deg) / 180.0
    cost_s = TURN_S / (1.0 + math.exp(6.5 * bias - steepness))
    return cost_s + U_TURN_S if u_turn else cost_s


def restriction(tags: Tags, warn: Warn) -> RestrictionRule:
    """What a restriction relation means to a car."""
    return judge_restriction(tags, ACCESS.keys[:-1], warn)


PROFILE = Profile(
    name="car",
    description="A passenger car.",
    way_keys=(
        *("highway", "route", "junction", "area", "service", "bridge", "construction"),
        *("impassable", "status", "duration"),
        *(key for keys in (*_WAY_ACCESS, *_HOV_LANES) for key in keys),
        *("hov", *_ONEWAY_KEYS, *_CONDITIONAL_KEYS),
        *(key for keys in _MAXSPEED_KEYS for key in keys),
        *(*CONTEXT_KEYS, *CONDITION_KMH),
        *("width", "lanes", "lane_markings", "side_road", "priority"),
    ),
    node_keys=(
        *("barrier", "bollard", "kerb", *ACCESS.keys),
        *("highway", "stop", "direction", "traffic_signals:direction"),
    ),
    relation_keys=restriction_keys(ACCESS.keys[:-1]),
    way=way,
    node=node,
    turn=turn,
    restriction=restriction,
    max_speed_kmh=MAX_SPEED_KMH,
)
