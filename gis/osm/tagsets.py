"""Distinct combinations of tags, each kept once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gis.arrays import U8, U32, freeze, offsets


@dataclass(frozen=True)
class TagSets:
    """Distinct tag combinations over a pool of strings. S sets, K tags, X strings, B bytes.

    | array | dtype, shape | content |
    |---|---|---|
    | first_tag | uint32 (S + 1,) | offsets into ``key`` and ``value``; set 0 is empty |
    | key, value | uint32 (K,) | indices of strings; a set's keys are distinct |
    | first_byte | uint32 (X + 1,) | offsets into ``text`` |
    | text | uint8 (B,) | UTF-8 |
    """

    first_tag: U32
    key: U32
    value: U32
    first_byte: U32
    text: U8

    def __len__(self) -> int:
        return len(self.first_tag) - 1

    def string(self, index: int) -> str:
        """One string of the pool; bytes that are not UTF-8 become U+FFFD."""
        start, stop = int(self.first_byte[index]), int(self.first_byte[index + 1])
        return self.text[start:stop].tobytes().decode("utf-8", "replace")

    def tags(self, index: int) -> dict[str, str]:
        """The tags of one set."""
        start, stop = int(self.first_tag[index]), int(self.first_tag[index + 1])
        return {
            self.string(int(k)): self.string(int(v))
            for k, v in zip(self.key[start:stop], self.value[start:stop], strict=True)
        }

    def all_tags(self, keys: Iterable[str] | None = None) -> list[dict[str, str]]:
        """The tags of every set, with only ``keys`` if given: for all, faster than ``tags``."""
        text = self.text.tobytes()
        bounds = pairwise(self.first_byte.tolist())
        strings = [text[start:stop].decode("utf-8", "replace") for start, stop in bounds]
        wanted = set(strings if keys is None else keys)
        pairs = [
            (strings[key], strings[value])
            for key, value in zip(self.key.tolist(), self.value.tolist(), strict=True)
        ]
        return [
            {key: value for key, value in pairs[start:stop] if key in wanted}
            for start, stop in pairwise(self.first_tag.tolist())
        ]


def build_tagsets(sets: Iterable[Mapping[str, str]]) -> TagSets:
    """Tag sets in the order given (the first must be empty), strings in order of first use."""
    pool: dict[str, int] = {}
    counts: list[int] = []
    keys: list[int] = []
    values: list[int] = []
    for tags in sets:
        counts.append(len(tags))
        for key, value in tags.items():
            keys.append(pool.setdefault(key, len(pool)))
            values.append(pool.setdefault(value, len(pool)))
    if not counts or counts[0]:
        raise ValueError("set 0 must be the empty set")
    texts = [text.encode("utf-8", "surrogateescape") for text in pool]
    return TagSets(
        freeze(offsets(np.array(counts, np.int64))),
        freeze(np.array(keys, np.uint32)),
        freeze(np.array(values, np.uint32)),
        freeze(offsets(np.array([len(text) for text in texts], np.int64))),
        freeze(np.frombuffer(b"".join(texts), np.uint8)),
    )


def check_tagsets(sets: TagSets) -> None:
    """Assert every documented invariant."""
    assert len(sets) >= 1 and sets.first_tag[0] == 0 == sets.first_tag[1]
    assert (np.diff(sets.first_tag.astype(np.int64)) >= 0).all()
    assert sets.first_tag[-1] == len(sets.key) == len(sets.value)
    assert (np.diff(sets.first_byte.astype(np.int64)) >= 0).all()
    assert sets.first_byte[-1] == len(sets.text)
    n_strings = len(sets.first_byte) - 1
    assert not len(sets.key) or max(sets.key.max(), sets.value.max()) < n_strings
    for index in range(len(sets)):
        keys = sets.key[int(sets.first_tag[index]) : int(sets.first_tag[index + 1])]
        assert len(set(keys.tolist())) == len(keys)
