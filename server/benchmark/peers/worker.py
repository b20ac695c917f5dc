"""Asks another engine, in whatever Python has it: JSON lines in, JSON lines out.

A program of its own that imports nothing of Whimbrel. ``worker.py installed`` tells what there
is, ``worker.py NAME`` answers until its input ends. Times are taken here, around the calls.
"""

import importlib
import json
import os
import sys
import threading
import time
from importlib import metadata
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple  # noqa: UP035  for older Pythons

Request = Dict[str, Any]  # noqa: UP006
Pair = Tuple[Tuple[float, float], Tuple[float, float]]  # noqa: UP006

PACKAGES = {"osrm": "osrm-bindings", "valhalla": "pyvalhalla", "routingkit": "pyroutingkit"}


def pairs_of(request: Request) -> List[Pair]:  # noqa: UP006
    """The pairs of points of a request, as tuples: no engine's time is spent on arrays."""
    import numpy as np

    return [((a, b), (c, d)) for a, b, c, d in np.load(request["pairs"]).tolist()]


def points_of(request: Request) -> List[Tuple[float, float]]:  # noqa: UP006
    """The points of a request."""
    import numpy as np

    return [(lon, lat) for lon, lat in np.load(request["points"]).tolist()]


def timed_in_threads(work: Callable[[Sequence[Any]], None], items: Sequence[Any], n: int) -> float:
    """Seconds until n threads have worked through the items, each on its part."""
    parts = [items[start::n] for start in range(n)]
    threads = [threading.Thread(target=work, args=(part,)) for part in parts[1:]]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    work(parts[0])
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


class Osrm:
    """osrm-bindings with the contraction hierarchy and its profile of cars."""

    PREPARING_ONLY = ("cnbg", "cnbg_to_ebg", "ebg", "enw", "restrictions", "turn_penalties_index")

    def __init__(self) -> None:
        self.osrm = importlib.import_module("osrm")
        self.package = Path(str(self.osrm.__file__)).parent

    def commands(self, request: Request) -> Request:
        """The programs that prepare, and the files that are of no use after it."""
        folder, threads = Path(request["folder"]), str(request["threads"])
        profile = next(self.package.rglob("car.lua"))
        extract, contract = (
            self.package / "bin" / f"osrm-{verb}" for verb in ("extract", "contract")
        )
        data = str(folder / "map.osrm")
        commands = [
            [str(extract), "-t", threads, "-p", str(profile), str(folder / "map.osm.pbf")],
            [str(contract), "-t", threads, data],
        ]
        return {"commands": commands, "rest": [f"map.osrm.{end}" for end in self.PREPARING_ONLY]}

    def open(self, request: Request) -> Request:
        """Open what was prepared."""
        self.engine = self.osrm.OSRM(str(Path(request["folder"]) / "map.osrm"))
        return {}

    def binary(self, request: Request) -> Request:
        """Where a program of the package lies."""
        path = self.package / "bin" / str(request["name"])
        if not path.is_file():
            raise FileNotFoundError(f"no program {path}")
        return {"path": str(path)}

    def route(self, request: Request) -> Request:
        """Ask for every pair: distance and duration, or with the whole geometry, and steps."""
        overview = "full" if request.get("geometry") else "false"
        options = {"overview": overview, "steps": bool(request.get("steps"))}
        make, engine = self.osrm.RouteParameters, self.engine

        def ask(pairs: Sequence[Pair]) -> None:
            for pair in pairs:
                try:
                    engine.Route(make(coordinates=pair, generate_hints=False, **options))
                except RuntimeError:
                    pass  # no route

        return {"seconds": timed_in_threads(ask, pairs_of(request), request.get("threads", 1))}

    def durations(self, request: Request) -> Request:
        """Seconds of the routes, None where there is none; not timed."""
        found: List[Any] = []  # noqa: UP006
        for pair in pairs_of(request):
            parameters = self.osrm.RouteParameters(coordinates=pair, overview="false")
            try:
                found.append(float(self.engine.Route(parameters)["routes"][0]["duration"]))
            except RuntimeError:
                found.append(None)
        return {"durations": found}

    def table(self, request: Request) -> Request:
        """Durations from all points to all."""
        parameters = self.osrm.TableParameters(
            coordinates=points_of(request), annotations=["duration"], generate_hints=False
        )
        start = time.perf_counter()
        self.engine.Table(parameters)
        return {"seconds": time.perf_counter() - start}


class Valhalla:
    """pyvalhalla with the costing of cars."""

    def __init__(self) -> None:
        self.valhalla = importlib.import_module("valhalla")
        self.package = Path(str(self.valhalla.__file__)).parent

    def commands(self, request: Request) -> Request:
        """The program that makes tiles."""
        folder = Path(request["folder"])
        (folder / "tiles").mkdir(exist_ok=True)
        config = self.valhalla.get_config(tile_extract="", tile_dir=str(folder / "tiles"))
        config["mjolnir"]["concurrency"] = request["threads"]
        config["service_limits"]["auto"]["max_matrix_location_pairs"] = 10_000_000
        config["service_limits"]["auto"]["max_locations"] = 10_000
        path = folder / "valhalla.json"
        path.write_text(json.dumps(config))
        program = self.package / "bin" / "valhalla_build_tiles"
        return {
            "commands": [[str(program), "-c", str(path), str(folder / "map.osm.pbf")]],
            "rest": [],
        }

    def open(self, request: Request) -> Request:
        """Open what was prepared."""
        self.config = str(Path(request["folder"]) / "valhalla.json")
        self.actor = self.valhalla.Actor(self.config)
        return {}

    def route(self, request: Request) -> Request:
        """Ask for every pair; the geometry always comes along, steps if they are wanted."""
        directions = "maneuvers" if request.get("steps") else "none"

        def ask(pairs: Sequence[Pair]) -> None:
            actor = self.actor if request.get("threads", 1) == 1 else self.new_actor()
            for pair in pairs:
                try:
                    actor.route(self.question(pair) | {"directions_type": directions})
                except RuntimeError:
                    pass  # no route

        return {"seconds": timed_in_threads(ask, pairs_of(request), request.get("threads", 1))}

    def new_actor(self) -> Any:
        """One for a thread: an actor is not to be shared."""
        return self.valhalla.Actor(self.config)

    def question(self, pair: Pair) -> Request:
        """A request without instructions for the driver."""
        locations = [{"lon": lon, "lat": lat} for lon, lat in pair]
        return {"locations": locations, "costing": "auto", "directions_type": "none"}

    def durations(self, request: Request) -> Request:
        """Seconds of the routes, None where there is none; not timed."""
        found: List[Any] = []  # noqa: UP006
        for pair in pairs_of(request):
            try:
                trip = self.actor.route(self.question(pair))["trip"]
                found.append(float(trip["summary"]["time"]))
            except RuntimeError:
                found.append(None)
        return {"durations": found}

    def table(self, request: Request) -> Request:
        """Durations and distances from all points to all."""
        locations = [{"lon": lon, "lat": lat} for lon, lat in points_of(request)]
        ends = {"sources": locations, "targets": locations}
        question = {**ends, "costing": "auto", "verbose": False}
        start = time.perf_counter()
        self.actor.matrix(question)
        return {"seconds": time.perf_counter() - start}


class RoutingKit:
    """pyroutingkit on a graph that it is given."""

    def __init__(self) -> None:
        self.routingkit = importlib.import_module("pyroutingkit")

    def order(self, request: Request) -> Request:
        """Order the vertices by inertial flow and contract them."""
        import numpy as np

        graph = np.load(request["graph"])
        ends = graph["tail"], graph["head"]
        places = graph["lat"], graph["lon"]
        self.weight = graph["weight"]
        self.topology = self.routingkit.CCHTopology()
        start = time.perf_counter()
        self.topology.build(*ends, *places, len(graph["lat"]))
        seconds = time.perf_counter() - start
        self.metric = self.routingkit.CCHMetric(self.topology)
        self.metric.customize(self.weight)
        return {"seconds": seconds}

    def customize(self, request: Request) -> Request:
        """Give all shortcuts their weights."""
        start = time.perf_counter()
        self.metric.customize(self.weight)
        return {"seconds": time.perf_counter() - start}

    def costs(self, request: Request) -> Request:
        """Cost of the path between each pair of vertices, None where there is none."""
        import numpy as np

        infinite = self.routingkit.INF_WEIGHT
        found = [int(self.metric.query(*pair)[0]) for pair in np.load(request["ends"]).tolist()]
        return {"costs": [cost if cost < infinite else None for cost in found]}


ENGINES = {"osrm": Osrm, "valhalla": Valhalla, "routingkit": RoutingKit}


def installed() -> Dict[str, str]:  # noqa: UP006
    """Versions of the engines that this Python has."""
    found = {}
    for name, package in PACKAGES.items():
        try:
            found[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def serve(name: str) -> None:
    """Answer each line until there are no more."""
    # What the engines write belongs to the log: only answers may go to the pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if engine is None:
                engine = ENGINES[name]()
            answer = getattr(engine, request["do"])(request)
        except Exception as error:
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.path[:] = sys.path[1:]  # not this folder
    if sys.argv[1] == "installed":
        sys.stdout.write(json.dumps(installed()) + "\n")
    else:
        serve(sys.argv[1])
