"""Speeds as JSON and as CSV."""

import time
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import InvalidQuery
from server.live.csv_rows import csv_schema, rows_from_csv
from server.live.rows import SpeedRows, rows_from_json

ids = st.integers(-5, 5) | st.integers(-(10**17), 10**17)
directions = st.sampled_from(["both", "forward", "backward"])
ALONG = {"both": (1, -1), "forward": (1,), "backward": (-1,)}


def json_rows(speeds: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    pieces = st.fixed_dictionaries(
        {"nodes": st.lists(ids, min_size=2, max_size=2), "speed": speeds}
    )
    ways = st.fixed_dictionaries({"way": ids, "speed": speeds}, optional={"direction": directions})
    return st.lists(pieces | ways, max_size=12)


numbers = st.sampled_from([0, 0.5, 30]) | st.floats(0, 1e6)


def naive(rows: list[dict[str, Any]]) -> dict[Any, float | None]:
    """What each road has in the end."""
    found: dict[Any, float | None] = {}
    for row in rows:
        if "nodes" in row:
            found["piece", *row["nodes"]] = row["speed"]
        else:
            for along in ALONG[row.get("direction", "both")]:
                found["way", row["way"], along] = row["speed"]
    return found


def flat(speeds: SpeedRows) -> dict[Any, float | None]:
    return {("piece", *k): v for k, v in speeds.pieces.items()} | {
        ("way", *k): v for k, v in speeds.ways.items()
    }


@given(json_rows(numbers))
def test_json(rows: list[dict[str, Any]]) -> None:
    """The last row of a road counts; what is written out is read as the same."""
    found = rows_from_json("speeds", orjson.loads(orjson.dumps(rows)))
    assert flat(found) == naive(rows)
    written = found.rows()
    assert len(written) == len(found)
    assert rows_from_json("speeds", orjson.loads(orjson.dumps(written))) == found
    roads = [(row.get("way"), row.get("direction"), row.get("nodes")) for row in written]
    assert len(set(roads)) == len(roads)


@given(json_rows(numbers), json_rows(numbers | st.none()))
def test_update(before: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    """Rows take the place of others of the same road, null takes them away."""
    old = rows_from_json("speeds", before)
    new = old.updated(rows_from_json("speeds", rows, may_take_back=True))
    expected = {k: v for k, v in (naive(before) | naive(rows)).items() if v is not None}
    assert flat(new) == expected
    wishes = new.wishes()
    assert {**(wishes.speeds or {})} == new.pieces and {**(wishes.way_speeds or {})} == new.ways


@given(json_rows(numbers))
def test_csv(rows: list[dict[str, Any]]) -> None:
    """The same rows as CSV, but for the directions of ways."""
    lines, spelled = [], []
    for row in rows:
        if row.get("direction", "both") == "both":
            names = row["nodes"] if "nodes" in row else [row["way"]]
            lines.append(",".join([*map(str, names), f"{row['speed']:f}"]))
            spelled.append(row | {"speed": float(f"{row['speed']:f}")})
    assert flat(rows_from_csv("\n".join(lines).encode())) == naive(spelled)


@pytest.mark.parametrize(
    "text",
    [
        "1,2,30\n7,0\n",
        "1,2,30\r\n7,0\r\n",
        "\ufeff1,2,30\n\n7,0",
        "way,from,to,speed\n,1,2,30\n7,,,0",
        '\n "Speed" , rate,TO,"from",way\n30,,2,1,\n0,,,,7',
        "direction,way,from,to,speed\n,,1,2,30\nforward,7,,,0\nbackward,7,,,0",
        "speed,direction,way,to,from\n30,,,2,1\n0,both,7,,",
        " 1 , 2 , 30 \n7,0.0",
        "1,2,30,\n7,.0",
        "1,2,99\n7,1\n1,2,30.\n7,0",
    ],
)
def test_spellings_of_csv(text: str) -> None:
    """Headings, spaces, ends of lines, an empty column for rates."""
    found = rows_from_csv(text.encode())
    assert found == SpeedRows({(1, 2): 30.0}, {(7, 1): 0.0, (7, -1): 0.0})
    assert rows_from_csv(b"") == SpeedRows({}, {})


@given(st.permutations(["from", "to", "speed", "way", "rate", "direction"]))
def test_any_order_of_columns(names: list[str]) -> None:
    """A heading says which column is what."""
    rows = (
        {"from": "1", "to": "2", "speed": "30"},
        {"way": "7", "speed": "40.5", "direction": "backward"},
    )
    lines = [",".join(names), *(",".join(row.get(name, "") for name in names) for row in rows)]
    found = rows_from_csv("\n".join(lines).encode())
    assert found == SpeedRows({(1, 2): 30.0}, {(7, -1): 40.5})


@pytest.mark.parametrize("may_take_back", [False, True])
@given(st.data())
def test_the_schema_tells_the_truth(may_take_back: bool, data: st.DataObject) -> None:
    """What it allows is read."""
    pattern = csv_schema(may_take_back)["pattern"]
    rows_from_csv(data.draw(st.from_regex(pattern, fullmatch=True)).encode(), may_take_back)


def test_odd_csv_takes_no_time() -> None:
    """A speed as long as the body, which is none, is read once."""
    began = time.process_time()
    with pytest.raises(InvalidQuery, match="line 1"):
        rows_from_csv(b"1,2," + b"1" * 100_000 + b"x")
    assert time.process_time() - began < 1


def test_csv_that_takes_back() -> None:
    found = rows_from_csv(b"1,2,\n7,", may_take_back=True)
    assert found == SpeedRows({(1, 2): None}, {(7, 1): None, (7, -1): None})


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (b"1,2,30\n1,2", None),
        (b"1,2,30\n1;2;3", "line 2: expected"),
        (b"1,2,30\nfrom,to,speed", "line 2: 'from'"),
        (b"1,2,fast", "line 1: 'fast'"),
        (b"1,2,-1", "line 1: '-1'"),
        (b"1,2,1e3", "line 1: '1e3'"),
        (b"1,2,", "line 1: ''"),
        (b"1,2,30,0.5", "line 1: rates"),
        (b"1,2,3,4,5", "line 1: expected"),
        (b"1.5,2,30", "line 1: '1.5'"),
        (b"1,2,30\n\xff,1,2", "UTF-8"),
        (b"9" * 30 + b",1", "line 1: '999"),
        (b"1,2,30\n1,2,30,,", "line 2: expected from,to,speed or way,speed"),
        (b"from,to,kmh\n1,2,30", "line 1: unknown column 'kmh', expected from, to, way, "),
        (b"to,to,speed\n1,2,30", "line 1: more than one column 'to'"),
        (b"to,speed\n1,2", "line 1: expected the columns from, to and speed"),
        (b"from,to\n1,2", "line 1: expected the columns"),
        (b"direction,speed\nboth,1", "line 1: expected the columns"),
        (b"from,to,speed,direction\n1,2,3,", "line 1: a direction is one of a way"),
        (b"from,to,speed\n7,0", "line 2: expected from,to,speed"),
        (b"from,to,speed\n1,2,3,", "line 2: expected from,to,speed"),
        (b"\nspeed,from,to\n1,2,3\n1,2,", "line 4: '' is no OpenStreetMap id"),
        (b"from,to,way,speed\n1,2,3,4", "line 2: expected either from and to or way"),
        (b"way,direction,speed\n1,up,4", "line 2: 'up' is none of: both, forward, backward"),
        (b"way,from,to,direction,speed\n,1,2,both,4", "line 2: a direction is one of a way"),
        (b"from,to,speed,rate\n1,2,3,4", "line 2: rates"),
    ],
)
def test_wrong_csv(text: bytes, where: str | None) -> None:
    """Which line is wrong, and what is wrong with it."""
    if where is None:
        assert len(rows_from_csv(text)) == 2, "a way of that number"
        return
    with pytest.raises(InvalidQuery, match=where) as caught:
        rows_from_csv(text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 100


GOOD = {"nodes": [1, 2], "speed": 3}


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ({}, "speeds must be an array"),
        ([GOOD, 5], r"speeds\[1\] must be an object"),
        ([{"speed": 3}], r"speeds\[0\] must be an object"),
        ([{"nodes": [1, 2], "way": 3, "speed": 3}], r"speeds\[0\] must be an object"),
        ([{"nodes": [1, 2]}], r"speeds\[0\] has no speed"),
        ([{"nodes": [1, 2], "speed": -1}], r"speeds\[0\].speed"),
        ([{"nodes": [1, 2], "speed": True}], r"speeds\[0\].speed"),
        ([{"nodes": [1, 2], "speed": "3"}], r"speeds\[0\].speed"),
        ([{"nodes": [1, 2], "speed": None}], r"speeds\[0\].speed"),
        ([{"nodes": [1, 2], "speed": float("inf")}], r"speeds\[0\].speed"),
        ([{"nodes": [1, 2, 3], "speed": 3}], r"speeds\[0\].nodes"),
        ([{"nodes": [1, 2.5], "speed": 3}], r"speeds\[0\].nodes"),
        ([{"nodes": [1, True], "speed": 3}], r"speeds\[0\].nodes"),
        ([{"nodes": [1, 2**63], "speed": 3}], r"speeds\[0\].nodes"),
        ([{"nodes": "12", "speed": 3}], r"speeds\[0\].nodes"),
        ([GOOD | {"direction": "both"}], r"speeds\[0\] has an unknown member 'direction'"),
        ([GOOD | {"rate": 1}], r"speeds\[0\] has an unknown member 'rate'"),
        ([{"way": "7", "speed": 3}], r"speeds\[0\].way"),
        ([{"way": 7, "speed": 3, "direction": "up"}], r"speeds\[0\].direction"),
        ([{"way": 7, "speed": 3, "direction": []}], r"speeds\[0\].direction"),
    ],
)
def test_wrong_json(rows: Any, where: str) -> None:
    """Which row is wrong, and what is wrong with it."""
    with pytest.raises(InvalidQuery, match=where) as caught:
        rows_from_json("speeds", rows)
    assert "\n" not in str(caught.value)
