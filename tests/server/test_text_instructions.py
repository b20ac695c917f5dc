"""The npm package osrm-text-instructions, as it is, has words for every step."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from node_packages import node_package

from routing.engine import Engine
from routing.errors import NoRoute
from routing.route import Route
from server.api.osrm_json import route_answer, to_bytes
from server.api.osrm_params import RouteParams
from server.benchmark.pairs import random_points

SCRIPT = Path(__file__).with_name("compile_steps.js")
LANGUAGES = ("en", "de", "fr")


@pytest.fixture(scope="module")
def compile_steps() -> Callable[[Sequence[Any]], Any]:
    """Lets the package speak, or skips."""
    package = node_package("osrm-text-instructions")
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")

    def run(answers: Sequence[Any]) -> Any:
        question = json.dumps({"answers": answers, "languages": LANGUAGES})
        run = subprocess.run(
            [node, str(SCRIPT), str(package)],
            input=question,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        )
        return json.loads(run.stdout)

    return run


def answer_of(route: Route, points: Sequence[tuple[float, float]]) -> Any:
    """What a client of the route service gets."""
    return json.loads(to_bytes(route_answer([route], RouteParams(list(points), steps=True))))


def answers_on(engine: Engine, n: int) -> list[Any]:
    """Answers for random routes, every fourth of them with a point on the way."""
    points = [(lon, lat) for lon, lat in random_points(engine, 3 * n, 5).tolist()]
    found = []
    for i in range(n):
        asked = points[3 * i : 3 * i + (3 if i % 4 == 0 else 2)]
        try:
            found.append(answer_of(engine.route(asked), asked))
        except NoRoute:
            continue
    return found


@pytest.mark.compiled
def test_words_for_every_step_on_the_sample(
    sample: Path,
    engine_on: Callable[[Path], Engine],
    compile_steps: Callable[[Sequence[Any]], Any],
) -> None:
    """In three languages no phrase is missing."""
    check(compile_steps(answers_on(engine_on(sample), 120)), 300)


@pytest.mark.compiled
def test_words_for_every_step_on_extracts(
    extract: Path,
    engine_on: Callable[[Path], Engine],
    compile_steps: Callable[[Sequence[Any]], Any],
) -> None:
    """Also where there are motorways, roundabouts and ferries."""
    check(compile_steps(answers_on(engine_on(extract), 200)), 1000)


def check(found: Any, least: int) -> None:
    """So many steps at least, and words for all of them; each language has its own."""
    assert found["missing"] == []
    assert found["steps"] >= least * len(LANGUAGES)
    english, german, french = (found["said"][language] for language in LANGUAGES)
    assert len(english) == len(german) == len(french) == found["steps"] / len(LANGUAGES)
    for texts in zip(english, german, french, strict=True):
        assert len(set(texts)) == len(LANGUAGES), texts


def test_what_is_missing_is_noticed(compile_steps: Callable[[Sequence[Any]], Any]) -> None:
    """The check itself finds unknown words."""
    known = {"type": "turn", "modifier": "left", "bearing_after": 90}
    for wrong, what in (
        ({"type": "hop"}, "no such type"),
        ({"modifier": "up"}, "no such modifier"),
        ({"type": "roundabout", "exit": 11}, "no such ordinal"),
        ({"modifier": None}, "Missing step maneuver modifier"),
    ):
        maneuver = {k: v for k, v in (known | wrong).items() if v is not None}
        leg = {"steps": [{"name": "", "mode": "driving", "maneuver": maneuver}]}
        found = compile_steps([{"routes": [{"legs": [leg]}]}])
        assert any(what in line for line in found["missing"]), found
    fine = {"steps": [{"name": "", "mode": "driving", "maneuver": known}]}
    assert compile_steps([{"routes": [{"legs": [fine]}]}])["missing"] == []
