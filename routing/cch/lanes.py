"""Rows of numbers that belong to searches side by side, worked on as vectors.

A search for many sources at once spends its time in one line: add a weight to a row and keep the
lesser of two rows. Numba does not make useful vector code of a loop of constant length, so the
two functions here write it in LLVM's own terms; any processor runs it, in as many pieces as its
vectors are too short. Without the compiler the same functions are plain NumPy.
"""

from collections.abc import Callable
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

Offer: TypeAlias = Callable[[AnyArray, Any, Any, Any], None]
Pull: TypeAlias = Callable[[AnyArray, Any, U32, AnyArray, Any, Any, AnyArray, Any], None]

Two: TypeAlias = tuple[AnyArray, U32]
"""Costs, and the thirds that decide where they are alike."""

OfferThird: TypeAlias = Callable[[Two, Any, Any, Any, Any], None]
PullThird: TypeAlias = Callable[[Two, Any, U32, Two, tuple[Any, Any], Two, Any], None]


def new_rows(n: int, dtype: type) -> AnyArray:
    """Room for ``n`` rows, (n, LANES), each beginning with a cache line."""
    size = np.dtype(dtype).itemsize
    flat: AnyArray = np.empty(n * LANES + _LINE_BYTES // size, dtype)
    skipped = -flat.ctypes.data % _LINE_BYTES // size
    return flat[skipped : skipped + n * LANES].reshape(n, LANES)


def plain_offer(rows: AnyArray, to: Any, source: Any, weight: Any) -> None:
    """Lower ``rows[to]`` to ``rows[source] + weight`` where that is less."""
    rows[to] = np.minimum(rows[to], rows[source] + weight)


def plain_pull(
    rows: AnyArray,
    to: Any,
    tail: U32,
    weight: AnyArray,
    start: Any,
    stop: Any,
    given: AnyArray,
    at: Any,
) -> None:
    """Set ``rows[to]`` to the least of ``given[at]`` and all ``rows[tail] + weight``.

    The arcs are those at start..stop - 1.
    """
    best = given[at]
    for i in range(start, stop):
        best = np.minimum(best, rows[tail[i]] + weight[i])
    rows[to] = best


def plain_offer_third(both: Two, to: Any, source: Any, weight: Any, third: Any) -> None:
    """``plain_offer`` for costs and thirds: where costs are alike, the lesser third counts."""
    rows, thirds = both
    more = rows[source] + weight, thirds[source] + third
    rows[to], thirds[to] = _plain_lesser(more, (rows[to], thirds[to]))


def plain_pull_third(
    both: Two, to: Any, tail: U32, arc: Two, arcs: tuple[Any, Any], given: Two, at: Any
) -> None:
    """``plain_pull`` for costs and thirds; ``arc`` are both of each arc."""
    best = given[0][at], given[1][at]
    for i in range(*arcs):
        more = both[0][tail[i]] + arc[0][i], both[1][tail[i]] + arc[1][i]
        best = _plain_lesser(more, best)
    both[0][to], both[1][to] = best


def _plain_lesser(a: Two, b: Two) -> Two:
    is_less = (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
    return np.where(is_less, a[0], b[0]), np.where(is_less, a[1], b[1])


def _offer(typing_context: Any, rows: Any, to: Any, source: Any, weight: Any) -> Any:
    """Type and code of ``plain_offer``."""
    signature = types.void(rows, types.int64, types.int64, rows.dtype)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array, to, source, weight = values
        row = _row(context, builder, rows, array, to)
        other = _row(context, builder, rows, array, source)
        through = builder.add(_load(builder, rows, other), _splat(builder, rows, weight))
        best = _least(builder, through, _load(builder, rows, row))
        builder.store(best, row, align=rows.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature, generate


def _pull(
    typing_context: Any,
    rows: Any,
    to: Any,
    tail: Any,
    weight: Any,
    start: Any,
    stop: Any,
    given: Any,
    at: Any,
) -> Any:
    """Type and code of ``plain_pull``; the best row yet stays in registers."""
    whole = types.int64
    signature = types.void(rows, whole, tail, weight, whole, whole, given, whole)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array, to, tails, weights, start, stop, givens, at = values
        tails = context.make_array(tail)(context, builder, tails).data
        weights = context.make_array(weight)(context, builder, weights).data
        best = _load(builder, given, _row(context, builder, given, givens, at))
        entry = builder.block
        body, end = (builder.append_basic_block(f"pull.{name}") for name in ("arc", "end"))
        builder.cbranch(builder.icmp_signed("<", start, stop), body, end)
        builder.position_at_end(body)
        i, least = builder.phi(ir.IntType(64)), builder.phi(_vector(rows))
        at_tail = builder.zext(builder.load(builder.gep(tails, [i])), ir.IntType(64))
        row = _load(builder, rows, _row(context, builder, rows, array, at_tail))
        added = _splat(builder, rows, builder.load(builder.gep(weights, [i])))
        lower = _least(builder, builder.add(row, added), least)
        following = builder.add(i, ir.Constant(ir.IntType(64), 1))
        for phi, first, later in ((i, start, following), (least, best, lower)):
            phi.add_incoming(first, entry)
            phi.add_incoming(later, body)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, end)
        builder.position_at_end(end)
        result = builder.phi(_vector(rows))
        result.add_incoming(best, entry)
        result.add_incoming(lower, body)
        target = _row(context, builder, rows, array, to)
        builder.store(result, target, align=rows.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature, generate


def _offer_third(
    typing_context: Any, both: Any, to: Any, source: Any, weight: Any, third: Any
) -> Any:
    """Type and code of ``plain_offer_third``."""
    kinds = both.types
    signature = types.void(both, types.int64, types.int64, *(kind.dtype for kind in kinds))

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pair, to, source, *added = values
        targets, known, more = [], [], []
        for k, (rows, one) in enumerate(zip(kinds, added, strict=True)):
            array = builder.extract_value(pair, k)
            other = _row(context, builder, rows, array, source)
            more.append(builder.add(_load(builder, rows, other), _splat(builder, rows, one)))
            targets.append(_row(context, builder, rows, array, to))
            known.append(_load(builder, rows, targets[k]))
        for rows, target, value in zip(kinds, targets, _lesser(builder, more, known), strict=True):
            builder.store(value, target, align=rows.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature, generate


def _pull_third(
    typing_context: Any, both: Any, to: Any, tail: Any, arc: Any, arcs: Any, given: Any, at: Any
) -> Any:
    """Type and code of ``plain_pull_third``; the best row yet stays in registers."""
    whole, kinds = types.int64, both.types
    signature = types.void(both, whole, tail, arc, arcs, given, whole)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pair, to, tails, arc_pair, ends, given_pair, at = values
        start, stop = (
            context.cast(builder, builder.extract_value(ends, k), kind, whole)
            for k, kind in enumerate(arcs.types)
        )
        tails = context.make_array(tail)(context, builder, tails).data
        arrays = [builder.extract_value(pair, k) for k in range(2)]
        added = [
            context.make_array(arc.types[k])(context, builder, builder.extract_value(arc_pair, k))
            for k in range(2)
        ]
        best = []
        for k, kind in enumerate(given.types):
            row = _row(context, builder, kind, builder.extract_value(given_pair, k), at)
            best.append(_load(builder, kind, row))
        entry = builder.block
        body, end = (builder.append_basic_block(f"pull.{name}") for name in ("arc", "end"))
        builder.cbranch(builder.icmp_signed("<", start, stop), body, end)
        builder.position_at_end(body)
        i = builder.phi(ir.IntType(64))
        least = [builder.phi(_vector(kind)) for kind in kinds]
        at_tail = builder.zext(builder.load(builder.gep(tails, [i])), ir.IntType(64))
        more = []
        for kind, array, one in zip(kinds, arrays, added, strict=True):
            row = _load(builder, kind, _row(context, builder, kind, array, at_tail))
            value = builder.load(builder.gep(one.data, [i]))
            more.append(builder.add(row, _splat(builder, kind, value)))
        lower = _lesser(builder, more, least)
        following = builder.add(i, ir.Constant(ir.IntType(64), 1))
        for phi, first, later in zip((i, *least), (start, *best), (following, *lower), strict=True):
            phi.add_incoming(first, entry)
            phi.add_incoming(later, body)
        builder.cbranch(builder.icmp_signed("<", following, stop), body, end)
        builder.position_at_end(end)
        for k, kind in enumerate(kinds):
            result = builder.phi(_vector(kind))
            result.add_incoming(best[k], entry)
            result.add_incoming(lower[k], body)
            best[k] = result
        for kind, array, value in zip(kinds, arrays, best, strict=True):
            row = _row(context, builder, kind, array, to)
            builder.store(value, row, align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return signature, generate


def _lesser(builder: Any, a: Any, b: Any) -> Any:
    """Of two rows of costs and thirds the lesser, place by place.

    Masks come from the costs alone, so that of what is kept from arc to arc each waits for two
    operations; what a comparison of both at once takes until it is ready doubled the time.
    """
    cost = _least(builder, a[0], b[0])
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
offer_third: OfferThird = plain_offer_third
pull_third: PullThird = plain_pull_third
if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    _intrinsic: Any = intrinsic
    offer, pull = _intrinsic(_offer), _intrinsic(_pull)
    offer_third, pull_third = _intrinsic(_offer_third), _intrinsic(_pull_third)
