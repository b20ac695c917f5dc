"""Compiling every kernel once, when a version runs for the first time.

The real functions run on a tiny world, so the kernels are compiled for exactly the types that they
meet later. Parts that share no kernel are compiled side by side, each in a process of its own.
"""

import fcntl
import logging
import os
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import llvmlite.binding
import numba
import osmium
from numba.core import event
from osmium.osm.mutable import Way

from gis.jit import CACHE_FOLDER
from gis.osm.read import read_osm
from gis.polyline import encode_polyline, overview_tolerance_deg, simplify
from gis.profiles.registry import get_profile, tag_selection
from routing.build import build_dataset
from routing.engine import ALGORITHMS, Engine

_log = logging.getLogger(__name__)

_MARKER = CACHE_FOLDER / (
    f"warm-{sys.implementation.cache_tag}-{llvmlite.binding.get_host_cpu_name()}"
)
_LOCK = CACHE_FOLDER / "warm.lock"
_POLL_S = 0.2

_WORLD = """<osm version="0.6">
<node id="1" lat="60.17" lon="24.930"/>
<node id="2" lat="60.17" lon="24.932"><tag k="highway" v="traffic_signals"/></node>
<node id="3" lat="60.17" lon="24.934"/>
<node id="4" lat="60.171" lon="24.930"/>
<node id="5" lat="60.1711" lon="24.932"/>
<node id="6" lat="60.171" lon="24.934"/>
<node id="7" lat="60.172" lon="24.930"/>
<node id="8" lat="60.172" lon="24.932"><tag k="barrier" v="gate"/></node>
<node id="9" lat="60.172" lon="24.934"/>
<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="primary"/>
<tag k="name" v="South"/><tag k="maxspeed" v="50"/></way>
<way id="2"><nd ref="4"/><nd ref="5"/><nd ref="6"/><tag k="highway" v="residential"/></way>
<way id="3"><nd ref="7"/><nd ref="8"/><nd ref="9"/><tag k="highway" v="service"/></way>
<way id="4"><nd ref="1"/><nd ref="4"/><nd ref="7"/><tag k="highway" v="residential"/></way>
<way id="5"><nd ref="2"/><nd ref="5"/><tag k="highway" v="residential"/>
<tag k="oneway" v="yes"/></way>
<way id="6"><nd ref="5"/><nd ref="8"/><tag k="highway" v="residential"/></way>
<way id="7"><nd ref="3"/><nd ref="6"/><nd ref="9"/><tag k="highway" v="secondary"/></way>
<relation id="1"><member type="way" ref="5" role="from"/><member type="node" ref="5" role="via"/>
<member type="way" ref="6" role="to"/><tag k="type" v="restriction"/>
<tag k="restriction" v="no_straight_on"/></relation>
<relation id="2"><member type="way" ref="1" role="from"/><member type="way" ref="5" role="via"/>
<member type="way" ref="2" role="to"/><tag k="type" v="restriction"/>
<tag k="restriction" v="no_u_turn"/></relation>
</osm>
"""
"""Three streets across three others, with one of everything that a kernel looks at."""


def is_warm() -> bool:
    """Whether all kernels of this version have been compiled for this machine."""
    jit_is_off = numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    return bool(jit_is_off) or _MARKER.exists()


def warm_up(progress: Callable[[int], None]) -> int:
    """Compile what is not compiled yet and return the number of kernels that were.

    ``progress`` is called a few times a second with the number so far. One process does the work,
    others that begin meanwhile wait for it. What fails or is killed is done again the next time.
    """
    with _only_one(progress):
        if is_warm():
            return 0
        with tempfile.TemporaryDirectory(prefix="whimbrel-") as name:
            folder = Path(name)
            (folder / "world.osm").write_text(_WORLD)
            compiled, whole = _run_side_by_side(PARTS, folder, progress)
        if whole:
            _MARKER.touch()
    return compiled


def _read_pbf(folder: Path) -> None:
    """Decode each way in which a PBF file may hold nodes."""
    selection = tag_selection([get_profile("car")])
    for name, options in (("dense", "pbf"), ("plain", "pbf,pbf_dense_nodes=false")):
        path = folder / f"{name}.osm.pbf"
        with osmium.SimpleWriter(osmium.io.File(str(path), options)) as writer:
            for item in osmium.FileProcessor(str(folder / "world.osm")):
                writer.add(item)
            for way in _ways_that_need_room():
                writer.add_way(way)
        read_osm(path, selection)


def _ways_that_need_room() -> Iterator[Way]:
    """Ways whose names and nodes do not fit in the first hash tables."""
    for number in range(10, 40):
        name = f"{number} " * 300
        yield Way(id=number, nodes=[1, 2], tags={"highway": "residential", "name": name})
    yield Way(id=40, nodes=list(range(1, 1 << 24, 1 << 9)), tags={"highway": "track"})


def _build_and_ask(folder: Path) -> None:
    """Build a dataset from the XML file, which needs no kernel to read, and route on it."""
    build_dataset(folder / "world.osm", folder / "world.whimbrel", workers=1)
    engine = Engine.open(folder / "world.whimbrel")
    points = [(24.9301, 60.17), (24.9339, 60.1715), (24.931, 60.171)]
    for algorithm in ALGORITHMS:
        for straight in (True, False):
            route = engine.route(points, algorithm=algorithm, continue_straight=straight)
    engine.route(points, bearings=[(90, 90), None, None], radiuses=[500, None, None])
    engine.nearest(*points[0], number=3, bearing=(90, 90), radius_m=500, snapping="any")
    line = route.legs[0].lon, route.legs[0].lat
    encode_polyline(*simplify(*line, overview_tolerance_deg(*line)))


PARTS: tuple[Callable[[Path], None], ...] = (_read_pbf, _build_and_ask)
"""No two of them may call the same kernel with different types: a race for its place on disk."""


class _Counter(event.Listener):
    """Writes a byte for each kernel that has been compiled."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def on_start(self, event: Any) -> None:
        """A compilation begins."""

    def on_end(self, event: Any) -> None:
        """A compilation has ended."""
        os.write(self._descriptor, b".")


def _run_side_by_side(
    parts: tuple[Callable[[Path], None], ...], folder: Path, progress: Callable[[int], None]
) -> tuple[int, bool]:
    """The number of kernels compiled, and whether every part came to its end."""
    reader, writer = os.pipe()
    pids = [_start(part, folder, writer) for part in parts]
    os.close(writer)
    compiled = 0
    try:
        while True:
            progress(compiled)
            if select.select([reader], [], [], _POLL_S)[0]:
                dots = os.read(reader, 1 << 16)
                if not dots:
                    break
                compiled += len(dots)
        statuses = [os.waitpid(pid, 0)[1] for pid in pids]
    except BaseException:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise
    finally:
        os.close(reader)
    return compiled, not any(statuses)


def _start(part: Callable[[Path], None], folder: Path, writer: int) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of NumPy's BLAS
        pid = os.fork()
    if pid == 0:
        _run(part, folder, writer)
    return pid


def _run(part: Callable[[Path], None], folder: Path, writer: int) -> NoReturn:
    status = 1
    try:
        event.register("numba:compile", _Counter(writer))  # type: ignore[no-untyped-call]
        part(folder)
        status = 0
    except KeyboardInterrupt:
        pass
    except BaseException:
        _log.exception("compiling kernels")
    finally:
        os._exit(status)


@contextmanager
def _only_one(progress: Callable[[int], None]) -> Iterator[None]:
    """Hold the lock that one process may have; it ends with the process if not before."""
    descriptor = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                progress(0)
                time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)
