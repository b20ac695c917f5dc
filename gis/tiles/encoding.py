"""The bytes of a tile: layers of features with values, in the Mapbox Vector Tile format 2."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from mapbox_vector_tile.Mapbox import vector_tile_pb2

from gis.arrays import I64, AnyArray
from gis.tiles.grid import EXTENT
from gis.tiles.lines import ONE_MOVE, Drawn

POINT, LINE = 1, 2
"""Kinds of geometry."""

_VERSION = 2


@dataclass(frozen=True)
class Column:
    """One value for each of F features.

    ``kind`` is the field of the format's values that holds it, such as ``string_value``;
    ``values`` are the different ones, and ``index`` (F,) which of them each feature has.
    """

    kind: str
    values: Sequence[Any]
    index: AnyArray

    @classmethod
    def of(cls, kind: str, values: AnyArray) -> "Column":
        """The column of numbers or truths (F,)."""
        different, index = np.unique(values, return_inverse=True)
        return cls(kind, different.tolist(), index)


@dataclass(frozen=True)
class Layer:
    """Features of one kind. ``ids`` are whole numbers (F,), 0 where there is none."""

    name: str
    kind: int
    drawn: Drawn
    columns: Mapping[str, Column] = field(default_factory=dict)
    ids: AnyArray | None = None


def encode_tile(layers: Sequence[Layer]) -> bytes:
    """The bytes of a tile; what has no geometry is left out, and so is a layer of that alone."""
    tile = vector_tile_pb2.tile()
    for layer in layers:
        shown = np.flatnonzero(np.diff(layer.drawn.first.astype(np.int64)))
        if len(shown):
            _add_layer(tile.layers.add(), layer, shown)
    data: bytes = tile.SerializeToString()
    return data


def _add_layer(message: Any, layer: Layer, shown: I64) -> None:
    message.name, message.version, message.extent = layer.name, _VERSION, EXTENT
    tags = _tags(message, layer.columns, shown)
    first, stop = (layer.drawn.first[shown + end].tolist() for end in (0, 1))
    ids = [0] * len(shown) if layer.ids is None else layer.ids[shown].tolist()
    commands, kind, add = layer.drawn.command.tolist(), layer.kind, message.features.add
    for number, row, start, end in zip(ids, tags, first, stop, strict=True):
        feature = add()  # to fill it takes half as long as to make it of keywords
        feature.type = kind
        if number:
            feature.id = number
        if row:
            feature.tags.extend(row)
        feature.geometry.extend(commands[start:end])


def _tags(message: Any, columns: Mapping[str, Column], shown: I64) -> list[list[int]]:
    """For each feature that is shown, indices of keys and values in turn; these are entered."""
    message.keys.extend(columns)
    known: dict[tuple[str, Any], int] = {}
    tags = np.empty((len(shown), 2 * len(columns)), np.int64)
    for i, column in enumerate(columns.values()):
        index = column.index[shown]
        used = np.unique(index)
        place = np.zeros(len(column.values), np.int64)
        for number in used.tolist():
            place[number] = known.setdefault((column.kind, column.values[number]), len(known))
        tags[:, 2 * i] = i
        tags[:, 2 * i + 1] = place[index]
    for kind, value in known:
        setattr(message.values.add(), kind, value)
    rows: list[list[int]] = tags.tolist()
    return rows


def draw_points(x: I64, y: I64) -> Drawn:
    """Points (n,) on a tile's grid, one for each feature."""
    command = np.empty((len(x), 3), np.uint32)
    command[:, 0] = ONE_MOVE
    for i, number in enumerate((x, y)):
        command[:, 1 + i] = np.where(number >= 0, number << 1, ~(number << 1))
    first = np.arange(0, 3 * len(x) + 1, 3, dtype=np.uint32)
    return Drawn(first, command.ravel())
