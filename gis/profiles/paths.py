"""What people on foot may use, walking or pushing a bicycle, and the ferries they board."""

from gis.profiles.access import Access, AccessRules, Oneway, directed_keys, is_impassable
from gis.profiles.carriers import CARRIER_KMH, CARRIERS, tagged_duration
from gis.profiles.rules import ROAD_TAGS, RoadTags, Tags, Warn, WayRule

PATH_TAGS: RoadTags = (
    *ROAD_TAGS,
    ("railway", ("platform",)),
    ("public_transport", ("platform",)),
    ("man_made", ("pier",)),
    ("amenity", ("parking",)),
)
"""The ways that concern walkers and cyclists: roads, and what else one walks on."""

PATH_KEYS = ("highway", "railway", "public_transport", "man_made", "amenity", "parking")
_INDOOR_PARKING = frozenset(("multi-storey", "underground", "rooftop"))

ON_FOOT = AccessRules(
    keys=("foot", "access"),
    open=frozenset(
        ("yes", "permissive", "designated", "official", "public", "discouraged", "foot")
    ),
    restricted=frozenset(
        (
            *("destination", "private", "customers", "customer", "delivery"),
            *("permit", "residents", "unknown"),
        )
    ),
    closed=frozenset(
        (
            *("no", "use_sidepath", "restricted", "agricultural", "forestry"),
            *("emergency", "emergency_vehicle", "military"),
            *("vehicle", "motor_vehicle", "motorcar", "bicycle", "horse"),
            *("psv", "bus", "minibus", "taxi", "share_taxi"),
        )
    ),
)
FOOT_KEYS = directed_keys(("foot",))

FAST_ROADS = frozenset(("motorway", "motorway_link", "trunk", "trunk_link"))
"""Where only a tag that names walkers or cyclists lets them in: ``access=yes`` speaks of cars."""

_UNBUILT = frozenset(
    (
        *("proposed", "planned", "no"),
        *("razed", "demolished", "removed", "dismantled"),
    )
)


def ignore(kind: str, value: str) -> None:
    """A ``warn`` for what is looked at twice."""


def path_kind(tags: Tags) -> str:
    """The value of ``highway``, or ``platform``, ``pier``, ``parking``; else empty."""
    highway = tags.get("highway")
    if highway:
        return highway
    if "platform" in (tags.get("railway"), tags.get("public_transport")):
        return "platform"
    if tags.get("man_made") == "pier":
        return "pier"
    if tags.get("amenity") == "parking" and tags.get("parking") not in _INDOOR_PARKING:
        return "parking"
    return ""


def is_fast_road(tags: Tags) -> bool:
    """Whether walkers and cyclists are kept out unless a tag names them."""
    return tags.get("highway") in FAST_ROADS or tags.get("motorroad") == "yes"


def is_passable(tags: Tags) -> bool:
    """Whether there is a way that somebody without a motor can use at all."""
    return not (tags.get("highway") in _UNBUILT or is_impassable(tags))


def for_strangers(tags: Tags) -> Tags:
    """The tags as those read them who are no guests of the owner: private ways are closed."""
    if "private" not in tags.values():
        return tags
    return {key: "no" if value == "private" else value for key, value in tags.items()}


def path_classes(tags: Tags) -> frozenset[str]:
    """The classes by which requests exclude what walkers and cyclists use."""
    ferry, tunnel = tags.get("route") == "ferry", tags.get("tunnel", "no") != "no"
    return frozenset(word for word, holds in (("ferry", ferry), ("tunnel", tunnel)) if holds)


def aboard(
    tags: Tags, access: tuple[Access | None, Access | None], direction: Oneway, warn: Warn
) -> WayRule | None:
    """The verdict on a ferry, open unless tags close it, or on a train, closed unless they open it.

    ``access`` is what the tags say of it forward and backward.
    """
    route = tags["route"]
    unsaid = Access.OPEN if route == "ferry" else Access.CLOSED
    forward, backward = (unsaid if said is None else said for said in access)
    if direction is Oneway.BACKWARD:
        forward = Access.CLOSED
    if direction is Oneway.FORWARD:
        backward = Access.CLOSED
    if forward == backward == Access.CLOSED:
        return None
    kmh, mode = CARRIER_KMH[route], CARRIERS[route]
    return WayRule(
        forward_kmh=kmh if forward else 0.0,
        backward_kmh=kmh if backward else 0.0,
        duration_s=tagged_duration(tags, warn),
        startpoint=False,
        forward_restricted=forward == Access.RESTRICTED,
        backward_restricted=backward == Access.RESTRICTED,
        forward_mode=mode,
        backward_mode=mode,
        classes=path_classes(tags),
    )
