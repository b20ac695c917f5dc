"""How high, wide, long and heavy a vehicle is, and where that lets it pass."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from gis.profiles.access import DirectedKeys, directed_keys, directed_values
from gis.profiles.rules import Tags, Warn

NO_LIMIT = float("inf")
NARROW_M = 2.2
"""What is called narrow is at least so wide."""

_WORDS = {
    **dict.fromkeys(("none", "no", "default", "unsigned", "unknown", "variable"), NO_LIMIT),
    **dict.fromkeys(("no_sign", "no-sign", "no_indications", "unlimited", "wide"), NO_LIMIT),
}
_METRES = {
    **dict.fromkeys(("", "m", "metre", "metres", "meter", "meters"), 1.0),
    **dict.fromkeys(("cm", "centimetres"), 0.01),
    "mm": 0.001,
    **dict.fromkeys(("ft", "foot", "feet", "'"), 0.3048),
    **dict.fromkeys(("in", "inch", "inches", '"', "''"), 0.0254),
    **dict.fromkeys(("yd", "yards"), 0.9144),
}
_TONNES = {
    **dict.fromkeys(("", "t", "to", "tonne", "tonnes", "mt"), 1.0),
    **dict.fromkeys(("kg", "kgs"), 0.001),
    **dict.fromkeys(("lb", "lbs", "pounds"), 0.00045359237),
    **dict.fromkeys(("st", "ton", "tons", "short tons"), 0.90718474),
    **dict.fromkeys(("lt", "long tons"), 1.0160469088),
    "cwt": 0.0508023454,
}
_SURELY_KG = 1000.0
"""A number without a unit is tonnes; this many would limit nobody."""

_NUMBER = r"(\d{1,6}(?:[.,]\d{1,6})?|[.,]\d{1,6})"
_ABOUT = re.compile(r"^(?:ca\.?|circa|approx\.?|about|~|<=?|>=?)\s*")
_QUANTITY = re.compile(rf"{_NUMBER}\s*([a-z'\" ]*)\.?", re.ASCII)
_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))", re.ASCII)
_FEET_AND_INCHES = re.compile(
    rf"(\d{{1,4}})\s*(?:'|ft\.?|feet|foot)\s*-?\s*{_NUMBER}\s*(?:\"|''|in\.?|inch|inches)?",
    re.ASCII,
)
_SEPARATOR = re.compile(r"[;|]")
_QUOTES = str.maketrans("\u2032\u2033\u2018\u2019\u201c\u201d\u00a0", "'\"''\"\" ")


@lru_cache(4096)
def parse_metres(value: str) -> float | None:
    """A length in metres; infinite for words that name none, None where it is not understood.

    Understands ``3.5``, ``3,5 m``, ``380 cm``, ``12'6"``, ``12 ft 6 in``, ``150 in``, ``ca. 4``,
    ``none``, ``default``, ``narrow``, and lists of these, of which the least counts.
    """
    return _least(value, _one_length)


@lru_cache(4096)
def parse_tonnes(value: str) -> float | None:
    """A weight in tonnes; infinite for words that name none, None where it is not understood.

    Understands ``3.5``, ``7,5 t``, ``7500 kg``, ``16000 lbs``, ``10 st`` (short tons), ``none``,
    ``default``, and lists of these, of which the least counts.
    """
    return _least(value, _one_weight)


def _least(value: str, parse: Callable[[str], float | None]) -> float | None:
    parts = _SEPARATOR.split(value.strip().lower().translate(_QUOTES))
    found = [parse(_ABOUT.sub("", part.strip())) for part in parts]
    return min((number for number in found if number is not None), default=None)


def _one_length(text: str) -> float | None:
    """One length, in lower case."""
    if text == "narrow":
        return NARROW_M
    if text == "below_default":  # the law of most of Europe allows 4 m without a sign
        return 3.9
    both = _FEET_AND_INCHES.fullmatch(text)
    if both:
        return float(both[1]) * 0.3048 + _float(both[2]) * 0.0254
    return _one_quantity(text, _METRES)


def _one_weight(text: str) -> float | None:
    """One weight, in lower case."""
    if text.endswith(("kg", "kgs", "lb", "lbs")):
        text = _THOUSANDS.sub("", text)
    weight = _one_quantity(text, _TONNES)
    said_unit = text[-1:].isalpha()
    if weight is None or weight == NO_LIMIT or said_unit or weight < _SURELY_KG:
        return weight
    return weight / 1000.0


def _one_quantity(text: str, units: dict[str, float]) -> float | None:
    if text in _WORDS:
        return _WORDS[text]
    quantity = _QUANTITY.fullmatch(text)
    unit = units.get(quantity[2].strip()) if quantity else None
    if quantity is None or unit is None:
        return None
    return _float(quantity[1]) * unit or None  # nothing is as narrow as 0


def _float(text: str) -> float:
    return float(text.replace(",", "."))


@dataclass(frozen=True)
class Dimensions:
    """The size of a vehicle with all that it carries; where one is 0, no sign limits it."""

    height_m: float = 0.0
    width_m: float = 0.0
    length_m: float = 0.0
    weight_t: float = 0.0
    axle_load_t: float = 0.0

    def as_conditions_name_them(self) -> tuple[tuple[str, float], ...]:
        """Those that are known, for ``Profile.dimensions``."""
        named = {
            "height": self.height_m,
            "width": self.width_m,
            "length": self.length_m,
            "weight": self.weight_t,
            "axleload": self.axle_load_t,
        }
        return tuple((name, size) for name, size in named.items() if size > 0.0)


class Limit(NamedTuple):
    """What limits a dimension: the first of ``keys`` that says something."""

    dimension: str
    keys: DirectedKeys
    parse: Callable[[str], float | None]
    wider: bool = False
    """Whether there must be room to spare."""


def node_limits(vehicle: str) -> tuple[Limit, ...]:
    """What limits the vehicle of this access key at a node, for ``fit``."""
    return (
        Limit("height_m", directed_keys(("maxheight:physical",)), parse_metres),
        Limit("height_m", _keys("maxheight", vehicle), parse_metres),
        Limit("width_m", directed_keys(("maxwidth:physical",)), parse_metres, wider=True),
        Limit("width_m", _keys("maxwidth", vehicle), parse_metres, wider=True),
        Limit("length_m", _keys("maxlength", vehicle), parse_metres),
        Limit("weight_t", _keys("maxweight", vehicle), parse_tonnes),
        Limit("weight_t", _keys("maxweightrating", vehicle), parse_tonnes),
        Limit("axle_load_t", _keys("maxaxleload", vehicle), parse_tonnes),
    )


def way_limits(vehicle: str) -> tuple[Limit, ...]:
    """What limits the vehicle of this access key on a way, for ``fit``."""
    return (
        *node_limits(vehicle),
        Limit("width_m", directed_keys(("width", "est_width")), parse_metres, wider=True),
        Limit("width_m", directed_keys(("narrow",)), _parse_narrow),
    )


def _keys(key: str, vehicle: str) -> DirectedKeys:
    return directed_keys((f"{key}:{vehicle}", key))


def _parse_narrow(value: str) -> float | None:
    return NARROW_M if value == "yes" else NO_LIMIT


def keys_of(limits: Iterable[Limit]) -> tuple[str, ...]:
    """All keys that limits look at, each once."""
    return tuple(dict.fromkeys(k for limit in limits for keys in limit.keys for k in keys))


def fit(
    dimensions: Dimensions, tags: Tags, limits: Iterable[Limit], warn: Warn
) -> tuple[bool, bool]:
    """Whether a vehicle fits through forward and backward.

    A value that is not understood limits nobody, and is counted.
    """
    fits = True, True
    for limit in limits:
        values = directed_values(tags, limit.keys)
        if values == (None, None):
            continue
        size = getattr(dimensions, limit.dimension)
        if size == 0.0:
            continue
        forward, backward = (_fits(size, limit, value, tags, warn) for value in values)
        fits = fits[0] and forward, fits[1] and backward
    return fits


def _fits(size: float, limit: Limit, value: str | None, tags: Tags, warn: Warn) -> bool:
    if value is None:
        return True
    allowed = limit.parse(value)
    if allowed is None:
        warn(next(key for keys in limit.keys for key in keys if tags.get(key) == value), value)
        return True
    return size < allowed if limit.wider else size <= allowed
