"""From an extract to a published dataset."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from gis.arrays import AnyArray
from gis.errors import FormatError
from gis.geodesy import UNITS_PER_DEGREE
from gis.manifest import About, Extract
from gis.network.build import build_network
from gis.network.road_network import RoadNetwork
from gis.osm.read import read_osm
from gis.profiles.custom import find_profiles
from gis.profiles.registry import apply_profile, tag_selection
from gis.profiles.rules import Profile
from gis.profiles.timed import TimedVerdicts, judge_times, no_times, verdicts_ever
from gis.profiles.verdicts import Verdicts, road_use
from gis.publish import DatasetWriter
from gis.snap_index import build_snap_index
from gis.stage import StageReport, recording, stage
from gis.version import installed_version
from gis.workers import available_cpus
from routing.cch.customize import Customizer
from routing.cch.hierarchy import build_hierarchy, vertices_beside_arcs
from routing.conditions.prepared import Conditions
from routing.conditions.widest import build_graphs
from routing.graph.components import build_components, startpoints
from routing.graph.restricted_roads import restricted_arcs
from routing.metric import travel_metric
from routing.order.nested_dissection import arc_order
from routing.order.plane_graph import plane_graph_of
from routing.search.landmarks import build_landmarks
from routing.store import PreparedProfile, save_index, save_network, save_profile

T = TypeVar("T")


@dataclass
class BuildReport:
    """What a build took and found.

    Of ``counts``, ``ways_open`` are open to one of the vehicles; ``ways_clipped`` of these name
    nodes that the extract lacks, and of ``ways_lost`` nothing is left.
    ``restrictions_dropped`` names the relations without effect by reason, ``warnings`` counts by
    profile, kind and value the tag combinations that were not understood or left aside.
    """

    extract: Path
    dataset: Path
    stages: list[StageReport]
    counts: dict[str, int] = field(default_factory=dict)
    restrictions_dropped: dict[str, tuple[int, ...]] = field(default_factory=dict)
    warnings: dict[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)


def build_dataset(
    extract: Path,
    dataset: Path,
    profiles: Sequence[str | Profile] = ("car",),
    workers: int | None = None,
) -> BuildReport:
    """Build the dataset of an extract for some vehicles and publish it, or leave no trace.

    Vehicles are named, or given as paths of files that define ``PROFILE``, or as profiles.
    ``workers`` processes read the extract; by default as many as pay. Raises ``ProfileError`` for
    a profile that is unknown or no good, ``FormatError`` if the extract cannot be read or has no
    road for one of the vehicles, ``DatasetError`` or ``ResourceError`` if the dataset cannot be
    written.
    """
    vehicles = find_profiles(profiles)
    with DatasetWriter(dataset) as writer, recording() as stages:
        report = BuildReport(extract, dataset, stages)
        made_from, network, verdicts, timed = _read_network(vehicles, workers, report)
        writer.add(save_network(network))
        with stage("index"):
            writer.add(save_index(build_snap_index(network)))
        prepared = prepare_profiles(network, vehicles, verdicts, report, timed)
        names = tuple(vehicle.name for vehicle in vehicles)
        arrays: dict[str, AnyArray] = {}
        for name, parts in zip(names, prepared, strict=True):
            arrays |= save_profile(name, parts)
        writer.add(arrays)
        with stage("write"):
            bounds = _bounds(network)
            writer.publish(
                About(installed_version(), made_from, names, bounds, dict(report.counts))
            )
    return report


def _read_network(
    vehicles: Sequence[Profile], workers: int | None, report: BuildReport
) -> tuple[Extract, RoadNetwork, list[Verdicts], list[TimedVerdicts]]:
    """Read the extract and make the network; what is no longer needed is freed on return."""
    extract = report.extract
    tables = read_osm(extract, tag_selection(vehicles), workers or available_cpus())
    made_from = Extract(extract.name, extract.stat().st_size, tables.timestamp)
    sets = tables.way_tags, tables.node_tags, tables.relation_tags
    with stage("profile"):
        judged = [judge_times(v, *sets, apply_profile(v, *sets)) for v in vehicles]
        timed, verdicts = [times for times, _ in judged], [verdict for _, verdict in judged]
    with stage("network"):
        ever = [verdicts_ever(*of_one) for of_one in judged]
        network, found = build_network(tables, ever)
    report.counts |= {
        "osm_nodes": tables.counts.nodes,
        "osm_ways": tables.counts.ways,
        "osm_relations": tables.counts.relations,
        "tag_sets": len(tables.way_tags),
        "ways_open": found.open_ways,
        "ways_clipped": len(found.clipped_ways),
        "ways_lost": len(found.lost_ways),
        "nodes": network.n_nodes,
        "edges": network.n_edges,
        "arcs": network.n_arcs,
        "restrictions": found.restrictions.kept,
        "restrictions_dropped": sum(map(len, found.restrictions.dropped.values())),
    }
    report.restrictions_dropped = dict(found.restrictions.dropped)
    for vehicle, verdict in zip(vehicles, verdicts, strict=True):
        report.warnings[vehicle.name] = verdict.warnings
    return made_from, network, verdicts, timed


def prepare_profiles(
    network: RoadNetwork,
    vehicles: Sequence[Profile],
    verdicts: Sequence[Verdicts],
    report: BuildReport,
    timed: Sequence[TimedVerdicts] | None = None,
) -> list[PreparedProfile]:
    """What searches need for each vehicle; ``timed`` unless nothing changes with the time."""
    timed = [no_times()] * len(vehicles) if timed is None else timed
    with stage("turns"):
        metrics = [travel_metric(network, verdict) for verdict in verdicts]
        for vehicle, metric in zip(vehicles, metrics, strict=True):
            if not metric.open_arc.any():
                raise FormatError(f"{report.extract}: no road that a {vehicle.name} may use")
        restricted = [
            restricted_arcs(network, verdict, metric.open_arc)
            for verdict, metric in zip(verdicts, metrics, strict=True)
        ]
        found = _side_by_side(partial(build_graphs, network), verdicts, timed, restricted)
        graphs = [of_one.normal for of_one in found]
    report.counts["turns"] = sum(graph.n_turns for graph in graphs)
    with stage("components"):
        components = [
            build_components(graph, metric.open_arc, startpoints(network, verdict), arcs)
            for graph, metric, verdict, arcs in zip(
                graphs, metrics, verdicts, restricted, strict=True
            )
        ]
    with stage("landmarks"):
        landmarks = _side_by_side(partial(build_landmarks, network), metrics, components)
    with stage("order"):
        order = arc_order(plane_graph_of(network))
    with stage("hierarchy"):
        hierarchies = _side_by_side(
            lambda graph: build_hierarchy(graph, vertices_beside_arcs(order, graph)),
            [of_one.widest for of_one in found],
        )
    report.counts["hierarchy_arcs"] = sum(hierarchy.n_arcs for hierarchy in hierarchies)
    with stage("customize"):
        weights = _side_by_side(
            lambda graph, hierarchy, metric: Customizer.of(graph, hierarchy).customize(metric),
            graphs,
            hierarchies,
            metrics,
        )
    roads = [
        road_use(vehicle, verdicts_ever(of_times, verdict))
        for vehicle, of_times, verdict in zip(vehicles, timed, verdicts, strict=True)
    ]
    conditions = [
        Conditions(of_times, of_one.memory) for of_times, of_one in zip(timed, found, strict=True)
    ]
    parts = roads, graphs, metrics, components, landmarks, hierarchies, weights, conditions
    return [PreparedProfile(*of_one) for of_one in zip(*parts, strict=True)]


def _side_by_side(work: Callable[..., T], *of_each: Sequence[Any]) -> list[T]:
    """What is made of each vehicle's own, in their order, by a thread for each.

    Most of the work is done by kernels, which run beside each other.
    """
    if len(of_each[0]) == 1:
        return [work(*(own for (own,) in of_each))]
    with ThreadPoolExecutor(available_cpus()) as pool:
        return list(pool.map(work, *of_each))


def _bounds(network: RoadNetwork) -> tuple[float, float, float, float]:
    """West, south, east and north of all roads, in degrees."""
    lon, lat = network.point_lon, network.point_lat
    west, south, east, north = (
        float(bound) / UNITS_PER_DEGREE for bound in (lon.min(), lat.min(), lon.max(), lat.max())
    )
    return west, south, east, north
