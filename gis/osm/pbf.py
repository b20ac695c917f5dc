"""Reads PBF files: blobs decoded by a pool of processes, the result the same for any number.

Ways and relations are decoded first and tell which nodes are wanted; then the nodes, of which
only those are kept. Files hold their objects in the order nodes, ways, relations, so that each
blob is needed once; of other files the blobs are read twice.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U32
from gis.osm.blobs import BlobIndex, inflated, scan_blobs
from gis.osm.blocks import N_DENSE, N_NODES, N_RELATIONS, N_WAYS, BatchReader, total
from gis.osm.columns import allocate_together
from gis.osm.id_set import count_ids, rank_ids
from gis.osm.merge import NodeMerger, References, RelationMerger, RoadMerger
from gis.osm.nodes import NodeDecoder, NodePart, UnorderedNodeDecoder
from gis.osm.order import find_first_road
from gis.osm.relations import RelationDecoder, RelationPart
from gis.osm.tables import FileCounts, OsmTables, TagSelection
from gis.osm.ways import RoadPart, WayDecoder
from gis.stage import report_progress, stage
from gis.workers import run_tasks

TASK_BYTES = 2 << 20
"""Blobs of so many bytes make a task. The file alone decides, so that results never differ."""

IN_PROCESS_BYTES = 8 << 20
"""Smaller files are read faster without other processes."""


class FirstPass(NamedTuple):
    """What all tasks of the first pass need."""

    index: BlobIndex
    selection: TagSelection


class SecondPass(NamedTuple):
    """What all tasks of the second pass need."""

    index: BlobIndex
    selection: TagSelection
    first_road: int
    references: References


class RoadTask(NamedTuple):
    """What a task of the first pass decoded."""

    ways: RoadPart
    relations: RelationPart
    n_ways: int
    n_relations: int
    with_nodes: I64
    """Blobs that hold nodes, too."""


class _UnsortedError(Exception):
    """A blob that should hold nodes only holds something else."""


def read_pbf(path: Path, selection: TagSelection, workers: int = 1) -> OsmTables:
    """Read what a selection keeps of a PBF file.

    Raises
    ------
    FormatError
        The file cannot be read, or is damaged.
    ResourceError
        A worker was killed, or memory is lacking.
    """
    with stage("scan") as report:
        index = scan_blobs(path)
        first_road = find_first_road(index)
        report.count(blobs=len(index), bytes=index.n_bytes)
    if index.n_bytes < IN_PROCESS_BYTES:
        workers = 1
    # Sums of malformed numbers may wrap; kernels notice, also when they run as plain Python.
    with np.errstate(over="ignore"):
        try:
            return _read(index, selection, workers, first_road)
        except _UnsortedError:
            return _read(index, selection, workers, 0)


def inflate_all(path: Path) -> int:
    """Inflate all blobs and do nothing else: the least that reading costs. Returns the bytes."""
    index = scan_blobs(path)
    return sum(len(content) for _, content in inflated(index, np.arange(len(index))))


def _read(
    index: BlobIndex, selection: TagSelection, workers: int, first_road: int
) -> OsmTables:
    roads, relations = RoadMerger(selection), RelationMerger(selection)
    n_ways = n_relations = 0
    node_blobs = [np.arange(first_road)]
    with stage("ways") as report:
        tasks = _cut(index, np.arange(first_road, len(index)))
        results = run_tasks(_decode_roads, FirstPass(index, selection), tasks, workers)
        for done, result in enumerate(results):
            roads.add(result.ways)
            relations.add(result.relations)
            n_ways += result.n_ways
            n_relations += result.n_relations
            node_blobs.append(result.with_nodes.copy())
            report_progress(done + 1, len(tasks))
        references = roads.references()
        report.count(ways=n_ways, relations=n_relations)
    with stage("nodes") as report:
        shared = SecondPass(index, selection, first_road, references)
        nodes, ids, ref = _read_nodes(shared, np.concatenate(node_blobs), workers)
        report.count(nodes=nodes.n_nodes)
    with stage("tables"):
        node_table, node_tags = nodes.table(ids)
        relation_table, relation_tags, roles = relations.table()
        return OsmTables(
            node_table,
            roads.table(ref),
            relation_table,
            *roads.tagsets(),
            node_tags,
            relation_tags,
            roles,
            FileCounts(nodes.n_nodes, n_ways, n_relations),
            index.timestamp,
        )


def _read_nodes(shared: SecondPass, blobs: I64, workers: int) -> tuple[NodeMerger, I64, U32]:
    """The wanted nodes, their ids, and the references of all roads to them."""
    references = shared.references
    n = count_ids(references.pages)
    ids, lon, lat, ref = allocate_together(
        (np.int64, n), (np.int32, n), (np.int32, n), (np.uint32, references.size)
    )
    rank_ids(references.pages, ids)
    nodes = NodeMerger(shared.selection, lon, lat)
    node_tasks = [(blobs, -1) for (blobs,) in _cut(shared.index, blobs)]
    ref_tasks = [(None, task) for task in range(len(references.code))]
    results = run_tasks(_decode_nodes, shared, [*node_tasks, *ref_tasks], workers)
    ordered = True
    end = 0
    for done, result in enumerate(results):
        if isinstance(result, NodePart):
            ordered = ordered and nodes.add(result)
        else:
            begin, end = end, end + len(result)
            ref[begin:end] = result
        report_progress(done + 1, len(node_tasks) + len(ref_tasks))
    if not ordered:
        nodes = NodeMerger(shared.selection, lon, lat)
        nodes.add(_decode_unordered_nodes(shared, blobs, n))
    return nodes, ids, ref


def _cut(index: BlobIndex, blobs: I64) -> list[tuple[I64]]:
    """Cut blobs into tasks of about the same size."""
    end = np.cumsum(index.stop[blobs] - index.begin[blobs])
    borders = np.flatnonzero(np.diff(end // TASK_BYTES)) + 1
    return [(part,) for part in np.split(blobs, borders) if len(part)]


def _decode_roads(shared: FirstPass, blobs: I64) -> RoadTask:
    """Task of the first pass: the roads and restrictions of some blobs."""
    ways, relations = WayDecoder(shared.selection), RelationDecoder(shared.selection)
    n_ways = n_relations = 0
    with_nodes = []
    reader = BatchReader(shared.index)
    for batch in reader.read(blobs):
        holds_nodes = batch.fact[:, N_NODES] + batch.fact[:, N_DENSE] > 0
        with_nodes += [reader.blob_of(int(block)) for block in np.flatnonzero(holds_nodes)]
        if total(batch, N_WAYS):
            reader.check(*ways.add(batch))
            n_ways += total(batch, N_WAYS)
        if total(batch, N_RELATIONS):
            reader.check(*relations.add(batch))
            n_relations += total(batch, N_RELATIONS)
    return RoadTask(
        ways.finish(), relations.finish(), n_ways, n_relations, np.array(with_nodes, np.int64)
    )


def _decode_nodes(shared: SecondPass, blobs: I64 | None, part: int) -> NodePart | U32:
    """Task of the second pass: the wanted nodes of some blobs, or the references of a part."""
    if blobs is None:
        return shared.references.find(part)
    nodes = NodeDecoder(shared.selection, shared.references.pages)
    reader = BatchReader(shared.index)
    for batch in reader.read(blobs):
        stray = batch.fact[:, N_WAYS] + batch.fact[:, N_RELATIONS] > 0
        if any(reader.blob_of(int(block)) < shared.first_road for block in np.flatnonzero(stray)):
            raise _UnsortedError
        reader.check(*nodes.add(batch))
    return nodes.finish()


def _decode_unordered_nodes(shared: SecondPass, blobs: I64, n_wanted: int) -> NodePart:
    """The wanted nodes of all blobs, whose ids do not ascend."""
    nodes = UnorderedNodeDecoder(shared.selection, shared.references.pages, n_wanted)
    reader = BatchReader(shared.index)
    for batch in reader.read(blobs):
        reader.check(*nodes.add(batch))
    return nodes.finish()
