"""Couriers' problems over HTTP, solved in processes of their own."""

import asyncio
import errno
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asgi import ask, ask_in_loop
from engines import engine_of
from world import World

from server.app import create_app
from server.courier.solving import prepare
from server.settings import Settings
from server.state import EngineState

pytestmark = pytest.mark.compiled

TOWN = World("a-b-c\n| | |\nd-e-f\n\n\n\nx", "abcfeda highway=x\nbe highway=x")
JSON = {"content-type": "application/json"}


def at(letter: str) -> list[float]:
    return list(TOWN.position(letter))


def problem(**more: Any) -> dict[str, Any]:
    """Two parcels for one courier."""
    return {
        "vehicles": [{"id": 1, "start": at("a"), "ends": [at("a"), at("f")]}],
        "shipments": [
            {
                "pickup": {"id": 5, "location": at("b")},
                "delivery": {"id": 6, "location": at("e"), "service": 30},
            },
            {
                "pickup": {"id": 7, "location": at("b")},
                "delivery": {"id": 8, "location": at("c")},
            },
        ],
        "options": {"seconds": 0.5},
    } | more


@pytest.fixture(scope="module")
def app() -> Any:
    settings = Settings(max_courier_runs=1, max_courier_stops=20, max_courier_seconds=30)
    return create_app(EngineState(engine_of(TOWN), Path("town.whimbrel"), settings))


def post(app: Any, document: Any, query: str = "", **headers: str) -> Any:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return ask(app, "POST", f"/courier/v1/plain{query}", body, JSON | headers)


def test_a_plan(app: Any) -> None:
    """It has the best of the ends, and each step with its times."""
    response = post(app, problem())
    assert response.status == 200, response.text
    assert response.headers["content-type"] == "application/json; charset=UTF-8"
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["whimbrel-weights"] == "0"
    answer = response.json()
    assert answer["code"] == 0 and answer["unassigned"] == []
    (route,) = answer["routes"]
    assert route["vehicle"] == 1
    kinds = [step["type"] for step in route["steps"]]
    assert kinds[0] == "start" and kinds[-1] == "end"
    ids = [step["id"] for step in route["steps"][1:-1]]
    assert sorted(ids) == [5, 6, 7, 8]
    assert ids.index(5) < ids.index(6) and ids.index(7) < ids.index(8)
    assert route["steps"][-1]["location"] == at("f")
    assert answer["summary"]["duration"] == route["duration"] == route["steps"][-1]["duration"]
    assert {"loading", "solving", "routing"} == set(answer["summary"]["computing_times"])


def events_of(text: str) -> list[tuple[str, Any]]:
    """Names and data of server-sent events."""
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.parametrize("how", ["query", "header"])
def test_events(app: Any, how: str) -> None:
    """Progress with a plan, and the plan at last."""
    document = problem(options={"seconds": 1.5, "g": True})
    if how == "query":
        response = post(app, document, "?events=true")
    else:
        response = post(app, document, accept="text/event-stream")
    assert response.status == 200
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["cache-control"] == "no-cache"
    events = events_of(response.text)
    assert {name for name, _ in events[:-1]} == {"progress"}
    first = events[0][1]
    assert {"elapsed", "iterations", "cost", "unassigned", "plan"} == set(first)
    assert first["plan"]["code"] == 0 and first["plan"]["routes"][0]["geometry"]
    name, plan = events[-1]
    assert name == "plan" and plan["routes"][0]["distance"] > 0


@pytest.mark.parametrize(
    ("document", "status", "code", "message"),
    [
        (b"{", 400, "InvalidQuery", "invalid JSON"),
        ([], 400, "InvalidQuery", "the problem is an array"),
        ({}, 400, "InvalidQuery", "the problem has no vehicles"),
        (problem(vehicles=[]), 400, "InvalidQuery", "vehicles has no element"),
        (problem(seconds=1), 400, "InvalidQuery", "seconds is there twice"),
        *(
            (
                problem(options={"seconds": seconds}),
                400,
                "InvalidQuery",
                f"options.seconds is {seconds}, expected more than 0, at most 30",
            )
            for seconds in (-1, 0, 31)
        ),
        (problem(options={"breaks": 1}), 400, "InvalidQuery", "options.breaks is unknown"),
        (
            problem(jobs=[{"id": i, "location": at("a")} for i in range(17)]),
            400,
            "TooBig",
            "21 stops are more than the maximum of 20",
        ),
        (
            problem(jobs=[{"id": 1, "location": [30.0, 60.0]}]),
            400,
            "NoSegment",
            "jobs[0]: there is no road within 10000 m of 30,60",
        ),
        (
            problem(vehicles=[{"id": 1, "profile": "boat"}]),
            400,
            "InvalidValue",
            "Profile 'boat' is not in this dataset",
        ),
    ],
)
def test_errors(app: Any, document: Any, status: int, code: str, message: str) -> None:
    """Each is told in one line, with or without events."""
    for query in ("", "?events=true"):
        response = post(app, document, query)
        answer = response.json()
        assert (response.status, answer["code"]) == (status, code), answer
        assert message in answer["message"] and "\n" not in answer["message"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 5), ({"iterations": 9}, 30), ({"iterations": 9, "seconds": 2}, 2), ({"seconds": 3}, 3)],
)
def test_how_long(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], expected: float
) -> None:
    """So many iterations end by themselves: only the longest time ends them before."""
    asked: list[float | None] = []
    settings = Settings(max_courier_runs=1, max_courier_seconds=30)
    state = EngineState(engine_of(TOWN), Path("town.whimbrel"), settings)
    start = state.runs.start

    def spy(work: Any) -> Any:
        asked.append(work.params.seconds)
        return start(replace(work, params=replace(work.params, iterations=1)))

    monkeypatch.setattr(state.runs, "start", spy)
    assert post(create_app(state), problem(options=options)).status == 200
    assert asked == [expected]


def test_other_errors(app: Any) -> None:
    """Of the request itself."""
    assert ask(app, "GET", "/courier/v1/plain").status == 405
    assert ask(app, "POST", "/courier/v1/plain", b"{}").status == 415
    assert ask(app, "POST", "/courier/v1/boat", b"{}", JSON).json()["code"] == "InvalidValue"
    long = JSON | {"content-length": str(1 << 30)}
    assert ask(app, "POST", "/courier/v1/plain", [b"{}"], long).status == 413
    never = Settings(max_courier_runs=0)
    off = create_app(EngineState(engine_of(TOWN), Path("town.whimbrel"), never))
    assert post(off, problem()).json()["code"] == "NotImplemented"


def slow_town(seconds: float) -> tuple[EngineState, list[Any]]:
    """A town in which it takes a while to begin, and the runs that are started there."""
    settings = Settings(max_courier_runs=1)
    state = EngineState(engine_of(TOWN), Path("town.whimbrel"), settings)
    start, started = state.runs.start, []

    def slowly(work: Any) -> Any:
        time.sleep(seconds)
        started.append(start(work))
        return started[-1]

    state.runs.start = slowly  # type: ignore[method-assign]
    return state, started


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_whoever_leaves_before_it_begins(is_cancelled: bool) -> None:
    """His place is free at once, and what is started for him all the same is ended."""
    state, started = slow_town(1.0)
    app, body = create_app(state), json.dumps(problem()).encode()

    async def leave() -> float:
        began = time.monotonic()
        path = "/courier/v1/plain"
        asking = ask_in_loop(app, "POST", path, body, JSON, 60 if is_cancelled else 0.3)
        task = asyncio.ensure_future(asking)
        if is_cancelled:
            await asyncio.sleep(0.3)
            task.cancel()
        await asyncio.wait([task])
        took = time.monotonic() - began
        with state.runs.slot():
            pass
        return took

    assert asyncio.run(leave()) < 0.9
    state.runs.threads.shutdown()
    (run,) = started
    assert (run._told, run._life, run._stop) == (-1, -1, -1)


def test_whoever_leaves_before_the_matrix_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started for him."""
    state, started = slow_town(0)

    def slowly(*arguments: Any) -> Any:
        time.sleep(0.6)
        return prepare(*arguments)

    monkeypatch.setattr("server.api.courier.prepare", slowly)
    app, body = create_app(state), json.dumps(problem()).encode()
    asyncio.run(ask_in_loop(app, "POST", "/courier/v1/plain", body, JSON, 0.2))
    state.runs.threads.shutdown()
    assert not started


def test_no_process_to_be_had() -> None:
    """It is said, and no fault of the server's program."""
    state, _ = slow_town(0)

    def fail(work: Any) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    state.runs.start = fail  # type: ignore[method-assign]
    response = post(create_app(state), problem())
    assert (response.status, response.json()["code"]) == (503, "SolverFailed")
    assert "Too many open files" in response.json()["message"]


def test_one_too_many(app: Any) -> None:
    """While one is solved, the next is told to come later; after it, it may."""

    async def both() -> list[Any]:
        body = json.dumps(problem(options={"seconds": 2})).encode()
        first = asyncio.ensure_future(ask_in_loop(app, "POST", "/courier/v1/plain", body, JSON))
        await asyncio.sleep(0.5)
        second = await ask_in_loop(app, "POST", "/courier/v1/plain", body, JSON)
        return [await first, second]

    first, second = asyncio.run(both())
    assert first.status == 200
    assert (second.status, second.json()["code"]) == (429, "Busy")
    assert "1 problems are being solved" in second.json()["message"]
    assert post(app, problem()).status == 200
