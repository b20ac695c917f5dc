"""What motor vehicles make of nodes: barriers, signals and signs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gis.profiles.access import Access, AccessRules
from gis.profiles.dimensions import Dimensions, Limit, fit
from gis.profiles.nodes import is_heard_only, passable
from gis.profiles.rules import NodeRule, Tags, Warn

NODE_KEYS = (
    *("barrier", "bollard", "kerb", "sensory", "locked"),
    *("highway", "stop", "direction", "traffic_signals:direction"),
)
"""Besides those of access and dimensions."""


@dataclass(frozen=True)
class NodeDelays:
    """Seconds that nodes take: by ``highway`` in the directions that they hold for, and barriers.

    Barriers that are not named stop the vehicle unless an access tag opens them. One that has to
    be opened (``gates``) takes no time where a tag opens it: it stands open then.
    """

    sign_s: Mapping[str, float]
    barrier_s: Mapping[str, float]
    gates: frozenset[str]


def judge_node(
    rules: AccessRules,
    dimensions: Dimensions,
    limits: Iterable[Limit],
    delays: NodeDelays,
    tags: Tags,
    warn: Warn,
) -> NodeRule | None:
    """The verdict on a node; None where it neither stops nor delays the vehicle."""
    access = rules.judge_node(tags, warn)
    barrier = tags.get("barrier")
    restricted = access == Access.RESTRICTED and barrier is not None
    locked = barrier is not None and tags.get("locked") == "yes"
    if access == Access.CLOSED or (locked and not restricted):  # those it is meant for have the key
        return NodeRule(blocked=True)
    delay_s = 0.0
    if barrier is not None:
        if not all(fit(dimensions, tags, limits, warn)):
            return NodeRule(blocked=True)
        known_s = 0.0 if _is_flat(tags, barrier) else delays.barrier_s.get(barrier)
        if access is None and known_s is None:
            return NodeRule(blocked=True)
        if known_s is not None and (access is None or barrier not in delays.gates):
            delay_s = known_s
    return _signs(delays, delay_s, restricted, tags)


def _is_flat(tags: Tags, barrier: str) -> bool:
    """Whether a vehicle drives over or through a barrier that stops others of its kind."""
    return (
        tags.get("bollard") == "rising"
        or tags.get("kerb") in ("lowered", "flush")
        or (barrier == "kerb" and tags.get("highway") == "crossing")
        or is_heard_only(tags)
    )


def _signs(delays: NodeDelays, delay_s: float, restricted: bool, tags: Tags) -> NodeRule | None:
    """The delays at a node that may be passed."""
    highway = tags.get("highway", "")
    sign_s = delays.sign_s.get(highway, 0.0)
    if highway == "stop" and tags.get("stop") == "minor":  # the side roads stop, not this one
        sign_s = 0.0
    return passable(tags, delay_s, sign_s, restricted=restricted)
