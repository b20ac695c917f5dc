"""The engine that a server process answers from."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gis.version import installed_version
from routing.engine import Engine
from routing.errors import InvalidValue
from server.courier.runs import Runs
from server.errors import Busy
from server.live.speeds import LiveSpeeds
from server.metrics import Metrics
from server.settings import Settings

T = TypeVar("T")

_THREADS = 2
"""A second, so that a very long request does not hold up the long ones; each keeps the scratch
memory of its searches."""

_CUSTOMARY_NAMES = {
    "driving": "car",
    "bike": "bicycle",
    "cycling": "bicycle",
    "walking": "foot",
}
"""Names that clients of OSRM use for what is called otherwise here."""


class Serving(NamedTuple):
    """What one request is answered from, whatever is published or reloaded meanwhile.

    ``headers`` name the dataset and the weights.
    """

    engine: Engine
    profile: str
    headers: tuple[tuple[bytes, bytes], ...]


@dataclass
class EngineState:
    """An engine with the settings it serves by, and threads for work that takes its time."""

    engine: Engine
    dataset: Path
    settings: Settings = field(default_factory=Settings)
    opened: float = field(default_factory=time.monotonic)
    metrics: Metrics = field(default_factory=Metrics)
    reload: Callable[[], Awaitable[dict[str, Any]]] | None = None
    """Asks for the dataset at the path to be opened and taken; None where nobody can."""
    stopping: bool = False
    """Whether this process is to end as soon as its requests are answered."""
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_THREADS))
    live: LiveSpeeds = field(init=False)
    runs: Runs = field(init=False)
    _served_by: Engine | None = None
    _served: dict[str, Serving] = field(default_factory=dict)
    _begun: int = 0
    """Requests that a thread works on or that wait for one."""

    def __post_init__(self) -> None:
        """What is kept beside the dataset."""
        self.live = LiveSpeeds(self.dataset, self.settings)
        self.runs = Runs(self.settings.max_courier_runs)

    def profile(self, name: str, engine: Engine | None = None) -> str:
        """The profile of the dataset that a request means; raises ``InvalidValue``."""
        profiles = (engine or self.engine).profiles
        for known in (name, _CUSTOMARY_NAMES.get(name, name)):
            if known in profiles:
                return known
        if self.settings.any_profile:
            return profiles[0]
        raise InvalidValue(f"Profile '{name}' is not in this dataset ({', '.join(profiles)})")

    def profile_names(self) -> tuple[str, ...]:
        """Every name by which a request may ask for a profile of the dataset."""
        profiles = self.engine.profiles
        others = (name for name, own in _CUSTOMARY_NAMES.items() if own in profiles)
        return tuple(dict.fromkeys((*profiles, *others)))

    def serving(self, name: str) -> Serving:
        """What a request for a profile is answered from; raises ``InvalidValue``."""
        engine = self.engine
        return self._serving(engine, self.profile(name, engine))

    def serving_at_once(self, name: str) -> Serving | None:
        """The same, but None where new live speeds would have to be made ready first."""
        engine = self.engine
        profile = self.profile(name, engine)
        return self._serving(engine, profile) if engine.is_current(profile) else None

    def _serving(self, engine: Engine, profile: str) -> Serving:
        if engine is not self._served_by:  # what is left of another one is not held on to
            self._served_by, self._served = engine, {}
        view = engine.snapshot(profile)
        serving = self._served.get(profile)
        if serving is None or serving.engine is not view:
            headers = (
                (b"whimbrel-dataset", view.data_id.encode()),
                (b"whimbrel-weights", b"%d" % view.live_sequence(profile)),
            )
            serving = self._served[profile] = Serving(view, profile, headers)
        return serving

    async def serving_soon(self, name: str) -> Serving:
        """The same; new live speeds are made ready while others are answered."""
        loop = asyncio.get_running_loop()
        while (found := self.serving_at_once(name)) is None:
            engine = self.engine
            await loop.run_in_executor(None, engine.snapshot, self.profile(name, engine))
        return found

    def take(self, engine: Engine) -> None:
        """Answer from another engine from now on; what has begun ends with the one before.

        To be called where `serving` is, or where nothing is served.
        """
        self.engine = engine
        self.opened = time.monotonic()
        self._served_by, self._served = None, {}

    async def in_thread(self, work: Callable[[], T], gone: Coroutine[Any, Any, None]) -> T:
        """The result of work that would hold up other requests if it ran here.

        If ``gone`` comes to an end before the work begins, nobody wants it any more.
        Raises ``Busy`` then, and if as much work waits already as may.
        """
        watching = asyncio.ensure_future(gone)
        try:
            if self._begun >= _THREADS + self.settings.max_waiting_requests:
                raise Busy("Too many requests are waiting; try again later.")
            self._begun += 1
            self.metrics.waiting(max(self._begun - _THREADS, 0))
            try:
                future = self._threads.submit(work)
                result = asyncio.wrap_future(future)
                either: set[asyncio.Future[Any]] = {watching, result}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                if not result.done() and future.cancel():
                    raise Busy("Nobody waits for the answer.")
                return await result
            finally:
                self._begun -= 1
                self.metrics.waiting(max(self._begun - _THREADS, 0))
        finally:
            watching.cancel()

    def health(self) -> dict[str, Any]:
        """How this process is, for whoever watches it."""
        engine = self.engine
        extract = engine.info.extract
        return {
            "status": "ok",
            "version": installed_version(),
            "dataset": self.dataset.name,
            "extract": extract.name,
            "timestamp": extract.timestamp,
            "profiles": list(engine.profiles),
            "bounds": list(engine.bounds),
            "data_id": engine.data_id,
            "weights": {name: engine.announced(name) for name in engine.profiles},
            "uptime_s": round(time.monotonic() - self.opened, 1),
            "process": os.getpid(),
        }

    @property
    def example_points(self) -> tuple[tuple[float, float], ...]:
        """Three places in the dataset, as longitude and latitude."""
        west, south, east, north = self.engine.bounds
        return tuple(
            (round(west + (east - west) * x, 5), round(south + (north - south) * y, 5))
            for x, y in ((0.35, 0.4), (0.6, 0.65), (0.5, 0.3))
        )

    def examples(self) -> Mapping[str, str]:
        """Requests about this dataset that show what the server does."""
        a, b, c = (f"{lon:.5f},{lat:.5f}" for lon, lat in self.example_points)
        profile = self.engine.profiles[0]
        return {
            "A route": f"/route/v1/{profile}/{a};{b}",
            "Over a third point, as GeoJSON": (
                f"/route/v1/{profile}/{a};{c};{b}?overview=full&geometries=geojson"
            ),
            "Every piece of it": f"/route/v1/{profile}/{a};{b}?overview=false&annotations=true",
            "Two alternatives to it": f"/route/v1/{profile}/{a};{b}?alternatives=2",
            "From all to all": (f"/table/v1/{profile}/{a};{b};{c}?annotations=duration,distance"),
            "What is reached in 3 and in 6 minutes": (
                f"/isochrone/v1/{profile}/{c}?contours_minutes=3,6"
            ),
            "The three nearest roads": f"/nearest/v1/{profile}/{c}?number=3",
            "All options": "/docs",
            "Whether the server is well": "/health",
        }
