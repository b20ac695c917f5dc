"""Rows of numbers that belong to searches side by side, worked on as vectors.

A search for many sources at once spends its time in one line: add a weight to a row and keep the
lesser of two rows. Numba does not make useful vector code of a loop of constant length, so the
two functions here write it in LLVM's own terms; any processor runs it, in as many pieces as its
vectors are too short. Without the compiler the same functions are plain NumPy.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from gis.arrays import U32, AnyArray

LANES = 16
"""Searches side by side; a power of two. Sixteen uint32 fill a cache line and a vector."""

_LINE_BYTES = 64

Columns: TypeAlias = tuple[AnyArray, ...]
"""Costs alone, or costs and the thirds that decide where they are alike."""

Offer: TypeAlias = Callable[[Columns, Any, Any, tuple[Any, ...]], None]
Pull: TypeAlias = Callable[[Columns, Any, U32, Columns, tuple[Any, Any], Columns, Any], None]


def new_rows(n: int, dtype: type) -> AnyArray:
    """Room for ``n`` rows, (n, LANES), each beginning with a cache line."""
    size = np.dtype(dtype).itemsize
    flat: AnyArray = np.empty(n * LANES + _LINE_BYTES // size, dtype)
    skipped = -flat.ctypes.data % _LINE_BYTES // size
    return flat[skipped : skipped + n * LANES].reshape(n, LANES)


def plain_offer(rows: Columns, to: Any, source: Any, added: tuple[Any, ...]) -> None:
    """Lower row ``to`` to row ``source`` and what is added, where that is less."""
    more = [column[source] + one for column, one in zip(rows, added, strict=True)]
    best = _plain_lesser(more, [column[to] for column in rows])
    for column, row in zip(rows, best, strict=True):
        column[to] = row


def plain_pull(
    rows: Columns,
    to: Any,
    tail: U32,
    added: Columns,
    arcs: tuple[Any, Any],
    given: Columns,
    at: Any,
) -> None:
    """Set row ``to`` to the least of row ``at`` of what is given and what all arcs bring.

    The arcs are those at arcs[0]..arcs[1] - 1: the row of its tail and what is added by each.
    """
    best = [column[at] for column in given]
    for i in range(*arcs):
        more = [column[tail[i]] + one[i] for column, one in zip(rows, added, strict=True)]
        best = _plain_lesser(more, best)
    for column, row in zip(rows, best, strict=True):
        column[to] = row


def _plain_lesser(a: Sequence[AnyArray], b: Sequence[AnyArray]) -> list[AnyArray]:
    is_less = a[0] < b[0]
    if len(a) > 1:
        is_less |= (a[0] == b[0]) & (a[1] < b[1])
    return [np.where(is_less, one, other) for one, other in zip(a, b, strict=True)]


def _offer(typing_context: Any, rows: Any, to: Any, source: Any, added: Any) -> Any:
    """Type and code of ``plain_offer``."""
    kinds = rows.types
    each = types.Tuple([kind.dtype for kind in kinds])  # type: ignore[no-untyped-call]
    signature = types.void(rows, types.int64, types.int64, each)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays, to, source, added = values
        targets, known, more = [], [], []
        for k, kind in enumerate(kinds):
            array, one = (builder.extract_value(pair, k) for pair in (arrays, added))
            other = _load(builder, kind, _row(context, builder, kind, array, source))
            more.append(builder.add(other, _splat(builder, kind, one)))
            targets.append(_row(context, builder, kind, array, to))
            known.append(_load(builder, kind, targets[k]))
        for kind, target, row in zip(kinds, targets, _lesser(builder, more, known), strict=True):
            _store(builder, kind, row, target)
        return context.get_dummy_value()

    return signature, generate


def _pull(
    typing_context: Any, rows: Any, to: Any, tail: Any, added: Any, arcs: Any, given: Any, at: Any
) -> Any:
    """Type and code of ``plain_pull``; the best rows yet stay in registers."""
    whole, kinds = types.int64, rows.types
    signature = types.void(rows, whole, tail, added, arcs, given, whole)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        arrays, to, tails, added_arrays, ends, given_arrays, at = values
        start, stop = (
            context.cast(builder, builder.extract_value(ends, k), kind, whole)
            for k, kind in enumerate(arcs.types)
        )
        tails = context.make_array(tail)(context, builder, tails).data
        columns, added_data, best = [], [], []
        for k, (kind, one) in enumerate(zip(given.types, added.types, strict=True)):
            columns.append(builder.extract_value(arrays, k))
            each = builder.extract_value(added_arrays, k)
            added_data.append(context.make_array(one)(context, builder, each).data)
            first = builder.extract_value(given_arrays, k)
            best.append(_load(builder, kind, _row(context, builder, kind, first, at)))
        entry = builder.block
        body, end = (builder.append_basic_block(f"pull.{name}") for name in ("arc", "end"))
        builder.cbranch(builder.icmp_signed("<", start, stop), body, end)
        builder.position_at_end(body)
        i = builder.phi(ir.IntType(64))
        least = [builder.phi(_vector(kind)) for kind in kinds]
        at_tail = builder.zext(builder.load(builder.gep(tails, [i])), ir.IntType(64))
        more = []
        for kind, array, data in zip(kinds, columns, added_data, strict=True):
            row = _load(builder, kind, _row(context, builder, kind, array, at_tail))
            value = builder.load(builder.gep(data, [i]))
            more.append(builder.add(row, _splat(builder, kind, value)))
        lower = _lesser(builder, more, least)
        following = builder.add(i, ir.Constant(ir.IntType(64), 1))
        for phi, first, later in zip((i, *least), (start, *best), (following, *lower), strict=True):
            phi.add_incoming(first, entry)
            phi.add_incoming(later, body)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, end)
        builder.position_at_end(end)
        results = [builder.phi(_vector(kind)) for kind in kinds]
        for result, first, later in zip(results, best, lower, strict=True):
            result.add_incoming(first, entry)
            result.add_incoming(later, body)
        for kind, array, result in zip(kinds, columns, results, strict=True):
            _store(builder, kind, result, _row(context, builder, kind, array, to))
        return context.get_dummy_value()

    return signature, generate


def _lesser(builder: Any, a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """Of two rows of costs, or of costs and thirds, the lesser, place by place.

    Masks come from the costs alone, so that of what is kept from arc to arc each waits for two
    operations; what a comparison of both at once takes until it is ready doubled the time.
    """
    cost = _least(builder, a[0], b[0])
    if len(a) == 1:
        return [cost]
    most = ir.Constant(a[1].type, [2**32 - 1] * LANES)
    thirds = [
        builder.select(builder.icmp_unsigned("<=", one[0], other[0]), one[1], most)
        for one, other in ((a, b), (b, a))
    ]
    return [cost, _least(builder, *thirds)]


def _vector(rows: Any) -> Any:
    return ir.VectorType(ir.IntType(rows.dtype.bitwidth), LANES)


def _row(context: Any, builder: Any, rows: Any, array: Any, index: Any) -> Any:
    """Pointer to a row of an array of type ``rows``."""
    data = context.make_array(rows)(context, builder, array).data
    start = builder.mul(index, ir.Constant(ir.IntType(64), LANES))
    return builder.bitcast(builder.gep(data, [start]), _vector(rows).as_pointer())


def _load(builder: Any, rows: Any, row: Any) -> Any:
    return builder.load(row, align=rows.dtype.bitwidth // 8)


def _store(builder: Any, rows: Any, value: Any, row: Any) -> None:
    builder.store(value, row, align=rows.dtype.bitwidth // 8)


def _splat(builder: Any, rows: Any, value: Any) -> Any:
    """A row of one number."""
    one = builder.insert_element(
        ir.Constant(_vector(rows), ir.Undefined), value, ir.Constant(ir.IntType(32), 0)
    )
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(one.type, ir.Undefined), everywhere)


def _least(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.icmp_unsigned("<", a, b), a, b)


offer: Offer = plain_offer
pull: Pull = plain_pull
if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    _intrinsic: Any = intrinsic
    offer, pull = _intrinsic(_offer), _intrinsic(_pull)
