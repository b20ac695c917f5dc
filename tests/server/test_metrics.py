"""Counts that several processes share, and how they are told."""

import os
import signal
from bisect import bisect_left

import pytest
from asgi import ask
from fake_engine import fake_state
from prometheus_client.parser import text_string_to_metric_families
from starlette.requests import Request

from server.app import create_app
from server.metrics import BOUNDS_S, SERVICES, Metrics
from server.settings import Settings

ROUTE = "/route/v1/driving/1,2;3,4"


def told(text: str) -> dict[tuple[str, ...], float]:
    """Values by name and labels, as a monitoring system reads them."""
    return {
        (sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))): (
            sample.value
        )
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_totals_of_several_processes() -> None:
    """What each process has counted is in the sum, also of one that was killed."""
    metrics = Metrics(3)
    for slot in range(3):
        pid = os.fork()
        if pid == 0:
            metrics.take_slot(slot)
            for _ in range(1000 * (slot + 1)):
                metrics.observe("route", 200, 0.0002)
            metrics.began_or_ended(1)
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(pid, 0)
    assert metrics.requests() == {("route", 200): 6000}
    assert metrics.gauges()["in_progress"] == 3
    metrics.take_slot(1)  # goes on with what was counted, but nothing is in progress there
    metrics.observe("table", 400, 0.1)
    assert metrics.requests() == {("route", 200): 6000, ("table", 400): 1}
    assert metrics.gauges()["in_progress"] == 2
    assert metrics.processes()["1"] == os.getpid()


@pytest.mark.parametrize("seconds", [0.0, 0.0001, 0.00011, 0.3, 10.0, 11.0])
def test_histogram(seconds: float) -> None:
    """A duration is in each bucket whose bound it does not exceed."""
    metrics = Metrics()
    metrics.observe("trip", 200, seconds)
    counts, total = metrics.histogram("trip")
    assert counts == [*(float(seconds <= bound) for bound in BOUNDS_S), 1.0]
    assert counts.index(1.0) == bisect_left(BOUNDS_S, seconds)
    assert total == seconds


def test_every_service_is_apart() -> None:
    """No service or status counts for another; those that are unknown are put together."""
    metrics = Metrics()
    for n, service in enumerate(SERVICES):
        for _ in range(n + 1):
            metrics.observe(service, 200, 1.0)
    metrics.observe("no such thing", 299, 1.0)
    found = metrics.requests()
    assert found.pop(("other", 0)) == 1
    assert found == {(service, 200): n + 1 for n, service in enumerate(SERVICES)}


def test_the_page() -> None:
    """A monitoring system can read it, and it tells what was asked."""
    app = create_app(fake_state())
    for target in (ROUTE, ROUTE, "/route/v1/driving/1,2", "/route/v1/car/52,1;3,4", "/nonsense"):
        ask(app, "GET", target)
    ask(app, "GET", "/health")
    response = ask(app, "GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=")
    found = told(response.text)
    total = "whimbrel_requests_total"
    assert found[total, "service=route", "status=200"] == 2
    assert found[total, "service=route", "status=400"] == 1
    assert found[total, "service=route", "status=500"] == 1
    assert found[total, "service=other", "status=400"] == 1
    assert found[total, "service=health", "status=200"] == 1
    assert found["whimbrel_errors_total", "service=route"] == 1
    duration = "whimbrel_request_duration_seconds"
    assert found[f"{duration}_count", "service=route"] == 4
    assert found[f"{duration}_bucket", "le=+Inf", "service=route"] == 4
    assert found["whimbrel_requests_in_progress",] == 1  # the one that asks
    assert found["whimbrel_weights_sequence", "profile=car"] == 0
    (info,) = (key for key in found if key[0] == "whimbrel_dataset_info")
    assert "dataset=0123456789abcdef" in info
    assert found["whimbrel_memory_bytes", "kind=pss", "process=supervisor"] > 1e6


def test_readiness() -> None:
    """Once it is told to stop, requests should go elsewhere, though they are answered."""
    state = fake_state()
    app = create_app(state)
    response = ask(app, "GET", "/ready")
    assert (response.status, response.json()) == (200, {"status": "ready"})
    state.stopping = True
    response = ask(app, "GET", "/ready")
    assert (response.status, response.json()) == (503, {"status": "stopping"})
    assert ask(app, "HEAD", "/ready").status == 503
    assert ask(app, "GET", ROUTE).status == 200


def test_health_names_what_is_served() -> None:
    """The same as in the headers of each answer."""
    app = create_app(fake_state())
    health, answer = ask(app, "GET", "/health").json(), ask(app, "GET", ROUTE)
    assert health["data_id"] == answer.headers["whimbrel-dataset"]
    assert health["weights"] == {"car": int(answer.headers["whimbrel-weights"])}
    assert health["bounds"] == [24.9, 60.1, 25.0, 60.2]


def test_bodies_are_limited() -> None:
    """Also where nobody reads them."""
    app = create_app(fake_state(Settings(max_body_bytes=1000)))
    response = ask(app, "POST", "/bench/v1/parse", b"x" * 1001)
    assert (response.status, response.json()["code"]) == (413, "TooBig")
    assert ask(app, "POST", "/health", b"x" * 1000).status == 405


def test_endless_bodies_are_limited() -> None:
    """What reads a body without being told its length gets no more than the limit."""
    app = create_app(fake_state(Settings(max_body_bytes=1000)))
    read: list[int] = []

    @app.post("/reader")
    async def reader(request: Request) -> None:
        read.extend([len(part) async for part in request.stream()])

    routes = app.router.routes
    routes.insert(0, routes.pop())
    response = ask(app, "POST", "/reader", [b"x" * 300] * 7)
    assert (response.status, response.json()["code"]) == (413, "TooBig")
    assert not read


def test_reload_where_nobody_can() -> None:
    """Without a supervisor it is said to be impossible now; without a token there is no route."""
    token = "0123456789abcdef"
    app = create_app(fake_state(Settings(admin_token=token)))
    target = "/datasets/v1/reload"
    assert ask(app, "POST", target).status == 401
    response = ask(app, "POST", target, headers={"authorization": f"Bearer {token}"})
    assert (response.status, response.json()["code"]) == (503, "Busy")
    assert ask(create_app(fake_state()), "POST", target).status in (400, 404, 415)
