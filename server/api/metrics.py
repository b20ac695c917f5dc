"""What a monitoring system asks: metrics in Prometheus' format, and whether to send requests."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

from fastapi import APIRouter
from prometheus_client import CollectorRegistry
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from gis.version import installed_version
from server.metrics import BOUNDS_S
from server.state import EngineState

_MEMORY = re.compile(r"^(Rss|Pss):\s+(\d+) kB$", re.MULTILINE)


class Ready(BaseModel):
    """Whether requests should come here."""

    status: str = Field(examples=["ready", "stopping"])


class ServerCollector(Collector):
    """All metrics of a server, whichever of its processes is asked."""

    def __init__(self, state: EngineState) -> None:
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """The metrics as they are now."""
        yield from self._about_requests()
        yield from self._about_data()
        yield from self._about_processes()

    def describe(self) -> Iterator[Metric]:
        """Nothing: names cannot clash where there is one collector."""
        return iter(())

    def _about_requests(self) -> Iterator[Metric]:
        metrics = self._state.metrics
        requests = CounterMetricFamily(
            "whimbrel_requests", "Requests answered", labels=["service", "status"]
        )
        errors = CounterMetricFamily(
            "whimbrel_errors", "Requests that failed by our fault (5xx)", labels=["service"]
        )
        failed: dict[str, float] = {}
        for (service, status), total in metrics.requests().items():
            requests.add_metric([service, str(status) if status else "other"], total)
            failed[service] = failed.get(service, 0.0) + total * (status >= 500)
        duration = HistogramMetricFamily(
            "whimbrel_request_duration_seconds",
            "From the last of a request's head to the first of its answer",
            labels=["service"],
        )
        for service, total in failed.items():
            errors.add_metric([service], total)
            counts, sum_s = metrics.histogram(service)
            names = [*map(str, BOUNDS_S), "+Inf"]
            duration.add_metric([service], list(zip(names, counts, strict=True)), sum_s)
        yield from (requests, errors, duration)
        gauges = metrics.gauges()
        for name, text in (
            ("in_progress", "Requests being answered, but for those answered at once"),
            ("waiting", "Long requests that wait for a thread"),
        ):
            yield GaugeMetricFamily(f"whimbrel_requests_{name}", text, gauges[name])
        yield GaugeMetricFamily("whimbrel_connections", "Open connections", gauges["connections"])
        away = CounterMetricFamily(
            "whimbrel_connections_ended", "Connections that the server ended", labels=["reason"]
        )
        for reason, total in metrics.turned_away().items():
            away.add_metric([reason], total)
        yield away

    def _about_data(self) -> Iterator[Metric]:
        engine = self._state.engine
        yield InfoMetricFamily(
            "whimbrel_dataset",
            "The dataset that is served",
            {
                "name": self._state.dataset.name,
                "dataset": engine.data_id,
                "extract": engine.info.extract.name,
                "timestamp": engine.info.extract.timestamp or "",
                "version": installed_version(),
            },
        )
        weights = GaugeMetricFamily(
            "whimbrel_weights_sequence",
            "Number of the live weights in use, 0 for the dataset's own",
            labels=["profile"],
        )
        for profile in engine.profiles:
            weights.add_metric([profile], engine.live_sequence(profile))
        yield weights
        reloads = CounterMetricFamily(
            "whimbrel_dataset_reloads", "Datasets looked at since the start", labels=["result"]
        )
        for how, total in self._state.metrics.reloads().items():
            reloads.add_metric([how], total)
        yield reloads
        age_s = time.monotonic() - self._state.opened
        yield GaugeMetricFamily("whimbrel_dataset_age_seconds", "Since it was opened", age_s)

    def _about_processes(self) -> Iterator[Metric]:
        metrics = self._state.metrics
        yield CounterMetricFamily(
            "whimbrel_worker_restarts", "Workers that had to be replaced", metrics.restarts()
        )
        yield GaugeMetricFamily(
            "whimbrel_uptime_seconds", "Since the server was started", time.time() - metrics.began
        )
        memory = GaugeMetricFamily(
            "whimbrel_memory_bytes",
            "Memory of a process; pss counts what is shared by its share",
            labels=["process", "kind"],
        )
        for name, pid in metrics.processes().items():
            for kind, n_bytes in memory_of(pid).items():
                memory.add_metric([name, kind], n_bytes)
        yield memory


def memory_of(pid: int) -> dict[str, int]:
    """``rss`` and ``pss`` of a process in bytes; nothing where the system does not tell."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return {}
    return {kind.lower(): 1024 * int(kib) for kind, kib in _MEMORY.findall(text)}


def metrics_router(state: EngineState) -> APIRouter:
    """Routes for whoever watches the server or sends it requests."""
    router = APIRouter(tags=["server"])
    registry = CollectorRegistry()
    registry.register(ServerCollector(state))

    @router.get("/metrics", summary="Metrics", response_class=Response)
    def metrics() -> Response:
        """Metrics of all processes of the server in Prometheus' text format."""
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    @router.get(
        "/ready",
        summary="Readiness",
        response_model=Ready,
        responses={503: {"model": Ready, "description": "The server is about to stop"}},
    )
    async def ready() -> Response:
        """Whether requests should be sent here: not once the server is told to stop."""
        if state.stopping:
            return JSONResponse({"status": "stopping"}, 503, {"retry-after": "5"})
        return JSONResponse({"status": "ready"})

    return router
