"""What is known of a vehicle's crossings and of the texts on its roads, as kernels look at it."""

from collections.abc import Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import orjson

from gis.arrays import F64, I64, U8
from routing.guidance import codes
from routing.guidance.directions import BEND_DEG, between, deviation
from routing.guidance.drafts import Crossing
from routing.guidance.fixed_texts import FIXED_TEXTS
from routing.guidance.labels import NO_TEXTS, RoadTexts
from routing.guidance.passage import (
    DIRECTION_COLUMNS,
    HAS_NAME,
    INTO_SHIFT,
    LANE_SET,
    NOWHERE,
    ONLY_WAY,
    ONTO_RING,
    OUT_OF_SHIFT,
    OWN_LANES,
    RECORD_COLUMNS,
    SAME_ROAD,
    SLIPS_SHIFT,
    STRAIGHTEST,
    TEXT_FROM,
    TEXT_TO,
    UNNAMED,
    VARIANT,
    WITHIN,
)
from routing.guidance.road_names import is_same_road
from routing.guidance.slots import add_all, new_slots
from routing.guidance.steps import Intersection, Lane
from routing.guidance.summary import UNTITLED
from routing.guidance.trail import Names
from routing.guidance.writing import Texts

_ONLY_WAY_DEG = 20.0
"""A road that bends by no more leads straight on where there is no other."""
_CLEARLY_STRAIGHTER = 10.0
_KEYS = 2
"""By which a record may be found, and what else is known."""
_LETTERS_OF_CROSSING = 256
"""A text of a usual length."""


class BookIsFullError(Exception):
    """No more may be kept."""


class Pages(NamedTuple):
    """A book's arrays, as in `Passage`, `Names` and `Texts`."""

    slots: I64
    record: I64
    direction: F64
    lanes: I64


class Book:
    """Fills the arrays; threads may share it, and read while something is added.

    ``limit`` numbers of each kind are kept at most: of crossings some 400 bytes each.
    """

    def __init__(self, n_labels: int, classes: Sequence[str], limit: int) -> None:
        self._lock = Lock()
        self._limit = limit
        self.pages = Pages(
            new_slots(_KEYS * limit),
            np.zeros((limit, RECORD_COLUMNS), np.int64),
            np.zeros((limit, DIRECTION_COLUMNS)),
            np.zeros((limit, 3), np.int64),
        )
        self.names = Names(
            self.pages.slots, np.zeros(4 * n_labels, np.int64), np.zeros(n_labels, np.int64)
        )
        self._n_letters, self._n_records, self._n_keys = 0, WITHIN + 1, 0
        self._texts: list[RoadTexts] = [NO_TEXTS]
        self._text_ids: dict[RoadTexts, int] = {}
        self.titles = ["", ""]
        self._title_ids = {"": UNTITLED}
        self._arrows: dict[tuple[tuple[str, ...], ...], int] = {}
        self.lane_sets: list[tuple[Lane, ...]] = [()]
        self._lane_ids: dict[tuple[Lane, ...], int] = {(): 0}
        words = [
            "".join(f'"{word}",' for bit, word in enumerate(classes) if bits >> bit & 1)[:-1]
            for bits in range(256)
        ]
        fixed = [*FIXED_TEXTS, *(f',"classes":[{word}]' if word else "" for word in words)]
        letters = np.zeros(limit * _LETTERS_OF_CROSSING + sum(map(len, fixed)), np.uint8)
        spelled = np.zeros((limit, 4), np.int64)
        self.texts = Texts(letters, np.zeros(len(fixed) + 1, np.int64), spelled, self.pages.record)
        for i, text in enumerate(fixed):
            self.texts.fixed[i], self.texts.fixed[i + 1] = self._keep(text.encode())
        self.pages.record[WITHIN, :2] = codes.CONTINUE, codes.UTURN
        self.pages.lanes[0] = 0, 1, 1  # never looked at where all is known, and no endless loop

    def _keep(self, text: bytes) -> tuple[int, int]:
        start, stop = self._n_letters, self._n_letters + len(text)
        letters: U8 = self.texts.letters
        if stop > len(letters):
            raise BookIsFullError
        letters[start:stop] = np.frombuffer(text, np.uint8)
        self._n_letters = stop
        return start, stop

    def _add(self, keys: Sequence[int], values: Sequence[int]) -> None:
        if self._n_keys + len(keys) > _KEYS * self._limit:
            raise BookIsFullError
        self._n_keys += len(keys)
        add_all(self.pages.slots, np.array(keys, np.int64), np.array(values, np.int64))

    def add_crossings(self, keys: Sequence[int], crossings: Sequence[Crossing | None]) -> None:
        """Keep what lies between pairs of arcs, by the key of each."""
        with self._lock:
            self._add(keys, [self._record_of(crossing) for crossing in crossings])

    def _record_of(self, crossing: Crossing | None) -> int:
        if crossing is None or crossing.said is None:
            return NOWHERE
        if crossing.node < 0:
            return WITHIN
        record = self._new_record(
            [
                *_said(crossing),
                len(crossing.roads),
                crossing.n_entries(),
                _traits(crossing),
                self._lanes(crossing.lanes),
                *crossing.headings,
            ],
            intersection_text(crossing.place),
        )
        assert crossing.came_in is not None and crossing.out is not None
        self.pages.direction[record] = (
            crossing.arrives,
            crossing.leaves,
            crossing.angle(crossing.out),
            crossing.roads[crossing.came_in].bearing,
        )
        return record

    def _new_record(self, whole: Sequence[int], text: bytes) -> int:
        record = self._n_records
        if record == self._limit:
            raise BookIsFullError
        ends = self._keep(text)
        self.pages.record[record] = *whole, *ends, text.index(b"]") - text.index(b"[") - 1
        self._n_records = record + 1
        return record

    def _lanes(self, lanes: tuple[Lane, ...]) -> int:
        found = self._lane_ids.get(lanes)
        if found is not None:
            return found
        found = len(self.lane_sets)
        if found == self._limit:
            raise BookIsFullError
        arrows = tuple(lane.indications for lane in lanes)
        number = self._arrows.setdefault(arrows, len(self._arrows) + 1)
        valid = sum(lane.valid << i for i, lane in enumerate(lanes))
        self.pages.lanes[found] = number, valid, len(lanes)
        self.lane_sets.append(lanes)
        self._lane_ids[lanes] = found
        return found

    def lanes(self, lanes: tuple[Lane, ...]) -> int:
        """The number of lanes."""
        with self._lock:
            return self._lanes(lanes)

    def text(self, texts: RoadTexts) -> int:
        """What identifies texts: four times their number, and bits."""
        with self._lock:
            found = self._text_ids.get(texts)
            if found is None:
                found = self._text_ids[texts] = self._new_text(texts)
            return found

    def _new_text(self, texts: RoadTexts) -> int:
        number = len(self._texts)
        if number == self._limit:
            raise BookIsFullError
        name, ref, pronunciation, destinations, exits = texts
        pieces = (
            {"name": name},
            {"ref": ref, "pronunciation": pronunciation, "destinations": destinations}
            | {"exits": exits},
            {"rotary_name": name, "rotary_pronunciation": pronunciation},
        )
        ends = []
        for piece in pieces:
            said = piece if "name" in piece else {key: text for key, text in piece.items() if text}
            written = orjson.dumps(said)[1:-1]
            ends.append(self._keep(b"," + written if written else b""))
        self.texts.spelled[number] = ends[0][0], *(end for _, end in ends)
        self._texts.append(texts)
        return number * 4 + (UNNAMED if texts.is_unnamed else 0) + (HAS_NAME if texts.name else 0)

    def texts_of(self, identity: int) -> RoadTexts:
        """The texts that are so identified; none of 0."""
        return self._texts[identity >> 2]

    def title(self, title: str) -> int:
        """The number of a title, from 1."""
        with self._lock:
            found = self._title_ids.get(title)
            if found is None:
                found = self._title_ids[title] = len(self.titles)
                self.titles.append(title)
            return found

    def add_needed(self, needed: Sequence[int]) -> None:
        """Find out what kernels had to know, by its keys."""
        with self._lock:
            for key in needed:
                kind, both = (-2 - key) & 3, (-2 - key) >> 2
                self._add([key], [self._find(kind, both >> 32, both & 0xFFFFFFFF)])

    def _find(self, kind: int, one: int, other: int) -> int:
        if kind == SAME_ROAD:
            return int(is_same_road(self._texts[one >> 2], self._texts[other >> 2]))
        if kind == LANE_SET:
            arrows = list(self._arrows)[one - 1]
            return self._lanes(
                tuple(Lane(pointing, bool(other >> i & 1)) for i, pointing in enumerate(arrows))
            )
        assert kind == VARIANT
        return self._variant(one, self.lane_sets[other])

    def _variant(self, record: int, lanes: tuple[Lane, ...]) -> int:
        """A record like another, with other lanes."""
        whole = self.pages.record[record].tolist()
        place = orjson.loads(self.texts.letters[whole[TEXT_FROM] : whole[TEXT_TO]].tobytes())
        classes = {"classes": place.pop("classes")} if "classes" in place else {}
        place.pop("lanes", None)
        said = {"lanes": [lane._asdict() for lane in lanes]} if lanes else {}
        whole[OWN_LANES] = self._lanes(lanes)
        found = self._new_record(whole[:TEXT_FROM], orjson.dumps(place | said | classes))
        self.pages.direction[found] = self.pages.direction[record]
        return found


def _said(crossing: Crossing) -> tuple[int, int, int]:
    assert crossing.said is not None
    kind, modifier, ring = crossing.said
    return codes.TYPE_CODES[kind], codes.MODIFIER_CODES[modifier], ring


def _traits(crossing: Crossing) -> int:
    return (
        crossing.into << INTO_SHIFT
        | crossing.out_of << OUT_OF_SHIFT
        | crossing.slips << SLIPS_SHIFT
        | ONLY_WAY * is_only_way(crossing)
        | STRAIGHTEST * is_straightest(crossing)
        | ONTO_RING * crossing.onto.ring
    )


def is_only_way(crossing: Crossing) -> bool:
    """Whether no other road may be entered, and the one taken leads straight on."""
    came_in, out = crossing.came_in, crossing.out
    if came_in is None or out is None or came_in == out:
        return False
    if deviation(crossing.angle(out)) > _ONLY_WAY_DEG:
        return False
    return not any(road.entry for i, road in enumerate(crossing.roads) if i not in (came_in, out))


def is_straightest(crossing: Crossing) -> bool:
    """Whether no other way is clearly straighter than the one taken."""
    taken = (crossing.arrives + 180.0 - crossing.leaves) % 360.0
    if deviation(taken) > BEND_DEG:
        return False
    others = [
        (crossing.arrives + 180.0 - road.bearing) % 360.0
        for i, road in enumerate(crossing.roads)
        if road.entry and i not in (crossing.came_in, crossing.out)
    ]
    best = min(others, key=deviation, default=0.0)
    return between(taken, best) <= _CLEARLY_STRAIGHTER or deviation(taken) <= deviation(best)


def intersection_text(place: Intersection) -> bytes:
    """A crossing of a step as JSON; what there is nothing to say about is left out."""
    found: dict[str, Any] = {
        "location": np.array((place.lon, place.lat)).round(6),
        "bearings": place.bearings,
        "entry": place.entry,
    }
    if place.came_in is not None:
        found["in"] = place.came_in
    if place.out is not None:
        found["out"] = place.out
    if place.lanes:
        found["lanes"] = [lane._asdict() for lane in place.lanes]
    if place.classes:
        found["classes"] = place.classes
    return orjson.dumps(found, option=orjson.OPT_SERIALIZE_NUMPY)
