"""Datasets whose arrays are whole but do not fit together."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from engines import arrays_of
from world import PLAIN, World

from gis.arrays import AnyArray
from gis.errors import DatasetError
from gis.profiles.rules import RestrictionRule, Tags, Warn, WayRule
from routing.cch.weights import INF_COST
from routing.store import load_network, load_profile

TOWN = World(
    """
    a---b---c---g-h
        |   |   |
        d---e---f
    """,
    """
    ab   highway=primary name='High Street'
    bcg  highway=primary name='High Street'
    bde  highway=residential
    ce   highway=residential oneway=yes private:conditional='yes @ (Sa)'
    efg  highway=residential
    gh   highway=residential private=yes
    """,
    nodes="b delay=3",
    relations="""
    restriction=no_left_turn from:ab via:b to:bde
    restriction:conditional='no_turn @ (Mo-Fr 07:00-09:00)' from:ab via:bde to:efg
    """,
)


def _way(tags: Tags, warn: Warn) -> WayRule | None:
    rule = PLAIN.way(tags, warn)
    return rule and replace(rule, forward_preference=0.5)


def _restriction(tags: Tags, warn: Warn) -> RestrictionRule:
    return PLAIN.restriction(tags, warn) if "restriction" in tags else (None, "holds at times")


FUSSY = replace(
    PLAIN,
    way_keys=(*PLAIN.way_keys, "private:conditional"),
    relation_keys=(*PLAIN.relation_keys, "restriction:conditional"),
    way=_way,
    restriction=_restriction,
)
"""As PLAIN, with preferences and with roads that are others at times."""

ARRAYS = arrays_of(TOWN, FUSSY)

DIRECTIONS = ("forward", "backward")
REASON = "tables.restriction_reason"
NUMBERS = (
    *(f"{way}_{what}" for way in DIRECTIONS for what in ("kmh", "preference", "classes")),
    *("duration_s", "turn_s", "node_blocked", "node_restricted"),
    *("node_forward_s", "node_backward_s"),
)

FREE = {
    *(f"network.{name}" for name in ("node_id", "node_lon", "node_lat", "edge_way", "point_id")),
    *(f"network.{name}" for name in ("edge_length_m", "edge_share", "point_lon", "point_lat")),
    "network.edge_left_hand",
    "network.restrictions.relation_id",
    *(f"network.{tags}.text" for tags in ("way_tags", "node_tags", "labels", "restrictions.tags")),
    *(f"profile.plain.roads.{name}.text" for name in ("classes", "excludable", "weight_name")),
    *(f"profile.plain.turn_graph.{name}" for name in ("turn_cost", "back_cost")),
    *(f"profile.plain.components.{name}" for name in ("arc_component", "arc_flags")),
    "arcs.length_cm",
    *(f"profile.plain.conditions.verdicts.{name}.text" for name in ("expressions", REASON)),
    *(f"profile.plain.conditions.verdicts.tables.{name}" for name in NUMBERS),
    *(f"profile.plain.{name}" for name in ("hierarchy.parent", "weights.up", "weights.down")),
    *(f"profile.plain.weights.{name}_children" for name in ("up", "down")),
    *(f"profile.plain.weights.{name}_third" for name in ("up", "down")),
    "index.tree.box",
}
"""Nothing is looked up by these, or the value that is tried means that there is none."""


def load(arrays: dict[str, AnyArray]) -> None:
    load_network(arrays)
    load_profile("plain", arrays)


def test_what_is_built_fits() -> None:
    """The arrays of a real build pass, and none of them is left unchanged by what follows."""
    load(ARRAYS)
    assert all(array.size for array in ARRAYS.values())
    assert set(ARRAYS) > FREE


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[:-1],
        lambda array: np.concatenate([array, array[-1:], array[-1:] + 1]),
        lambda array: array[:0],
        lambda array: array[None],
        lambda array: array.reshape(-1)[0],
    ],
    ids=["shorter", "longer", "empty", "nested", "a number"],
)
def test_shapes(name: str, change: Callable[[AnyArray], AnyArray]) -> None:
    """An array of another length or number of dimensions is one line that names an array."""
    changed = np.asarray(change(ARRAYS[name]))
    arrays = ARRAYS | {name: changed}
    with pytest.raises(DatasetError, match=r"^array [a-z_.]+ of the dataset [^\n]+$"):
        load(arrays)


@pytest.mark.parametrize("name", sorted(set(ARRAYS) - FREE))
@pytest.mark.parametrize("position", [0, -1])
def test_values(name: str, position: int) -> None:
    """A value that leads out of another array, wherever it is, is one line that names the array."""
    array = ARRAYS[name].copy()
    array.reshape(-1)[position] = min(2**32 - 1, np.iinfo(array.dtype).max)
    with pytest.raises(DatasetError, match=f"^array {re.escape(name)} of the dataset [^\n]+$"):
        load(ARRAYS | {name: array})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hierarchy.parent", 2**32 - 2),
        ("hierarchy.parent", 0),
        ("weights.up", 2**63),
        ("weights.down", 2**63),
        ("weights.up_children", 2**32 - 2),
        ("weights.down_children", 2**32 - 2),
    ],
)
@pytest.mark.parametrize("position", [0, -1])
def test_values_of_the_hierarchy(name: str, value: int, position: int) -> None:
    """A vertex that is no ancestor, a cost beyond INF_COST, or an arc that there is not."""
    name = f"profile.plain.{name}"
    array = ARRAYS[name].copy()
    if name.endswith("_children"):  # nobody follows those of arcs that cost too much
        with_cost = ARRAYS[name.removesuffix("_children")] < INF_COST
        array[np.flatnonzero(with_cost)[position], position] = value
    else:
        array[position] = value
    with pytest.raises(DatasetError, match=f"^array {re.escape(name)} of the dataset [^\n]+$"):
        load(ARRAYS | {name: array})


OFFSETS = [name for name in ARRAYS if ".first_" in name and ARRAYS[name].size > 2]


@pytest.mark.parametrize("name", OFFSETS)
def test_offsets_that_run_back(name: str) -> None:
    """Offsets that rise beyond the end and come back are noticed."""
    array = ARRAYS[name].copy()
    array[1] = array[-1] + 1
    with pytest.raises(DatasetError, match=f"array {re.escape(name)} of the dataset has a step"):
        load(ARRAYS | {name: array})


def test_shapes_without_a_segment() -> None:
    """An edge of a single point has no segment to be on."""
    array = ARRAYS["network.first_point"].copy()
    array[1] = 1
    with pytest.raises(DatasetError, match=r"network\.first_point of the dataset has a step"):
        load(ARRAYS | {"network.first_point": array})
