"""Answers for many rows at once, as arrays: what every process that works for a batch runs."""

from collections.abc import Callable, Sequence

import numpy as np
import shapely

from gis.arrays import F64, AnyArray
from gis.wkb import line_wkb
from routing.areas.around import Shape
from routing.engine import Engine
from routing.errors import InvalidCoordinate, NoSegment
from routing.many.batch import RouteStatus
from server.batch.task import MAIN_SHAPE, Answer, Ragged, Task


def answer(engine: Engine, task: Task, points: F64) -> Answer:
    """The answers for rows of points, float64 (n, 2 k) in degrees, NaN where there is none.

    A row that cannot be answered says so in its status. Raises what is wrong with the task
    itself, such as a profile that the dataset does not have.
    """
    return _ANSWERS[task.name](engine, task, points)


def _routes(engine: Engine, task: Task, points: F64) -> Answer:
    found = engine.routes(
        points[:, :2],
        points[:, 2:],
        radius_m=task.radius_m,
        **task.roads,
        geometry=task.geometry,
    )
    columns: dict[str, AnyArray | Ragged] = {
        "duration_s": found.duration_s,
        "distance_m": found.distance_m,
    }
    if found.lines is not None:
        columns["geometry"] = Ragged(*line_wkb(*found.lines))
    return Answer(found.status, columns)


def _nearest(engine: Engine, task: Task, points: F64) -> Answer:
    found = engine.nearest_roads(points, radius_m=task.radius_m, **task.roads)
    names = ragged([name.encode() for name in found.names])
    place = {"snapped_lon": found.lon, "snapped_lat": found.lat, "distance_m": found.distance_m}
    return Answer(found.status, {**place, "name": names})


def _tables(engine: Engine, task: Task, points: F64) -> Answer:
    found = engine.table(
        points,
        task.destinations,
        distances=task.distances,
        **task.roads,
        radius_m=task.radius_m,
        strict=False,
        threads=1,
    )
    # In the type of the output, so that nobody has to copy them.
    columns: dict[str, AnyArray | Ragged] = {"duration_s": found.seconds(np.float32)}
    metres = found.metres(np.float32)
    if metres is not None:
        columns["distance_m"] = metres
    return Answer(found.source_status, columns)


def _isochrones(engine: Engine, task: Task, points: F64) -> Answer:
    status = np.full(len(points), RouteStatus.OK, np.uint8)
    shapes: list[list[bytes]] = [[] for _ in task.limits]
    for row, (lon, lat) in enumerate(points.tolist()):
        found: list[bytes] = [b""] * len(task.limits)
        try:
            area = engine.isochrone(
                lon,
                lat,
                durations_s=None if task.by_distance else task.limits,
                distances_m=task.limits if task.by_distance else None,
                reverse=task.reverse,
                radius_m=task.radius_m,
                **task.roads,
            )
            found = [_multi_polygon(polygons) for polygons in area.shapes]
        except NoSegment:
            status[row] = RouteStatus.NO_SEGMENT
        except InvalidCoordinate:
            status[row] = RouteStatus.INVALID
        for column, shape in zip(shapes, found, strict=True):
            column.append(shape)
    names = isochrone_columns(task)
    return Answer(status, {name: ragged(c) for name, c in zip(names, shapes, strict=True)})


def isochrone_columns(task: Task) -> list[str]:
    """The names of the columns of shapes, one for each limit; the largest is "geometry"."""
    unit, scale = ("m", 1) if task.by_distance else ("min", 60)
    largest = task.limits.index(max(task.limits))
    return [
        MAIN_SHAPE if i == largest else f"{MAIN_SHAPE}_{limit / scale:g}{unit}"
        for i, limit in enumerate(task.limits)
    ]


def _multi_polygon(polygons: Sequence[Shape]) -> bytes:
    whole = shapely.MultiPolygon([(rings[0], rings[1:]) for rings in polygons])
    return bytes(shapely.to_wkb(whole, byte_order=1))


def ragged(values: list[bytes]) -> Ragged:
    """Byte strings one after the other."""
    first = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value) for value in values], out=first[1:])
    return Ragged(first, np.frombuffer(b"".join(values), np.uint8))


_ANSWERS: dict[str, Callable[[Engine, Task, F64], Answer]] = {
    "route": _routes,
    "table": _tables,
    "nearest": _nearest,
    "isochrone": _isochrones,
}


def check_task(engine: Engine, task: Task) -> None:
    """Raise an ``EngineError`` for a task that no row can be answered for."""
    engine.nearest_roads(
        np.empty((0, 2)),
        radius_m=task.radius_m,
        **task.roads,
    )
