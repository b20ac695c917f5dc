"""Scratch memory that is lent to one search at a time."""

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Pool(Generic[T]):
    """As many of one kind as there were searches at the same time, in any number of threads.

    What a search did not give back, because it was interrupted, may hold anything and is dropped:
    searches expect their scratch as the last one left it at its end.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._idle: list[T] = []

    def take(self) -> T:
        """Scratch that nobody else has."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._make()

    def give_back(self, scratch: T) -> None:
        """Scratch of a search that has come to its end."""
        self._idle.append(scratch)

    def use(self, work: Callable[[T], R]) -> R:
        """What some work returns that gets scratch to work with."""
        scratch = self.take()
        result = work(scratch)
        self.give_back(scratch)
        return result
