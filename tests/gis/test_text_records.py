"""Where rows of delimited text end, against Python's csv module."""

import csv
import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gis.text_records import (
    END,
    FIRST,
    LACKS,
    STOP,
    Records,
    find_records,
    new_records,
)

NO_LIMIT = 1 << 30

sloppy = st.lists(
    st.sampled_from(['"', '""', ",", ",,", '"x', "a", " ", "\n", "\r", "\r\n", ',"', '",']),
    max_size=20,
).map("".join)


def find(
    text: str, n_fields: int = 3, is_last: bool = True, max_bytes: int = NO_LIMIT, room: int = 100
) -> tuple[Records, int, int]:
    data = np.frombuffer(text.encode(), np.uint8)
    records = new_records(room)
    n, n_odd, at = find_records(data, is_last, ord(","), n_fields, max_bytes, records)
    return records[:n], n_odd, at


def rows_of(text: str, delimiter: str = ",") -> list[list[str]]:
    """What Python's csv module reads."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [row for row in rows if row]


def is_open(text: str) -> bool:
    """Whether text ends within quotes: then a letter more changes no number of fields there."""
    return rows_of(text + "\n")[-1:] != rows_of(text)[-1:]


@given(sloppy)
@example("")
@example("\n\r\n")
@example('a,"b\n",c\r\n"d""",e\r,f')
def test_records_are_those_of_csv(text: str) -> None:
    """However quotes and line ends are strewn, each record holds what csv reads as a row."""
    records, _, at = find(text)
    expected = rows_of(text)
    if is_open(text):
        assert at < len(text)
        expected = expected[: len(records)]
        assert len(rows_of(text)) == len(records) + 1
    else:
        assert at == len(text)
    fields = [rows_of(text[r[FIRST] : r[END]]) for r in records]
    assert fields == [[row] for row in expected]
    for row, (_, _, _, lacks) in zip(expected, records, strict=True):
        if len(row) <= 3:
            assert lacks == 3 - len(row)
        else:
            assert lacks in (0, -1)


@given(sloppy)
def test_surplus_fields_are_cut(text: str) -> None:
    """What is left of a row of too many fields are the first ones."""
    records, n_odd, _ = find(text, n_fields=2)
    odd = 0
    for first, stop, end, lacks in records:
        (row,) = rows_of(text[first:end])
        odd += len(row) != 2
        kept = rows_of(text[first:stop]) or [[""]]
        if len(row) > 2:
            assert kept in ([row[:2]], [[""]])
            assert lacks == (-1 if any(text[stop:end].strip("\r\n").strip(",")) else 0)
        else:
            assert kept == [row]
    assert n_odd == odd


@given(sloppy, st.integers(0, 30), st.integers(1, 3))
def test_text_may_come_in_parts(text: str, cut: int, room: int) -> None:
    """A record is found when it is whole, and the same whatever is in memory behind it."""
    expected, _, at_end = find(text)
    found: list[list[int]] = []
    at = 0
    for stop in (min(cut, len(text)), len(text)):
        while True:
            records, _, n_bytes = find(text[at:stop], is_last=stop == len(text), room=room)
            found += [[*(r[:END] + at), r[END] + at, r[LACKS]] for r in records]
            at += n_bytes
            if len(records) < room:
                break
    assert found == expected.tolist()
    assert at == at_end


@given(sloppy, st.integers(1, 12), st.integers(0, 30))
def test_long_records_are_not_found(text: str, max_bytes: int, cut: int) -> None:
    """What counts is the length of a record, not how much of the text is in memory."""
    whole, _, at_whole = find(text, max_bytes=max_bytes)
    assert all(end - first <= max_bytes for first, _, end, _ in whole)
    part, _, at = find(text[:cut], is_last=cut >= len(text), max_bytes=max_bytes)
    assert part.tolist() == whole[: len(part)].tolist()
    if len(part) < len(whole):
        assert cut - at < max_bytes
    assert at <= max(at_whole, cut)


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("a,b,c", [0]),
        ("a,b", [1]),
        ("a", [2]),
        ("a,b,c,", [0]),
        ("a,b,c,,,\nx", [0, 2]),
        ("a,b,c,,d", [-1]),
        ("a,b,c, ", [-1]),
        ('"a,b",c\n,,', [1, 0]),
    ],
)
def test_fields_are_counted(text: str, lacks: list[int]) -> None:
    """Empty fields behind the last one are no fault."""
    assert find(text)[0][:, LACKS].tolist() == lacks


def test_unfinished_records_wait() -> None:
    """CR may be followed by LF, and a quote by another one."""
    for text in ("a,b,c", "a,b,c\r", 'a,b,"c"', 'a,b,"c\n', '\n\na,b,"c""\n'):
        records, _, at = find(text, is_last=False)
        assert len(records) == 0 and at == len(text) - len(text.lstrip("\n"))
    records, _, at = find("a,b,c\r\n", is_last=False)
    assert records[:, [FIRST, STOP, END]].tolist() == [[0, 5, 7]] and at == 7


@settings(max_examples=20)
@given(sloppy)
def test_nothing_is_written_behind(text: str) -> None:
    """Records that are not found leave their place alone."""
    data = np.frombuffer(text.encode(), np.uint8)
    records = np.full((30, 4), -7)
    n, _, _ = find_records(data, True, ord(","), 3, NO_LIMIT, records)
    assert (records[n:] == -7).all() and (records[:n] != -7).all()
