"""Columns as text: what the cells of a CSV file and the members of a JSON object hold."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

TEXT = pa.large_string()
"""What all text is made in: a chunk of a wide matrix can be more than 2 GiB."""

Column: TypeAlias = pa.ChunkedArray | pa.Array

_BINARY = (
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
    pa.types.is_binary_view,
)

_BARE_IN_JSON = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_boolean,
    pa.types.is_nested,
)
"""Whose text stands in JSON as it is, not as a string."""


def by_value(column: Column, text_of: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """``text_of`` of a column; of a dictionary-encoded one, made once for each distinct value."""
    array = one_array(column)
    if pa.types.is_dictionary(array.type):
        return text_of(array.dictionary).take(array.indices)
    return text_of(array)


def plain_text(array: pa.Array) -> pa.Array:
    """Values as people write them; null where there is none, NaN included.

    Numbers are the shortest that are read as the same again, bytes are hexadecimal, and nested
    values are JSON.
    """
    kind = array.type
    if pa.types.is_floating(kind):
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, kind), array)
    elif pa.types.is_nested(kind):
        return _from_values(array, _json_document)
    elif is_any(kind, *_BINARY):
        return _from_values(array, bytes.hex)
    try:
        return array.cast(TEXT)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return _from_values(array, str)


def json_text(array: pa.Array) -> pa.Array:
    """Values as JSON on one line; null where there is none or no finite number."""
    kind = array.type
    if pa.types.is_floating(kind):
        array = pc.if_else(pc.is_finite(array), array, pa.scalar(None, kind))
    text = plain_text(array)
    if is_any(kind, *_BARE_IN_JSON):
        return text
    if holds_any(text, bytes(range(32)) + b'"\\'):
        return _from_values(text, _json_document)
    return joined('"', text, '"')


def one_line_json(array: pa.Array) -> pa.Array:
    """Documents that are JSON already, on one line each."""
    text = array.cast(TEXT)
    if holds_any(text, b"\r\n"):  # outside of strings, where a space is as good
        text = pc.replace_substring_regex(text, "[\r\n]+", " ")
    return text


def holds_any(text: pa.Array, characters: bytes) -> bool:
    """Whether any of these ASCII characters occurs in a column of text.

    It looks at all bytes at once, many times as fast as at each value.
    """
    data = bytes_of(text)
    return any(character in data for character in characters)


def joined(*pieces: pa.Array | str) -> pa.Array:
    """The pieces of each row, one after the other; a ``str`` is the same in all rows.

    Null where a piece is null.
    """
    parts = [pa.scalar(piece, TEXT) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*parts, pa.scalar("", TEXT))


def bytes_of(text: pa.Array) -> bytes:
    """All values of a column of text, one after the other."""
    _, offsets, data = text.buffers()
    if not len(text) or data is None:
        return b""
    first = np.frombuffer(offsets, np.int64, len(text) + 1, 8 * text.offset)
    return bytes(memoryview(data)[first[0] : first[-1]])


def one_array(column: Column) -> pa.Array:
    """A column in one piece, of the type that extension types are stored as."""
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks or [pa.array([], column.type)]
        column = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    return column.storage if isinstance(column, pa.ExtensionArray) else column


def refuse_doubled_names(kinds: Iterable[pa.DataType]) -> None:
    """Raise ``ValueError`` if structures with two members of one name are anywhere in types."""
    for kind in kinds:
        if pa.types.is_dictionary(kind):
            refuse_doubled_names([kind.value_type])
        elif isinstance(kind, pa.BaseExtensionType):
            refuse_doubled_names([kind.storage_type])
        elif pa.types.is_nested(kind):
            members = [kind.field(number) for number in range(kind.num_fields)]
            names = [member.name for member in members]
            if pa.types.is_struct(kind) and len(set(names)) < len(names):
                raise ValueError("has several members of one name, which JSON has not")
            refuse_doubled_names(member.type for member in members)


def is_any(kind: pa.DataType, *predicates: Callable[[pa.DataType], bool]) -> bool:
    """Whether any of these predicates of ``pyarrow.types`` holds for a type."""
    return any(holds(kind) for holds in predicates)


def _from_values(array: pa.Array, text_of: Callable[..., str]) -> pa.Array:
    """Text of each value that is not null, where there is no faster way."""
    values = (None if value is None else text_of(value) for value in array.to_pylist())
    return pa.array(values, TEXT)


def _json_document(value: object) -> str:
    return orjson.dumps(value, default=_json_default, option=orjson.OPT_NON_STR_KEYS).decode()


def _json_default(value: object) -> object:
    """What JSON has no type for, as text."""
    return value.hex() if isinstance(value, bytes) else str(value)
