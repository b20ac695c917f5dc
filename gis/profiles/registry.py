"""The profiles by name, and their judgment of the tag sets of a map."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from gis.arrays import F32, U8, freeze
from gis.errors import ProfileError
from gis.osm.tables import TagSelection
from gis.osm.tagsets import TagSets
from gis.profiles import bicycle, car, foot
from gis.profiles.conditional import variants_of
from gis.profiles.rules import (
    MAX_DURATION_S,
    MAX_NODE_S,
    MAX_PREFERENCE,
    MAX_TURN_S,
    RESTRICTED_CLASS,
    Mode,
    NodeRule,
    Profile,
    RestrictionRule,
    RoadTags,
    Tags,
    Warn,
    WayRule,
    is_way_to_travel,
)
from gis.profiles.verdicts import (
    BACKWARD_RESTRICTED,
    BINDS_NOT,
    CIRCULAR,
    DEMANDS,
    FORBIDS,
    FORWARD_RESTRICTED,
    ROUNDABOUT,
    STARTPOINT,
    Verdicts,
)

PROFILES: dict[str, Profile] = {
    profile.name: profile for profile in (car.PROFILE, bicycle.PROFILE, foot.PROFILE)
}
WAY_KEYS = ("highway", "service", "route", "driving_side")
"""What the network itself looks at, whatever the vehicles."""
LABEL_KEYS = (
    *("name", "name:pronunciation", "ref", "is_sidepath:of:name", "street:name"),
    *("junction:ref", "junction:ref:forward", "junction:ref:backward"),
    *("destination", "destination:forward", "destination:backward"),
    *("destination:ref", "destination:ref:forward", "destination:ref:backward"),
    *("destination:street", "destination:street:forward", "destination:street:backward"),
    *("lanes", "lanes:forward", "lanes:backward", "lanes:both_ways", "turn:lanes:both_ways"),
    *(
        f"{key}{direction}"
        for key in (
            *("turn:lanes", "access:lanes", "vehicle:lanes", "motor_vehicle:lanes"),
            *("motorcar:lanes", "psv:lanes", "bus:lanes", "taxi:lanes", "bicycle:lanes"),
            *("lanes:psv", "lanes:bus"),
        )
        for direction in ("", ":forward", ":backward")
    ),
)

_CLOSED_WAY = WayRule(0.0, 0.0, startpoint=False)
_FREE_NODE = NodeRule()
_NOT_TAGGED: RestrictionRule = (None, "no tags")
_RESTRICTION_KINDS = {None: BINDS_NOT, "no": FORBIDS, "only": DEMANDS}

_Rule = TypeVar("_Rule")


def get_profile(name: str) -> Profile:
    """The profile of that name; ProfileError with the names there are if there is none."""
    profile = PROFILES.get(name)
    if profile is None:
        raise ProfileError(f"no profile {name!r}; there is: {', '.join(sorted(PROFILES))}")
    return profile


def tag_selection(profiles: Sequence[Profile]) -> TagSelection:
    """The objects and tags that the profiles look at, whatever the profiles' order."""
    return TagSelection(
        road_tags=_road_tags(profiles),
        way_keys=tuple(sorted({*WAY_KEYS, *(key for p in profiles for key in p.way_keys)})),
        label_keys=LABEL_KEYS,
        node_keys=tuple(sorted({key for profile in profiles for key in profile.node_keys})),
        relation_keys=tuple(sorted({key for profile in profiles for key in profile.relation_keys})),
    )


def _road_tags(profiles: Sequence[Profile]) -> RoadTags:
    """The tags that make a way a road for one of the profiles, in an order of their own."""
    values: dict[str, set[str] | None] = {}
    for key, allowed in (pair for profile in profiles for pair in profile.road_tags):
        known = values.get(key, set())
        values[key] = None if known is None or allowed is None else known.union(allowed)
    return tuple(
        (key, None if allowed is None else tuple(sorted(allowed)))
        for key, allowed in sorted(values.items())
    )


def apply_profile(
    profile: Profile, way_tags: TagSets, node_tags: TagSets, restriction_tags: TagSets
) -> Verdicts:
    """A profile's verdict on every tag set at no special time, each judged once.

    The profile sees only the keys that it declares. ProfileError, naming the profile and the tags,
    if one of its functions raises or returns something impossible.
    """
    judge = _Judge(profile)
    return judge.verdicts(
        judge.at_no_special_time(way_tags.all_tags(profile.way_keys)),
        node_tags.all_tags(profile.node_keys),
        judge.at_no_special_time(restriction_tags.all_tags(profile.relation_keys)),
    )


def judge_tags(profile: Profile, ways: Sequence[Tags], restrictions: Sequence[Tags]) -> Verdicts:
    """A profile's verdict on tags as they are; errors are those of `apply_profile`."""
    return _Judge(profile).verdicts(ways, (), restrictions)


class _Judge:
    """Calls a profile's functions, checks what they return and counts what they warn of."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.warnings: dict[str, Counter[str]] = {}
        self._warned: set[tuple[str, str]] = set()

    def verdicts(
        self, way_tags: Iterable[Tags], node_tags: Iterable[Tags], restriction_tags: Iterable[Tags]
    ) -> Verdicts:
        """The tables, by the order of the tags."""
        ways = self.ways(way_tags)
        nodes = self.nodes(node_tags)
        restrictions = self.restrictions(restriction_tags)
        return Verdicts(
            forward_kmh=_floats(way.forward_kmh for way in ways),
            backward_kmh=_floats(way.backward_kmh for way in ways),
            forward_preference=_floats(way.forward_preference for way in ways),
            backward_preference=_floats(way.backward_preference for way in ways),
            duration_s=_floats(way.duration_s or 0.0 for way in ways),
            way_flags=_bytes(_flags(way) for way in ways),
            forward_mode=_bytes(self.mode(way.forward_kmh, way.forward_mode) for way in ways),
            backward_mode=_bytes(self.mode(way.backward_kmh, way.backward_mode) for way in ways),
            forward_classes=_bytes(
                self.classes(way, way.forward_kmh, way.forward_restricted) for way in ways
            ),
            backward_classes=_bytes(
                self.classes(way, way.backward_kmh, way.backward_restricted) for way in ways
            ),
            node_blocked=freeze(np.array([node.blocked for node in nodes], np.bool_)),
            node_restricted=freeze(np.array([node.restricted for node in nodes], np.bool_)),
            node_forward_s=_floats(node.forward_s for node in nodes),
            node_backward_s=_floats(node.backward_s for node in nodes),
            turn_s=self.turns(),
            restriction_kind=freeze(
                np.array([_RESTRICTION_KINDS[kind] for kind, _ in restrictions], np.uint8)
            ),
            restriction_reason=tuple("" if kind else reason for kind, reason in restrictions),
            warnings={
                kind: dict(sorted(self.warnings[kind].items())) for kind in sorted(self.warnings)
            },
        )

    def at_no_special_time(self, sets: Iterable[Tags]) -> list[Tags]:
        """Each tag set without what holds only at times."""
        dimensions = self.profile.dimensions
        found = []
        for tags in sets:
            found.append(variants_of(tags, dimensions, self._warn).normal)
            self._count_warnings()
        return found

    def ways(self, sets: Iterable[Tags]) -> list[WayRule]:
        fastest: object = self.profile.max_speed_kmh
        if not (isinstance(fastest, int | float) and fastest > 0.0):
            name = self.profile.name
            raise ProfileError(
                f"profile {name!r}: max_speed_kmh is {fastest!r}, expected more than 0"
            )

        def is_possible(way: WayRule) -> bool:
            fastest = self.profile.max_speed_kmh
            return (
                0.0 <= way.forward_kmh <= fastest
                and 0.0 <= way.backward_kmh <= fastest
                and 0.0 < way.forward_preference <= MAX_PREFERENCE
                and 0.0 < way.backward_preference <= MAX_PREFERENCE
                and (way.duration_s is None or 0.0 < way.duration_s <= MAX_DURATION_S)
                and way.classes.issubset(self.profile.classes)
                and all(
                    mode is None or is_way_to_travel(mode)
                    for mode in (way.forward_mode, way.backward_mode)
                )
            )

        ways = self._each("way", sets, self.profile.way, is_possible, _CLOSED_WAY)
        return [way if way.forward_kmh or way.backward_kmh else _CLOSED_WAY for way in ways]

    def mode(self, kmh: float, mode: Mode | None) -> Mode:
        """How one travels in a direction of a way."""
        if kmh == 0.0:
            return Mode.INACCESSIBLE
        return self.profile.mode if mode is None else mode

    def classes(self, way: WayRule, kmh: float, restricted: bool) -> int:
        """The classes of a direction of a way, as bits."""
        if kmh == 0.0:
            return 0
        words = way.classes | {RESTRICTED_CLASS} if restricted else way.classes
        return sum(1 << bit for bit, word in enumerate(self.profile.classes) if word in words)

    def nodes(self, sets: Iterable[Tags]) -> list[NodeRule]:
        def is_possible(node: NodeRule) -> bool:
            return 0.0 <= node.forward_s <= MAX_NODE_S and 0.0 <= node.backward_s <= MAX_NODE_S

        nodes = self._each("node", sets, self.profile.node, is_possible, _FREE_NODE)
        return [NodeRule(blocked=True) if node.blocked else node for node in nodes]

    def restrictions(self, sets: Iterable[Tags]) -> list[RestrictionRule]:
        def is_possible(rule: RestrictionRule) -> bool:
            kind, reason = rule
            return kind in ("no", "only") or (kind is None and bool(reason))

        function = self.profile.restriction
        return self._each("restriction", sets, function, is_possible, _NOT_TAGGED)

    def turns(self) -> F32:
        """The turn costs, float32 (2, 2, 2, 361)."""
        table = np.empty((2, 2, 2, 361), np.float32)
        for left_hand, junction, u_turn, index in np.ndindex(table.shape):
            arguments = (index - 180, bool(u_turn), bool(junction), bool(left_hand))
            try:
                seconds = self.profile.turn(*arguments)
                possible = 0.0 <= seconds <= MAX_TURN_S
            except Exception as error:
                raise self._error("turn", arguments, f"raised {error!r}") from error
            if not possible:
                raise self._error("turn", arguments, f"gave {seconds!r}")
            table[left_hand, junction, u_turn, index] = seconds
        return freeze(table)

    def _each(
        self,
        what: str,
        sets: Iterable[Tags],
        function: Callable[[Tags, Warn], _Rule | None],
        is_possible: Callable[[_Rule], bool],
        unsaid: _Rule,
    ) -> list[_Rule]:
        """The checked rule for each tag set; ``unsaid`` where the profile says nothing."""
        rules = []
        for tags in sets:
            try:
                found = function(tags, self._warn) if tags else None
                rule = unsaid if found is None else found
                possible = is_possible(rule)
            except Exception as error:
                raise self._error(what, tags, f"raised {error!r}") from error
            if not possible:
                raise self._error(what, tags, f"gave {rule!r}")
            rules.append(rule)
            if self._warned:
                self._count_warnings()
        return rules

    def _error(self, what: str, arguments: object, complaint: str) -> ProfileError:
        return ProfileError(f"profile {self.profile.name!r}: {what} of {arguments} {complaint}")

    def _warn(self, kind: str, value: str) -> None:
        self._warned.add((kind, value))

    def _count_warnings(self) -> None:
        """Count what was warned of while one tag set was judged, once each."""
        for kind, value in self._warned:
            self.warnings.setdefault(kind, Counter())[value] += 1
        self._warned.clear()


def _flags(way: WayRule) -> int:
    return (
        STARTPOINT * bool(way.startpoint)
        | ROUNDABOUT * bool(way.roundabout)
        | CIRCULAR * bool(way.circular)
        | FORWARD_RESTRICTED * bool(way.forward_restricted and way.forward_kmh)
        | BACKWARD_RESTRICTED * bool(way.backward_restricted and way.backward_kmh)
    )


def _bytes(values: Iterable[int]) -> U8:
    return freeze(np.fromiter(values, np.uint8))


def _floats(values: Iterable[float]) -> F32:
    return freeze(np.fromiter(values, np.float32))
