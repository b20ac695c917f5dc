"""Formats are chosen by the names of files."""

from pathlib import Path

import pyarrow as pa
import pytest

from server.batch.errors import OutputError
from server.batch.writing.checked import Checked
from server.batch.writing.delimited_rows import DelimitedRows
from server.batch.writing.feature_lines import FeatureLines
from server.batch.writing.formats import SUFFIXES, format_of
from server.batch.writing.parquet_groups import ParquetGroups

SCHEMA = pa.schema([("status", pa.string())])


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("a.csv", "a.b.CSV", "a.tsv"), DelimitedRows),
        (("a.parquet", "a.geoparquet", "a.pq"), ParquetGroups),
        (("a.geojsonl", "a.geojsonlines", "a.geojsons", "a.ndjson", "a.jsonl"), FeatureLines),
    ],
)
def test_by_suffix(names: tuple[str, ...], kind: type) -> None:
    for name in names:
        form = format_of(Path(name), SCHEMA)
        assert isinstance(form, Checked)
        assert type(form.form) is kind


@pytest.mark.parametrize("name", ["a.xlsx", "a", "a.csv.gz", ".csv", "a.geojson"])
def test_others_are_told_what_there_is(name: str) -> None:
    """In one line, with every suffix."""
    with pytest.raises(OutputError) as raised:
        format_of(Path(name), SCHEMA)
    message = str(raised.value)
    assert message.startswith(f"{name}: ")
    assert "\n" not in message
    assert all(suffix in message for suffixes in SUFFIXES.values() for suffix in suffixes)
