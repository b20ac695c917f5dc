"""Reads PBF files: blobs decoded by a pool of processes, the result the same for any number.

Ways and relations are decoded first and tell which nodes are wanted; then the nodes, of which
only those are kept. Files hold their objects in the order nodes, ways, relations, so that each
blob is needed once; of other files the blobs are read twice.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gis.arrays import I64, U32
from gis.osm.blobs import BlobIndex, inflated, scan_blobs
from gis.osm.blocks import DENSE, NODES, RELATIONS, WAYS, Batch, BatchReader
from gis.osm.columns import Scratch
from gis.osm.merge import NodeMerger, References, RelationMerger, RoadMerger
from gis.osm.node_decoder import NodeDecoder, NodePart, UnorderedNodeDecoder
from gis.osm.nodes import Wanted
from gis.osm.order import find_first_road
from gis.osm.relations import TYPE, RelationDecoder, RelationPart
from gis.osm.tables import FileCounts, OsmTables, TagSelection
from gis.osm.tags import Vocabulary
from gis.osm.way_decoder import RoadPart, Roads, WayDecoder
from gis.stage import report_progress, stage
from gis.workers import forks, run_tasks

TASK_BYTES = 2 << 20
"""Blobs of so many bytes make a task. The file alone decides, so that results never differ."""

IN_PROCESS_BYTES = 8 << 20
"""Smaller files are read faster without other processes."""


class Plan(NamedTuple):
    """What to look for."""

    roads: Roads
    relations: Vocabulary
    nodes: Vocabulary


class FirstPass(NamedTuple):
    """What all tasks of the first pass need."""

    blobs: BlobIndex
    plan: Plan
    scratch: Scratch


class SecondPass(NamedTuple):
    """What all tasks of the second pass need."""

    blobs: BlobIndex
    plan: Plan
    scratch: Scratch
    first_road: int
    references: References
    wanted: Wanted
    ref: U32
    """Where the references go."""
    together: bool
    """Whether whoever gets the results sees what tasks write to ``wanted`` and ``ref``."""


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
    plan = _make_plan(selection)
    # Sums of malformed numbers may wrap; kernels notice, also when they run as plain Python.
    with np.errstate(over="ignore"):
        try:
            return _read(index, plan, workers, first_road)
        except _UnsortedError:
            return _read(index, plan, workers, 0)


def inflate_all(path: Path) -> int:
    """Inflate all blobs and do nothing else: the least that reading costs. Returns the bytes."""
    index = scan_blobs(path)
    return sum(len(content) for _, content in inflated(index, np.arange(len(index))))


@lru_cache(maxsize=4)
def _make_plan(selection: TagSelection) -> Plan:
    return Plan(
        Roads(selection),
        Vocabulary((selection.relation_keys,), [TYPE]),
        Vocabulary((selection.node_keys,)),
    )


def _read(index: BlobIndex, plan: Plan, workers: int, first_road: int) -> OsmTables:
    roads, relations = RoadMerger(plan.roads.vocabulary), RelationMerger(plan.relations)
    n_ways = n_relations = 0
    node_blobs = [np.arange(first_road)]
    with stage("ways") as report:
        tasks = _cut(index, np.arange(first_road, len(index)))
        results = run_tasks(_decode_roads, FirstPass(index, plan, Scratch()), tasks, workers)
        for done, result in enumerate(results):
            roads.add(result.ways)
            relations.add(result.relations)
            n_ways += result.n_ways
            n_relations += result.n_relations
            node_blobs.append(result.with_nodes.copy())
            report_progress(done + 1, len(tasks))
        together = workers <= 1 or forks()
        wanted, ref, references = roads.rank_nodes(shared=workers > 1 and together)
        report.count(ways=n_ways, relations=n_relations)
    with stage("nodes") as report:
        second = SecondPass(index, plan, Scratch(), first_road, references, wanted, ref, together)
        nodes = _read_nodes(second, np.concatenate(node_blobs), workers)
        report.count(nodes=nodes.n_nodes)
    with stage("tables"):
        node_table, node_tags = nodes.table(wanted.id[:-1])
        relation_table, relation_tags, roles = relations.table()
        return OsmTables(
            node_table,
            roads.table(ref),
            relation_table,
            *roads.tagsets(),
            node_tags,
            relation_tags,
            roles,
            FileCounts(int(nodes.n_nodes), int(n_ways), int(n_relations)),
            index.timestamp,
        )


def _read_nodes(shared: SecondPass, blobs: I64, workers: int) -> NodeMerger:
    """The places and tags of the wanted nodes; and the references to them, as ``shared`` says."""
    nodes = NodeMerger(shared.plan.nodes, shared.wanted.lon, shared.wanted.lat)
    ref_tasks = [(None, task) for task in range(len(shared.references.code))]
    tasks = [*ref_tasks, *((blobs, -1) for (blobs,) in _cut(shared.blobs, blobs))]
    ordered = True
    for done, result in enumerate(run_tasks(_decode_nodes, shared, tasks, workers)):
        if isinstance(result, NodePart):
            ordered = ordered and nodes.add(result)
        elif len(result):
            shared.references.part(done, shared.ref)[:] = result
        report_progress(done + 1, len(tasks))
    if not ordered:
        nodes = NodeMerger(shared.plan.nodes, shared.wanted.lon, shared.wanted.lat)
        nodes.add(_decode_unordered_nodes(shared, blobs))
    return nodes


def _cut(index: BlobIndex, blobs: I64) -> list[tuple[I64]]:
    """Cut blobs into tasks of about the same size."""
    end = np.cumsum(index.stop[blobs] - index.begin[blobs])
    borders = np.flatnonzero(np.diff(end // TASK_BYTES)) + 1
    return [(part,) for part in np.split(blobs, borders) if len(part)]


def _decode_roads(shared: FirstPass, blobs: I64) -> RoadTask:
    """Task of the first pass: the roads and restrictions of some blobs."""
    ways, relations = (
        WayDecoder(shared.plan.roads, shared.scratch),
        RelationDecoder(shared.plan.relations, shared.scratch),
    )
    with_nodes = []
    reader = BatchReader(shared.blobs, shared.scratch)
    for batch in reader.read(blobs):
        reader.check(*ways.add(batch))
        with_nodes += reader.blobs_with(batch, NODES | DENSE)
        if reader.blobs_with(batch, RELATIONS):
            reader.check(*relations.add(batch))
    return RoadTask(
        ways.finish(),
        relations.finish(),
        ways.n_ways,
        relations.n_relations,
        np.array(with_nodes, np.int64),
    )


def _decode_nodes(shared: SecondPass, blobs: I64 | None, task: int) -> NodePart | U32:
    """Task of the second pass: the wanted nodes of some blobs, or the references of a task."""
    if blobs is None:
        ref = shared.references.find(task, shared.ref)
        return ref[:0] if shared.together else ref
    nodes = NodeDecoder(shared.plan.nodes, shared.wanted, shared.scratch)
    reader = BatchReader(shared.blobs, shared.scratch)
    for batch in reader.read(blobs):
        reader.check(*nodes.add(batch))
        if not nodes.ordered:
            break
        _check_sorted(shared, reader, batch)
    part = nodes.finish()
    return part._replace(lon=part.lon[:0], lat=part.lat[:0]) if shared.together else part


def _decode_unordered_nodes(shared: SecondPass, blobs: I64) -> NodePart:
    """The wanted nodes of all blobs, whose ids do not ascend."""
    nodes = UnorderedNodeDecoder(shared.plan.nodes, shared.wanted, shared.scratch)
    reader = BatchReader(shared.blobs, shared.scratch)
    for batch in reader.read(blobs):
        reader.check(*nodes.add(batch))
        _check_sorted(shared, reader, batch)
    return nodes.finish()


def _check_sorted(shared: SecondPass, reader: BatchReader, batch: Batch) -> None:
    """Raise if a blob holds ways or relations that the first pass has not looked at."""
    if any(blob < shared.first_road for blob in reader.blobs_with(batch, WAYS | RELATIONS)):
        raise _UnsortedError
