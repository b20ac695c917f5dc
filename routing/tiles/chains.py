"""Roads that go on in one another with nothing different, joined to long lines."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U32, Bool, freeze, ranges
from gis.jit import int64, plain_kernel

_NONE = -1


class Chains(NamedTuple):
    """L lines over all n arcs, ascending by key.

    | array | dtype, shape | content |
    |---|---|---|
    | key | int64 (L,) | of each line's arcs |
    | first_arc | int64 (L + 1,) | offsets into ``arc`` |
    | arc | uint32 (n,) | the arcs, some of those that may be turned round |
    """

    key: I64
    first_arc: I64
    arc: U32


def join_chains(arc: U32, key: I64, tail: U32, head: U32, turnable: Bool) -> Chains:
    """Join arcs (n,) that have the same key and meet where no third one of that key does.

    ``turnable`` (n,) tells which may also be drawn from ``head`` to ``tail``, those of a key alike.
    """
    n = len(arc)
    order = np.argsort(key, kind="stable")
    arc, key, tail, head = arc[order], key[order], tail[order], head[order]
    turnable = turnable[order]
    partner = _partners(key, tail, head, turnable)
    line, taken = np.empty(n, np.int64), np.empty(n, np.int64)
    n_lines = _walk(freeze(partner), freeze(turnable), np.zeros(n, np.bool_), line, taken)
    item, turned = taken >> 1, taken & 1
    first = np.append(np.flatnonzero(np.diff(line, prepend=-1)), n)
    assert len(first) == n_lines + 1
    of_line = key[item[first[:-1]]]
    arcs = (arc[item] ^ turned.astype(np.uint32)).astype(np.uint32)
    by_key = np.argsort(of_line, kind="stable")
    sizes = np.diff(first)[by_key]
    places = ranges(first[:-1][by_key], sizes)
    return Chains(of_line[by_key], np.append(0, np.cumsum(sizes)), arcs[places])


def _partners(key: I64, tail: U32, head: U32, turnable: Bool) -> I64:
    """For each end of an arc, ``2 * i`` its tail and ``2 * i + 1`` its head: where to go on."""
    n = len(key)
    node = np.column_stack([tail, head]).ravel()
    of_end = np.repeat(key, 2)
    order = np.lexsort((of_end, node))
    new = np.ones(2 * n + 1, np.bool_)
    new[1:-1] = np.diff(node[order].astype(np.int64)).astype(bool) | (np.diff(of_end[order]) != 0)
    start = np.flatnonzero(new)
    pair = start[:-1][np.diff(start) == 2]
    a, b = order[pair], order[pair + 1]
    fits = turnable[a >> 1] | ((a & 1) != (b & 1))
    partner = np.full(2 * n, _NONE, np.int64)
    partner[a[fits]], partner[b[fits]] = b[fits], a[fits]
    return partner


@plain_kernel
def _walk(partner: I64, turnable: Bool, done: Bool, line: I64, taken: I64) -> int:
    """Fill ``taken`` with 2 * i, 1 more if turned, line by line; returns how many lines."""
    n = 0
    n_lines = 0
    for phase in range(3):  # from where lines begin, then from where they end, then rings
        for i in range(len(done)):
            if done[i]:
                continue
            end = 2 * i
            if phase == 1:
                end += 1
            if phase < 2 and partner[end] != _NONE:
                continue
            if phase == 1 and not turnable[i]:
                continue
            while end != _NONE and not done[end >> 1]:
                done[end >> 1] = True
                taken[n] = end
                line[n] = n_lines
                n += 1
                end = int64(partner[end ^ 1])
            n_lines += 1
    return n_lines
