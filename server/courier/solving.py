"""A problem from its JSON to what a process needs to solve it, and back."""

import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from gis.arrays import U32, freeze
from routing.courier.places import find_places
from routing.courier.plan import CourierPlan
from routing.courier.problem import CourierProblem
from routing.courier.schedule import CourierParams
from routing.engine import Engine
from routing.errors import TooBig
from server.courier.answers import Writer
from server.courier.asked import Asked
from server.courier.legs import Legs, MatrixLegs, NoLegs, RoadLegs
from server.errors import InvalidQuery

FAR_M = 10_000.0
"""A place farther than that from any road is off the map."""
_NOWHERE: U32 = freeze(np.zeros((0, 0), np.uint32))
_MANY_DIGITS = re.compile(rb"[0-9]{20}")
_MOST_DIGITS = 300
"""Of whole numbers that a float can have."""
_PLACES_PER_STOP = 2
"""So many times as many places as stops there may be: depots are places, too."""


@dataclass(frozen=True)
class Prepared:
    """A problem ready to be solved, and what writes its plans."""

    problem: CourierProblem
    params: CourierParams
    writer: Writer
    loading_s: float
    began: float = field(default_factory=time.monotonic)

    def answer(self, plan: CourierPlan, is_last: bool = False) -> dict[str, Any]:
        """A plan as JSON; the last says how long the parts of the work took."""
        if not is_last:
            return self.writer.answer(plan)
        solving_s, start = time.monotonic() - self.began, time.monotonic()
        answer = self.writer.answer(plan)
        times = {
            "loading": round(1000 * self.loading_s),
            "solving": round(1000 * solving_s),
            "routing": round(1000 * (time.monotonic() - start)),
        }
        answer["summary"]["computing_times"] = times
        return answer


def read_json(body: bytes) -> Any:
    """A document; ``InvalidQuery`` where there is none."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidQuery(f"invalid JSON: {error}") from None
    if _MANY_DIGITS.search(body):  # which have become floats, but are to be told as they came
        with suppress(RecursionError):
            return json.loads(body, parse_int=_whole)
    return document


def _whole(text: str) -> int | float:
    return int(text) if len(text) <= _MOST_DIGITS else float(text)


def prepare(
    asked: Asked,
    engine: Engine,
    roads: dict[str, Any],
    params: CourierParams,
    max_stops: int,
    threads: int | None = None,
) -> Prepared:
    """The problem with its matrix; ``roads`` are the engine's profile and other options.

    Raises ``QueryError`` for a place that no road is near, and for too many places.
    """
    start = time.monotonic()
    legs: Legs
    if asked.matrix is not None:
        durations_cs: U32 = asked.matrix.durations_cs
        place_of_spot = tuple(spot.index or 0 for spot in asked.spots)
        known = asked.matrix.distances_m
        legs = NoLegs() if known is None else MatrixLegs(known)
    else:
        points = [spot.location for spot in asked.spots if spot.location is not None]
        most = _PLACES_PER_STOP * max_stops
        if len(set(points)) > most:
            raise TooBig(f"{len(set(points))} different places are more than the maximum of {most}")
        if points:
            names = [spot.where for spot in asked.spots]
            places = find_places(
                engine, points, names=names, radius_m=FAR_M, threads=threads, **roads
            )
            durations_cs, place_of_spot = places.durations_cs, places.of_point
            legs = RoadLegs(engine, places.degrees, roads, threads or 1)
        else:
            durations_cs, place_of_spot, legs = _NOWHERE, (), NoLegs()
    problem = asked.problem(durations_cs, place_of_spot)
    writer = Writer(asked, problem, place_of_spot, legs)
    return Prepared(problem, params, writer, time.monotonic() - start)
