"""The vehicles of an open dataset, and what the roads weigh for each."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from gis.dataset import Dataset, open_dataset
from gis.manifest import About
from gis.streets.search import StreetFinder
from routing.changes.reweight import Reweighted, reweight
from routing.changes.road_changes import RoadChanges, apply_changes
from routing.changes.road_index import RoadIndex
from routing.changes.wishes import WayName, Wished, Wishes
from routing.conditions.clock import Clock, Departure, typical_place
from routing.conditions.special import Rewish, SpecialWeightings
from routing.details import DetailMaker
from routing.errors import InvalidInput
from routing.live.files import default_folder, identity_of
from routing.live.publishing import Live, LiveReader, LiveWriter
from routing.metric import Metric
from routing.store import load_network, load_profile
from routing.tiles.maker import TileMaker
from routing.vehicle import Vehicle
from routing.weighting import Weighting


class Fleet:
    """A dataset that is open, with its vehicles. Threads may share it."""

    def __init__(self, dataset: Dataset) -> None:
        self._about = dataset.manifest.about
        self._network, index = load_network(dataset.arrays)
        self._roads = RoadIndex(self._network)
        self._maker = DetailMaker(self._network)
        self._tiles = TileMaker(self._network, index)
        self._streets = StreetFinder(self._network, index)
        self._data = dataset.manifest.data
        self._own: dict[str, Reweighted] = {}
        self._rewish: dict[str, Rewish] = {}
        self._live: dict[str, LiveReader] = {}
        self._held: dict[str, Live] = {}
        self._snapshots: dict[str, Self] = {}
        self._vehicles = {
            name: Vehicle(load_profile(name, dataset.arrays), self._network, index)
            for name in self._about.profiles
        }
        clock = Clock(*typical_place(self._network.node_lon, self._network.node_lat))
        self._special = {
            name: SpecialWeightings(vehicle, self._network, clock)
            for name, vehicle in self._vehicles.items()
        }

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = True) -> Self:
        """Open a dataset that ``whimbrel build`` made.

        ``verify`` checks every checksum. Raises ``DatasetError`` if there is no dataset of this
        version, and ``ChecksumError`` if an array of it is damaged.
        """
        return cls(open_dataset(Path(path), verify=verify))

    @property
    def info(self) -> About:
        """What the dataset holds and from what it was made."""
        return self._about

    @property
    def data_id(self) -> str:
        """16 hexadecimal digits that only datasets of the same content share."""
        return self._data.removeprefix("data-")

    @property
    def profiles(self) -> tuple[str, ...]:
        """The vehicles that there are routes for; the first is the default."""
        return self._about.profiles

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east and north of all roads, in degrees."""
        return self._about.bounds

    def with_weights(
        self,
        *,
        profile: str | None = None,
        speeds: Mapping[tuple[int, int], float] | None = None,
        way_speeds: Mapping[WayName, float] | None = None,
        avoid: Sequence[Any] = (),
        n_routes: int = 1,
    ) -> Self:
        """The same engine for a vehicle to which some roads are different.

        ``speeds`` in km/h by two OpenStreetMap nodes that follow each other, in that direction,
        ``way_speeds`` by way, or by way and direction: 1 along its nodes, -1 against; 0 closes a
        road. ``avoid`` are polygons, as lists of rings or as shapely has them, that no route may
        enter. ``n_routes`` is how many routes you will ask for, that the least work is done;
        `method` tells how. By "astar" any of the routes of least weight is found. Live weights
        count as they are now. Raises ``InvalidInput``.
        """
        name = self._name(profile)
        before = self.snapshot(name)
        vehicle, weighting = before._vehicle(name)
        wishes = Wishes(speeds, way_speeds, avoid)
        changes = wishes.changes(self._roads, weighting.metric)
        view = copy(before)
        view._snapshots = {}
        view._own = {**before._own, name: reweight(vehicle, changes, n_routes, weighting)}
        rewish = partial(_apply, self._roads, wishes, before._rewish.get(name))
        view._rewish = {**before._rewish, name: rewish}
        return view

    def changes(
        self,
        *,
        profile: str | None = None,
        speeds: Mapping[tuple[int, int], float] | None = None,
        way_speeds: Mapping[WayName, float] | None = None,
        avoid: Sequence[Any] = (),
    ) -> RoadChanges:
        """What `with_weights` would change of the dataset's weights, for a `live_writer`."""
        vehicle, _ = self._vehicle(profile)
        metric = vehicle.weighting.metric
        changes = Wishes(speeds, way_speeds, avoid).changes(self._roads, metric)
        return replace(changes, identity=self._identity(profile))

    def wished(self, wishes: Wishes, profile: str | None = None) -> Wished:
        """The same `changes`, and what is named that is not here.

        They hold at all times: also on roads that are open at times only.
        """
        vehicle, _ = self._vehicle(profile)
        found = wishes.wished(self._roads, vehicle.weighting.metric, with_closed=True)
        return replace(found, changes=replace(found.changes, identity=self._identity(profile)))

    def prepare_changes(self, profile: str | None = None) -> None:
        """Make what changes need, that processes forked from this one share it."""
        vehicle, _ = self._vehicle(profile)
        self._roads.prepare()
        _ = vehicle.customizer

    def live_folder(self, owner: str = "", profile: str | None = None) -> Path:
        """Where live weights are shared by default, or by the processes of some owner."""
        return default_folder(self._identity(profile), owner)

    def live_writer(
        self,
        folder: str | Path | None = None,
        *,
        profile: str | None = None,
        ready: bool = True,
    ) -> LiveWriter:
        """Who publishes changes for all engines that `follow`, here and in other processes.

        ``folder`` keeps the weights; the default, that of this dataset and profile, is in shared
        memory. If ``ready``, the next version is prepared while nobody waits for it. Raises
        ``DatasetError``, also while another writer is at work there.
        """
        vehicle, _ = self._vehicle(profile)
        identity = self._identity(profile)
        return LiveWriter(Path(folder or default_folder(identity)), identity, vehicle, ready)

    def method(self, profile: str | None = None) -> str:
        """How routes are found: "hierarchy", or `with_weights` "customization" or "astar"."""
        self._vehicle(profile)
        own = self._own.get(self._name(profile))
        return "hierarchy" if own is None else own.how

    def follow(self, folder: str | Path | None = None, *, profile: str | None = None) -> None:
        """From now on use the newest weights that a `live_writer` has published.

        Each request looks for them as it begins. Raises ``DatasetError``; ``InvalidInput`` in an
        engine `with_weights`.
        """
        vehicle, _ = self._vehicle(profile)
        name = self._name(profile)
        if name in self._own or name in self._held:
            raise InvalidInput("an engine with weights of its own cannot follow others")
        identity = self._identity(name)
        reader = LiveReader(Path(folder or default_folder(identity)), identity, vehicle)
        self._live = {**self._live, name: reader}

    def snapshot(self, profile: str | None = None) -> Self:
        """The engine as it is for a vehicle now, whatever is published from then on.

        The same one until there is something new: asking costs less than a microsecond.
        Raises ``InvalidInput`` for no profile of this dataset.
        """
        name = self._name(profile)
        reader = self._live.get(name)
        if reader is None or name in self._own:
            self._known(name)
            return self
        live = reader.newest()
        view = self._snapshots.get(name)
        if view is None or view._held[name] is not live:
            view = copy(self)
            view._held = {name: live}
            view._live = {other: reader for other, reader in self._live.items() if other != name}
            view._rewish = {**self._rewish, name: partial(_apply_live, live.changes)}
            view._snapshots = {}
            self._snapshots[name] = view
        return view

    def is_current(self, profile: str | None = None) -> bool:
        """Whether the newest live weights are at hand; else a `snapshot` takes its time."""
        reader = self._live.get(self._name(profile))
        return reader is None or reader.is_current

    def is_following(self, profile: str | None = None) -> bool:
        """Whether the engine uses live weights."""
        return self._name(profile) in self._live

    def announced(self, profile: str | None = None) -> int:
        """Number of the newest live weights, without a look at them; 0: there are none."""
        reader = self._live.get(self._name(profile))
        return 0 if reader is None else reader.announced

    def live_sequence(self, profile: str | None = None) -> int:
        """Number of the live weights in use, 0: nothing was ever published, or nobody follows."""
        name = self._name(profile)
        held = self._held.get(name)
        if held is not None:
            return held.sequence
        return self._live[name].newest().sequence if name in self._live else 0

    def _with_hierarchy(
        self,
        profile: str | None,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> tuple[Vehicle, Weighting]:
        """As `_vehicle`, with weights of the hierarchy even if one route did not need them."""
        vehicle, weighting = self._vehicle(profile, depart_at, exclude)
        if weighting.weights is None:
            weighting = replace(weighting, weights=vehicle.customizer.customize(weighting.metric))
            own = Reweighted(weighting, "customization")
            self._own = {**self._own, self._name(profile): own}
        return vehicle, weighting

    def _name(self, profile: str | None) -> str:
        return self.profiles[0] if profile is None else profile

    def _identity(self, profile: str | None) -> str:
        return identity_of(self._data, self._name(profile))

    def _known(self, name: str) -> None:
        if name not in self._vehicles:
            raise InvalidInput(
                f"no profile {name!r} in this dataset; there is: {', '.join(self.profiles)}"
            )

    def _vehicle(
        self,
        profile: str | None,
        depart_at: Departure | None = None,
        exclude: Sequence[str] = (),
    ) -> tuple[Vehicle, Weighting]:
        """The vehicle of a request, and what its roads weigh until the request is answered.

        Raises ``InvalidInput`` for no profile, time or combination of classes of this dataset.
        """
        name = self._name(profile)
        self._known(name)
        vehicle = self._vehicles[name]
        if name in self._own:
            weighting = self._own[name].weighting
        elif name in self._held:
            weighting = self._held[name].weighting
        elif name in self._live:
            return self.snapshot(name)._vehicle(name, depart_at, exclude)
        else:
            weighting = vehicle.weighting
        if depart_at is not None or exclude:
            rewish = self._rewish.get(name)
            weighting = self._special[name].find(weighting, depart_at, exclude, rewish)
        return vehicle, weighting


def _apply(roads: RoadIndex, wishes: Wishes, before: Rewish | None, metric: Metric) -> Metric:
    """A metric with what the owner of an engine wants the roads to be like, one after another."""
    metric = metric if before is None else before(metric)
    return apply_changes(metric, wishes.changes(roads, metric))


def _apply_live(changes: RoadChanges, metric: Metric) -> Metric:
    """A metric with what is in force."""
    return apply_changes(metric, changes)
