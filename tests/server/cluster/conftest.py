"""A scheduler and workers of Dask as processes of their own, and points for them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pytest

from gis.arrays import F64
from routing.engine import Engine
from server.batch.answering import answer
from server.batch.task import Answer, Ragged, Task

START_S = 60.0
WITHOUT_WHIMBREL = "import sys; sys.modules['server'] = sys.modules['routing'] = None"
CODE = "{before}\nfrom distributed.cli.dask_{what} import main; main()"


class Cluster:
    """A scheduler and its workers; ``prefix`` is what a command line is to begin with.

    The scheduler cannot import Whimbrel, since it need not.
    """

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str],
        host: str = "127.0.0.1",
        prefix: Sequence[str] = (),
        **settings: str,
    ) -> None:
        self._folder = folder
        self._environment = {**environment, **settings}
        self.workers: list[subprocess.Popen[bytes]] = []
        self.logs: list[Path] = []
        file = folder / "scheduler.json"
        arguments = ["--host", host, "--port", "0", "--scheduler-file", str(file)]
        self.scheduler = self._start("scheduler", arguments, prefix, WITHOUT_WHIMBREL)

        def has_address() -> bool:
            try:
                return bool(json.loads(file.read_text()))
            except (OSError, ValueError):
                return False

        try:
            self.wait_until(has_address)
        except BaseException:
            self.kill(self.scheduler)
            raise
        self.address: str = json.loads(file.read_text())["address"]

    def _start(
        self, what: str, arguments: Sequence[str], prefix: Sequence[str], before: str
    ) -> subprocess.Popen[bytes]:
        log = self._folder / f"{what}-{len(self.logs)}.log"
        self.logs.append(log)
        code = CODE.format(before=before, what=what)
        command = [*prefix, sys.executable, "-P", "-c", code, "--no-dashboard", *arguments]
        with log.open("wb") as stream:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                env=self._environment,
                cwd=self._folder,
                start_new_session=True,
            )

    def start_worker(
        self,
        *options: str,
        threads: int = 1,
        nanny: bool = False,
        host: str = "127.0.0.1",
        prefix: Sequence[str] = (),
        before: str = "",
    ) -> subprocess.Popen[bytes]:
        """Start a worker; ``before`` is Python that it runs first."""
        arguments = [self.address, "--nthreads", str(threads), "--host", host, *options]
        arguments += ["--nanny" if nanny else "--no-nanny", "--memory-limit", "0"]
        arguments += ["--local-directory", str(self._folder)]
        worker = self._start("worker", arguments, prefix, before)
        self.workers.append(worker)
        return worker

    def log(self) -> str:
        """All that the processes have written."""
        return "\n".join(log.read_text(errors="replace") for log in self.logs)

    @staticmethod
    def wait_until(is_so: Callable[[], bool], limit_s: float = START_S) -> None:
        """Wait, and fail the test if it takes too long."""
        end = time.monotonic() + limit_s
        while not is_so():
            assert time.monotonic() < end, f"waited for {limit_s} s"
            time.sleep(0.02)

    @staticmethod
    def kill(process: subprocess.Popen[bytes]) -> None:
        """SIGKILL for a process and all that it has started."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in [*self.workers, self.scheduler]:
            self.kill(process)
        if error is not None:
            print(self.log())


@pytest.fixture
def new_cluster(tmp_path: Path, environment: dict[str, str]) -> Iterator[Callable[..., Cluster]]:
    """Starts a cluster without workers, which ends with the test."""
    started: list[Cluster] = []

    def start(**options: Any) -> Cluster:
        cluster = Cluster(tmp_path, environment, **options)
        started.append(cluster)
        return cluster

    yield start
    for cluster in started:
        cluster.__exit__(None, None, None)
        print(cluster.log())


@pytest.fixture(scope="session")
def cluster(
    kernels: None, environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """A cluster of two workers, to be left as it is."""
    with Cluster(tmp_path_factory.mktemp("cluster"), environment) as cluster:
        cluster.start_worker()
        cluster.start_worker()
        yield cluster


@pytest.fixture(scope="session")
def engine(dataset: Path) -> Engine:
    """The engine for the sample, in this process."""
    return Engine.open(dataset)


@pytest.fixture(scope="session")
def chunks(engine: Engine) -> list[F64]:
    """Chunks of random pairs of points, some of them nowhere, and a chunk without any."""
    return draw_chunks(engine, 10, 300)


def draw_chunks(engine: Engine, n_chunks: int, n_rows: int) -> list[F64]:
    rng = np.random.default_rng(7)
    west, south, east, north = engine.bounds
    low, high = [west, south] * 2, [east, north] * 2
    drawn = [rng.uniform(low, high, (n_rows, 4)) for _ in range(n_chunks)]
    for number, chunk in enumerate(drawn):
        chunk[number, number % 4] = np.nan
        chunk[-number] = 0.0
    drawn[2] = drawn[2][:0]
    return drawn


@pytest.fixture(scope="session")
def assert_answers(engine: Engine) -> Callable[[list[Answer], Task, list[F64]], None]:
    """Asserts that answers are those that this process gives, to the bit."""

    def check(found: list[Answer], task: Task, chunks: list[F64]) -> None:
        for got, points in zip(found, chunks, strict=True):
            wanted = answer(engine, task, points)
            np.testing.assert_array_equal(got.status, wanted.status)
            assert list(got.columns) == list(wanted.columns)
            for name, column in wanted.columns.items():
                other = got.columns[name]
                if isinstance(column, Ragged):
                    np.testing.assert_array_equal(other.first, column.first)
                    np.testing.assert_array_equal(other.data, column.data)
                else:
                    assert isinstance(other, np.ndarray) and other.dtype == column.dtype
                    np.testing.assert_array_equal(other, column)

    return check


class Site:
    """A web server on the loopback device for the files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        self.failing: dict[str, int] = {}
        """How many times more a path is answered with 503."""
        self.cutting: dict[str, int] = {}
        """How many times more the connection is lost in the middle of what is at a path."""
        site = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                site.requests.append(self.path)
                if site.failing.get(path, 0) > 0:
                    site.failing[path] -= 1
                    self.send_error(503)
                elif site.cutting.get(path, 0) > 0:
                    site.cutting[path] -= 1
                    content = (folder / path.strip("/")).read_bytes()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content[: len(content) // 2])
                    self.close_connection = True
                else:
                    super().do_GET()

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Site]]:
    """Serves folders over HTTP until the test ends."""
    sites: list[Site] = []

    def start(folder: Path) -> Site:
        sites.append(Site(folder))
        return sites[-1]

    yield start
    for site in sites:
        site.close()


@pytest.fixture
def forks() -> Callable[[Path], str]:
    """Python for a worker to note in a file that it has forked."""
    return lambda file: (
        f"import os; os.register_at_fork(before=lambda: open({str(file)!r}, 'w').close())\n"
    )
