"""What motor vehicles make of ways: a kind of vehicle is data, read by the same functions."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from gis.profiles.access import (
    Access,
    AccessRules,
    DirectedKeys,
    Oneway,
    directed_keys,
    directed_values,
    is_impassable,
    oneway,
)
from gis.profiles.carriers import CARRIERS, tagged_duration
from gis.profiles.dimensions import (
    Dimensions,
    Limit,
    fit,
    keys_of,
    node_limits,
    parse_metres,
    way_limits,
)
from gis.profiles.motor_nodes import NODE_KEYS, NodeDelays, judge_node
from gis.profiles.restrictions import judge_restriction, restriction_keys
from gis.profiles.rules import (
    RESTRICTED_CLASS,
    Mode,
    NodeRule,
    Profile,
    RestrictionRule,
    Tags,
    Warn,
    WayRule,
)
from gis.profiles.speeds import CONTEXT_KEYS, SpeedLimits, maxspeed, slowest
from gis.profiles.turn_costs import TurnCosts

CLASSES = ("toll", "motorway", "ferry", RESTRICTED_CLASS, "tunnel")

_GENERAL_CLASSES = frozenset(("track", "road"))
"""Besides the roads with a speed, where ``access=yes`` speaks of motor vehicles; on a footpath it
does not."""
_CLOSED_CLASSES = frozenset(
    (
        *("construction", "proposed", "planned", "steps", "corridor", "elevator", "platform"),
        *("abandoned", "disused", "razed", "demolished", "removed", "no"),
    )
)
_HARMLESS_CONSTRUCTION = frozenset(("no", "widening", "minor"))
_CONDITIONAL_LIMITS = ("maxspeed", "maxweight", "maxheight")
_HOV_LANES = directed_keys(("hov:lanes",))

_PLAIN_KEYS = (
    *("highway", "route", "junction", "area", "service", "bridge", "construction", "tunnel"),
    *("impassable", "status", "duration", "hov"),
    *("width", "lanes", "lane_markings", "side_road", "priority"),
)

_SERVICE_PREFERENCE = dict.fromkeys(
    ("alley", "parking", "parking_aisle", "driveway", "drive-through", "drive-thru"), 0.5
)
_NARROW_PREFERENCE = ((4.0, 0.6), (5.0, 0.75), (6.0, 0.8))
"""Below so many metres, on a road for both directions."""
_ONE_LANE_M, _ONE_LANE_PREFERENCE = 3.0, 0.5
"""Up to so many metres, or with a single lane."""
_UNMARKED_PREFERENCE = 0.75
_ALTERNATING_PREFERENCE = 0.4
_SIDE_ROAD_PREFERENCE = 0.8
_YIELDING_PREFERENCE = 0.7
"""In the direction that gives way to oncoming traffic at a bottleneck."""
_LANES = re.compile(r"\d{1,4}", re.ASCII)


@dataclass(frozen=True)
class MotorVehicle:
    """A kind of motor vehicle. Make another with ``dataclasses.replace(CAR, ...)``.

    ``access.keys`` run from the most specific key that names the vehicle to ``access``; after the
    first, limits such as ``maxspeed:hgv`` and ``maxweight:hgv`` are named. ``class_kmh`` are the
    speeds by ``highway`` where no limit is posted: roads that are not in it are closed unless
    their tags open them to the vehicle. ``condition_kmh`` are the highest speeds by surface and
    the like. ``class_preference`` tells how gladly roads are taken by their ``highway``, where not
    as any other. ``share_of_maxspeed`` of a posted limit is driven on average.
    """

    name: str
    description: str
    access: AccessRules
    dimensions: Dimensions
    class_kmh: Mapping[str, float]
    condition_kmh: SpeedLimits
    carrier_kmh: Mapping[str, float]
    turns: TurnCosts
    delays: NodeDelays
    max_speed_kmh: float
    share_of_maxspeed: float = 0.8
    default_kmh: float = 10.0
    movable_bridge_kmh: float = 5.0
    class_preference: Mapping[str, float] = field(default_factory=dict)

    def profile(self) -> Profile:
        """The profile of the vehicle."""
        return Profile(
            name=self.name,
            description=self.description,
            way_keys=self.way_keys,
            node_keys=(*NODE_KEYS, *self.access.keys, *keys_of(self._node_limits)),
            relation_keys=restriction_keys(self.vehicles),
            way=self.way,
            node=self.node,
            turn=self.turns,
            restriction=self.restriction,
            max_speed_kmh=self.max_speed_kmh,
            mode=Mode.DRIVING,
            classes=CLASSES,
            excludable=tuple(frozenset((word,)) for word in CLASSES),
            weight_name="routability",
            dimensions=self.dimensions.as_conditions_name_them(),
        )

    @cached_property
    def vehicles(self) -> tuple[str, ...]:
        """The access keys that name the vehicle or a group of vehicles, not everybody."""
        return tuple(key for key in self.access.keys if key != "access")

    @cached_property
    def way_keys(self) -> tuple[str, ...]:
        """The keys of a way that ``way`` looks at."""
        directed = (self._access_keys, _HOV_LANES, self._maxspeed_keys, self._toll_keys)
        keys = (
            *(*_PLAIN_KEYS, *self._oneway_keys, *self._conditional_keys),
            *(key for group in directed for keys in group for key in keys),
            *(*CONTEXT_KEYS, *self.condition_kmh, *keys_of(self._way_limits)),
        )
        return tuple(dict.fromkeys(keys))

    @cached_property
    def _access_keys(self) -> DirectedKeys:
        return directed_keys(self.access.keys)

    @cached_property
    def _vehicle_access_keys(self) -> DirectedKeys:
        return directed_keys(self.vehicles)

    @cached_property
    def _oneway_keys(self) -> tuple[str, ...]:
        return (*(f"oneway:{vehicle}" for vehicle in self.vehicles), "oneway")

    @cached_property
    def _maxspeed_keys(self) -> DirectedKeys:
        return directed_keys(("maxspeed:advisory", f"maxspeed:{self.vehicles[0]}", "maxspeed"))

    @cached_property
    def _toll_keys(self) -> DirectedKeys:
        return directed_keys((f"toll:{self.vehicles[0]}", "toll"))

    @cached_property
    def _conditional_keys(self) -> tuple[str, ...]:
        plain = (*chain(*self._access_keys), *self._oneway_keys)
        named = (f"{key}:{self.vehicles[0]}" for key in _CONDITIONAL_LIMITS)
        limits = chain(*directed_keys((*named, *_CONDITIONAL_LIMITS)))
        return tuple(f"{key}:conditional" for key in (*plain, *limits))

    @cached_property
    def _way_limits(self) -> tuple[Limit, ...]:
        return way_limits(self.vehicles[0])

    @cached_property
    def _node_limits(self) -> tuple[Limit, ...]:
        return node_limits(self.vehicles[0])

    @cached_property
    def _limit_keys(self) -> frozenset[str]:
        return frozenset(keys_of(self._way_limits))

    def node(self, tags: Tags, warn: Warn) -> NodeRule | None:
        """The verdict on a node; None where it neither stops nor delays the vehicle."""
        return judge_node(self.access, self.dimensions, self._node_limits, self.delays, tags, warn)

    def turn(self, angle_deg: int, u_turn: bool, junction: bool, left_hand: bool) -> float:
        """Seconds that a turn costs, as ``Profile.turn`` describes it."""
        return self.turns(angle_deg, u_turn, junction, left_hand)

    def restriction(self, tags: Tags, warn: Warn) -> RestrictionRule:
        """What a restriction relation means to the vehicle."""
        return judge_restriction(tags, self.vehicles, warn)

    def way(self, tags: Tags, warn: Warn) -> WayRule | None:
        """The verdict on a way; None where it is closed to the vehicle."""
        highway = tags.get("highway", "")
        carrier = CARRIERS.get(tags.get("route", ""))
        if not (highway or carrier):
            return None  # a platform or pier, read for others
        if not _is_passable(tags) or (carrier is None and _is_closed_class(highway, tags)):
            return None
        forward, backward, private = self._passage(tags, highway, carrier is not None, warn)
        direction = oneway(tags, self._oneway_keys, warn)
        if direction in (Oneway.BACKWARD, Oneway.REVERSIBLE):
            forward = Access.CLOSED
        if direction in (Oneway.FORWARD, Oneway.REVERSIBLE):
            backward = Access.CLOSED
        if forward == backward == Access.CLOSED:
            return None
        forward_kmh, backward_kmh = self._speeds(tags, highway, carrier, warn)
        moves = tags.get("bridge") == "movable"
        two_way = forward > Access.CLOSED and backward > Access.CLOSED
        preferences = self._preferences(tags, highway, direction, two_way)
        return WayRule(
            forward_kmh=forward_kmh if forward else 0.0,
            backward_kmh=backward_kmh if backward else 0.0,
            duration_s=tagged_duration(tags, warn) if carrier or moves else None,
            startpoint=carrier is None and not private,
            forward_restricted=forward == Access.RESTRICTED,
            backward_restricted=backward == Access.RESTRICTED,
            roundabout=tags.get("junction") == "roundabout",
            circular=tags.get("junction") == "circular",
            forward_mode=carrier,
            backward_mode=carrier,
            classes=self._classes(tags, highway, forward > 0, backward > 0),
            forward_preference=preferences[0],
            backward_preference=preferences[1],
        )

    def _passage(
        self, tags: Tags, highway: str, carried: bool, warn: Warn
    ) -> tuple[Access, Access, bool]:
        """Access forward and backward, one-way rules aside; whether it is a private drive."""
        is_road = highway in self.class_kmh
        unsaid = Access.OPEN if is_road or carried or highway == "construction" else Access.CLOSED
        general = unsaid or highway in _GENERAL_CLASSES
        keys = self._access_keys if general else self._vehicle_access_keys
        values = directed_values(tags, keys)
        forward, backward = (unsaid if v is None else self.access.judge(v, warn) for v in values)
        fits_forward, fits_backward = True, True
        if not self._limit_keys.isdisjoint(tags):
            fits_forward, fits_backward = fit(self.dimensions, tags, self._way_limits, warn)
        pool_forward, pool_backward = _for_car_pools_only(tags)
        value = values[0] if forward else values[1]
        private = (highway == "service" or not is_road) and self.access.is_private(value)
        return (
            _passes(forward, fits_forward, pool_forward),
            _passes(backward, fits_backward, pool_backward),
            private,
        )

    def _speeds(
        self, tags: Tags, highway: str, carrier: Mode | None, warn: Warn
    ) -> tuple[float, float]:
        """Speeds in km/h forward and backward, as if both directions were open."""
        if carrier is not None:
            kmh = self.carrier_kmh[tags["route"]]
            return kmh, kmh
        movable = tags.get("bridge") == "movable"
        of_class = self.class_kmh.get(highway, self.default_kmh)
        kmh = self.movable_bridge_kmh if movable else of_class
        forward, backward = maxspeed(tags, self._maxspeed_keys, warn)
        limit = min(slowest(tags, self.condition_kmh), self.max_speed_kmh)
        return (
            min(kmh if forward is None else forward * self.share_of_maxspeed, limit),
            min(kmh if backward is None else backward * self.share_of_maxspeed, limit),
        )

    def _preferences(
        self, tags: Tags, highway: str, direction: Oneway, two_way: bool
    ) -> tuple[float, float]:
        """How gladly the road is taken forward and backward, 1 as any other: see ``WayRule``."""
        reasons = [
            self.class_preference.get(highway, 1.0),
            _SERVICE_PREFERENCE.get(tags.get("service", ""), 1.0),
        ]
        if direction is Oneway.ALTERNATING:
            reasons.append(_ALTERNATING_PREFERENCE)
        if tags.get("side_road") in ("yes", "rotary"):
            reasons.append(_SIDE_ROAD_PREFERENCE)
        if two_way:
            reasons.append(_narrow_preference(tags))
        preference = min(reasons)
        priority = tags.get("priority")
        return (
            min(preference, _YIELDING_PREFERENCE) if priority == "backward" else preference,
            min(preference, _YIELDING_PREFERENCE) if priority == "forward" else preference,
        )

    def _classes(self, tags: Tags, highway: str, forward: bool, backward: bool) -> frozenset[str]:
        """What a request may exclude the road by; restricted roads are marked elsewhere."""
        tolls = directed_values(tags, self._toll_keys)
        told = {
            "toll": (forward and tolls[0] == "yes") or (backward and tolls[1] == "yes"),
            "motorway": highway in ("motorway", "motorway_link"),
            "ferry": tags.get("route") == "ferry",
            "tunnel": tags.get("tunnel", "no") != "no",
        }
        return frozenset(word for word, holds in told.items() if holds)


def _passes(access: Access, fits: bool, pool: bool) -> Access:
    if not fits:
        return Access.CLOSED
    return min(access, Access.RESTRICTED) if pool else access


def _is_passable(tags: Tags) -> bool:
    """Whether a vehicle can drive here at all."""
    return not (
        tags.get("area") == "yes"
        or is_impassable(tags)
        or tags.get("service") == "emergency_access"
        or tags.get("construction", "no") not in _HARMLESS_CONSTRUCTION
    )


def _is_closed_class(highway: str, tags: Tags) -> bool:
    """Whether no tag opens such a way; roads under construction are open to minor works."""
    if highway == "construction" and tags.get("construction") in ("minor", "widening"):
        return False
    return highway in _CLOSED_CLASSES


def _for_car_pools_only(tags: Tags) -> tuple[bool, bool]:
    """Whether every lane forward and backward is reserved for cars with several people in them."""
    if tags.get("hov") == "designated":
        return True, True
    forward, backward = directed_values(tags, _HOV_LANES)
    return (
        forward is not None and set(forward.split("|")) == {"designated"},
        backward is not None and set(backward.split("|")) == {"designated"},
    )


def _narrow_preference(tags: Tags) -> float:
    """How gladly one meets oncoming traffic on a road of that width."""
    preference = 1.0 if tags.get("lane_markings") != "no" else _UNMARKED_PREFERENCE
    lanes = _LANES.match(tags.get("lanes", ""))
    width_m = parse_metres(tags["width"]) if "width" in tags else None
    width_m = math.inf if width_m is None else width_m
    if width_m <= _ONE_LANE_M or (lanes and int(lanes[0]) <= 1):
        return min(preference, _ONE_LANE_PREFERENCE)
    return min([preference, *(p for below_m, p in _NARROW_PREFERENCE if width_m < below_m)])
