"""Engines over drawn worlds, without a dataset on disk."""

from pathlib import Path

from world import PLAIN, World

from gis.arrays import AnyArray
from gis.dataset import Dataset
from gis.manifest import About, Extract, Manifest
from gis.profiles.registry import apply_profile, tag_selection
from gis.profiles.rules import Profile
from gis.profiles.timed import judge_times
from gis.snap_index import build_snap_index
from routing.build import BuildReport, prepare_profiles
from routing.engine import Engine
from routing.store import save_index, save_network, save_profile


def engine_of(world: World, *profiles: Profile) -> Engine:
    """The engine for a world and these vehicles, PLAIN if none is named."""
    vehicles = profiles or (PLAIN,)
    names = tuple(vehicle.name for vehicle in vehicles)
    lon, lat = zip(*map(world.position, world.places), strict=True)
    bounds = min(lon), min(lat), max(lon), max(lat)
    about = About("test", Extract("drawn.osm", 0, ""), names, bounds, {})
    return Engine(Dataset(Path("drawn.whimbrel"), Manifest(about, ()), arrays_of(world, *vehicles)))


def arrays_of(world: World, *profiles: Profile) -> dict[str, AnyArray]:
    """All arrays of the dataset of a world for these vehicles, PLAIN if none is named."""
    vehicles = profiles or (PLAIN,)
    tables = world.tables(tag_selection(vehicles))
    network, _ = world.network(*vehicles)
    sets = tables.way_tags, tables.node_tags, tables.relation_tags
    judged = [judge_times(v, *sets, apply_profile(v, *sets)) for v in vehicles]
    timed, verdicts = [times for times, _ in judged], [verdict for _, verdict in judged]
    report = BuildReport(Path("drawn.osm"), Path("drawn.whimbrel"), [])
    arrays = save_network(network) | save_index(build_snap_index(network))
    prepared = prepare_profiles(network, vehicles, verdicts, report, timed)
    for vehicle, parts in zip(vehicles, prepared, strict=True):
        arrays |= save_profile(vehicle.name, parts)
    return arrays
