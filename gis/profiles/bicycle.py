"""The bicycle: where it is ridden, where it is pushed, and how fast.

The speeds follow what OSRM's bicycle profile is known for. Where riding is not allowed but walking
is, a cyclist gets off and pushes: along footways, down steps, against one-way streets. Hills are
left aside.
"""

import math
from itertools import chain

from gis.profiles.access import (
    Access,
    AccessRules,
    Oneway,
    directed_keys,
    is_roundabout,
    oneway,
)
from gis.profiles.carriers import CARRIERS, tagged_duration
from gis.profiles.cycleways import CYCLEWAY_KEYS, has_separate_cycleway, lanes
from gis.profiles.nodes import is_heard_only, passable
from gis.profiles.paths import (
    FOOT_KEYS,
    ON_FOOT,
    PATH_KEYS,
    PATH_TAGS,
    aboard,
    for_strangers,
    ignore,
    is_fast_road,
    is_passable,
    path_classes,
    path_kind,
)
from gis.profiles.restrictions import judge_restriction, restriction_keys
from gis.profiles.rules import Mode, NodeRule, Profile, RestrictionRule, Tags, Warn, WayRule
from gis.profiles.speeds import CONTEXT_KEYS, maxspeed, slowest

RIDING_KMH = 15.0
PUSHING_KMH = 4.0

CLASS_KMH = {
    **dict.fromkeys(("primary", "primary_link", "secondary", "secondary_link"), RIDING_KMH),
    **dict.fromkeys(("tertiary", "tertiary_link", "unclassified", "residential"), RIDING_KMH),
    **dict.fromkeys(("living_street", "service", "road", "cycleway"), RIDING_KMH),
    "track": 12.0,
    "path": 13.0,
    "parking": 10.0,
}
"""Where one rides unless the tags say otherwise."""

PUSH_KMH = {
    **dict.fromkeys(("footway", "pedestrian", "crossing", "platform", "pier"), PUSHING_KMH),
    "steps": 2.0,
}
"""Where one pushes unless a tag lets bicycles ride."""
STEPS_WITH_RAMP_KMH = 3.0
_RAMPS = ("ramp:bicycle", "ramp:stroller")
MOVABLE_BRIDGE_KMH = 5.0

CONDITION_KMH = {
    "surface": {
        **dict.fromkeys(("bricks", "concrete:plates", "concrete:lanes"), 12.0),
        **dict.fromkeys(("wood", "metal", "metal_grid", "cobblestone:flattened"), 10.0),
        **dict.fromkeys(("paving_stones", "compacted", "fine_gravel", "ground"), 10.0),
        "sett": 9.0,
        "dirt": 8.0,
        "cobblestone": 7.0,
        **dict.fromkeys(("unhewn_cobblestone", "unpaved", "gravel", "pebblestone"), 6.0),
        **dict.fromkeys(("grass_paver", "earth", "grass", "clay", "shells", "snow"), 6.0),
        **dict.fromkeys(("laterite", "rock", "stone", "ice"), 5.0),
        **dict.fromkeys(("mud", "sand", "woodchips"), 3.0),
    },
    "tracktype": {"grade3": 11.0, "grade4": 9.0, "grade5": 7.0},
    "smoothness": {
        "bad": 12.0,
        "very_bad": 9.0,
        "horrible": 7.0,
        "very_horrible": 3.0,
        "impassable": 0.0,
    },
}

ACCESS = AccessRules(
    keys=("bicycle", "vehicle", "access"),
    open=frozenset(
        (
            *("yes", "permissive", "designated", "official", "public", "discouraged"),
            *("optional_sidepath", "dismount", "bicycle", "vehicle"),
        )
    ),
    restricted=ON_FOOT.restricted,
    closed=(ON_FOOT.closed - {"bicycle", "vehicle"}) | {"foot"},
)
_OWN_KEYS = directed_keys(ACCESS.keys[:1])
_GENERAL_KEYS = directed_keys(ACCESS.keys[1:])
_ACCESS_KEYS = directed_keys(ACCESS.keys)
_PUBLIC_KEYS = directed_keys(("access",))
_ONEWAY_KEYS = ("oneway:bicycle", "oneway:vehicle", "oneway")
_MAXSPEED_KEYS = directed_keys(("maxspeed",))
_CONDITIONAL_KEYS = tuple(f"{key}:conditional" for key in (*chain(*_ACCESS_KEYS), *_ONEWAY_KEYS))
_CYCLE_STREETS = ("bicycle_road", "cyclestreet")
_HARMLESS_CONSTRUCTION = frozenset(("no", "widening", "minor"))
_CLOSED_CLASSES = frozenset(("construction", "abandoned", "disused", "corridor", "elevator"))

_Directions = tuple[Access, Access]
_Said = tuple[Access | None, Access | None]


def way(tags: Tags, warn: Warn) -> WayRule | None:
    """The verdict on a way; None where nobody takes a bicycle."""
    if tags.get("route") in CARRIERS:
        said = ACCESS.judge_directions(tags, _ACCESS_KEYS, warn)
        return aboard(tags, said, oneway(tags, _ONEWAY_KEYS, warn), warn)
    if not is_passable(tags) or _is_being_built(tags):
        return None
    ride, push = _directions(tags, warn)
    if not any((*ride, *push)):
        return None
    strangers = chain(*_directions(for_strangers(tags), ignore))
    return _rule(tags, ride, push, startpoint=any(strangers), warn=warn)


def _directions(tags: Tags, warn: Warn) -> tuple[_Directions, _Directions]:
    """Where one may ride and where one may push, each forward and backward."""
    own = ACCESS.judge_directions(tags, _OWN_KEYS, warn)
    if any(tags.get(key) == "yes" for key in _CYCLE_STREETS):
        own = _first_said(own, (Access.OPEN, Access.OPEN))
    general = ACCESS.judge_directions(tags, _GENERAL_KEYS, warn)
    direction = oneway(tags, _ONEWAY_KEYS, warn)
    ride = _riding(tags, own, general, direction, lanes(tags, direction))
    return ride, _pushing(tags, own, general, direction, warn)


def _is_being_built(tags: Tags) -> bool:
    return (
        tags.get("highway") in _CLOSED_CLASSES
        or tags.get("construction", "no") not in _HARMLESS_CONSTRUCTION
    )


def _first_said(own: _Said, general: _Said) -> _Said:
    """What holds in each direction: the more specific, if it says anything."""
    return (
        general[0] if own[0] is None else own[0],
        general[1] if own[1] is None else own[1],
    )


def _riding(
    tags: Tags, own: _Said, general: _Said, direction: Oneway, lane: tuple[bool, bool]
) -> _Directions:
    """Where one may ride, forward and backward."""
    kind = path_kind(tags)
    if kind == "steps" or tags.get("bicycle") == "dismount":
        return Access.CLOSED, Access.CLOSED
    said = _first_said(own, general)
    along = [_riding_one_way(tags, kind, own[i], said[i], has_lane=lane[i]) for i in range(2)]
    if has_separate_cycleway(tags):
        along = [a if lane[i] or own[i] else Access.CLOSED for i, a in enumerate(along)]
    contraflow = [
        lane[i] or tags.get(f"bicycle:{word}") in ACCESS.open
        for i, word in enumerate(("forward", "backward"))
    ]
    if direction in (Oneway.BACKWARD, Oneway.REVERSIBLE) and not contraflow[0]:
        along[0] = Access.CLOSED
    if direction in (Oneway.FORWARD, Oneway.REVERSIBLE) and not contraflow[1]:
        along[1] = Access.CLOSED
    return along[0], along[1]


def _riding_one_way(
    tags: Tags, kind: str, own: Access | None, said: Access | None, *, has_lane: bool
) -> Access:
    """Whether one may ride in a direction, one-way rules aside."""
    if has_lane:
        return Access.OPEN if said is None else said
    if kind in PUSH_KMH:  # to those whose destination it is pushing is open as well
        return Access.OPEN if own == Access.OPEN else Access.CLOSED
    if is_fast_road(tags):
        return own or Access.CLOSED
    if kind in CLASS_KMH:
        return Access.OPEN if said is None else said
    return said or Access.CLOSED


def _pushing(tags: Tags, own: _Said, general: _Said, direction: Oneway, warn: Warn) -> _Directions:
    """Where one may push the bicycle, forward and backward."""
    kind = path_kind(tags)
    foot = ON_FOOT.judge_directions(tags, FOOT_KEYS, warn)
    if kind in PUSH_KMH:  # a ban of vehicles says no more than the class of the way
        general = ON_FOOT.judge_directions(tags, _PUBLIC_KEYS, warn)
    usual = kind in PUSH_KMH or (kind in CLASS_KMH and not is_fast_road(tags))
    found = [_pushing_one_way(own[i], foot[i], general[i], usual=usual) for i in range(2)]
    if kind in PUSH_KMH:
        return found[0], found[1]
    if has_separate_cycleway(tags):
        found = [Access.CLOSED if own[i] is None else found[i] for i in range(2)]
    if is_roundabout(tags) or tags.get("highway") == "motorway":  # nobody goes against the traffic
        if direction is Oneway.BACKWARD:
            found[0] = Access.CLOSED
        if direction is Oneway.FORWARD:
            found[1] = Access.CLOSED
    return found[0], found[1]


def _pushing_one_way(
    own: Access | None, foot: Access | None, general: Access | None, *, usual: bool
) -> Access:
    """Whether one may push in a direction; ``usual``: unless the tags say otherwise."""
    if Access.CLOSED in (own, foot):
        return Access.CLOSED
    if foot is not None:
        return foot
    if own is not None:
        return own
    if not usual:
        return Access.CLOSED
    return Access.OPEN if general is None else general


def _rule(
    tags: Tags, ride: _Directions, push: _Directions, *, startpoint: bool, warn: Warn
) -> WayRule:
    """The verdict where one rides, or else pushes."""
    limit = slowest(tags, CONDITION_KMH)
    pushing_kmh = _pushing_kmh(tags)
    riding_kmh = CLASS_KMH.get(path_kind(tags), RIDING_KMH)
    moves = tags.get("bridge") == "movable"
    if moves:
        riding_kmh = min(riding_kmh, MOVABLE_BRIDGE_KMH)
    posted = maxspeed(tags, _MAXSPEED_KEYS, warn)
    kmh: list[float] = []
    for i in range(2):
        fastest = riding_kmh if ride[i] else pushing_kmh if push[i] else 0.0
        kmh.append(min(fastest, limit, posted[i] or math.inf))
    access = [ride[i] or push[i] for i in range(2)]
    return WayRule(
        forward_kmh=kmh[0],
        backward_kmh=kmh[1],
        duration_s=tagged_duration(tags, warn) if moves else None,
        startpoint=startpoint,
        forward_restricted=access[0] == Access.RESTRICTED,
        backward_restricted=access[1] == Access.RESTRICTED,
        roundabout=tags.get("junction") == "roundabout",
        circular=tags.get("junction") == "circular",
        forward_mode=None if ride[0] else Mode.PUSHING_BIKE,
        backward_mode=None if ride[1] else Mode.PUSHING_BIKE,
        classes=path_classes(tags),
    )


def _pushing_kmh(tags: Tags) -> float:
    """How fast one pushes, surface aside."""
    kind = path_kind(tags)
    if kind == "steps" and (
        tags.get("bicycle") in ("yes", "designated")
        or any(tags.get(key, "no") != "no" for key in _RAMPS)
    ):
        return STEPS_WITH_RAMP_KMH
    return PUSH_KMH.get(kind, PUSHING_KMH)


SIGNAL_S = 2.0
BARRIER_S = {"gate": 5.0, "cycle_barrier": 3.0, "kissing_gate": 10.0, "stile": 15.0}
"""To squeeze through, or to lift the bicycle over."""
_CLOSED_BARRIERS = frozenset(
    (
        *("yes", "wall", "fence", "hedge", "retaining_wall"),
        *("turnstile", "full-height_turnstile"),
    )
)


def node(tags: Tags, warn: Warn) -> NodeRule | None:
    """The verdict on a node; None where it neither stops nor delays a cyclist."""
    highway = tags.get("highway", "")
    access = _node_access(tags, warn) if highway != "crossing" else None
    if access == Access.CLOSED:
        return NodeRule(blocked=True)
    barrier_s = 0.0
    if access is None and "barrier" in tags:
        barrier = tags["barrier"]
        if barrier in _CLOSED_BARRIERS and not is_heard_only(tags):
            return NodeRule(blocked=True)
        barrier_s = BARRIER_S.get(barrier, 0.0)
    signal_s = SIGNAL_S if highway == "traffic_signals" else 0.0
    return passable(tags, barrier_s, signal_s, restricted=access == Access.RESTRICTED)


def _node_access(tags: Tags, warn: Warn) -> Access | None:
    """Access across a node; past what is closed to vehicles one pushes if walkers may pass."""
    access = ACCESS.judge_node(tags, warn)
    if access is None or access == Access.OPEN or "bicycle" in tags or "foot" not in tags:
        return access
    return max(access, ON_FOOT.judge(tags["foot"], warn))


TURN_S = 6.0
TURN_BIAS = 1.4
"""Turns across the oncoming traffic cost more."""
U_TURN_S = 20.0


def turn(angle_deg: int, u_turn: bool, junction: bool, left_hand: bool) -> float:
    """Seconds that a turn costs: by the square of the angle, where there is a choice of ways."""
    if not (junction or u_turn):
        return 0.0
    across = (angle_deg < 0) != left_hand
    cost_s = (angle_deg / 90.0) ** 2 * TURN_S * (TURN_BIAS if across else 1.0 / TURN_BIAS)
    return cost_s + U_TURN_S if u_turn else cost_s


_VEHICLES = ("bicycle", "vehicle")


def restriction(tags: Tags, warn: Warn) -> RestrictionRule:
    """What a restriction relation means to a bicycle: it binds unless bicycles are excepted."""
    return judge_restriction(tags, _VEHICLES, warn)


PROFILE = Profile(
    name="bicycle",
    description="A bicycle, pushed where riding is not allowed.",
    way_keys=(
        *(*PATH_KEYS, "route", "junction", "construction", "impassable", "status"),
        *("bridge", "tunnel", "duration", "motorroad", *_CYCLE_STREETS, *_RAMPS),
        *chain(*_ACCESS_KEYS, *FOOT_KEYS),
        *(*_ONEWAY_KEYS, *_CONDITIONAL_KEYS, *CYCLEWAY_KEYS),
        *(*chain(*_MAXSPEED_KEYS), *CONTEXT_KEYS, *CONDITION_KMH),
    ),
    node_keys=(
        *("barrier", "sensory", *ACCESS.keys, "foot"),
        *("highway", "direction", "traffic_signals:direction"),
    ),
    relation_keys=restriction_keys(_VEHICLES),
    way=way,
    node=node,
    turn=turn,
    restriction=restriction,
    max_speed_kmh=25.0,
    mode=Mode.CYCLING,
    classes=("ferry", "tunnel", "restricted"),
    excludable=(frozenset(("ferry",)),),
    continue_straight=False,
    road_tags=PATH_TAGS,
)
