"""Areas as GeoJSON has them."""

from typing import Any

import orjson
import pytest
import shapely
from shapely.geometry import mapping

from routing.errors import InvalidValue
from server.api.polygons import polygons
from server.errors import InvalidQuery

RING = [[0, 0], [1, 0], [1, 1], [0, 0]]
POLYGON = {"type": "Polygon", "coordinates": [RING]}


def read(value: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = polygons().check("avoid_polygons", value)
    return found


def test_shapes() -> None:
    """Any object that holds polygons and nothing else."""
    holes = shapely.box(0, 0, 9, 9) - shapely.box(1, 1, 2, 2) - shapely.box(3, 3, 4, 4)
    several = shapely.MultiPolygon([holes, shapely.box(20, 20, 21, 21)])
    geometries = [orjson.loads(orjson.dumps(mapping(shape))) for shape in (holes, several)]
    feature = {"type": "Feature", "properties": None, "geometry": geometries[1]}
    collected = {"type": "GeometryCollection", "geometries": geometries}
    for value, expected in (
        (geometries[0], holes),
        (geometries[1], several),
        (feature, several),
        ({"type": "FeatureCollection", "features": [feature]}, several),
        (collected, several),
        ([geometries[0], [feature]], several),
        ([], shapely.Polygon()),
        ({"type": "MultiPolygon", "coordinates": []}, shapely.Polygon()),
    ):
        found = [shapely.Polygon(rings[0], rings[1:]) for rings in read(value)]
        assert shapely.union_all(found).equals(expected)


def test_heights_and_open_rings() -> None:
    """What is above the ground is left out, and a ring need not be closed."""
    assert read({"type": "Polygon", "coordinates": [[[0, 0, 5], [1, 0, 6.5], [1, 1, 7]]]}) == (
        [[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]],
    )


def nested(depth: int) -> Any:
    value: Any = POLYGON
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "avoid_polygons must be a Polygon or MultiPolygon of GeoJSON"),
        ("POLYGON ((0 0, 1 0, 1 1, 0 0))", "avoid_polygons must be a Polygon"),
        (5, "avoid_polygons must be a Polygon"),
        ({"type": "Point", "coordinates": [0, 0]}, "avoid_polygons must be a Polygon"),
        ([POLYGON, {"type": 5}], "avoid_polygons[1] must be a Polygon"),
        ([[POLYGON], RING], "avoid_polygons[1][0][0] must be a Polygon"),
        ({"type": "Polygon"}, "avoid_polygons.coordinates must be an array"),
        ({"type": "Polygon", "coordinates": []}, "avoid_polygons.coordinates must have a ring"),
        ({"type": "Polygon", "coordinates": [5]}, "avoid_polygons.coordinates[0] must be an array"),
        (
            {"type": "Polygon", "coordinates": [RING, RING[1:]]},
            None,
        ),
        (
            {"type": "Polygon", "coordinates": [RING[:2] * 2]},
            "avoid_polygons.coordinates[0] must have three different positions or more",
        ),
        (
            {"type": "MultiPolygon", "coordinates": [[RING], [[[0, 0], [0, "1"], [1, 1]]]]},
            "avoid_polygons.coordinates[1][0][1] must be a position, [longitude, latitude]",
        ),
        ({"type": "Polygon", "coordinates": [[[0, 0], [181, 0], [1, 1]]]}, "[0][1] must be a pos"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, -91], [1, 1]]]}, "[0][1] must be a pos"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [True, 1], [1, 1]]]}, "[0][1] must be a pos"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1], [1, 1]]]}, "[0][1] must be a pos"),
        ({"type": "Feature"}, "avoid_polygons.geometry must be a Polygon"),
        ({"type": "FeatureCollection"}, "avoid_polygons.features must be an array"),
        ({"type": "GeometryCollection", "geometries": [5]}, "avoid_polygons.geometries[0] must be"),
        (nested(500), "lies too deep in other objects"),
    ],
)
def test_what_is_no_area(value: Any, message: str | None) -> None:
    """The message says where."""
    if message is None:
        assert len(read(value)) == 1
        return
    with pytest.raises((InvalidQuery, InvalidValue)) as caught:
        read(value)
    assert message in str(caught.value)
