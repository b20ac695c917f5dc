"""A table of numbers by numbers that kernels look into while others add to it.

Keys are found by open addressing with linear probing (Knuth, TAOCP 3, 6.4, algorithm L).
"""

import numpy as np

from gis.arrays import I64
from gis.jit import inner_kernel, int64, plain_kernel

UNKNOWN = -1
"""Instead of the value of a key that is not there."""
_FREE = 0
"""No key is 0."""

_LOW = 0x7FFFFFFF


def new_slots(limit: int) -> I64:
    """Room for ``limit`` keys, (S, 2): a key and its value in each slot that is taken."""
    return np.zeros((1 << (2 * limit - 1).bit_length(), 2), np.int64)


@inner_kernel
def find_slot(slots: I64, key: int) -> int:
    """The slot that a key has, or would have."""
    mixed = (key & _LOW) * 2_654_435 + ((key >> 31) & _LOW) * 1_640_531  # below 2^54
    at = (mixed ^ (mixed >> 19)) & (len(slots) - 1)
    while slots[at, 0] != key and slots[at, 0] != _FREE:
        at = (at + 1) & (len(slots) - 1)
    return at


@inner_kernel
def look_up(slots: I64, key: int) -> int:
    """The value of a key, UNKNOWN if there is none."""
    at = find_slot(slots, key)
    return int64(slots[at, 1]) if slots[at, 0] == key else UNKNOWN


@plain_kernel
def add_all(slots: I64, keys: I64, values: I64) -> int:
    """Add keys (n,) with their values, which are complete before they can be found.

    How many of them were not there.
    """
    n = 0
    for i in range(len(keys)):
        at = find_slot(slots, int64(keys[i]))
        if slots[at, 0] == _FREE:
            slots[at, 1] = values[i]
            slots[at, 0] = keys[i]
            n += 1
    return n
