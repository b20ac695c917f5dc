"""Live weights: one process publishes changes, all others route by them from then on."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np

from gis.arrays import AnyArray, freeze
from gis.errors import DatasetError
from routing.cch.weights import Weights
from routing.changes.reweight import changed_arcs, mending_pays
from routing.changes.road_changes import RoadChanges, apply_changes, make_changes, no_changes
from routing.errors import InvalidInput
from routing.live.files import (
    Sizes,
    Spare,
    Version,
    holds,
    lock_folder,
    map_version,
    one_line,
    open_control,
    sweep,
    unlock,
    version_path,
)
from routing.metric import Metric
from routing.vehicle import Vehicle
from routing.weighting import Weighting

_LOG = logging.getLogger(__name__)


class Live(NamedTuple):
    """What is in force: version ``sequence``, 0 if none was ever published."""

    sequence: int
    changes: RoadChanges
    weighting: Weighting


class LiveReader:
    """The newest weights that another process published. Threads may share it.

    A request takes `current` once: what it got stays as it is. Asking costs less than a
    microsecond while nothing is new. Raises ``DatasetError`` for weights of another dataset.
    """

    def __init__(self, folder: Path, identity: str, vehicle: Vehicle) -> None:
        self._folder, self._identity, self._vehicle = folder, identity, vehicle
        self._sizes = _sizes_of(vehicle)
        with one_line(folder):
            self._number = memoryview(open_control(folder, identity))[:8].cast("Q")
        self._live = Live(0, no_changes(), vehicle.weighting)
        self._lock = threading.Lock()

    @property
    def announced(self) -> int:
        """The number of the newest version."""
        return int(self._number[0])

    @property
    def is_current(self) -> bool:
        """Whether the newest weights are at hand: then nobody waits for them."""
        return bool(self._live.sequence == self._number[0])

    def current(self) -> Weighting:
        """The newest weights; those of the dataset if nothing is changed."""
        return self.newest().weighting

    def newest(self) -> Live:
        """The newest weights, with their number and the changes that they stand for."""
        live = self._live
        return live if live.sequence == self._number[0] else self._catch_up()

    def _catch_up(self) -> Live:
        with self._lock, one_line(self._folder):
            while (number := self._number[0]) != self._live.sequence:
                try:
                    version = map_version(self._folder, number, self._identity, self._sizes)
                except FileNotFoundError:
                    if number != self._number[0]:
                        continue  # a newer one has been announced meanwhile
                    file = version_path(self._folder, number)
                    raise DatasetError(f"{file}: the live weights in force are missing") from None
                self._live = Live(number, self._in_force(version), self._weighting(version))
                break
            return self._live

    def _in_force(self, version: Version) -> RoadChanges:
        """The changes of a version; none if its weights were lost as the machine restarted."""
        base = self._vehicle.weighting.metric
        if version.weights is None and len(
            changed_arcs(base, apply_changes(base, version.changes), version.changes.arcs)
        ):
            return no_changes()
        return version.changes

    def _weighting(self, version: Version) -> Weighting:
        base = self._vehicle.weighting
        if version.weights is None:
            return base
        found = self._vehicle.weigh(_metric_of(version, base.metric), version.weights)
        return replace(found, live_arcs=version.changes.arcs)


class LiveWriter:
    """Publishes changes of a vehicle's weights to all readers of a folder.

    What is in force stays so after it is closed or killed, and the next writer carries on. If
    ``ready``, the next version's file is made and filled in the background, so that publishing
    takes less time for the memory of one more version. Raises ``DatasetError`` if another writer
    is at work, the folder belongs to another dataset or cannot be written, ``ResourceError`` if
    there is no room for weights. Whatever fails, what is in force stays.
    """

    def __init__(self, folder: Path, identity: str, vehicle: Vehicle, ready: bool = True) -> None:
        self._folder, self._identity, self._vehicle = folder, identity, vehicle
        self._sizes = _sizes_of(vehicle)
        self._ready, self._from_base = ready, True
        self._busy = threading.Lock()
        self._begun: Future[Spare] | None = None
        with one_line(folder):
            self._number = memoryview(open_control(folder, identity, writable=True))[:8].cast("Q")
            self._held = lock_folder(folder)
        self._pool = ThreadPoolExecutor(1)
        self._version = Version(0, no_changes(), None, None, None)
        try:
            with one_line(folder):
                sweep(folder, self.sequence)
            self._recover()
            self._begin_spare()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def sequence(self) -> int:
        """The number of the newest version."""
        return int(self._number[0])

    @property
    def changes(self) -> RoadChanges:
        """What is in force."""
        return self._version.changes

    def publish(
        self,
        changes: RoadChanges,
        number: int | None = None,
        before: Callable[[], None] | None = None,
    ) -> int:
        """Put these changes of the dataset's weights in force, instead of all before.

        Returns the number of the version once readers see it: ``number``, which must be above
        all others, or the next. ``before`` is called when nothing is left to do but to announce
        it; if that raises, all stays as it was. Raises ``InvalidInput`` for changes that do not
        fit to the dataset.
        """
        if changes.identity not in ("", self._identity):
            raise InvalidInput("these are changes of another dataset or profile")
        changes = make_changes(changes.arcs, changes.duration_cs)
        base = self._vehicle.weighting.metric
        metric = apply_changes(base, changes)
        with self._busy, one_line(self._folder):
            if not holds(self._held):
                raise DatasetError(f"{self._folder}: this writer of live weights is closed")
            last = self.sequence
            number = last + 1 if number is None else number
            if number <= last:
                raise InvalidInput(f"version {number} of live weights comes after {last}")
            changed = changed_arcs(base, metric, changes.arcs)
            spare = self._take_spare() if len(changed) else Spare(self._folder, None)
            try:
                if len(changed):
                    self._fill(spare, metric, changed)
                spare.publish(self._folder, self._identity, number, changes)
                version = map_version(self._folder, number, self._identity, self._sizes)
                if before is not None:
                    before()
            except BaseException:
                spare.discard()
                version_path(self._folder, number).unlink(missing_ok=True)
                raise
            self._number[0] = number  # from here on readers see it
            self._version = version
            _remove(version_path(self._folder, last))
            self._begin_spare()
            return number

    def clear(self) -> int:
        """Put the dataset's own weights in force again; the number of the version."""
        return self.publish(no_changes())

    def close(self) -> None:
        """Let another process publish; what is in force stays."""
        with self._busy:
            begun, self._begun = self._begun, None
            self._pool.shutdown()
            if begun is not None and begun.exception() is None:
                begun.result().discard()
            lock, self._held = self._held, -1
            if lock >= 0:
                unlock(lock)

    def _recover(self) -> None:
        """Carry on with what is in force; put it in force anew if its weights cannot be used."""
        if self.sequence == 0:
            return
        try:
            with one_line(self._folder):
                version = map_version(self._folder, self.sequence, self._identity, self._sizes)
        except DatasetError as error:
            _LOG.warning("%s; live weights begin anew", error)
            self.clear()
            return
        self._version = version
        if version.weights is None and len(version.changes):
            self.publish(version.changes)

    def _fill(self, spare: Spare, metric: Metric, changed: AnyArray) -> None:
        """Customize into a new version; ``changed`` are the arcs that differ from the dataset.

        Either the dataset's weights or those in force are mended, what takes less, or all are
        made anew.
        """
        assert spare.weights is not None
        assert spare.weight is not None and spare.own_duration_cs is not None
        customizer = self._vehicle.customizer
        last = self._version
        if last.weights is not None:
            before = _metric_of(last, metric)
            either = np.union1d(changed, last.changes.arcs)
            since_last = changed_arcs(before, metric, either)
            self._from_base = len(changed) <= len(since_last)
            changed = changed if self._from_base else since_last
        else:
            self._from_base = True
        spare.weight[:], spare.own_duration_cs[:] = metric.weight, metric.own_duration_cs
        source, weights = self._source()
        n_arcs, n_costs = self._sizes.n_arcs, self._sizes.n_up + self._sizes.n_down
        if mending_pays(n_arcs, n_costs, len(changed)):
            if spare.source != source:
                _copy(weights, spare.weights)
            customizer.recustomize(metric, spare.weights, freeze(changed))
        else:
            customizer.customize(metric, out=spare.weights)

    def _source(self) -> tuple[int, Weights]:
        """What the next version begins with, and its number: 0 is the dataset."""
        if self._from_base or self._version.weights is None:
            weights = self._vehicle.weighting.weights
            assert weights is not None
            return 0, weights
        return self._version.sequence, self._version.weights

    def _take_spare(self) -> Spare:
        begun, self._begun = self._begun, None
        if begun is not None:
            try:
                return begun.result()
            except (OSError, MemoryError):  # there may be room now
                pass
        return Spare(self._folder, self._sizes)

    def _begin_spare(self) -> None:
        """Make the next version's file while nobody waits for it."""
        if not self._ready or self._begun is not None:
            return
        source, weights = self._source()

        def begin() -> Spare:
            spare = Spare(self._folder, self._sizes)
            assert spare.weights is not None
            _copy(weights, spare.weights)
            spare.source = source
            return spare

        self._begun = self._pool.submit(begin)


def _sizes_of(vehicle: Vehicle) -> Sizes:
    return Sizes.of(vehicle.prepared.hierarchy, vehicle.prepared.metric)


def _metric_of(version: Version, base: Metric) -> Metric:
    """The columns of a version that has weights, and what does not change of the dataset's."""
    assert version.weight is not None and version.own_duration_cs is not None
    return replace(base, weight=version.weight, own_duration_cs=version.own_duration_cs)


def _copy(source: Weights, target: Weights) -> None:
    columns: list[tuple[AnyArray, AnyArray]] = list(zip(source, target, strict=True))
    for column, room in columns:
        np.copyto(room, column)


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:  # whoever opens the folder next sweeps it
        _LOG.warning("%s: cannot be removed: %s", file, error.strerror)
