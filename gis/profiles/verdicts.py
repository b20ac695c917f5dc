"""A profile's judgment of every distinct tag set, as small tables."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from gis.arrays import F32, U8, AnyArray, Bool
from gis.profiles.rules import MAX_DURATION_S, MAX_NODE_S, MAX_TURN_S

STARTPOINT, RESTRICTED, ROUNDABOUT, FERRY = 1, 2, 4, 8
"""Bits of ``Verdicts.way_flags``."""

BINDS_NOT, FORBIDS, DEMANDS = 0, 1, 2
"""Values of ``Verdicts.restriction_kind``: no restriction, ``no_...``, ``only_...``."""


@dataclass(frozen=True)
class Verdicts:
    """What a vehicle makes of each tag set. S way sets, N node sets, R restriction sets.

    | array | dtype, shape | content |
    |---|---|---|
    | forward_kmh, backward_kmh | float32 (S,) | speed along the way and against; 0: closed |
    | forward_preference, backward_preference | float32 (S,) | see ``WayRule``; 1: neutral |
    | duration_s | float32 (S,) | time for the whole way; 0: by the speeds |
    | way_flags | uint8 (S,) | STARTPOINT, RESTRICTED, ROUNDABOUT, FERRY |
    | node_blocked | bool (N,) | whether a node stops the vehicle |
    | node_forward_s, node_backward_s | float32 (N,) | delay along the way and against |
    | turn_s | float32 (2, 2, 361) | turn cost by [junction][u_turn][angle in degrees + 180] |
    | restriction_kind | uint8 (R,) | BINDS_NOT, FORBIDS, DEMANDS |

    Preferences are kept for a weight apart from the duration; the search does not use them yet.
    A closed way has no flags, a blocked node no delay. ``restriction_reason`` (R,) tells why a
    restriction does not bind, and is empty where it does. ``warnings`` counts, by kind and value,
    the tag sets with a tag that was not understood or left aside; kinds and values are sorted.
    """

    forward_kmh: F32
    backward_kmh: F32
    forward_preference: F32
    backward_preference: F32
    duration_s: F32
    way_flags: U8
    node_blocked: Bool
    node_forward_s: F32
    node_backward_s: F32
    turn_s: F32
    restriction_kind: U8
    restriction_reason: tuple[str, ...]
    warnings: Mapping[str, Mapping[str, int]]

    def way_open(self) -> Bool:
        """Whether a way is open in any direction, bool (S,)."""
        return (self.forward_kmh > 0) | (self.backward_kmh > 0)


def check_verdicts(verdicts: Verdicts) -> None:
    """Assert every documented invariant."""
    v = verdicts
    n_ways, n_nodes = len(v.forward_kmh), len(v.node_blocked)
    for name in ("forward_kmh", "backward_kmh", "forward_preference", "backward_preference"):
        _check_array(getattr(v, name), np.float32, (n_ways,))
    _check_array(v.duration_s, np.float32, (n_ways,))
    _check_array(v.way_flags, np.uint8, (n_ways,))
    _check_array(v.node_blocked, np.bool_, (n_nodes,))
    _check_array(v.node_forward_s, np.float32, (n_nodes,))
    _check_array(v.node_backward_s, np.float32, (n_nodes,))
    _check_array(v.turn_s, np.float32, (2, 2, 361))
    _check_array(v.restriction_kind, np.uint8, (len(v.restriction_reason),))
    for field in fields(v):
        value = getattr(v, field.name)
        if isinstance(value, np.ndarray) and value.dtype == np.float32:
            assert np.isfinite(value).all() and (value >= 0).all(), field.name
    assert (v.forward_preference > 0).all() and (v.backward_preference > 0).all()
    assert (v.duration_s <= MAX_DURATION_S).all()
    assert (v.node_forward_s <= MAX_NODE_S).all() and (v.node_backward_s <= MAX_NODE_S).all()
    assert (v.turn_s <= MAX_TURN_S).all()
    assert (v.way_flags <= STARTPOINT | RESTRICTED | ROUNDABOUT | FERRY).all()
    assert not v.way_flags[~v.way_open()].any() and not v.duration_s[~v.way_open()].any()
    assert not (v.node_forward_s + v.node_backward_s)[v.node_blocked].any()
    assert (v.restriction_kind <= DEMANDS).all()
    assert [not reason for reason in v.restriction_reason] == (v.restriction_kind > 0).tolist()
    assert list(v.warnings) == sorted(v.warnings)
    for counts in v.warnings.values():
        assert list(counts) == sorted(counts) and all(count > 0 for count in counts.values())


def _check_array(array: AnyArray, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    assert array.dtype == dtype and array.shape == shape and not array.flags.writeable
