"""A tiny world on which everything runs once, to compile what it needs.

The real functions run, so the kernels are compiled for exactly the types that they meet later.
"""

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import osmium
from osmium.osm.mutable import Way

from gis.arrays import freeze
from gis.dataset import open_dataset
from gis.geodesy import distances_m
from gis.line_text import line_text
from gis.osm.read import read_osm
from gis.polyline import (
    encode_parts,
    encode_polyline,
    overview_tolerance_deg,
    simplify,
    simplify_all,
)
from gis.profiles.registry import get_profile, tag_selection
from gis.text_records import find_records, new_records
from gis.wkb import line_wkb
from routing.build import build_dataset
from routing.cch.customize import Customizer
from routing.cch.weights import new_weights
from routing.changes.reweight import MANY
from routing.courier.solve import warm_up as warm_up_couriers
from routing.engine import Engine
from routing.guidance.guide import open_arcs
from routing.guidance.junctions import Junctions
from routing.inputs import ALGORITHMS
from routing.store import load_network, load_profile

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


_DATASET = "world.whimbrel"
_POINTS = [(24.9301, 60.17), (24.9339, 60.1715), (24.931, 60.171)]
_PATIENCE_S = 300.0


def _write_world(folder: Path) -> Path:
    path = folder / "world.osm"
    path.write_text(_WORLD)
    return path


def _read_pbf(folder: Path) -> None:
    """Decode each way in which a PBF file may hold nodes."""
    world = _write_world(folder)
    selection = tag_selection([get_profile("car")])
    for name, options in (("dense", "pbf"), ("plain", "pbf,pbf_dense_nodes=false")):
        path = folder / f"{name}.osm.pbf"
        with osmium.SimpleWriter(osmium.io.File(str(path), options)) as writer:
            for item in osmium.FileProcessor(str(world)):
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


def _build_and_route(folder: Path) -> None:
    """Build a dataset from the XML file, which needs no kernel to read, and route on it."""
    build_dataset(_write_world(folder), folder / _DATASET, workers=1)
    engine = Engine.open(folder / _DATASET)
    engine.nearest(*_POINTS[0], number=3, bearing=(90, 90), radius_m=500, snapping="any")
    engine.route(_POINTS[:2], with_details=True)
    lines = engine.routes(_POINTS, _POINTS[::-1], geometry=True).lines
    assert lines is not None
    line_wkb(*lines)
    for algorithm in ALGORITHMS:
        for straight in (True, False):
            route = engine.route(_POINTS, algorithm=algorithm, continue_straight=straight)
    engine.route(_POINTS, bearings=[(90, 90), None, None], radiuses=[500, None, None])
    line = route.legs[0].lon, route.legs[0].lat
    encode_polyline(*simplify(*line, overview_tolerance_deg(*line)))
    route.legs[0].annotation.nodes.tolist()
    simplify_all([line, line], overview_tolerance_deg(*line))
    line_text(*line, 5)
    directions, _ = route.legs[0].directions
    if not isinstance(directions, tuple):
        directions.text(1)
    encode_parts(*line, [(step.first_point, step.last_point) for step in route.legs[0].steps])
    whole = engine.match([_POINTS[0], _POINTS[0], _POINTS[1]]).matchings[0].route
    whole.legs[0].lon.tolist()
    engine.match([(24.932, 60.1703), (24.932, 60.1705), (24.932, 60.17048)])  # against a one-way
    engine.trip(_POINTS)
    engine.trip(_POINTS * 6)
    for zoom in (10, 14):
        engine.tile(*_tile_of(*_POINTS[0], zoom), zoom)
    _look_along_a_road(folder / _DATASET)


def _tile_of(lon: float, lat: float, zoom: int) -> tuple[int, int]:
    """Column and row of the tile around a place."""
    side = 1 << zoom
    northing = math.asinh(math.tan(math.radians(lat))) / math.pi
    return int((lon / 360 + 0.5) * side), int((0.5 - northing / 2) * side)


def _read_and_ask(folder: Path) -> None:
    """Decode PBF, then ask for what is no route once the other part has built a dataset."""
    _read_pbf(folder)
    find_records(np.frombuffer(b"a", np.uint8), True, ord(","), 1, 1, new_records(1))
    warm_up_couriers()
    dataset = folder.parent / "0" / _DATASET
    deadline = time.monotonic() + _PATIENCE_S
    while not dataset.exists():
        if time.monotonic() > deadline:
            raise TimeoutError("the part that builds a dataset has not done it")
        time.sleep(0.05)
    engine = Engine.open(dataset)
    lon, lat = np.array(_POINTS).T
    distances_m(lon, lat, lon, lat)
    for reverse in (False, True):
        engine.isochrone(*_POINTS[0], durations_s=[20, 1], reverse=reverse)
        engine.isochrone(*_POINTS[0], durations_s=[1], reverse=reverse)
        engine.isochrone(*_POINTS[0], distances_m=[200], reverse=reverse, lines=True)
    for distances in (False, True):
        engine.table(_POINTS * 20, distances=distances)
        engine.table(_POINTS[:1], _POINTS, distances=distances)
    engine.alternatives([_POINTS[0], (24.934, 60.1719)], 2)
    around = [[(24.9325, 60.1715), (24.9335, 60.1715), (24.9335, 60.1725), (24.9325, 60.1725)]]
    for n_routes in (1, MANY):
        engine.with_weights(avoid=[around], way_speeds={4: 5}, n_routes=n_routes).route(_POINTS)
    _mend(dataset)


def _look_along_a_road(dataset: Path) -> None:
    """Tell where a road leads, as directions want it at roundabouts alone."""
    arrays = open_dataset(dataset).arrays
    network, _ = load_network(arrays)
    prepared = load_profile("car", arrays)
    roads = prepared.roads
    Junctions(network, roads, prepared.turn_graph, open_arcs(network, roads)).bearing(0)


def _mend(dataset: Path) -> None:
    """Customize for one road, as is done in large networks alone."""
    prepared = load_profile("car", open_dataset(dataset).arrays)
    customizer = Customizer.of(prepared.turn_graph, prepared.hierarchy)
    weights = customizer.customize(prepared.metric, out=new_weights(prepared.hierarchy))
    customizer.recustomize(prepared.metric, weights, freeze(np.zeros(1, np.uint32)))


PARTS: tuple[Callable[[Path], None], ...] = (_build_and_route, _read_and_ask)
"""They run side by side, in the folders "0" and "1" of one folder.

No two of them may call the same kernel with different types: a race for its place on disk.
"""
