"""Decodes relations: those that restrict turns, with their tags of interest and members."""

from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U8, U32
from gis.jit import inner_kernel, int64, plain_kernel
from gis.osm.blocks import (
    BAD_MEMBER,
    BAD_STRING,
    BROKEN,
    END_GROUP,
    END_STRING,
    FIRST_GROUP,
    FIRST_STRING,
    OK,
    OVERFLOW,
    UNEVEN,
    Batch,
)
from gis.osm.columns import Scratch
from gis.osm.tags import TagReader, TagTable, TaskTags, Vocabulary, read_tags
from gis.osm.wire import (
    GROUP_RELATIONS,
    RELATION_ID,
    RELATION_KEYS,
    RELATION_MEMIDS,
    RELATION_ROLES_SID,
    RELATION_TYPES,
    RELATION_VALS,
    Span,
    add_step,
    read_span,
    read_varint,
    skip_field,
)

TYPE = "type"
_RESTRICTION = np.frombuffer(b"restriction", np.uint8)
_COLON = ord(":")


class RelationRows(NamedTuple):
    """The restrictions of a batch. M relations and B members fit.

    | array | dtype, shape | content |
    |---|---|---|
    | id | int64 (M,) | OpenStreetMap id |
    | first | uint32 (M + 1,) | offsets into the pairs of the tag table |
    | first_member | uint32 (M + 1,) | offsets into the member arrays |
    | member_type | uint8 (B,) | 0 node, 1 way, 2 relation |
    | member_id | int64 (B,) | OpenStreetMap id |
    | role | uint32 (B,) | string of the batch |
    """

    id: I64
    first: U32
    first_member: U32
    member_type: U8
    member_id: I64
    role: U32


class RelationPart(NamedTuple):
    """The restrictions of a task. M relations, B members.

    | field | dtype, shape | content |
    |---|---|---|
    | id | int64 (M,) | OpenStreetMap id |
    | n_members | uint32 (M,) | how many members it has |
    | member_type | uint8 (B,) | 0 node, 1 way, 2 relation |
    | member_id | int64 (B,) | OpenStreetMap id |
    | role | uint32 (B,) | string of the task |
    | tagset | uint32 (M,) | set of the task |
    | tags | TaskTags | the strings and sets |
    """

    id: I64
    n_members: U32
    member_type: U8
    member_id: I64
    role: U32
    tagset: U32
    tags: TaskTags


@inner_kernel
def _relation_fields(data: U8, position: int, end: int, span: U32) -> tuple[int, int]:
    """Id and position reached, past ``end`` if broken; starts and stops of the lists in ``span``.

    The lists: keys, values, roles, members' ids, members' types.
    """
    relation = int64(0)
    span[:] = 0
    while position < end:
        key, position = read_varint(data, position, end)
        index = -1
        if key == RELATION_ID:
            relation, position = read_varint(data, position, end)
            continue
        if key == RELATION_KEYS:
            index = 0
        elif key == RELATION_VALS:
            index = 2
        elif key == RELATION_ROLES_SID:
            index = 4
        elif key == RELATION_MEMIDS:
            index = 6
        elif key == RELATION_TYPES:
            index = 8
        if index >= 0:
            span[index], position = read_span(data, position, end)
            span[index + 1] = position
        else:
            position = skip_field(data, position, end, key)
    return relation, position


@inner_kernel
def _is_restriction(batch: Batch, span: U32, strings: Span, seed: U32, type_seed: int) -> bool:
    """Whether the type is a restriction; broken lists pass, for ``read_tags`` to find out."""
    data = batch.data
    key_at, key_end = int64(span[0]), int64(span[1])
    value_at, value_end = int64(span[2]), int64(span[3])
    n_strings = strings[1] - strings[0]
    while key_at < key_end and value_at < value_end:
        key, key_at = read_varint(data, key_at, key_end)
        value, value_at = read_varint(data, value_at, value_end)
        if not (0 <= key < n_strings and 0 <= value < n_strings):
            return True
        if seed[strings[0] + key] == type_seed:
            begin = int64(batch.start[strings[0] + value])
            length = int64(batch.stop[strings[0] + value]) - begin
            n = len(_RESTRICTION)
            if length < n or (length > n and data[begin + n] != _COLON):
                return False
            for i in range(n):  # noqa: SIM110 kernels know no generators
                if data[begin + i] != _RESTRICTION[i]:
                    return False
            return True
    return key_at != key_end or value_at != value_end


@plain_kernel
def _read_members(
    data: U8, span: U32, strings: Span, rows: RelationRows, at: int
) -> tuple[int, int]:
    """Append the members of a relation from ``at``: (OK or the problem, end)."""
    role_at, role_end = int64(span[4]), int64(span[5])
    id_at, id_end = int64(span[6]), int64(span[7])
    type_at, type_end = int64(span[8]), int64(span[9])
    member = overflow = int64(0)
    while role_at < role_end and id_at < id_end and type_at < type_end:
        role, role_at = read_varint(data, role_at, role_end)
        step, id_at = read_varint(data, id_at, id_end)
        kind, type_at = read_varint(data, type_at, type_end)
        if not 0 <= role < strings[1] - strings[0]:
            return BAD_STRING, at
        if not 0 <= kind <= 2:
            return BAD_MEMBER, at
        member, overflow = add_step(member, step, overflow)
        rows.role[at] = strings[0] + role
        rows.member_id[at] = member
        rows.member_type[at] = kind
        at += 1
    if role_at > role_end or id_at > id_end or type_at > type_end:
        return BROKEN, at
    if role_at < role_end or id_at < id_end or type_at < type_end:
        return UNEVEN, at
    if overflow < 0:
        return OVERFLOW, at
    return OK, at


@inner_kernel
def _decode_relation(
    batch: Batch, strings: Span, table: TagTable, span: U32, rows: RelationRows, row: int
) -> int:
    """Write the tags and members of a relation to a row: OK or the problem."""
    keys = int64(span[0]), int64(span[1])
    values = int64(span[2]), int64(span[3])
    first = int64(rows.first[row])
    status, rows.first[row + 1] = read_tags(batch.data, keys, values, strings, table, first)
    if status == OK:
        first = int64(rows.first_member[row])
        status, rows.first_member[row + 1] = _read_members(batch.data, span, strings, rows, first)
    return status


@plain_kernel
def _decode_relations(
    batch: Batch, table: TagTable, type_seed: int, span: U32, rows: RelationRows
) -> tuple[int, int, int]:
    """Write the restrictions of a batch to the rows: (OK, how many, of), or (problem, where, -)."""
    data = batch.data
    row = seen = 0
    for block in range(len(batch.end)):
        strings = batch.fact[block, FIRST_STRING], batch.fact[block, END_STRING]
        for group in range(batch.fact[block, FIRST_GROUP], batch.fact[block, END_GROUP]):
            position, end = int64(batch.group[group, 0]), int64(batch.group[group, 1])
            while position < end:
                key, position = read_varint(data, position, end)
                if key != GROUP_RELATIONS:
                    position = skip_field(data, position, end, key)
                    continue
                seen += 1
                start, position = read_span(data, position, end)
                relation, reached = _relation_fields(data, start, position, span)
                if position > end or reached > position:
                    return BROKEN, start, seen
                if _is_restriction(batch, span, strings, table.seed, type_seed):
                    rows.id[row] = relation
                    status = _decode_relation(batch, strings, table, span, rows, row)
                    if status != OK:
                        return status, start, seen
                    row += 1
    return OK, row, seen


class RelationDecoder:
    """Decodes the restrictions of a task, batch by batch."""

    def __init__(self, vocabulary: Vocabulary, scratch: Scratch) -> None:
        self._tags = TagReader(vocabulary, scratch)
        self._type_seed = vocabulary.seeds.index(TYPE)
        self.n_relations = 0
        self._span = np.zeros(10, np.uint32)
        self._rows: list[RelationRows] = []
        self._tagset: list[U32] = []

    def add(self, batch: Batch) -> tuple[int, int]:
        """Decode a batch: (OK, -) or (problem, position)."""
        n_relations = len(batch.data) // 2 + 1  # each takes at least two bytes
        n_members = len(batch.data) // 3  # and a member three
        table = self._tags.look_up(batch)
        rows = RelationRows(
            np.empty(n_relations, np.int64),
            np.empty(n_relations + 1, np.uint32),
            np.empty(n_relations + 1, np.uint32),
            np.empty(n_members, np.uint8),
            np.empty(n_members, np.int64),
            np.empty(n_members, np.uint32),
        )
        rows.first[0] = rows.first_member[0] = 0
        status, n, seen = _decode_relations(batch, table, self._type_seed, self._span, rows)
        self.n_relations += seen
        if status == OK and n > 0:
            self._keep(batch, table, rows, n)
        return status, n

    def _keep(self, batch: Batch, table: TagTable, rows: RelationRows, n: int) -> None:
        n_members = int(rows.first_member[n])
        pair = table.pair[: int(rows.first[n])]
        role = rows.role[:n_members].copy()
        self._tags.intern_strings(batch, pair, 1, 2)
        self._tags.intern_strings(batch, role)
        self._tagset.append(self._tags.intern_sets(0, pair, rows.first[:n], rows.first[1 : n + 1]))
        self._rows.append(
            RelationRows(
                rows.id[:n].copy(),
                rows.first[: n + 1],
                np.diff(rows.first_member[: n + 1]),
                rows.member_type[:n_members].copy(),
                rows.member_id[:n_members].copy(),
                role,
            )
        )

    def finish(self) -> RelationPart:
        """All restrictions that were added."""
        return RelationPart(
            np.concatenate([np.empty(0, np.int64), *(rows.id for rows in self._rows)]),
            np.concatenate([np.empty(0, np.uint32), *(rows.first_member for rows in self._rows)]),
            np.concatenate([np.empty(0, np.uint8), *(rows.member_type for rows in self._rows)]),
            np.concatenate([np.empty(0, np.int64), *(rows.member_id for rows in self._rows)]),
            np.concatenate([np.empty(0, np.uint32), *(rows.role for rows in self._rows)]),
            np.concatenate([np.empty(0, np.uint32), *self._tagset]),
            self._tags.content(),
        )
