"""Memory given back to the system once much of it has become free."""

import ctypes
import gc
import sys


def give_back() -> None:
    """Return free memory to the system, where its C library can.

    It keeps what arrays leave free for arrays to come; after one dataset has taken the place of
    another that would be as much as both need.
    """
    if sys.platform != "linux":
        return
    gc.collect()  # what was there before the processes parted is not looked at
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's own
    if trim is not None:
        trim(0)
