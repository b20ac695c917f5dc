"""Tables of tags and expectations that a person can read, as lines of text."""

import re


def read_tags(text: str) -> dict[str, str]:
    """``"highway=primary, maxspeed=30 mph"`` to a dictionary; ``(none)`` has no tags."""
    if text == "(none)":
        return {}
    return dict(tag.split("=", 1) for tag in text.split(", "))


def read_rows(table: str) -> list[tuple[str, ...]]:
    """The columns of each line: two spaces or more separate them, ``#`` begins a comment."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in table.splitlines())
    return [tuple(re.split(r"\s{2,}", line)) for line in lines if line]


class Warned(list[tuple[str, str]]):
    """A ``warn`` that remembers its calls."""

    def __call__(self, kind: str, value: str) -> None:
        self.append((kind, value))
