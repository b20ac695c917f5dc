"""A slow or greedy request does not hold up others."""

import http.client
import json
import threading
import time
from pathlib import Path

import pytest
from rebuilt import TOKEN, Load, Served

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

TINY = [
    "/route/v1/car/24.94,60.167;24.945,60.17?overview=false",
    "/nearest/v1/car/24.94,60.17",
]
SIDE = 32
POINTS = [
    [24.90 + 0.06 * (n % SIDE) / SIDE, 60.16 + 0.03 * (n // SIDE) / SIDE] for n in range(1000)
]


def test_tiny_requests_among_large_ones(dataset: Path, tmp_path: Path) -> None:
    """One process answers small requests at once while it works on the largest, and on updates."""
    server = Served(
        dataset,
        workers=1,
        settings={"watch_s": 0, "max_table_cells": 1_000_000, "state_dir": tmp_path},
    )
    stop = threading.Event()
    statuses: list[int] = []
    large: list[tuple[str, str, object]] = [
        ("POST", "/table/v1/car", {"coordinates": POINTS}),
        ("GET", "/isochrone/v1/car/24.94,60.17?contours_minutes=10,20,60,120", None),
        ("PUT", "/live/v1/car/speeds", {"speeds": [{"way": n, "speed": 9} for n in range(50_000)]}),
        ("POST", "/trip/v1/car", {"coordinates": POINTS[::20]}),
    ]

    def ask_on(method: str, target: str, body: object) -> None:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        while not stop.is_set():
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
        connection.close()

    greedy = [threading.Thread(target=ask_on, args=one) for one in large]
    try:
        with Load(server.port, TINY, threads=1):  # what is loaded once is loaded
            time.sleep(0.5)
        for thread in greedy:
            thread.start()
        with Load(server.port, TINY, threads=1) as load:
            time.sleep(8)
        stop.set()
        for thread in greedy:
            thread.join()
        took_ms = sorted(1e3 * took_s for took_s in load.took_s)
        print(
            f"\n{len(took_ms)} in ms: median {took_ms[len(took_ms) // 2]:.1f}, 99 % "
            f"{took_ms[len(took_ms) * 99 // 100]:.0f}, longest {took_ms[-1]:.0f};",
            f"{len(statuses)} large ones",
        )
        assert load.failures == []
        assert set(statuses) == {200}
        assert took_ms[len(took_ms) // 2] < 100
        assert took_ms[-1] < 2000
    finally:
        stop.set()
        server.kill()
