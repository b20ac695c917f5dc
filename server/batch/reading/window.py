"""The part of a text file that is in memory."""

from collections.abc import Iterator


class Window:
    """Bytes of a file from ``at`` on, that are dropped at the front and grow at the back.

    ``is_last`` tells that the file ends where ``text`` does.
    """

    def __init__(self, blocks: Iterator[bytes], at: int, size: int):
        self._blocks = blocks
        self._size = size
        self.text = b""
        self.at = at

    @property
    def is_last(self) -> bool:
        return self.at + len(self.text) >= self._size

    def grow(self) -> None:
        """Read another block, if there is one."""
        self.text += next(self._blocks, b"")

    def drop(self, n_bytes: int) -> None:
        """Forget the first bytes."""
        self.text = self.text[n_bytes:]
        self.at += n_bytes

    def drop_line(self, line_ends: bytes) -> None:
        """Forget a line of any length, and which one of ``line_ends`` ends it."""
        while True:
            found = [self.text.find(end) for end in line_ends]
            ends = [i for i in found if i >= 0]
            if ends or self.is_last:
                self.drop(min(ends) + 1 if ends else len(self.text))
                return
            self.drop(len(self.text))
            self.grow()
