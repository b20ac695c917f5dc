"""What a profile makes of the tags that hold only at times, for every combination of times.

No profile is asked once a dataset is built: here are the answers for all times there can be.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import I64, U32, AnyArray, Bool, freeze, offsets
from gis.osm.tagsets import TagSets
from gis.profiles.conditional import variants_of
from gis.profiles.registry import judge_tags
from gis.profiles.rules import Profile, Tags
from gis.profiles.verdicts import (
    BACKWARD_RESTRICTED,
    DEMANDS,
    FORWARD_RESTRICTED,
    Verdicts,
    VerdictTables,
)

MOST_EXPRESSIONS = 5
"""Of one tag set; there is a verdict for each combination of these."""

TOO_MANY = "too many conditions"

_BY_WAY = (
    *("forward_kmh", "backward_kmh", "forward_preference", "backward_preference", "duration_s"),
    *("way_flags", "forward_mode", "backward_mode", "forward_classes", "backward_classes"),
)


class Switches(NamedTuple):
    """The tag sets that change with the time. W sets, X of their expressions.

    | array | dtype, shape | content |
    |---|---|---|
    | tagset | uint32 (W,) | ascending |
    | first_expression | uint32 (W + 1,) | offsets into ``expression``; one to five each |
    | expression | uint32 (X,) | index in ``TimedVerdicts.expressions`` |
    | first_row | uint32 (W,) | see below |

    While bits m > 0 of a set's expressions hold, its verdict is row ``first_row + m - 1``.
    """

    tagset: U32
    first_expression: U32
    expression: U32
    first_row: U32

    def rows_at(self, n_sets: int, holds: Bool) -> I64:
        """The row of each tag set's verdict (n_sets,) while some expressions hold."""
        row = np.arange(n_sets)
        first = self.first_expression.astype(np.int64)
        place = np.arange(len(self.expression)) - np.repeat(first[:-1], np.diff(first))
        bit = np.where(holds[self.expression], 1 << place, 0)
        mask = np.add.reduceat(bit, first[:-1]) if len(bit) else bit
        changed = mask > 0
        row[self.tagset[changed]] = (self.first_row + mask - 1)[changed]
        return row

    def rows_of(self, index: int) -> range:
        """All rows of one set but the normal one."""
        n = int(self.first_expression[index + 1]) - int(self.first_expression[index])
        first = int(self.first_row[index])
        return range(first, first + (1 << n) - 1)


@dataclass(frozen=True)
class TimedVerdicts:
    """What a vehicle makes of each tag set, at any time.

    ``tables`` are those of no special time, followed by the rows of ``ways`` and ``restrictions``;
    if nothing changes with the time, there are none. ``expressions`` are opening hours, several
    that all have to hold joined by " AND ".
    """

    expressions: tuple[str, ...]
    ways: Switches
    restrictions: Switches
    tables: VerdictTables

    def at(self, holds: Bool) -> Verdicts:
        """The verdicts while some expressions hold, bool (X,)."""
        n_ways, n_restrictions = self._n_sets()
        return _take(
            self.tables,
            self.ways.rows_at(n_ways, holds),
            self.restrictions.rows_at(n_restrictions, holds),
        )

    def _n_sets(self) -> tuple[int, int]:
        """How many tag sets ways and restrictions have."""
        return (
            len(self.tables.forward_kmh) - _n_rows(self.ways),
            len(self.tables.restriction_kind) - _n_rows(self.restrictions),
        )


def _n_rows(switches: Switches) -> int:
    return sum(len(switches.rows_of(index)) for index in range(len(switches.tagset)))


def _take(tables: VerdictTables, way: I64, restriction: I64) -> Verdicts:
    """Verdicts of other rows: ``way`` (S,), ``restriction`` (R,)."""
    columns = {field.name: getattr(tables, field.name) for field in fields(VerdictTables)}
    columns |= {name: freeze(columns[name][way]) for name in _BY_WAY}
    columns["restriction_kind"] = freeze(tables.restriction_kind[restriction])
    reasons = tables.restriction_reason
    columns["restriction_reason"] = tuple(reasons[row] for row in restriction.tolist())
    return Verdicts(**columns, warnings={})


def no_times() -> TimedVerdicts:
    """Nothing changes with the time."""
    nothing = {
        field.name: () if field.name == "restriction_reason" else _no_rows(field.name)
        for field in fields(VerdictTables)
    }
    columns: Any = nothing
    return TimedVerdicts((), _switches((), 0, {}), _switches((), 0, {}), VerdictTables(**columns))


def _no_rows(name: str) -> AnyArray:
    if name == "turn_s":
        return freeze(np.zeros((2, 2, 2, 361), np.float32))
    if name.endswith(("_blocked", "_restricted")):
        return freeze(np.zeros(0, np.bool_))
    is_number = name.endswith(("_kmh", "_s", "_preference"))
    return freeze(np.zeros(0, np.float32 if is_number else np.uint8))


def judge_times(
    profile: Profile,
    way_tags: TagSets,
    _node_tags: TagSets,
    restriction_tags: TagSets,
    normal: Verdicts,
) -> tuple[TimedVerdicts, Verdicts]:
    """A profile's verdicts at any time, and those of no special time with all that was odd."""
    expressions: dict[str, int] = {}
    left_out: Counter[str] = Counter()
    ways, way_rows = _all_variants(profile, way_tags.all_tags(profile.way_keys), expressions)
    relation_tags = restriction_tags.all_tags(profile.relation_keys)
    relations, relation_rows = _all_variants(profile, relation_tags, expressions)
    for _, texts in (*ways, *relations):
        left_out.update(texts[MOST_EXPRESSIONS:])
    changed = judge_tags(profile, way_rows, relation_rows)
    tables = _join(normal, changed)
    timed = TimedVerdicts(
        tuple(expressions),
        _switches(ways, len(normal.forward_kmh), expressions),
        _switches(relations, len(normal.restriction_kind), expressions),
        tables,
    )
    warnings = _merge(normal.warnings, changed.warnings, {TOO_MANY: left_out} if left_out else {})
    return _without_idle(timed), replace(normal, warnings=warnings)


def _all_variants(
    profile: Profile, sets: Sequence[Tags], expressions: dict[str, int]
) -> tuple[list[tuple[int, tuple[str, ...]]], list[Tags]]:
    """The sets that change with the time, with their expressions, and the tags of every row."""
    found: list[tuple[int, tuple[str, ...]]] = []
    rows: list[Tags] = []
    for index, tags in enumerate(sets):
        variants = variants_of(tags, profile.dimensions, lambda _kind, _value: None)
        if variants.expressions:
            found.append((index, variants.expressions))
            kept = variants.expressions[:MOST_EXPRESSIONS]
            for text in kept:
                expressions.setdefault(text, len(expressions))
            for mask in range(1, 1 << len(kept)):
                active = [text for bit, text in enumerate(kept) if mask >> bit & 1]
                rows.append(variants.at(active))
    return found, rows


def _switches(
    found: Sequence[tuple[int, tuple[str, ...]]], first_row: int, expressions: Mapping[str, int]
) -> Switches:
    kept = [texts[:MOST_EXPRESSIONS] for _, texts in found]
    n_rows = [(1 << len(texts)) - 1 for texts in kept]
    rows = offsets(np.array(n_rows, np.int64)).astype(np.int64)[:-1] + first_row
    return Switches(
        _whole(index for index, _ in found),
        freeze(offsets(np.array([len(texts) for texts in kept], np.int64))),
        _whole(expressions[text] for texts in kept for text in texts),
        freeze(rows.astype(np.uint32)),
    )


def _whole(values: Iterable[int]) -> U32:
    return freeze(np.fromiter(values, np.uint32))


def _join(normal: VerdictTables, changed: VerdictTables) -> VerdictTables:
    """The tables of no special time and behind them those of special times."""
    columns: dict[str, Any] = {f.name: getattr(normal, f.name) for f in fields(VerdictTables)}
    for name in (*_BY_WAY, "restriction_kind"):
        columns[name] = freeze(np.concatenate([columns[name], getattr(changed, name)]))
    columns["restriction_reason"] += changed.restriction_reason
    return VerdictTables(**columns)


def _merge(*counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """All that was warned of; of what occurs twice the first count."""
    merged: dict[str, dict[str, int]] = {}
    for by_kind in reversed(counts):
        for kind, by_value in by_kind.items():
            merged.setdefault(kind, {}).update(by_value)
    return {kind: dict(sorted(merged[kind].items())) for kind in sorted(merged)}


def _without_idle(timed: TimedVerdicts) -> TimedVerdicts:
    """Without the sets whose verdict is the same at all times, and what only they use."""
    tables = timed.tables
    columns = [getattr(tables, name) for name in _BY_WAY]
    ways, way_rows = _only_changing(timed.ways, columns)
    restrictions, restriction_rows = _only_changing(timed.restrictions, [tables.restriction_kind])
    used = np.unique(np.concatenate([ways.expression, restrictions.expression]))
    if not len(used):
        return no_times()
    kept = _take(tables, way_rows, restriction_rows)
    values = {field.name: getattr(kept, field.name) for field in fields(VerdictTables)}
    new = np.zeros(len(timed.expressions), np.uint32)
    new[used] = np.arange(len(used))
    return TimedVerdicts(
        tuple(timed.expressions[index] for index in used),
        ways._replace(expression=freeze(new[ways.expression])),
        restrictions._replace(expression=freeze(new[restrictions.expression])),
        VerdictTables(**values),
    )


def _only_changing(switches: Switches, columns: Sequence[AnyArray]) -> tuple[Switches, I64]:
    """The switches that switch anything, and the rows that are left."""
    n_all = len(columns[0])
    rows = [switches.rows_of(index) for index in range(len(switches.tagset))]
    n_sets = n_all - sum(map(len, rows))
    kept = [
        index
        for index, tagset in enumerate(switches.tagset)
        if any((column[list(rows[index])] != column[tagset]).any() for column in columns)
    ]
    size = np.diff(switches.first_expression.astype(np.int64))[kept]
    first = switches.first_expression
    parts = [switches.expression[first[index] : first[index + 1]] for index in kept]
    n_rows = np.array([len(rows[index]) for index in kept], np.int64)
    left = [np.arange(n_sets), *(np.array(rows[index]) for index in kept)]
    return (
        Switches(
            freeze(switches.tagset[kept]),
            freeze(offsets(size)),
            freeze(np.concatenate([*parts, np.empty(0, np.uint32)])),
            freeze((offsets(n_rows)[:-1].astype(np.int64) + n_sets).astype(np.uint32)),
        ),
        np.concatenate(left),
    )


def verdicts_ever(timed: TimedVerdicts, normal: Verdicts) -> Verdicts:
    """The verdicts with all that is open, or restricted, at some time.

    What is open at no special time keeps the speed and all else that it has then; the rest is as
    at the first time at which it is open.
    """
    if not timed.expressions:
        return normal
    columns: dict[str, Any] = {
        name: getattr(normal, name).copy() for name in (*_BY_WAY, "restriction_kind")
    }
    for index, tagset in enumerate(timed.ways.tagset.tolist()):
        for row in timed.ways.rows_of(index):
            _open_too(columns, tagset, timed.tables, row)
    for index, tagset in enumerate(timed.restrictions.tagset.tolist()):
        for row in timed.restrictions.rows_of(index):
            kind = columns["restriction_kind"]
            kind[tagset] = max(kind[tagset], timed.tables.restriction_kind[row])
    reasons = normal.restriction_reason
    kinds = columns["restriction_kind"].tolist()
    frozen: dict[str, Any] = {name: freeze(column) for name, column in columns.items()}
    frozen["restriction_reason"] = tuple(
        "" if kind else reason for kind, reason in zip(kinds, reasons, strict=True)
    )
    return replace(normal, **frozen)


def _open_too(
    columns: Mapping[str, AnyArray], tagset: int, tables: VerdictTables, row: int
) -> None:
    """Open the directions of a tag set that a row opens, unless they are open."""
    flags = int(tables.way_flags[row])
    directed = FORWARD_RESTRICTED | BACKWARD_RESTRICTED
    was_closed = not (columns["forward_kmh"][tagset] or columns["backward_kmh"][tagset])
    for direction, restricted in (
        ("forward", FORWARD_RESTRICTED),
        ("backward", BACKWARD_RESTRICTED),
    ):
        kmh = f"{direction}_kmh"
        if columns[kmh][tagset] or not getattr(tables, kmh)[row]:
            continue
        for what in ("kmh", "preference", "mode", "classes"):
            name = f"{direction}_{what}"
            columns[name][tagset] = getattr(tables, name)[row]
        columns["way_flags"][tagset] |= flags & restricted
        if was_closed:
            columns["way_flags"][tagset] |= flags & ~directed
            columns["duration_s"][tagset] = tables.duration_s[row]


def check_timed(timed: TimedVerdicts) -> None:
    """Assert every documented invariant."""
    n = len(timed.expressions)
    assert len(set(timed.expressions)) == n and all(timed.expressions)
    used = np.zeros(n, np.bool_)
    for switches, n_all in (
        (timed.ways, len(timed.tables.forward_kmh)),
        (timed.restrictions, len(timed.tables.restriction_kind)),
    ):
        size = np.diff(switches.first_expression.astype(np.int64))
        assert (np.diff(switches.tagset.astype(np.int64)) > 0).all()
        assert ((size >= 1) & (size <= MOST_EXPRESSIONS)).all()
        assert len(switches.expression) == size.sum() and (switches.expression < n).all()
        used[switches.expression] = True
        n_rows = np.left_shift(1, size) - 1
        n_sets = n_all - int(n_rows.sum())
        assert (switches.tagset < n_sets).all()
        expected = n_sets + np.cumsum(n_rows) - n_rows
        assert (switches.first_row == expected).all()
    assert used.all()
    assert timed.tables.restriction_kind.max(initial=0) <= DEMANDS
