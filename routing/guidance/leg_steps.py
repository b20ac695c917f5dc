"""The steps of a leg: rows of numbers, of which text or objects are made when asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gis.arrays import U8
from gis.jit import Settled
from routing.guidance import codes
from routing.guidance.book import Book
from routing.guidance.crossings import Crossings
from routing.guidance.drafts import Crossing
from routing.guidance.facts import RoadFacts
from routing.guidance.passage import (
    AFTER,
    BEFORE,
    EXIT,
    FIRST,
    KIND,
    LANES,
    PLACE,
    POINT,
    RECORD,
    ROTARY,
    TEXTS,
    WAY,
    WITHIN,
)
from routing.guidance.steps import Intersection, Maneuver, Step
from routing.guidance.telling import Line
from routing.guidance.writing import TOO_SMALL, Roads, Told, write_steps

_write_steps = Settled(write_steps)
_SIDES = "right", "left"
_ROOM = 1 << 16
"""Bytes for the text of a leg, to begin with."""


class Telling:
    """What tells of the legs of one vehicle, shared by all of them."""

    def __init__(self, facts: RoadFacts, crossings: Crossings, roads: Roads) -> None:
        self.facts, self.crossings, self.roads = facts, crossings, roads
        self.room: list[U8] = []


@dataclass(frozen=True, slots=True)
class LegSteps:
    """The steps of a leg."""

    telling: Telling
    book: Book
    told: Told
    line: Line

    def text(self, unit: int) -> bytes:
        """The steps as JSON, their lines in units of 1e-7 degree or as ``GEOJSON``."""
        room = self.telling.room
        out = room.pop() if room else np.empty(_ROOM, np.uint8)
        while True:
            arguments = self.book.texts, self.telling.roads, self.told, self.line, unit, out
            n = _write_steps(*arguments)
            if n != TOO_SMALL:
                break
            out = np.empty(2 * len(out), np.uint8)
        text = out[:n].tobytes()
        if len(out) <= 16 * _ROOM:
            room.append(out)
        return text

    def made(self) -> tuple[Step, ...]:
        """The steps as objects."""
        draft, passed = self.told.draft.tolist(), self.told.passed.tolist()
        crossings = self.telling.crossings.along(self.told.arc)
        steps = []
        for i, row in enumerate(draft):
            after = draft[i + 1] if i + 1 < len(draft) else None
            stop = after[FIRST] if after else len(passed)
            steps.append(self._step(i, row, after, passed[row[FIRST] : stop], crossings))
        return tuple(steps)

    def _step(
        self,
        i: int,
        row: Sequence[int],
        after: Sequence[int] | None,
        passed: Sequence[Sequence[int]],
        crossings: Sequence[Crossing | None],
    ) -> Step:
        facts = self.telling.facts
        places = [self._place(row, crossing, crossings) for crossing in passed]
        first = passed[0]
        lon, lat = places[0].lon, places[0].lat
        if first[RECORD] == WITHIN:
            lon, lat = self._point(row[POINT])
        arc = int(self.told.arc[min(first[PLACE], len(self.told.arc) - 1)])
        rotary = self.book.texts_of(row[ROTARY])
        modifier = None if row[WAY] == codes.NO_MODIFIER else codes.MODIFIERS[row[WAY]]
        kind, exit_ = codes.TYPES[row[KIND]], row[EXIT] or None
        texts = self.book.texts_of(row[TEXTS])
        words = *texts, rotary.name, rotary.pronunciation, facts.mode(arc).word
        ends = row[POINT], row[POINT] if after is None else after[POINT]
        maneuver = Maneuver(kind, modifier, lon, lat, row[BEFORE], row[AFTER], exit_)
        side = _SIDES[facts.drives_left(arc)]
        total = self.told.total[i].tolist()
        return Step._make((*total, *ends, *words, side, maneuver, tuple(places)))

    def _place(
        self, row: Sequence[int], passed: Sequence[int], crossings: Sequence[Crossing | None]
    ) -> Intersection:
        """What is told of a crossing; of a place within a road by the bearings of a maneuver."""
        k, at = len(self.told.arc), passed[PLACE]
        if passed[RECORD] != WITHIN:
            crossing = crossings[at - 1]
            assert crossing is not None
            return crossing.with_lanes(self.book.lane_sets[passed[LANES]]).place
        last = len(self.line.lon) - 1
        place = self._point(last if at == k else int(self.line.first_point[at]))
        classes = self.telling.facts.classes(int(self.told.arc[min(at, k - 1)]))
        if at == 0:
            return Intersection(*place, (row[AFTER],), (True,), None, 0, (), classes)
        if at == k:
            back = (row[BEFORE] + 180) % 360
            return Intersection(*place, (back,), (True,), 0, None, (), classes)
        return Intersection(*place, (row[AFTER],), (True,), 0, 0, (), classes)

    def _point(self, point: int) -> tuple[float, float]:
        return float(self.line.lon[point]), float(self.line.lat[point])
