"""When a change of a road's name is worth saying.

Names are compared word by word, so that a name may begin like another one by chance ("Hill Road",
"Hillside Road") and words of any script are as good as English ones.
"""

import unicodedata
from functools import lru_cache

from routing.guidance.labels import RoadTexts

_CACHED_PAIRS = 1 << 14

_CARDINALS = (
    *("n", "ne", "e", "se", "s", "sw", "w", "nw", "nb", "eb", "sb", "wb"),
    *("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"),
    *("northbound", "eastbound", "southbound", "westbound"),
    *("nord", "ost", "süd", "sued", "est", "ouest", "sud", "ovest", "noord", "oost", "zuid"),
    *("norte", "sur", "sul", "este", "leste", "oeste", "nordre", "søndre", "østre", "vestre"),
    *("norra", "södra", "östra", "västra", "север", "юг", "запад", "восток"),
)
DIRECTIONS = frozenset(unicodedata.normalize("NFKC", word) for word in _CARDINALS)
"""Words that tell parts of one road apart, casefolded."""
_SPACES = str.maketrans(";,/", "   ")


@lru_cache(_CACHED_PAIRS)
def is_new_name(before: RoadTexts, after: RoadTexts) -> bool:
    """Whether a driver who goes straight on should hear that the road is now called otherwise.

    Silent are a name or number that ends without another to follow, a number that changes under
    the same name, one name that is the beginning of the other, and words like East that differ.
    """
    if before.is_unnamed or after.is_unnamed:
        return before.is_unnamed and not after.is_unnamed
    if before.pronunciation and after.pronunciation and before.pronunciation != after.pronunciation:
        return True
    if after.exits and before.exits != after.exits:
        return True
    if before.name and after.name:
        return not are_alike(before.name, after.name)
    if _only_number_to_only_name(before, after) or _only_number_to_only_name(after, before):
        return True
    return not _share_numbers(before.ref, after.ref)


@lru_cache(_CACHED_PAIRS)
def is_same_road(one: RoadTexts, other: RoadTexts) -> bool:
    """Whether both have texts, and none that would be worth saying after the other."""
    return not (one.is_unnamed or other.is_unnamed or is_new_name(one, other))


def are_alike(one: str, other: str) -> bool:
    """Whether two names differ by nothing but directions or words that one of them ends with."""
    words, others = _words(one), _words(other)
    shorter = min(len(words), len(others))
    if words[:shorter] == others[:shorter]:
        return True
    core, other_core = _without_directions(words), _without_directions(others)
    return bool(core) and core == other_core


def _only_number_to_only_name(before: RoadTexts, after: RoadTexts) -> bool:
    return not before.name and bool(after.name) and not after.ref


@lru_cache(_CACHED_PAIRS)
def _words(name: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return tuple(plain.translate(_SPACES).split())


def _without_directions(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words between those at both ends that are mere directions."""
    first, stop = 0, len(words)
    while first < stop and words[first] in DIRECTIONS:
        first += 1
    while stop > first and words[stop - 1] in DIRECTIONS:
        stop -= 1
    return words[first:stop]


def _share_numbers(one: str, other: str) -> bool:
    """Whether one list of numbers is empty or holds a number of the other, whatever direction."""
    numbers, others = ({_number(x) for x in text.split(";") if x.strip()} for text in (one, other))
    return not numbers or not others or not numbers.isdisjoint(others)


def _number(text: str) -> tuple[str, ...]:
    words = _words(text)
    return _without_directions(words) or words
