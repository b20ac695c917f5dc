"""Footers of Parquet files as bytes: row groups are moved from one to another as they are.

A footer is a structure ``FileMetaData`` of Apache Thrift in its compact protocol: a list of row
groups between a few other fields. Read by Arrow, a row group takes 150 kB of memory if it has 50
columns; its bytes are 5 kB, and they are the same in any footer.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

MAGIC = b"PAR1"

_LENGTH_BYTES = 4
"""Of the footer's length, which stands between it and the magic bytes at the end of a file."""

_N_ROWS, _ROW_GROUPS = 3, 4
"""Fields of ``FileMetaData`` (parquet.thrift)."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
"""Types of the compact protocol (thrift-compact-protocol.md); a field of 1 or 2 has no value."""

_LONG_LIST = 15
"""In place of a number of elements that is not less."""


class RowGroups(NamedTuple):
    """Those of a footer: how many rows, how many groups, and the groups themselves."""

    n_rows: int
    number: int
    data: bytes


def divided(file: bytes) -> tuple[bytes, bytes]:
    """A Parquet file as what stands before its footer, and the footer."""
    tail = _LENGTH_BYTES + len(MAGIC)
    length = int.from_bytes(file[-tail : -len(MAGIC)], "little")
    return file[: -length - tail], file[-length - tail : -tail]


def row_groups(footer: bytes) -> RowGroups:
    """The row groups that a footer tells of."""
    fields = _fields(footer)
    begin, end = fields[_ROW_GROUPS]
    _, number, first = _list_header(footer, begin)
    coded, _ = _varint(footer, fields[_N_ROWS][0])
    return RowGroups(coded >> 1, number, footer[first:end])  # zigzag, and never negative


def closing(
    footer: bytes, n_rows: int, number: int, n_bytes: int, groups: Iterable[bytes]
) -> Iterator[bytes]:
    """What ends a file: a footer with other row groups in place of its own, in pieces.

    ``groups`` are as many as ``number`` and as long as ``n_bytes`` together.
    """
    fields = _fields(footer)
    (rows_begin, rows_end), (groups_begin, groups_end) = fields[_N_ROWS], fields[_ROW_GROUPS]
    header = bytes([min(number, _LONG_LIST) << 4 | _STRUCT])
    if number >= _LONG_LIST:
        header += _as_varint(number)
    before = footer[:rows_begin] + _as_varint(n_rows << 1) + footer[rows_end:groups_begin] + header
    after = footer[groups_end:]
    length = len(before) + n_bytes + len(after)
    yield before
    yield from groups
    yield after + length.to_bytes(_LENGTH_BYTES, "little") + MAGIC


def _fields(data: bytes) -> dict[int, tuple[int, int]]:
    """Where the value of each field of a structure begins and ends."""
    return {number: (begin, end) for number, begin, end in _walk(data, 0)}


def _walk(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """The fields of the structure that begins here, and at last its own end as field 0."""
    number = 0
    while data[at]:
        delta, kind = data[at] >> 4, data[at] & 15
        at += 1
        if delta:
            number += delta
        else:
            coded, at = _varint(data, at)
            number = coded >> 1
        end = at if kind in (_TRUE, _FALSE) else _after(data, at, kind)
        yield number, at, end
        at = end
    yield 0, at, at + 1


def _after(data: bytes, at: int, kind: int) -> int:
    """The end of the value of this type that begins here."""
    if kind in (_TRUE, _FALSE, _BYTE):  # an element of a list
        return at + 1
    if kind in (_I16, _I32, _I64):
        return _varint(data, at)[1]
    if kind == _DOUBLE:
        return at + 8
    if kind == _BINARY:
        length, at = _varint(data, at)
        return at + length
    if kind in (_LIST, _SET):
        element, number, at = _list_header(data, at)
        for _ in range(number):
            at = _after(data, at, element)
        return at
    if kind == _STRUCT:
        return max(end for _, _, end in _walk(data, at))
    raise ValueError(f"type {kind} in the footer of a Parquet file, which has none such")


def _list_header(data: bytes, at: int) -> tuple[int, int, int]:
    """The type of a list's elements, their number, and where the first begins."""
    number, element = data[at] >> 4, data[at] & 15
    if number < _LONG_LIST:
        return element, number, at + 1
    number, at = _varint(data, at + 1)
    return element, number, at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def _as_varint(value: int) -> bytes:
    coded = bytearray()
    while value > 127:
        coded.append(value & 127 | 128)
        value >>= 7
    coded.append(value)
    return bytes(coded)
