"""Dtypes, sentinels and the few verbs on index arrays that every layer shares."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gis.errors import ResourceError
from gis.jit import kernel

U8: TypeAlias = npt.NDArray[np.uint8]
U16: TypeAlias = npt.NDArray[np.uint16]
U32: TypeAlias = npt.NDArray[np.uint32]
U64: TypeAlias = npt.NDArray[np.uint64]
I32: TypeAlias = npt.NDArray[np.int32]
I64: TypeAlias = npt.NDArray[np.int64]
F32: TypeAlias = npt.NDArray[np.float32]
F64: TypeAlias = npt.NDArray[np.float64]
Bool: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]

INVALID = 2**32 - 1
"""No such index. NumPy raises on it, where -1 would silently read the last element."""

INF = 2**31 - 1
"""A weight that is never reached; INF + INF still fits in uint32."""

UNDEFINED_COORDINATE = 2**31 - 1
"""Longitude and latitude of a node that the file names but lacks."""

FORBIDDEN = 2**16 - 1
"""Turn cost of a turn that may not be taken."""


def freeze(array: AnyArray) -> AnyArray:
    """The array, C-contiguous and read-only: what every published structure holds.

    Numba compiles read-only and writable arrays separately, so freezing everything that is
    finished also halves the number of compiled kernels.
    """
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def offsets(counts: AnyArray) -> U32:
    """First positions of consecutive groups: ``counts`` (n,) to CSR offsets uint32 (n + 1,).

    Raises ``ResourceError`` if they do not fit in 32 bits: the map is too large.
    """
    first = np.zeros(len(counts) + 1, np.uint64)
    np.cumsum(counts, out=first[1:])
    if first[-1] > INVALID:
        raise ResourceError(
            f"the map is too large: {first[-1]} entries in one array, expected at most {INVALID}"
        )
    return first.astype(np.uint32)


def group_by(key: U32, n_groups: int) -> tuple[U32, U32]:
    """CSR of the positions of ``key`` (m,) by value: (first (n_groups + 1,), position (m,)).

    Positions ascend within a group.
    """
    first = offsets(np.bincount(key, minlength=n_groups))
    position = np.empty(len(key), np.uint32)
    _place_by_key(freeze(key), first[:-1].copy(), position)
    return first, position


@kernel
def _place_by_key(key: U32, free: U32, position: U32) -> None:
    """Counting sort; ``free`` holds the next free place of each key."""
    for i in range(len(key)):
        place = free[key[i]]
        position[place] = i
        free[key[i]] = place + 1


def invert_permutation(permutation: AnyArray) -> U32:
    """``inverse[permutation[i]] == i``."""
    inverse = np.empty(len(permutation), np.uint32)
    inverse[permutation] = np.arange(len(permutation), dtype=np.uint32)
    return inverse


def ranges(first: I64, count: I64) -> I64:
    """All whole numbers of consecutive ranges: ``first`` (n,) and how many each has."""
    stop = np.cumsum(count)
    n = int(stop[-1]) if len(stop) else 0
    numbers: I64 = np.arange(n) + np.repeat(first - (stop - count), count)
    return numbers
