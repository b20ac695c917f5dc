"""The journal of a file that grows: what it is made of, a line for each chunk.

A line is the CRC-32 of its text in hexadecimal, then the text in JSON. The first one tells the
job, the last one of what stands after all chunks. Reading ends at the first line that is torn or
damaged.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

FORMAT = "whimbrel journal 2"

_CRC_DIGITS = 8


@dataclass(frozen=True)
class Entry:
    """A chunk that was written: its bytes in the file, and what is needed to go on after it.

    ``end`` is the position in the source where the next chunk begins, ``counts`` the rows by
    status, ``note`` what its format wants to know at the end of the file. The tail is what
    stands after the last chunk: with it the file is whole.
    """

    n_bytes: int
    crc32: int
    n_rows: int
    end: int
    counts: Mapping[str, int]
    note: bytes
    is_tail: bool = False


class Journal(NamedTuple):
    """What a journal holds up to its first line that is damaged.

    Entries are read as they are asked for, each once. ``job_end`` and the number beside each
    entry are the bytes of the journal up to the end of its line.
    """

    job: Mapping[str, Any]
    job_end: int
    entries: Iterator[tuple[Entry, int]]

    def differences(self, job: Mapping[str, Any]) -> str:
        """In what a job differs from the one that was journalled; empty if in nothing."""
        before, now = self.job, json.loads(_job_text(job))
        return ", ".join(
            f"{key} was {before.get(key)!r}, is {now.get(key)!r}"
            for key in sorted({*before, *now})
            if _job_text(before.get(key)) != _job_text(now.get(key))  # NaN does not equal itself
        )


@dataclass
class Tally:
    """What some entries amount to."""

    n_entries: int = 0
    n_bytes: int = 0
    n_rows: int = 0
    end: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, entry: Entry) -> None:
        """Count one more, the next one."""
        self.n_entries += 1
        self.n_bytes += entry.n_bytes
        self.n_rows += entry.n_rows
        self.end = entry.end
        self.counts.update(entry.counts)


def encode_job(job: Mapping[str, Any]) -> bytes:
    """The line that a journal begins with."""
    return _line(_job_text({"format": FORMAT, "job": job}))


def encode_entry(entry: Entry) -> bytes:
    """The line of a chunk."""
    note = base64.b64encode(entry.note).decode()
    return _line(orjson.dumps({**vars(entry), "note": note}))


def decode_journal(lines: Iterable[bytes]) -> Journal | None:
    """A journal as far as it is whole; None if not even its first line is."""
    texts = _whole_lines(lines)
    text, end = next(texts, (b"{}", 0))
    first = json.loads(text)
    if first.get("format") != FORMAT:
        return None
    return Journal(first["job"], end, _entries(texts))


def _entries(texts: Iterator[tuple[bytes, int]]) -> Iterator[tuple[Entry, int]]:
    for text, end in texts:
        fields = orjson.loads(text)
        if fields.keys() != Entry.__dataclass_fields__.keys():  # whole, but in a wrong place
            return
        note = base64.b64decode(fields.pop("note"))
        yield Entry(note=note, **fields), end


def _job_text(job: object) -> bytes:
    """JSON in ASCII: names of files may hold what is no text in UTF-8."""
    return json.dumps(job, default=str).encode()


def _line(text: bytes) -> bytes:
    return b"%0*x %s\n" % (_CRC_DIGITS, zlib.crc32(text), text)


def _whole_lines(lines: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """The text of each line, and where it ends, up to the first that its checksum belies."""
    end = 0
    for line in lines:
        crc32, text = line[:_CRC_DIGITS], line[_CRC_DIGITS + 1 : -1]
        if line[-1:] != b"\n" or crc32 != b"%0*x" % (_CRC_DIGITS, zlib.crc32(text)):
            return
        end += len(line)
        yield text, end
