"""What nodes are to all vehicles alike: delays by direction, and barriers that stop nobody."""

from gis.profiles.rules import NodeRule, Tags


def is_heard_only(tags: Tags) -> bool:
    """Whether a barrier is a fence of sounds, which keeps animals off."""
    return tags.get("barrier") == "fence" and tags.get("sensory") in ("audible", "audio")


def passable(tags: Tags, delay_s: float, sign_s: float, *, restricted: bool) -> NodeRule | None:
    """The verdict on a node that may be passed; None where it delays nobody.

    Everybody takes ``delay_s``; a signal or sign takes ``sign_s`` in the direction it is for.
    """
    direction = tags.get("direction")
    if tags.get("highway") == "traffic_signals":
        direction = tags.get("traffic_signals:direction", direction)
    forward_s = delay_s + (0.0 if direction == "backward" else sign_s)
    backward_s = delay_s + (0.0 if direction == "forward" else sign_s)
    if forward_s == backward_s == 0.0 and not restricted:
        return None
    return NodeRule(restricted=restricted, forward_s=forward_s, backward_s=backward_s)
