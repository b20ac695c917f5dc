"""What to do at the beginning of a step, as an English sentence for people."""

from collections.abc import Callable

from routing.guidance.steps import Step

_COMPASS = (
    *("north", "north-east", "east", "south-east"),
    *("south", "south-west", "west", "north-west"),
)

_GOING = {
    "uturn": "Turn around",
    "sharp right": "Turn sharply right",
    "right": "Turn right",
    "slight right": "Bear right",
    "straight": "Go straight on",
    "slight left": "Bear left",
    "left": "Turn left",
    "sharp left": "Turn sharply left",
}
_BENDS = {
    "uturn": "back the way you came",
    "sharp right": "sharply to the right",
    "right": "to the right",
    "slight right": "gently to the right",
    "straight": "straight on",
    "slight left": "gently to the left",
    "left": "to the left",
    "sharp left": "sharply to the left",
}
_MODES = {
    "driving": "Drive on",
    "cycling": "Ride on",
    "walking": "Walk on",
    "ferry": "Board the ferry",
    "train": "Board the train",
    "pushing bike": "Get off and push the bike",
    "steps up": "Climb the stairs",
    "steps down": "Go down the stairs",
    "river upstream": "Paddle upstream",
    "river downstream": "Paddle downstream",
}
_CARRIED = ("ferry", "train")
"""Modes in which something else moves; its name is that of the line."""


def sentence(step: Step, *, at_goal: bool = True) -> str:
    """What to do at the beginning of a step; ``at_goal``: its route ends where its leg does."""
    kind = step.maneuver.type
    if kind == "arrive":
        return _arrive(step, at_goal)
    if step.mode in _CARRIED and kind not in ("exit roundabout", "exit rotary"):
        return _change_mode(step)
    return _SENTENCES.get(kind, _turn)(step)


def ordinal(number: int) -> str:
    """A number as it is counted: 1st, 2nd, 3rd, 4th, ..., 11th, ..., 21st."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{ending or 'th'}"


def road(step: Step) -> str:
    """The road of a step: its name, with the number behind it if there are both."""
    refs = (ref.strip() for ref in step.ref.split(";"))
    name, ref = step.name, " / ".join(ref for ref in refs if ref)
    if name and ref and ref not in name:
        return f"{name} ({ref})"
    return name or ref


def _arrive(step: Step, at_goal: bool) -> str:
    what = "The destination" if at_goal else "The stop on the way"
    if hand := _hand(step):
        return f"{what} is on your {hand}"
    return f"{what} is {'ahead of you' if step.maneuver.modifier == 'straight' else 'here'}"


def _depart(step: Step) -> str:
    point = _COMPASS[round(step.maneuver.bearing_after / 45) % 8]
    return f"Set out {point}{_along(step)}"


def _turn(step: Step) -> str:
    return f"{_going(step)}{_into(step)}{_towards(step)}"


def _continue(step: Step) -> str:
    if step.maneuver.modifier == "uturn":
        return f"{_going(step)}, back{_along(step)}"
    if road(step):
        return f"Stay on {road(step)}, which leads {_bend(step)}{_towards(step)}"
    return f"Follow the road {_bend(step)}{_towards(step)}"


def _rename(step: Step) -> str:
    bends = "" if step.maneuver.modifier in (None, "straight") else f" {_bend(step)}"
    now = f", from here {road(step)}" if road(step) else ""
    return f"Follow the road{bends}{now}{_towards(step)}" if bends or now else "Keep going"


def _merge(step: Step) -> str:
    return f"Join {road(step) or 'the main road'} from the {_opposite(step)}{_towards(step)}"


def _on_ramp(step: Step) -> str:
    return f"Use the slip road {_side(step)}{_up_to(step)}{_towards(step)}"


def _off_ramp(step: Step) -> str:
    by = f"by exit {_list(step.exits)}" if step.exits else "by the exit"
    return f"Leave the road {by} {_side(step)}{_up_to(step)}{_towards(step)}"


def _fork(step: Step) -> str:
    keep = {"left": "keep to the left", "right": "keep to the right"}.get(_hand(step))
    return f"Where the road divides, {keep or 'stay in the middle'}{_along(step)}{_towards(step)}"


def _end_of_road(step: Step) -> str:
    going = _going(step)
    return f"At the T-junction {going[0].lower()}{going[1:]}{_into(step)}{_towards(step)}"


def _roundabout(step: Step) -> str:
    ring = step.rotary_name or "the roundabout"
    if step.maneuver.exit is None:
        return f"Drive into {ring}{_towards(step)}"
    return f"At {ring} take the {ordinal(step.maneuver.exit)} way out{_into(step)}{_towards(step)}"


def _roundabout_turn(step: Step) -> str:
    going = _going(step)
    return f"At the small roundabout {going[0].lower()}{going[1:]}{_into(step)}{_towards(step)}"


def _exit_roundabout(step: Step) -> str:
    return f"Leave {step.rotary_name or 'the roundabout'}{_into(step)}{_towards(step)}"


def _change_mode(step: Step) -> str:
    what = _MODES.get(step.mode, "Go on")
    if step.mode in _CARRIED:
        return f"{what} {road(step)}".rstrip() + _towards(step)
    return f"{what}{_along(step)}{_towards(step)}"


def _going(step: Step) -> str:
    return _GOING.get(step.maneuver.modifier or "", _GOING["straight"])


def _bend(step: Step) -> str:
    return _BENDS.get(step.maneuver.modifier or "", _BENDS["straight"])


def _hand(step: Step) -> str:
    words = (step.maneuver.modifier or "").split()
    return words[-1] if words and words[-1] in ("left", "right") else ""


def _side(step: Step) -> str:
    hand = _hand(step)
    return f"on the {hand}" if hand else "ahead"


def _opposite(step: Step) -> str:
    """The side that one comes from; who merges to the left comes from the right."""
    hand = _hand(step) or ("right" if step.driving_side == "left" else "left")
    return "left" if hand == "right" else "right"


def _into(step: Step) -> str:
    return f" into {road(step)}" if road(step) else ""


def _along(step: Step) -> str:
    return f" along {road(step)}" if road(step) else ""


def _up_to(step: Step) -> str:
    return f" to {road(step)}" if road(step) else ""


def _towards(step: Step) -> str:
    return f", signed {_list(step.destinations)}" if step.destinations else ""


def _list(text: str) -> str:
    """What signs say, whatever separates it."""
    return ", ".join(part.strip() for part in text.replace(";", ",").split(",") if part.strip())


_SENTENCES: dict[str, Callable[[Step], str]] = {
    "turn": _turn,
    "new name": _rename,
    "depart": _depart,
    "merge": _merge,
    "on ramp": _on_ramp,
    "off ramp": _off_ramp,
    "fork": _fork,
    "end of road": _end_of_road,
    "continue": _continue,
    "roundabout": _roundabout,
    "rotary": _roundabout,
    "roundabout turn": _roundabout_turn,
    "exit roundabout": _exit_roundabout,
    "exit rotary": _exit_roundabout,
    "notification": _change_mode,
}

MANEUVERS = (*_SENTENCES, "arrive")
"""All types of maneuvers."""
MODIFIERS = tuple(_GOING)
"""Where they lead."""
