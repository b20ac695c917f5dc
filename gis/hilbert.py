"""Order points along a Hilbert curve, so that neighbours on the map are neighbours in memory."""

import numpy as np

from gis.arrays import U16, U32, AnyArray

_BITS = 16
_CELLS = 2**_BITS


def hilbert_code(column: U16, row: U16) -> U32:
    """Positions of grid cells along the Hilbert curve over the 65536 x 65536 grid.

    uint16 (n,) each to uint32 (n,). The curve begins at (0, 0) and ends at (65535, 0). Per
    level the two top bits name the quadrant, and the rest is turned so that the quadrant looks
    like the whole (Warren, Hacker's Delight, 2nd edition, section 16-2); all points at once
    instead of a loop over points, which needs no compiling.
    """
    x, y = column.astype(np.uint16), row.astype(np.uint16)
    code = np.zeros(len(x), np.uint32)
    for level in range(_BITS - 1, -1, -1):
        right, up = (x >> level) & 1, (y >> level) & 1
        code <<= 2
        code |= (3 * right) ^ up
        low = up - np.uint16(1)  # all ones in the two lower quadrants, which are transposed
        flip = low & -right  # and the right one of them also runs the other way
        x ^= flip
        y ^= flip
        swap = (x ^ y) & low
        x ^= swap
        y ^= swap
    return code


def hilbert_order(x: AnyArray, y: AnyArray) -> U32:
    """Permutation that sorts points (integers, (n,) each) along the curve over their extent.

    uint32 (n,); points of the same cell keep their order. A cell is 1/65536 of the longer side.
    """
    if len(x) == 0:
        return np.zeros(0, np.uint32)
    x, y = x.astype(np.int64) - int(x.min()), y.astype(np.int64) - int(y.min())
    extent = max(int(x.max()), int(y.max())) + 1
    code = hilbert_code(
        (x * _CELLS // extent).astype(np.uint16), (y * _CELLS // extent).astype(np.uint16)
    )
    # Two 16-bit keys: NumPy sorts those by counting digits, in half the time of 32 bits.
    low, high = (code & 0xFFFF).astype(np.uint16), (code >> 16).astype(np.uint16)
    return np.lexsort((low, high)).astype(np.uint32)
