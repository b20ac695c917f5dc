"""A dataset that is built anew while it is served, and the server."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gis.manifest import MANIFEST
from gis.profiles.car import PROFILE
from gis.profiles.rules import Profile, Tags, Warn, WayRule

ROOT = Path(__file__).resolve().parent.parent
TOKEN = "a-token-of-24-characters"
MAIN = "from server.cli import main; main()"


NAME = "motor"
"""What both of the following are called."""


def usual_car() -> Profile:
    """The car under a name of our own."""
    return replace(PROFILE, name=NAME)


def slower_car() -> Profile:
    """A car for which large roads are worse than they are, so that it goes other ways."""

    def way(tags: Tags, warn: Warn) -> WayRule | None:
        rule = PROFILE.way(tags, warn)
        if rule is None or not tags.get("highway", "").startswith(("primary", "trunk", "motorw")):
            return rule
        return replace(
            rule, forward_kmh=rule.forward_kmh * 0.4, backward_kmh=rule.backward_kmh * 0.4
        )

    return replace(PROFILE, name=NAME, way=way)


def install(built: Path, dataset: Path) -> None:
    """Put a dataset in the place of another one as a build does: all at once, then tidy up."""
    dataset.mkdir(exist_ok=True)
    data = json.loads((built / MANIFEST).read_text())["data"]
    if not (dataset / data).exists():
        part = dataset / f"{data}.part"
        shutil.copytree(built / data, part)
        part.rename(dataset / data)
    part = dataset / f"{MANIFEST}.part"
    shutil.copy(built / MANIFEST, part)
    part.rename(dataset / MANIFEST)
    for old in dataset.glob("data-*"):
        if old.name != data:
            shutil.rmtree(old)


class Served:
    """``whimbrel serve`` as a process, asked over the loopback interface."""

    def __init__(
        self, dataset: Path, workers: int = 2, settings: Mapping[str, object] = {}
    ) -> None:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "WHIMBREL_ADMIN_TOKEN": TOKEN,
            **{f"WHIMBREL_{name.upper()}": str(value) for name, value in settings.items()},
        }
        self.dataset = dataset
        arguments = ["serve", str(dataset), "--port", "0", "--workers", str(workers)]
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", MAIN, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        self._said: list[str] = []
        stream = self.process.stderr
        self._listening = threading.Thread(target=lambda: self._said.extend(stream), daemon=True)
        self._listening.start()
        line = self.process.stdout.readline()
        assert line, self.end()
        self.port = int(line.split("127.0.0.1:")[1].split("/")[0])

    def ask(
        self, method: str, target: str, body: Any = None, timeout_s: float = 60
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer, over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        headers = {"Authorization": f"Bearer {TOKEN}"}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        with contextlib.closing(connection):
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read()

    def get(self, target: str) -> Any:
        """A JSON answer."""
        return json.loads(self.ask("GET", target)[2])

    def reload(self) -> tuple[int, Any]:
        """Ask it to take the dataset as it is now."""
        status, _, body = self.ask("POST", "/datasets/v1/reload", timeout_s=120)
        return status, json.loads(body)

    def workers(self) -> set[int]:
        """Process ids of its children."""
        pid = self.process.pid
        return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

    def processes(self) -> set[int]:
        """All of its processes."""
        return {self.process.pid, *self.workers()}

    def end(self) -> str:
        """What it has said on standard error until it ended."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.kill()

    def kill(self) -> str:
        """The same, without mercy."""
        self.process.kill()
        self.process.wait()
        self._listening.join(5)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return "".join(self._said)


class Load:
    """Threads that ask the same over connections that stay open, and note whatever goes wrong."""

    def __init__(self, port: int, targets: list[str], threads: int = 4) -> None:
        self.port, self.targets = port, targets
        self.failures: list[str] = []
        self.seen: dict[tuple[str, str], set[bytes]] = {}
        self.count = 0
        self.took_s: list[float] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(threads)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self._stop.is_set():
            target = self.targets[number % len(self.targets)]
            number += 1
            began = time.monotonic()
            try:
                connection.request("GET", target)
                response = connection.getresponse()
                body = response.read()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{target}: {error!r}")
                connection.close()
                continue
            self.took_s.append(time.monotonic() - began)
            self.count += 1
            if response.status != 200:
                self.failures.append(f"{target}: {response.status} {body[:200]!r}")
                continue
            key = response.headers["Whimbrel-Dataset"], target
            self.seen.setdefault(key, set()).add(body)
        connection.close()


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Return once something is so; it fails if that takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
