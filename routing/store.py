"""What a dataset holds, to and from its arrays.

A field of a dataclass or named tuple becomes the array ``<structure>.<field>``, a nested
structure ``<structure>.<field>.<its field>``, so that no structure needs code of its own here.
"""

import dataclasses
import itertools
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gis.arrays import AnyArray, freeze, offsets
from gis.errors import DatasetError
from gis.network.road_network import RoadNetwork
from gis.profiles.verdicts import RoadUse
from gis.snap_index import SnapIndex
from routing.cch.hierarchy import Hierarchy
from routing.cch.weights import Weights
from routing.conditions.prepared import Conditions, no_conditions
from routing.consistency import check_network_arrays, check_profile_arrays, check_shared_arrays
from routing.graph.components import Components
from routing.graph.turn_graph import TurnGraph
from routing.metric import Metric
from routing.search.landmarks import Landmarks

T = TypeVar("T")

_ALIASES = {
    f"index.{field}": f"network.{field}" for field in ("first_point", "point_lon", "point_lat")
} | {"index.left_hand": "network.edge_left_hand"}
"""Arrays of the index that the network has, too."""

_SHARED = {"metric.length_cm": "arcs.length_cm", "landmarks.arc_tail": "arcs.tail"}
"""Arrays that all vehicles have alike, and what they are called once for all."""


@dataclass(frozen=True)
class PreparedProfile:
    """All that a search for one vehicle needs beside the network."""

    roads: RoadUse
    turn_graph: TurnGraph
    metric: Metric
    components: Components
    landmarks: Landmarks
    hierarchy: Hierarchy
    weights: Weights
    conditions: Conditions = field(default_factory=no_conditions)


def save_network(network: RoadNetwork) -> dict[str, AnyArray]:
    """The arrays of a network."""
    return to_arrays("network", network)


def save_index(index: SnapIndex) -> dict[str, AnyArray]:
    """The arrays of an index that are not the network's own."""
    arrays = to_arrays("index", index)
    return {name: array for name, array in arrays.items() if name not in _ALIASES}


def load_network(arrays: Mapping[str, AnyArray]) -> tuple[RoadNetwork, SnapIndex]:
    """The network of a dataset, and the index over its shape.

    Raises ``DatasetError`` naming an array that does not fit to the others.
    """
    shared = {alias: arrays[name] for alias, name in _ALIASES.items() if name in arrays}
    network = from_arrays(RoadNetwork, "network", arrays)
    index = from_arrays(SnapIndex, "index", {**arrays, **shared})
    check_network_arrays(arrays)
    return network, index


def save_profile(name: str, profile: PreparedProfile) -> dict[str, AnyArray]:
    """The arrays of one vehicle, those that all have alike under the same names for each."""
    arrays = to_arrays(f"profile.{name}", profile)
    for own, shared in _SHARED.items():
        arrays[shared] = arrays.pop(f"profile.{name}.{own}")
    return arrays


def load_profile(name: str, arrays: Mapping[str, AnyArray]) -> PreparedProfile:
    """One vehicle of a dataset whose network is `load_network`'s.

    Raises ``DatasetError`` naming an array that does not fit to the others.
    """
    shared = {
        f"profile.{name}.{own}": _take(of_all, arrays, np.dtype(np.uint32))
        for own, of_all in _SHARED.items()
    }
    profile = from_arrays(PreparedProfile, f"profile.{name}", {**arrays, **shared})
    check_shared_arrays(arrays)
    check_profile_arrays(name, arrays)
    return profile


def to_arrays(name: str, value: Any) -> dict[str, AnyArray]:
    """The arrays of a structure, C-contiguous, under names that begin with ``name``.

    Fields may be arrays, tuples of strings, and structures again; else it is a ``TypeError``.
    """
    if isinstance(value, np.ndarray):
        return {name: freeze(value)}
    if dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        found: dict[str, AnyArray] = {}
        for field in _fields(type(value)):
            found |= to_arrays(f"{name}.{field}", getattr(value, field))
        return found
    if isinstance(value, tuple) and all(isinstance(text, str) for text in value):
        texts = [text.encode() for text in value]
        sizes = np.array([len(text) for text in texts], np.int64)
        return {
            f"{name}.first_byte": freeze(offsets(sizes)),
            f"{name}.text": freeze(np.frombuffer(b"".join(texts), np.uint8)),
        }
    raise TypeError(f"{name}: {type(value).__name__} cannot be kept in a dataset")


def from_arrays(kind: type[T], name: str, arrays: Mapping[str, AnyArray]) -> T:
    """The structure of type ``kind`` whose arrays have names that begin with ``name``.

    Arrays are taken as they are, so a mapped dataset stays mapped. Raises ``DatasetError`` if one
    is missing or of another type than the field.
    """
    value: T = _restore(kind, name, arrays)
    return value


def _restore(kind: Any, name: str, arrays: Mapping[str, AnyArray]) -> Any:
    dtype = _dtype_of(kind)
    if dtype is not None:
        return _take(name, arrays, dtype)
    if typing.get_origin(kind) is tuple:
        first = _take(f"{name}.first_byte", arrays, np.dtype(np.uint32))
        letters = _take(f"{name}.text", arrays, np.dtype(np.uint8))
        text = letters.tobytes()
        ends_fit = first.ndim == letters.ndim == 1 and first[:1].tolist() == [0]
        if not ends_fit or first[-1] != len(text):
            raise DatasetError(f"array {name}.first_byte of the dataset does not fit to its text")
        if (first[1:] < first[:-1]).any():
            raise DatasetError(f"array {name}.first_byte of the dataset has a step of less than 0")
        try:
            ends = itertools.pairwise(first.tolist())
            return tuple(text[start:stop].decode() for start, stop in ends)
        except UnicodeDecodeError as error:
            raise DatasetError(f"array {name}.text of the dataset: {error}") from None
    return kind(
        **{
            field: _restore(hint, f"{name}.{field}", arrays)
            for field, hint in _fields(kind).items()
        }
    )


def _dtype_of(kind: Any) -> np.dtype[Any] | None:
    """The dtype that ``NDArray[...]`` stands for, None for any other type.

    Up to NumPy 2.4 that is another name for ``ndarray[..., dtype[...]]``, then a type of its own.
    """
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is np.ndarray:
        arguments = typing.get_args(arguments[1])
    elif origin is None or origin is not npt.NDArray:
        return None
    dtype: np.dtype[Any] = np.dtype(arguments[0])
    return dtype


def _take(name: str, arrays: Mapping[str, AnyArray], dtype: np.dtype[Any]) -> AnyArray:
    found = arrays.get(name)
    if found is None or found.dtype != dtype:
        raise DatasetError(
            f"array {name} of the dataset is {'missing' if found is None else found.dtype}, "
            f"expected {dtype}"
        )
    return found


def _fields(kind: type) -> dict[str, Any]:
    """Names and types of the fields of a dataclass or named tuple, in their order."""
    return typing.get_type_hints(kind)
