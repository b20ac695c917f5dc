"""Our answers have the members and types that OSRM's have."""

import json
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from routing.engine import Engine
from server.api.osrm_json import route_answer, to_bytes
from server.api.osrm_params import ANNOTATIONS, RouteParams
from server.benchmark.pairs import random_points

N_ROUTES = 200
OPTIONS: list[dict[str, Any]] = [
    {},
    {"geometries": "geojson", "overview": "full"},
    {"geometries": "polyline6", "overview": "false", "annotations": sorted(ANNOTATIONS)},
    {"generate_hints": False, "overview": "full"},
]


def shapes(value: Any, path: str = "") -> Iterator[tuple[str, str | frozenset[str]]]:
    """What is found at each path of an answer: a type, and for objects the members, too."""
    if isinstance(value, dict):
        yield path, frozenset(value)
        for name, part in value.items():
            yield from shapes(part, f"{path}.{name}")
    elif isinstance(value, list):
        yield path, "array"
        for part in value:
            yield from shapes(part, f"{path}[]")
    else:
        kinds = {bool: "boolean", int: "number", float: "number", str: "string"}
        yield path, kinds[type(value)]


def gathered(answers: list[Any]) -> dict[str, dict[str, Any]]:
    """By path: the types, the members that are always there and those that are somewhere."""
    found: dict[str, dict[str, Any]] = {}
    for answer in answers:
        for path, shape in shapes(answer):
            known = found.setdefault(path, {"types": set(), "always": None, "ever": set()})
            if isinstance(shape, str):
                known["types"].add(shape)
                continue
            known["types"].add("object")
            known["ever"] |= shape
            known["always"] = shape if known["always"] is None else known["always"] & shape
    return found


@pytest.mark.compiled
def test_same_members_and_types(
    porto: Path,
    engine_on: Callable[[Path], Engine],
    ask_osrm: Callable[[dict[str, Any]], Any],
) -> None:
    """Of every object, for routes with all that OSRM says of them."""
    engine = engine_on(porto)
    points = [(lon, lat) for lon, lat in random_points(engine, 3 * N_ROUTES, 7).tolist()]
    ours, theirs = [], []
    for i, options in zip(range(N_ROUTES), cycle(OPTIONS), strict=False):
        asked = points[3 * i : 3 * i + (3 if i % 3 == 0 else 2)]
        answer = ask_osrm({"coordinates": asked, "steps": True, **options})
        if answer["code"] != "Ok":
            continue
        theirs.append(answer)
        mine = dict(options)
        if mine.get("annotations"):
            mine["annotations"] = frozenset(mine["annotations"])
        params = RouteParams(asked, steps=True, **mine)
        ours.append(json.loads(to_bytes(route_answer([engine.route(asked)], params))))
    assert len(theirs) > 0.95 * N_ROUTES
    found, expected = gathered(ours), gathered(theirs)
    differ = {p: (found.get(p), expected.get(p)) for p in found.keys() | expected.keys()}
    assert {path: both for path, both in differ.items() if both[0] != both[1]} == {}
    steps = ".routes[].legs[].steps[]"
    assert {"ref", "destinations"} <= expected[steps]["ever"]
    assert {"classes"} <= expected[f"{steps}.intersections[]"]["ever"]
