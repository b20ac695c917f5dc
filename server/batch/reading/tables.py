"""Tables that know how many rows they have even if they have no columns."""

from collections.abc import Sequence

import pyarrow as pa


def table_of(columns: Sequence[pa.ChunkedArray], schema: pa.Schema, n_rows: int) -> pa.Table:
    """A table of columns, which all have ``n_rows`` rows."""
    if columns:
        return pa.table(list(columns), schema)
    rows = pa.array([{}] * n_rows, pa.struct([]))
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(rows)], schema)


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of several tables, one behind the other, without a copy."""
    if len(tables) == 1:
        return tables[0]
    if tables[0].num_columns:
        return pa.concat_tables(tables)
    return table_of([], tables[0].schema, sum(table.num_rows for table in tables))
