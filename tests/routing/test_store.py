from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import PLAIN, World

from gis.arrays import F32, U32, AnyArray
from gis.errors import DatasetError
from gis.profiles.registry import apply_profile, tag_selection
from gis.snap_index import build_snap_index
from routing.build import BuildReport, prepare_profiles
from routing.store import (
    from_arrays,
    load_network,
    load_profile,
    save_index,
    save_network,
    save_profile,
    to_arrays,
)


class Inner(NamedTuple):
    """A structure within another."""

    length: F32
    names: tuple[str, ...]


@dataclass(frozen=True)
class Outer:
    """A structure with all kinds of fields."""

    head: U32
    inner: Inner
    words: tuple[str, ...]


def equal(a: Any, b: Any) -> bool:
    """Whether two structures hold the same, arrays compared with their types."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    if hasattr(a, "__dict__"):
        return type(a) is type(b) and equal(tuple(vars(a).values()), tuple(vars(b).values()))
    if isinstance(a, tuple):
        return type(a) is type(b) and all(map(equal, a, b)) and len(a) == len(b)
    return bool(a == b)


texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4).map(tuple)


@given(st.lists(st.integers(0, 2**32 - 1)), texts, texts)
def test_round_trip(head: list[int], names: tuple[str, ...], words: tuple[str, ...]) -> None:
    """Nested structures come back from their arrays, texts in any script included."""
    outer = Outer(np.array(head, np.uint32), Inner(np.ones((2, 3), np.float32), names), words)
    arrays = to_arrays("a", outer)
    assert set(arrays) == {
        "a.head",
        "a.inner.length",
        *(
            f"a.{field}.{part}"
            for field in ("inner.names", "words")
            for part in ("first_byte", "text")
        ),
    }
    assert equal(from_arrays(Outer, "a", arrays), outer)


def test_only_what_can_be_kept() -> None:
    """Whatever is neither array, text nor structure is refused by name."""
    with pytest.raises(TypeError, match=r"a\.inner: dict cannot be kept in a dataset"):
        to_arrays("a", Outer(np.empty(0, np.uint32), {}, ()))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, np.zeros(3, np.int64)])
def test_missing_and_wrong_arrays(wrong: AnyArray | None) -> None:
    """An array that is not there, or of another type than the field, is one line."""
    outer = Outer(np.zeros(3, np.uint32), Inner(np.ones(1, np.float32), ("x",)), ("y",))
    for name in to_arrays("a", outer):
        arrays = to_arrays("a", outer)
        del arrays[name]
        if wrong is not None:
            arrays[name] = wrong
        with pytest.raises(DatasetError, match=rf"array {name} of the dataset is \w+, expected"):
            from_arrays(Outer, "a", arrays)


TOWN = World(
    """
    a - b - c
        |   |
        d - e
    """,
    """
    ab  highway=primary name='High Street'
    bc  highway=primary name='High Street'
    bde highway=residential
    ce  highway=residential oneway=yes
    """,
    nodes="b delay=3",
    relations="restriction=no_left_turn from:ab via:b to:bde",
)


def test_network_and_profile() -> None:
    """A network, its index and a prepared profile come back as they were, views of the arrays."""
    tables = TOWN.tables(tag_selection([PLAIN]))
    network, _ = TOWN.network()
    index = build_snap_index(network)
    verdicts = apply_profile(PLAIN, tables.way_tags, tables.node_tags, tables.relation_tags)
    report = BuildReport(Path("a"), Path("b"), [])
    (prepared,) = prepare_profiles(network, [PLAIN], [verdicts], report)
    assert network.restrictions.tagset.size == 1, "the world tests restrictions too"

    arrays = save_network(network) | save_index(index) | save_profile("plain", prepared)
    found_network, found_index = load_network(arrays)
    found = load_profile("plain", arrays)
    assert equal((found_network, found_index, found), (network, index, prepared))
    assert found.metric.weight is arrays["profile.plain.metric.weight"]
    assert found_index.point_lon is found_network.point_lon
    for array in arrays.values():
        assert array.flags.c_contiguous and not array.flags.writeable
