"""Batches beside others that change what they use."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from gis.dataset import open_dataset
from gis.errors import DatasetError
from routing.build import build_dataset
from routing.engine import Engine
from server.batch import local
from server.batch.local import answers_here
from server.batch.reading.source import open_source
from server.batch.runner import Batch, run_batch
from server.batch.task import Task

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

ELSEWHERE = """<osm version="0.6">
<node id="1" lat="1" lon="1"/><node id="2" lat="1.001" lon="1"/>
<node id="3" lat="1.001" lon="1.001"/>
<way id="1"><nd ref="1"/><nd ref="2"/><nd ref="3"/><tag k="highway" v="residential"/></way>
</osm>"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_dataset_that_is_replaced(workers: int, dataset: Path, tmp_path: Path) -> None:
    """A batch answers by the dataset that it has named in its journal, to the end."""
    own = tmp_path / "own.whimbrel"
    shutil.copytree(dataset, own)
    west, south, east, north = Engine.open(own).bounds
    points = np.random.default_rng(3).uniform([west, south] * 2, [east, north] * 2, (40, 4))
    source = tmp_path / "pairs.csv"
    text = "\n".join(",".join(map(str, row)) for row in points.tolist())
    source.write_text(f"olon,olat,dlon,dlat\n{text}\n")
    opened = open_dataset(own)
    (tmp_path / "elsewhere.osm").write_text(ELSEWHERE)
    build_dataset(tmp_path / "elsewhere.osm", own)
    assert open_dataset(own).manifest.data != opened.manifest.data
    output, task = tmp_path / "routes.parquet", Task("route", radius_m=1000.0)
    batch = Batch(opened, open_source(source, 2), [source], output, task, chunk_rows=10)
    summary = run_batch(batch, lambda points: answers_here(opened, task, points, workers))
    expected = Engine.open(dataset).routes(points[:, :2], points[:, 2:], radius_m=1000.0)
    found = pq.read_table(output).column("duration_s").to_numpy()
    assert np.array_equal(found, expected.duration_s, equal_nan=True)
    assert summary.rows == 40 and summary.statuses["Ok"] > 20


def test_a_process_that_was_not_forked_refuses_another_dataset(
    dataset: Path, tmp_path: Path
) -> None:
    """It opens the dataset by its path, where another one may lie by then."""
    own = tmp_path / "own.whimbrel"
    shutil.copytree(dataset, own)
    answering = local._Answering(open_dataset(own), Task("route"))
    points = np.array([[24.94, 60.167, 24.95, 60.172]])
    there = local._Answering.__new__(local._Answering)
    there.__dict__.update(answering.__getstate__())  # type: ignore[arg-type]
    assert (
        there.answer(points).columns["duration_s"] == answering.answer(points).columns["duration_s"]
    )
    (tmp_path / "elsewhere.osm").write_text(ELSEWHERE)
    build_dataset(tmp_path / "elsewhere.osm", own)
    there.__dict__.update(answering.__getstate__())  # type: ignore[arg-type]
    with pytest.raises(DatasetError, match="was replaced while it was used"):
        there.answer(points)
