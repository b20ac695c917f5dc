"""The journal of a file that grows: what it is made of, a line for each chunk.

A line is the CRC-32 of its text in hexadecimal, then the text in JSON. The first one tells the
job. Reading ends at the first line that is torn or damaged.
"""

import base64
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

FORMAT = "whimbrel journal 1"

_CRC_DIGITS = 8


@dataclass(frozen=True)
class Entry:
    """A chunk that was written: its bytes in the file, and what is needed to go on after it.

    ``end`` is the position in the source where the next chunk begins, ``counts`` the rows by
    status, ``note`` what its format wants to know at the end of the file.
    """

    n_bytes: int
    crc32: int
    n_rows: int
    end: int
    counts: Mapping[str, int]
    note: bytes


@dataclass(frozen=True)
class Journal:
    """What a journal holds up to its first line that is damaged.

    ``ends`` are the bytes of the journal up to the end of each entry, after those up to the end
    of the line that tells the job.
    """

    job: dict[str, Any]
    entries: list[Entry]
    ends: list[int]

    def differences(self, job: Mapping[str, Any]) -> str:
        """In what a job differs from the one that was journalled; empty if in nothing."""
        before, now = self.job, orjson.loads(orjson.dumps(job))
        return ", ".join(
            f"{key} was {before.get(key)!r}, is {now.get(key)!r}"
            for key in sorted({*before, *now})
            if before.get(key) != now.get(key)
        )


def encode_job(job: Mapping[str, Any]) -> bytes:
    """The line that a journal begins with."""
    return _line({"format": FORMAT, "job": job})


def encode_entry(entry: Entry) -> bytes:
    """The line of a chunk."""
    note = base64.b64encode(entry.note).decode()
    return _line({**vars(entry), "note": note})


def decode_journal(text: bytes) -> Journal | None:
    """A journal as far as it is whole; None if not even its first line is."""
    lines = _whole_lines(text)
    first, end = next(lines, ({}, 0))
    if first.get("format") != FORMAT:
        return None
    journal = Journal(first["job"], [], [end])
    for fields, end in lines:
        if fields.keys() != Entry.__dataclass_fields__.keys():  # whole, but in a wrong place
            break
        note = base64.b64decode(fields.pop("note"))
        journal.entries.append(Entry(note=note, **fields))
        journal.ends.append(end)
    return journal


def _line(content: Mapping[str, Any]) -> bytes:
    text = orjson.dumps(content)
    return b"%0*x %s\n" % (_CRC_DIGITS, zlib.crc32(text), text)


def _whole_lines(text: bytes) -> Iterator[tuple[dict[str, Any], int]]:
    """What each line holds, and where it ends, up to the first that its checksum belies."""
    begin = 0
    while (end := text.find(b"\n", begin) + 1) > 0:
        crc32, content = text[begin : begin + _CRC_DIGITS], text[begin + _CRC_DIGITS + 1 : end - 1]
        if crc32 != b"%0*x" % (_CRC_DIGITS, zlib.crc32(content)):
            return
        yield orjson.loads(content), end
        begin = end
