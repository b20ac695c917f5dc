"""A journal is read up to its first line that is not as it was written."""

import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.batch.writing.journal import Entry, Journal, decode_journal, encode_entry, encode_job

NUMBERS = st.integers(0, 2**40)
ENTRIES = st.lists(
    st.builds(
        Entry,
        n_bytes=NUMBERS,
        crc32=st.integers(0, 2**32 - 1),
        n_rows=NUMBERS,
        end=NUMBERS,
        counts=st.dictionaries(st.text("abcé\n", max_size=3), NUMBERS, max_size=2),
        note=st.binary(max_size=20),
        is_tail=st.booleans(),
    ),
    max_size=5,
)
JOB = {"input": "a\n.csv", "columns": ("a", "b"), "radius": None}


STRANGE = {"input": "caf\udce9.csv", "raw": b"\xff", "radius": math.nan, "labels": ["\udcff"]}
"""A name of a file that is no text in UTF-8, as Python has it, and what JSON has not."""


def encoded(entries: list[Entry]) -> list[bytes]:
    return [encode_job(JOB), *map(encode_entry, entries)]


@given(ENTRIES)
def test_what_is_written_is_read(entries: list[Entry]) -> None:
    """One line for each; their ends are where the journal may be cut."""
    lines = encoded(entries)
    assert all(line.find(b"\n") == len(line) - 1 for line in lines)
    journal = decode_journal(lines)
    assert journal is not None
    found = list(journal.entries)
    assert [entry for entry, _ in found] == entries
    assert journal.differences(JOB) == ""
    ends = [journal.job_end, *(end for _, end in found)]
    assert ends == [len(b"".join(lines[: n + 1])) for n in range(len(lines))]


@given(ENTRIES, st.data())
def test_reading_ends_where_it_is_damaged(entries: list[Entry], data: st.DataObject) -> None:
    """Torn or changed anywhere, all lines before are read, and none from there on."""
    lines = encoded(entries)
    text = bytearray(b"".join(lines))
    at = data.draw(st.integers(0, len(text) - 1))
    whole = sum(len(b"".join(lines[: n + 1])) <= at for n in range(len(lines)))
    if data.draw(st.booleans()):
        del text[at:]
    else:
        text[at] ^= data.draw(st.integers(1, 255))
    journal = decode_journal(io.BytesIO(text))
    # A changed space between checksum and text, and digits in capitals, are no damage.
    read = [] if journal is None else [entry for entry, _ in journal.entries]
    found = 0 if journal is None else 1 + len(read)
    assert found == whole or (len(text) == len(b"".join(lines)) and found == len(lines))
    assert read == entries[: max(found - 1, 0)]


@pytest.mark.parametrize("text", [b"", b"\n", b"a,b\n1,2\n", b"\0" * 4096, b"{}\n"])
def test_what_is_no_journal(text: bytes) -> None:
    assert decode_journal(io.BytesIO(text)) is None


def test_lines_are_for_people_too() -> None:
    """The text of each is JSON."""
    for line in encoded([Entry(1, 2, 3, 4, {"Ok": 3}, b"")]):
        assert json.loads(line.split(b" ", 1)[1])


def test_differences_are_named() -> None:
    """With both values; what only one of them has is None in the other."""
    journal = Journal({"workers": 3, "columns": ["a"], "old": 1}, 0, iter(()))
    assert journal.differences({"workers": 3, "columns": ("a",), "old": 1}) == ""
    assert journal.differences({"workers": 4, "columns": ["a"], "new": "x"}) == (
        "new was None, is 'x', old was 1, is None, workers was 3, is 4"
    )


def test_any_text_may_be_in_a_job() -> None:
    """It is read as it was, so that a run of it can be gone on with."""
    journal = decode_journal([encode_job(STRANGE)])
    assert journal is not None
    assert journal.job["input"] == STRANGE["input"]
    assert journal.differences(STRANGE) == ""
    said = journal.differences({**STRANGE, "input": "caf\udce8.csv"})
    assert said == r"input was 'caf\udce9.csv', is 'caf\udce8.csv'"
