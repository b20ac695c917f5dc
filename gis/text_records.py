"""Where the rows of delimited text begin and end, and whether they have the right fields.

The rules are those of RFC 4180 and of Python's csv module: a quote opens a field only at its very
beginning, two quotes in a quoted field are one, and what follows the closing quote is taken as it
is. Lines end with LF, CR or both, and blank ones are no rows.
"""

from typing import TypeAlias

import numpy as np

from gis.arrays import I64, U8
from gis.jit import plain_kernel

Records: TypeAlias = I64
"""int64 (n, 4): first byte of a record, the byte behind its fields, where the next one can begin,
and how many fields it lacks; that is -1 for more than expected, which are behind the second one."""

FIRST, STOP, END, LACKS = range(4)

_LINE_FEED, _CARRIAGE_RETURN, _QUOTE = 10, 13, 34


@plain_kernel
def find_records(
    data: U8, is_last: bool, delimiter: int, n_fields: int, max_bytes: int, records: Records
) -> tuple[int, int, int]:
    """Find whole records until ``records`` is full; ``is_last``: nothing comes behind ``data``.

    Returns how many there are, how many of these must be mended before they have the fields
    expected, and where the first record begins that is not whole or longer than ``max_bytes``.
    Surplus fields that are empty are no fault.
    """
    size = len(data)
    at = 0
    n_odd = 0
    for n in range(len(records)):
        while at < size and data[at] in (_LINE_FEED, _CARRIAGE_RETURN):
            at += 1
        first = at
        limit = min(size, first + max_bytes)
        has_all = is_last and limit == size
        fields, cut, surplus = 1, -1, False
        quoted, fresh = False, True
        while at < limit:
            byte = data[at]
            if quoted:
                if byte == _QUOTE:
                    if at + 1 < limit and data[at + 1] == _QUOTE:
                        at += 1
                    else:
                        quoted = False
            elif byte in (_LINE_FEED, _CARRIAGE_RETURN):
                break
            elif byte == delimiter:
                if fields == n_fields:
                    cut = at
                fields += 1
                fresh = True
                at += 1
                continue
            elif byte == _QUOTE and fresh:
                quoted = True
            fresh = False
            surplus |= fields > n_fields
            at += 1
        stop = at
        if at < limit:
            at += 1
            if data[stop] == _CARRIAGE_RETURN:
                if at < limit:
                    at += data[at] == _LINE_FEED
                elif not has_all:
                    return n, n_odd, first
        elif first == size or quoted or not has_all:
            return n, n_odd, first
        records[n, FIRST] = first
        records[n, STOP] = stop if cut < 0 else cut
        records[n, END] = at
        records[n, LACKS] = -1 if surplus else max(n_fields - fields, 0)
        n_odd += fields != n_fields
    return len(records), n_odd, at


def new_records(n: int) -> Records:
    """Room for so many."""
    return np.empty((n, 4), np.int64)
