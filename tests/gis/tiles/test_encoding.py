"""Tiles as other programs read them."""

import mapbox_vector_tile
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gis.tiles.encoding import POINT, Column, Layer, draw_points, encode_tile
from gis.tiles.grid import BUFFER, EXTENT
from gis.tiles.lines import Drawn

PLACES = st.integers(-BUFFER, EXTENT + BUFFER)


@given(
    st.lists(
        st.tuples(
            PLACES, PLACES, st.integers(0, 9), st.booleans(), st.sampled_from(["", "ä", "街"])
        ),
        max_size=20,
    )
)
def test_points_and_their_values(rows: list[tuple[int, int, int, bool, str]]) -> None:
    """Every feature has its place, number and values, of the types that were meant."""
    x, y, numbers, truths, texts = map(np.array, zip(*rows, strict=True)) if rows else [[]] * 5
    layer = Layer(
        "things",
        POINT,
        draw_points(np.array(x, np.int64), np.array(y, np.int64)),
        {
            "number": Column.of("uint_value", np.array(numbers, np.int64)),
            "negative": Column.of("sint_value", -np.array(numbers, np.int64)),
            "half": Column.of("double_value", np.array(numbers) / 2),
            "truth": Column.of("bool_value", np.array(truths, np.bool_)),
            "text": Column.of("string_value", np.array(texts, np.str_)),
        },
        np.arange(len(rows)) + 2**40,
    )
    decoded = mapbox_vector_tile.decode(
        encode_tile([layer]), default_options={"y_coord_down": True}
    )
    assert list(decoded) == ["things"] * bool(rows)
    features = decoded["things"]["features"] if rows else []
    assert [
        (*f["geometry"]["coordinates"], *f["properties"].values(), f["id"]) for f in features
    ] == [
        (x, y, number, -number, number / 2, truth, text, i + 2**40)
        for i, (x, y, number, truth, text) in enumerate(rows)
    ]
    for feature in features:
        kinds = [type(value) for value in feature["properties"].values()]
        assert kinds == [int, int, float, bool, str]


def test_what_has_no_geometry_is_left_out() -> None:
    """And its values with it, so that they take no room."""
    drawn = Drawn(np.array([0, 0, 3], np.uint32), np.array([9, 2, 2], np.uint32))
    names = Column("string_value", ["unseen", "seen"], np.array([0, 1]))
    data = encode_tile(
        [
            Layer("a", POINT, drawn, {"name": names}),
            Layer("b", POINT, Drawn(np.zeros(1, np.uint32), np.zeros(0, np.uint32))),
        ]
    )
    assert b"unseen" not in data
    decoded = mapbox_vector_tile.decode(data)
    assert [f["properties"] for f in decoded["a"]["features"]] == [{"name": "seen"}]
    assert "b" not in decoded
