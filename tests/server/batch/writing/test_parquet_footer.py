"""Row groups are moved between footers as Arrow moves them."""

import io
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from server.batch.writing.parquet_footer import MAGIC, closing, divided, row_groups

WIDE = pa.table({f"column {i}": pa.array([i, None] * 3, pa.int64()) for i in range(40)})
TABLES = [
    pa.table({"a": [1, 2, 3]}),
    pa.table({"a": ["x", None], "b": [True, False], "c": [[1.5], []], "d": [{"e": b"f"}, None]}),
    pa.table({"no rows": pa.array([], pa.int8())}),
    WIDE,
]


def file_of(table: pa.Table, group_rows: int) -> bytes:
    file = io.BytesIO()
    with pq.ParquetWriter(file, table.schema, write_page_index=True) as writer:
        writer.write_table(table, row_group_size=group_rows)
        writer.add_key_value_metadata({"key": "value"})
    return file.getvalue()


def by_arrow(footers: Sequence[bytes]) -> bytes:
    first, *others = [pq.read_metadata(io.BytesIO(MAGIC + tail(footer))) for footer in footers]
    for other in others:
        first.append_row_groups(other)
    file = io.BytesIO()
    first.write_metadata_file(file)
    return file.getvalue()[len(MAGIC) :]


def tail(footer: bytes) -> bytes:
    return footer + len(footer).to_bytes(4, "little") + MAGIC


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.column_names[0])
@pytest.mark.parametrize("times", [1, 2, 14, 15, 16, 300])
@pytest.mark.parametrize("group_rows", [1, 5])
def test_as_arrow_does(table: pa.Table, times: int, group_rows: int) -> None:
    """Byte for byte: the same footers, one after the other."""
    _, footer = divided(file_of(table, group_rows))
    groups = row_groups(footer)
    assert groups.n_rows == len(table)
    assert groups.number == max(-(-len(table) // group_rows), 1)
    pieces = closing(
        footer,
        times * groups.n_rows,
        times * groups.number,
        times * len(groups.data),
        [groups.data] * times,
    )
    assert b"".join(pieces) == by_arrow([footer] * times)


def test_a_file_is_divided_where_its_footer_begins() -> None:
    file = file_of(WIDE, 3)
    before, footer = divided(file)
    assert before + tail(footer) == file
    assert pq.read_metadata(io.BytesIO(MAGIC + tail(footer))).num_row_groups == 2
