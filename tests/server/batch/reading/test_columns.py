"""Which columns are coordinates, and what carried ones are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.errors import InputError
from server.batch.reading.columns import (
    Selection,
    WantedColumns,
    find_points,
    listed,
    output_names,
    select,
    unique_names,
)


@pytest.mark.parametrize(
    "names",
    [
        "origin_lon,origin_lat,destination_lon,destination_lat",
        "from_lng,from_lat,to_lng,to_lat",
        "start_x,start_y,end_x,end_y",
        "o_lon,o_lat,d_lon,d_lat",
        "olon,olat,dlon,dlat",
        "src_longitude,src_latitude,dst_longitude,dst_latitude",
        "source_lon,source_lat,target_lon,target_lat",
        "pickup_longitude,pickup_latitude,dropoff_longitude,dropoff_latitude",
        "Pickup Longitude,Pickup Latitude,Drop-off Longitude,Drop-off Latitude",
        "originLon,originLat,destLon,destLat",
        "ORIGIN_X,ORIGIN_Y,DEST_X,DEST_Y",
        "x1,y1,x2,y2",
        "lon_1,lat_1,lon_2,lat_2",
        "lon_origin,lat_origin,lon_destination,lat_destination",
        "start station longitude,start station latitude,end station longitude,end station latitude",
        "home_lon,home_lat,work_lon,work_lat",
        "longitude_from,latitude_from,longitude_to,latitude_to",
    ],
)
def test_common_names_of_two_points(names: str) -> None:
    """In any order and among others."""
    columns = names.split(",")
    assert find_points("f", columns, 2) == (0, 1, 2, 3)
    assert find_points("f", ["id", *columns[::-1], "dist"], 2) == (4, 3, 2, 1)


@pytest.mark.parametrize(
    "names",
    [
        "lon,lat",
        "LNG,LAT",
        "longitude,latitude",
        "Long,Lat",
        "x,y",
        "stop_lon,stop_lat",
        "decimalLongitude,decimalLatitude",
        "shop lng,shop lat",
        "lon_wgs84,lat_wgs84",
        "X_coord,Y_coord",
    ],
)
def test_common_names_of_one_point(names: str) -> None:
    columns = names.split(",")
    assert find_points("f", columns, 1) == (0, 1)
    assert find_points("f", ["id", "platform", *columns[::-1]], 1) == (3, 2)


def test_plain_names_go_before_others() -> None:
    """Of several places, the one that has no name is meant."""
    assert find_points("f", ["shop_lon", "shop_lat", "lat", "lon"], 1) == (3, 2)


@pytest.mark.parametrize(
    ("names", "n_points", "said"),
    [
        ("a_lon,a_lat,b_lon,b_lat", 1, "a_lon or b_lon?"),
        ("lon,lng,lat", 1, "lon or lng?"),
        ("origin_lon,from_lon,origin_lat,to_lon,to_lat", 2, "origin_lon or from_lon?"),
        (
            "id,lon,lat",
            2,
            "name them with --columns lon1,lat1,lon2,lat2, or one column of shapes",
        ),
        ("id,lat", 1, "among id, lat; name them with --columns lon,lat, or one column of shapes"),
        ("lon_a,lat_b", 1, "among lon_a, lat_b"),
        ("a\0b\x1b[31m,lat", 1, "among a\ufffdb\ufffd[31m, lat"),
        ("", 1, "among ;"),
    ],
)
def test_unclear_names(names: str, n_points: int, said: str) -> None:
    """The error names the file, the columns that there are and the option."""
    with pytest.raises(InputError) as error:
        find_points("trips.csv", names.split(","), n_points)
    assert said in str(error.value) and str(error.value).startswith("trips.csv: ")
    assert "--columns" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["geometry", "Geom", "WKT", "wkb", "the_geom", "shape"])
@pytest.mark.parametrize("n_points", [1, 2])
def test_common_names_of_shapes(name: str, n_points: int) -> None:
    """Where there are no coordinates; the more common name goes first."""
    assert find_points("f", ["id", name], n_points) == (1,)
    coordinates = "x,y" if n_points == 1 else "x1,y1,x2,y2"
    found = find_points("f", [name, *coordinates.split(",")], n_points)
    assert found == tuple(range(1, 1 + 2 * n_points))
    assert find_points("f", ["shape", "geometry", "wkt"], n_points) == (1,)
    with pytest.raises(InputError, match="found no columns"):
        find_points("f", [name], n_points, may_be_shapes=False)


def test_columns_by_name() -> None:
    """As they are written, or else without regard to case."""
    names = ["A", "b", "B", "geom"]
    assert select("f", names, WantedColumns(1, ["b", "a"], [])) == Selection((1, 0), (), ())
    assert select("f", names, WantedColumns(1, ["GEOM"], ["geom", "A", "geom"])) == Selection(
        (3,), (3, 0), ("geom", "A")
    )
    assert select("f", names, WantedColumns(1, None, ["A"]), shapes=3).points == (3,)
    assert select("f", names, WantedColumns(1, ["b", "B"]), shapes=3).needed == [0, 1, 2, 3]
    assert select("f", names, WantedColumns(1, ["b", "a"], [])).needed == [0, 1]


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        (
            WantedColumns(1, ["A", "b", "c"]),
            "got 3 names of columns, expected 2 (longitude and latitude)",
        ),
        (
            WantedColumns(2, ["A", "b", "B"]),
            "expected 4 (longitude and latitude of origin and destination), one of points for each"
            " or one of shapes",
        ),
        (WantedColumns(1, ["A", "a"]), "column A is named twice for the longitude and latitude"),
        (WantedColumns(2, ["b", "b"]), "column b is named twice"),
        (WantedColumns(1, ["A", "d"]), "has no column d, only A, b, B"),
        (WantedColumns(1, ["A", "b"], ["e"]), "has no column e, only A, b, B"),
    ],
)
def test_columns_that_are_not_there(wishes: WantedColumns, said: str) -> None:
    with pytest.raises(InputError, match=r"^trips\.csv: ") as error:
        select("trips.csv", ["A", "b", "B"], wishes)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("names", "unique"),
    [
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["", "", "b"], ["column_1", "column_2", "b"]),
        (["column_2", ""], ["column_2", "column_2_2"]),
    ],
)
def test_unique_names(names: list[str], unique: list[str]) -> None:
    assert unique_names(names) == unique


@given(st.lists(st.sampled_from(["a", "a_2", "a_2_2", "", "column_1", "column_2", "status"])))
def test_no_two_names_are_equal(names: list[str]) -> None:
    """And names that are not repeated stay."""
    for unique in (unique_names(names), output_names(names, ["status", "a_2"])):
        assert len(set(unique)) == len(names) and all(unique)
    once = [name for name in names if name and names.count(name) == 1]
    assert [name for name in unique_names(names) if name in once] == once


def test_reserved_names_are_kept_free() -> None:
    """Only these; and no other column is in the way of what one is called then."""
    names = ["id", "status", "Name", "name", "input_name", "geometry"]
    assert output_names(names, ["status", "name"]) == [
        *("id", "input_status", "Name", "input_name", "input_name_2", "geometry"),
    ]
    assert output_names(["name"], ["name", "input_name"]) == ["input_name_2"]
    assert output_names(names, ()) == names
    wanted = WantedColumns(1, None, reserved=["lat"])
    assert select("f", ["lon", "lat"], wanted).names == ("lon", "input_lat")


def test_long_lists_are_cut() -> None:
    assert listed([str(i) for i in range(33)]).endswith(", 29 and 3 more")
