"""Results as data frames with geometry."""

import sys

import numpy as np
import pytest
import shapely
from engines import engine_of
from towns import between, town
from world import World

from gis.errors import EngineError
from routing.errors import NotInstalled
from routing.many.batch import RouteStatus

NAMED = World("a---b---c", "ab highway=x name=One\nbc highway=x name=Two")


def test_routes() -> None:
    """A row for each pair, in order, with its line or None."""
    pytest.importorskip("geopandas")
    world, engine = town(0)
    a, b, island = (world.position(letter) for letter in "fks")
    frame = engine.routes([a, a, island, a], [b, (200, 0), b, a], geometry=True).to_geopandas()
    assert frame.crs == "EPSG:4326"
    assert list(frame.columns) == ["duration_s", "distance_m", "status", "geometry"]
    assert frame.status.tolist()[:2] == ["Ok", "InvalidCoordinate"] and frame.status[3] == "Ok"
    for row, end in ((0, b), (3, a)):
        route = engine.route([a, end])
        (leg,) = route.legs
        assert (
            shapely.get_coordinates(frame.geometry[row]).tolist()
            == np.stack([leg.lon, leg.lat], axis=1).tolist()
        )
        assert (frame.duration_s[row], frame.distance_m[row]) == (
            route.duration_s,
            route.distance_m,
        )
    assert frame.geometry[1] is None and np.isnan(frame.duration_s[1])
    assert (frame.status[2] == "Ok") == (frame.geometry[2] is not None)
    assert len(engine.routes([], [], geometry=True).to_geopandas()) == 0
    none = engine.routes([(200, 0)], [b], geometry=True).to_geopandas()
    assert none.geometry.tolist() == [None] and none.status.tolist() == ["InvalidCoordinate"]


def test_nearest_roads() -> None:
    """A row for each point, in order."""
    pytest.importorskip("geopandas")
    engine = engine_of(NAMED)
    points = [between(NAMED, "ab"), (np.nan, 0), NAMED.position("b")]
    found = engine.nearest_roads(points)
    frame = found.to_geopandas()
    assert list(frame.columns) == ["distance_m", "name", "status", "geometry"]
    assert frame.crs == "EPSG:4326" and frame.name.tolist() == ["One", "", "One / Two"]
    assert frame.status.tolist() == ["Ok", RouteStatus.INVALID.word, "Ok"]
    assert frame.geometry[1] is None
    assert (frame.geometry[2].x, frame.geometry[2].y) == (found.lon[2], found.lat[2])


def test_a_route() -> None:
    """A row for each leg."""
    pytest.importorskip("geopandas")
    engine = engine_of(NAMED)
    route = engine.route([NAMED.position("a"), between(NAMED, "bc"), NAMED.position("c")])
    frame = route.to_geopandas()
    assert frame.crs == "EPSG:4326" and frame.names.tolist() == ["One; Two", "Two"]
    assert frame.duration_s.sum() == pytest.approx(route.duration_s)
    assert frame.distance_m.tolist() == [leg.distance_m for leg in route.legs]
    for leg, line in zip(route.legs, frame.geometry, strict=True):
        assert line.geom_type == "LineString"
        assert shapely.get_coordinates(line)[:, 0].tolist() == leg.lon.tolist()


@pytest.mark.parametrize(("lines", "kind"), [(False, "MultiPolygon"), (True, "MultiLineString")])
def test_an_area(lines: bool, kind: str) -> None:
    """A row for each limit, whatever lies within."""
    pytest.importorskip("geopandas")
    engine = engine_of(NAMED)
    area = engine.isochrone(*between(NAMED, "ab"), durations_s=[60, 0, 5], lines=lines)
    frame = area.to_geopandas()
    assert frame.crs == "EPSG:4326" and frame.limit.tolist() == [60, 0, 5]
    assert [shape.geom_type for shape in frame.geometry] == [kind] * 3
    for shapes, shape in zip(area.shapes, frame.geometry, strict=True):
        assert len(shape.geoms) == len(shapes)
        size, measured = (
            (shape.length, sum(shapely.linestrings(line).length for line in shapes))
            if lines
            else (
                shape.area,
                sum(shapely.Polygon(rings[0], rings[1:]).area for rings in shapes),
            )
        )
        assert size == pytest.approx(measured)


def test_without_geopandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has not installed it is told how to, in one line."""
    monkeypatch.setitem(sys.modules, "geopandas", None)
    engine = engine_of(NAMED)
    ends = [NAMED.position("a"), NAMED.position("c")]
    results = (
        engine.routes(ends[:1], ends[1:], geometry=True),
        engine.nearest_roads(ends),
        engine.route(ends),
        engine.isochrone(*ends[0], durations_s=[5]),
    )
    for result in results:
        with pytest.raises(NotInstalled, match=r"^geopandas is not installed: .*'whimbrel\[geo\]'"):
            result.to_geopandas()
    assert issubclass(NotInstalled, EngineError)
