"""Isochrones as GeoJSON (RFC 7946)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from routing.areas.around import ReachedArea, Shape
from server.api.osrm_json import waypoint_object
from server.api.osrm_params import IsochroneParams


def contours_of(params: IsochroneParams) -> list[float]:
    """The limits that are asked for, each once, the largest first."""
    limits = params.contours_minutes or params.contours_meters or ()
    return sorted(set(limits), reverse=True)


def isochrone_answer(area: ReachedArea, params: IsochroneParams) -> dict[str, Any]:
    """The answer of the isochrone service: a feature for each contour, the largest first.

    So whoever draws them one after the other sees all of them.
    """
    metric = "time" if params.contours_minutes else "distance"
    features = [
        {
            "type": "Feature",
            "geometry": _polygons(shapes) if params.polygons else _lines(shapes),
            "properties": {
                "contour": int(limit) if limit.is_integer() else limit,
                "metric": metric,
                "direction": params.direction,
            },
        }
        for limit, shapes in zip(contours_of(params), area.shapes, strict=True)
    ]
    answer: dict[str, Any] = {"code": "Ok", "type": "FeatureCollection", "features": features}
    if not params.skip_waypoints:
        answer["waypoints"] = [waypoint_object(area.waypoint, params.generate_hints)]
    return answer


def _polygons(polygons: Sequence[Shape]) -> dict[str, Any]:
    written = [[ring.round(6) for ring in polygon] for polygon in polygons]
    if len(written) == 1:
        return {"type": "Polygon", "coordinates": written[0]}
    return {"type": "MultiPolygon", "coordinates": written}


def _lines(lines: Sequence[Shape]) -> dict[str, Any]:
    """Lines with two different points at least once they are rounded."""
    written: list[list[float]] = []
    if lines:
        length = np.array([len(line) for line in lines])
        stop = np.cumsum(length)
        first = stop - length
        points = np.concatenate(lines).round(6)
        differs = (points != np.repeat(points[first], length, axis=0)).any(axis=1)
        is_line = np.logical_or.reduceat(differs, first)
        pairs = points.tolist()
        ends = zip(first[is_line].tolist(), stop[is_line].tolist(), strict=True)
        written = [pairs[start:end] for start, end in ends]
    return {"type": "MultiLineString", "coordinates": written}
