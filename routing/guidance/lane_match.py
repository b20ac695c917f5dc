"""Which lanes lead into which roads of a crossing: arrows against angles.

Lanes are counted from the left. Arrows of one kind span neighbouring lanes, and spans stand in the
order of the roads; a lane with several arrows belongs to several spans. If they do not fit the
roads one by one, nothing is known.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from routing.guidance.directions import LEFTS, RIGHTS, between, deviation, direction_of
from routing.guidance.drafts import (
    LEFT,
    RIGHT,
    SHARP_LEFT,
    SHARP_RIGHT,
    SLIGHT_LEFT,
    SLIGHT_RIGHT,
    STRAIGHT,
    UTURN,
)
from routing.guidance.lanes import NONE, Arrows

ALIKE = 5.0
"""An arrow means a road as well as another one that is nearer to it by so many degrees."""
MERGES = frozenset(("merge to left", "merge to right"))
_IDEAL = {
    UTURN: 0.0,
    SHARP_RIGHT: 35.0,
    RIGHT: 90.0,
    SLIGHT_RIGHT: 135.0,
    STRAIGHT: 180.0,
    SLIGHT_LEFT: 225.0,
    LEFT: 270.0,
    SHARP_LEFT: 315.0,
}
_FROM_LEFT = (NONE, SHARP_LEFT, LEFT, SLIGHT_LEFT, STRAIGHT, SLIGHT_RIGHT, RIGHT, SHARP_RIGHT)


@dataclass(frozen=True, slots=True)
class Span:
    """Lanes with the same arrow: from ``first`` to ``last``, counted from the left."""

    arrow: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Way:
    """A road of a crossing: ``angle`` as `Crossing.angle`, ``direction`` the word for it.

    ``entry``: one may turn into it. ``through``: it is the way on, though it may bend. Where roads
    ``merges``, arrows tell the side of the own road, not that of the turn.
    """

    road: int
    angle: float
    direction: str
    entry: bool
    through: bool = False
    merges: bool = False


def spans_of(lanes: Sequence[Arrows]) -> list[Span]:
    """The spans from left to right; none if they overlap or lanes merge."""
    spans: dict[str, Span] = {}
    for i, arrows in enumerate(lanes):
        for arrow in arrows:
            known = spans.get(arrow)
            spans[arrow] = replace(known, last=i) if known else Span(arrow, i, i)
    if MERGES.intersection(spans):
        return []

    def place(span: Span) -> tuple[int, int, int]:
        if span.arrow == UTURN:
            return (-1, 0, 0) if span.first == 0 else (span.first, span.last, len(_FROM_LEFT))
        return span.first, span.last, _FROM_LEFT.index(span.arrow)

    found = sorted(spans.values(), key=place)
    for i, (span, after) in enumerate(pairwise(found)):
        if span.last > after.first or (span.arrow == UTURN and i > 0):
            return []
    return found


def fits(arrow: str, way: Way) -> bool:
    """Whether an arrow can mean a road."""
    if not way.entry:
        return False
    if arrow == STRAIGHT:
        return way.direction == STRAIGHT or way.through
    if arrow == UTURN:
        return way.direction == UTURN or way.direction in LEFTS
    if way.merges:
        return way.direction in (RIGHTS if arrow in LEFTS else LEFTS)
    side = LEFTS if arrow in LEFTS else RIGHTS
    return way.direction in side or direction_of(way.angle) in side


def misfit(arrow: str, way: Way) -> float:
    """By how many degrees a road misses the direction of an arrow."""
    return between(_IDEAL[arrow], way.angle)


def best_way(arrow: str, ways: Sequence[Way]) -> Way:
    """The road that an arrow means most likely."""
    return min(ways, key=lambda way: (not fits(arrow, way), not way.entry, misfit(arrow, way)))


def match(spans: list[Span], ways: Sequence[Way], back: Way) -> dict[int, Span]:
    """The span for each road that one may enter, by the place of the road; empty if none fit.

    ``ways`` go from left to right, without ``back``, the road on which one comes. It is reached
    from u-turn lanes or, without such, from the leftmost lane.
    """
    open_ways = [way for way in ways if way.entry]
    turning = [span for span in spans if span.arrow == UTURN]
    others = [span for span in spans if span.arrow != UTURN]
    found: dict[int, Span] = {}
    if turning:
        outer = open_ways[:1] if turning[0] is spans[0] else open_ways[-1:]
        if (
            not back.entry
            and len(open_ways) > len(others)
            and NONE not in (x.arrow for x in others)
        ):
            if not outer or outer[0].direction not in (SHARP_LEFT, SHARP_RIGHT, LEFT):
                return {}
            found[outer[0].road] = turning[0]
            open_ways.remove(outer[0])
        else:
            found[back.road] = turning[0]
    elif back.entry and spans and NONE not in (span.arrow for span in others):
        found[back.road] = Span(UTURN, spans[0].first, spans[0].first)
    if any(span.arrow == NONE for span in others):
        others = _resolve_none(others, open_ways)
    if not others or len(others) != len(open_ways):
        return {}
    for span, way in zip(others, open_ways, strict=True):
        best = best_way(span.arrow, open_ways)
        if not fits(span.arrow, way) or misfit(span.arrow, way) > misfit(span.arrow, best) + ALIKE:
            return {}
        found[way.road] = span
    return found


def _resolve_none(spans: list[Span], ways: list[Way]) -> list[Span]:
    """Let lanes without arrows lead into the roads that no other lane leads into."""
    at = next(i for i, span in enumerate(spans) if span.arrow == NONE)
    if len(spans) == 1 and len(ways) != 1 and spans[0].first == spans[0].last == 0:
        return []
    if len(ways) > len(spans):
        return [*spans[:at], *_spread(spans[at], ways[at : at + len(ways) - len(spans) + 1]),
                *spans[at + 1 :]]  # fmt: skip
    if len(ways) + 1 == len(spans):
        return _give_away(spans, at)
    if len(ways) == len(spans):
        return _rename(spans, at, ways[at])
    return []


def _spread(span: Span, ways: list[Way]) -> list[Span]:
    """Spans for several roads: side roads only from the outer lanes, straight on from all."""
    straight = next((i for i, way in enumerate(ways) if way.direction == STRAIGHT), None)
    if span.first == span.last or straight is None:
        return [Span(_arrow(way), span.first, span.last) for way in ways]
    return [
        Span(_arrow(way), span.first, span.last)
        if i == straight
        else Span(_arrow(way), *((span.first,) * 2 if i < straight else (span.last,) * 2))
        for i, way in enumerate(ways)
    ]


def _arrow(way: Way) -> str:
    """The arrow that a lane for a road would have."""
    if way.merges:
        return SLIGHT_LEFT if way.direction in RIGHTS else SLIGHT_RIGHT
    return STRAIGHT if way.through else way.direction


def _give_away(spans: list[Span], at: int) -> list[Span]:
    """Add the lanes without arrows to their neighbours."""
    span, before, after = spans[at], spans[:at], spans[at + 1 :]
    if not before and after:
        return [replace(after[0], first=span.first), *after[1:]]
    if not after and before:
        return [*before[:-1], replace(before[-1], last=span.last)]
    if span.last - span.first > 1 or not before:
        return []
    before[-1] = replace(before[-1], last=span.last)
    after[0] = replace(after[0], first=span.first)
    # Of two lanes each neighbour gets its own, a single one both.
    if span.last > span.first:
        before[-1] = replace(before[-1], last=span.first)
        after[0] = replace(after[0], first=span.last)
    return [*before, *after]


def _rename(spans: list[Span], at: int, way: Way) -> list[Span]:
    """Give the lanes without arrows the arrow for their road.

    Beside lanes that go straight on, only the outermost of them turns, and all go straight on.
    """
    span, found = spans[at], list(spans)
    arrow = _arrow(way)
    found[at] = replace(span, arrow=arrow)
    if arrow in RIGHTS and at and at + 1 == len(spans) and spans[at - 1].arrow == STRAIGHT:
        found[at - 1] = replace(spans[at - 1], last=span.last)
        found[at] = Span(arrow, span.last, span.last)
    elif arrow in LEFTS and at == 0 and len(spans) > 1 and spans[1].arrow == STRAIGHT:
        found[1] = replace(spans[1], first=span.first)
        found[0] = Span(arrow, span.first, span.first)
    return found


def partition(
    spans: list[Span], here: Sequence[Way], ahead: Sequence[Way]
) -> tuple[list[Span], list[Span]]:
    """The spans for a crossing and those for the next one, straight on; empty if they do not fit.

    Lanes may be drawn for the turns at both. At the first, all those for the second go straight on.
    """
    straightest = min(here, key=lambda way: deviation(way.angle), default=None)
    if straightest is None or not straightest.entry or not ahead:
        return [], []
    first: list[bool] = []
    second: list[bool] = []
    straight = none = None
    for i, span in enumerate(spans):
        first.append(False)
        second.append(False)
        if span.arrow in (NONE, UTURN):
            none = i if span.arrow == NONE else none
            continue
        near, far = best_way(span.arrow, here), best_way(span.arrow, ahead)
        if fits(span.arrow, near):
            first[i] = True
            straight = i if near is straightest else straight
        if fits(span.arrow, far) and (
            not first[i]
            or span.arrow == STRAIGHT
            or misfit(span.arrow, near) > misfit(span.arrow, far)
        ):
            second[i] = True
            first[i] = first[i] and span.arrow == STRAIGHT
        if not first[i] and not second[i]:
            return [], []
    if none is not None:
        straight = none if straight is None else straight
        first[none] = sum(first) <= sum(way.entry for way in here)
        second[none] = sum(second) <= sum(way.entry for way in ahead)
    later = [span for i, span in enumerate(spans) if second[i]]
    now = [_widen(span, later) if i == straight else span
           for i, span in enumerate(spans) if first[i]]  # fmt: skip
    if straight is None and later and len(later) == sum(way.entry for way in ahead):
        now.append(_widen(Span(STRAIGHT, later[0].first, later[0].last), later))
        now.sort(key=lambda span: (span.first, span.last))
    return now, later


def _widen(span: Span, others: list[Span]) -> Span:
    spans = [span, *others]
    return Span(span.arrow, min(x.first for x in spans), max(x.last for x in spans))
