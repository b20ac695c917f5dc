"""Arrays that grow while decoding, on huge pages of memory where the system has them."""

import math
import mmap
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gis.arrays import U8, AnyArray

_HUGE_PAGE = 2 << 20
_RESERVED_BYTES = 16 << 20  # untouched memory costs nothing


def _allocate(n_bytes: int, shared: bool = False) -> U8:
    """Undefined bytes that begin on a huge page, or ``shared`` with processes forked later.

    First use of memory costs about a microsecond for each 4 KiB page, as much as decoding what
    fits in it, and a tenth of that on huge pages. NumPy asks for these only from 4 MiB on, and
    without aligning.
    """
    if shared:
        return np.frombuffer(mmap.mmap(-1, max(n_bytes, 1)), np.uint8)[:n_bytes]
    size = -(-max(n_bytes, 1) // _HUGE_PAGE) * _HUGE_PAGE
    memory = mmap.mmap(-1, size + _HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    block = np.frombuffer(memory, np.uint8)
    begin = -block.ctypes.data % _HUGE_PAGE
    return block[begin : begin + n_bytes]


def allocate_together(*specs: tuple[npt.DTypeLike, int], shared: bool = False) -> list[AnyArray]:
    """Undefined arrays of (dtype, length) in one block of memory.

    What processes forked later write to ``shared`` ones is seen here.
    """
    sizes = [-(-np.dtype(dtype).itemsize * length // 64) * 64 for dtype, length in specs]
    block = _allocate(sum(sizes), shared)
    begin = np.cumsum([0, *sizes])
    return [
        block[at : at + np.dtype(dtype).itemsize * length].view(dtype)
        for at, (dtype, length) in zip(begin.tolist(), specs, strict=False)
    ]


class Column:
    """An array that is appended to."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._buffer: AnyArray = _allocate(_RESERVED_BYTES).view(dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, n: int) -> AnyArray:
        """Append n undefined values; a view of them, valid until the next call, to be filled."""
        begin, self._size = self._size, self._size + n
        if self._size > len(self._buffer):
            n_bytes = max(self._size, 2 * len(self._buffer)) * self._buffer.itemsize
            larger = _allocate(n_bytes).view(self._buffer.dtype)
            larger[:begin] = self._buffer[:begin]
            self._buffer = larger
        return self._buffer[begin : self._size]

    def append(self, values: AnyArray) -> None:
        """Append a copy of values."""
        self.extend(len(values))[:] = values

    def drop(self, n: int) -> None:
        """Forget the last n values."""
        self._size -= n

    def clear(self) -> None:
        """Forget all values, keep the memory."""
        self._size = 0

    def array(self) -> AnyArray:
        """A view of all values, valid until the next call of ``extend`` or ``append``."""
        return self._buffer[: self._size]


class Scratch:
    """Memory that tasks of one process use one after the other, by the names of its uses."""

    def __init__(self) -> None:
        self._arrays: dict[str, AnyArray] = {}
        self._columns: dict[str, Column] = {}

    def array(self, name: str, dtype: npt.DTypeLike, *shape: int) -> AnyArray:
        """An undefined array; the one that had this name before must no longer be used."""
        size = math.prod(shape)
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            self._arrays[name] = array = np.empty(size, dtype)
        return array[:size].reshape(shape)

    def column(self, name: str, dtype: npt.DTypeLike) -> Column:
        """An empty column; likewise."""
        if name not in self._columns:
            self._columns[name] = Column(dtype)
        self._columns[name].clear()
        return self._columns[name]


def read_only(array: AnyArray) -> AnyArray:
    """A view that kernels and callers cannot write to."""
    view = array.view()
    view.flags.writeable = False
    return view


def own(arrays: Sequence[AnyArray]) -> list[AnyArray]:
    """The arrays, copied if they are views of memory that somebody else will use again."""
    if all(array.flags.writeable for array in arrays):
        return list(arrays)
    copies = allocate_together(*((array.dtype, len(array)) for array in arrays))
    for copy, array in zip(copies, arrays, strict=True):
        copy[:] = array
    return copies
