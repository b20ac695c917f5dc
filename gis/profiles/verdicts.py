"""A profile's judgment of every distinct tag set, as small tables."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from gis.arrays import F32, U8, AnyArray, Bool, freeze
from gis.profiles.rules import MAX_CLASSES, MAX_DURATION_S, MAX_NODE_S, MAX_TURN_S, Mode, Profile

STARTPOINT, ROUNDABOUT, CIRCULAR, FORWARD_RESTRICTED, BACKWARD_RESTRICTED = 1, 2, 4, 8, 16
"""Bits of ``Verdicts.way_flags``."""

ALL_WAY_FLAGS = STARTPOINT | ROUNDABOUT | CIRCULAR | FORWARD_RESTRICTED | BACKWARD_RESTRICTED

BINDS_NOT, FORBIDS, DEMANDS = 0, 1, 2
"""Values of ``Verdicts.restriction_kind``: no restriction, ``no_...``, ``only_...``."""


@dataclass(frozen=True)
class VerdictTables:
    """What a vehicle makes of each tag set. S way sets, N node sets, R restriction sets.

    | array | dtype, shape | content |
    |---|---|---|
    | forward_kmh, backward_kmh | float32 (S,) | speed along the way and against; 0: closed |
    | forward_preference, backward_preference | float32 (S,) | see ``WayRule``; 1: neutral |
    | duration_s | float32 (S,) | time for the whole way; 0: by the speeds |
    | way_flags | uint8 (S,) | STARTPOINT, ROUNDABOUT, CIRCULAR, FORWARD_RESTRICTED, ... |
    | forward_mode, backward_mode | uint8 (S,) | ``Mode``; INACCESSIBLE where closed |
    | forward_classes, backward_classes | uint8 (S,) | bits by the order of ``Profile.classes`` |
    | node_blocked | bool (N,) | whether a node stops the vehicle |
    | node_restricted | bool (N,) | whether what is behind may only be reached |
    | node_forward_s, node_backward_s | float32 (N,) | delay along the way and against |
    | turn_s | float32 (2, 2, 2, 361) | see below |
    | restriction_kind | uint8 (R,) | BINDS_NOT, FORBIDS, DEMANDS |

    A turn costs ``turn_s[left_hand][junction][u_turn][angle in degrees + 180]``. A closed way has
    no flags and no classes, a blocked node no delay. ``restriction_reason`` (R,) tells why a
    restriction does not bind, and is empty where it does.
    """

    forward_kmh: F32
    backward_kmh: F32
    forward_preference: F32
    backward_preference: F32
    duration_s: F32
    way_flags: U8
    forward_mode: U8
    backward_mode: U8
    forward_classes: U8
    backward_classes: U8
    node_blocked: Bool
    node_restricted: Bool
    node_forward_s: F32
    node_backward_s: F32
    turn_s: F32
    restriction_kind: U8
    restriction_reason: tuple[str, ...]

    def way_open(self) -> Bool:
        """Whether a way is open in any direction, bool (S,)."""
        return (self.forward_kmh > 0) | (self.backward_kmh > 0)


@dataclass(frozen=True)
class Verdicts(VerdictTables):
    """The judgment of a map, and what was odd about it.

    ``warnings`` counts, by kind and value, the tag sets with a tag that was not understood or
    left aside; kinds and values are sorted.
    """

    warnings: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class RoadUse:
    """What requests need to know of a vehicle once its dataset is built. S way sets.

    | array | dtype, shape | content |
    |---|---|---|
    | way_flags | uint8 (S,) | as in ``Verdicts`` |
    | forward_mode, backward_mode | uint8 (S,) | as in ``Verdicts`` |
    | forward_classes, backward_classes | uint8 (S,) | bits by the order of ``classes`` |
    | straight | uint8 (1,) | 1: by default nobody turns around at a via point |

    ``excludable`` are the combinations of classes that a request may exclude, each sorted and
    joined by commas; ``weight_name`` has one word.
    """

    way_flags: U8
    forward_mode: U8
    backward_mode: U8
    forward_classes: U8
    backward_classes: U8
    straight: U8
    classes: tuple[str, ...]
    excludable: tuple[str, ...]
    weight_name: tuple[str, ...]


def road_use(profile: Profile, verdicts: Verdicts) -> RoadUse:
    """The part of a profile's verdicts that a dataset keeps."""
    return RoadUse(
        verdicts.way_flags,
        verdicts.forward_mode,
        verdicts.backward_mode,
        verdicts.forward_classes,
        verdicts.backward_classes,
        freeze(np.array([profile.continue_straight], np.uint8)),
        profile.classes,
        tuple(sorted(",".join(sorted(combination)) for combination in profile.excludable)),
        (profile.weight_name,),
    )


def check_verdicts(verdicts: Verdicts) -> None:
    """Assert every documented invariant."""
    v = verdicts
    n_ways, n_nodes = len(v.forward_kmh), len(v.node_blocked)
    for name in ("forward_kmh", "backward_kmh", "forward_preference", "backward_preference"):
        _check_array(getattr(v, name), np.float32, (n_ways,))
    _check_array(v.duration_s, np.float32, (n_ways,))
    for name in ("forward_mode", "backward_mode", "forward_classes", "backward_classes"):
        _check_array(getattr(v, name), np.uint8, (n_ways,))
    _check_array(v.way_flags, np.uint8, (n_ways,))
    _check_array(v.node_blocked, np.bool_, (n_nodes,))
    _check_array(v.node_restricted, np.bool_, (n_nodes,))
    _check_array(v.node_forward_s, np.float32, (n_nodes,))
    _check_array(v.node_backward_s, np.float32, (n_nodes,))
    _check_array(v.turn_s, np.float32, (2, 2, 2, 361))
    _check_array(v.restriction_kind, np.uint8, (len(v.restriction_reason),))
    for field in fields(v):
        value = getattr(v, field.name)
        if isinstance(value, np.ndarray) and value.dtype == np.float32:
            assert np.isfinite(value).all() and (value >= 0).all(), field.name
    assert (v.forward_preference > 0).all() and (v.backward_preference > 0).all()
    assert (v.duration_s <= MAX_DURATION_S).all()
    assert (v.node_forward_s <= MAX_NODE_S).all() and (v.node_backward_s <= MAX_NODE_S).all()
    assert (v.turn_s <= MAX_TURN_S).all()
    _check_flags(v)
    assert not (v.node_forward_s + v.node_backward_s)[v.node_blocked].any()
    assert not (v.node_blocked & v.node_restricted).any()
    assert (v.restriction_kind <= DEMANDS).all()
    assert [not reason for reason in v.restriction_reason] == (v.restriction_kind > 0).tolist()
    assert list(v.warnings) == sorted(v.warnings)
    for counts in v.warnings.values():
        assert list(counts) == sorted(counts) and all(count > 0 for count in counts.values())


def _check_flags(v: Verdicts) -> None:
    closed = ~v.way_open()
    assert (v.way_flags <= ALL_WAY_FLAGS).all()
    assert not v.way_flags[closed].any() and not v.duration_s[closed].any()
    for kmh, mode, classes, flag in (
        (v.forward_kmh, v.forward_mode, v.forward_classes, FORWARD_RESTRICTED),
        (v.backward_kmh, v.backward_mode, v.backward_classes, BACKWARD_RESTRICTED),
    ):
        assert (mode <= max(Mode)).all() and ((kmh > 0) == (mode != Mode.INACCESSIBLE)).all()
        assert not classes[kmh == 0].any() and not (v.way_flags & flag)[kmh == 0].any()
    assert MAX_CLASSES == 8


def _check_array(array: AnyArray, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    assert array.dtype == dtype and array.shape == shape and not array.flags.writeable
