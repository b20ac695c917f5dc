"""What has been found out once and is kept."""

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")


class Memo(Generic[K, V]):
    """Values by their keys, ``limit`` at most; threads may share it.

    Unlike `functools.lru_cache` it takes a key that is less than all that a value is made of.
    """

    __slots__ = ("_limit", "known")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.known: dict[K, V] = {}
        """To look into: another one once it is full."""

    def get(self, key: K, make: Callable[P, V], *args: P.args, **kwargs: P.kwargs) -> V:
        """The value of a key, made if it is not known."""
        known = self.known
        if key in known:
            return known[key]
        value = make(*args, **kwargs)
        # Another thread may be reading: a full dictionary is left to it, and a new one begun.
        if len(known) >= self._limit:
            known = self.known = {}
        known[key] = value
        return value
