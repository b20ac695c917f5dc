"""Live speeds of a server: put in force for all its workers, and kept over its restarts.

A journal in the state folder is the truth. What the workers answer from is made from it, in
shared memory, by whichever process has to; the number of the journal's entry is that of the
weights.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from gis.errors import EngineError, ResourceError
from routing.changes.road_changes import RoadChanges
from routing.changes.wishes import Wished
from routing.engine import Engine
from routing.errors import TooBig
from routing.live.files import one_line
from routing.live.publishing import LiveWriter
from server.live.journal import NOTHING, Entry, Journal
from server.live.rows import SpeedRows
from server.processes.folder_users import FolderUsers, remove_unused
from server.settings import Settings
from server.state_folder import beside, state_folder

_log = logging.getLogger(__name__)

_WAIT_S = 30.0
"""How long one who puts speeds in force waits for another."""


@dataclass(frozen=True)
class InForce:
    """Which speeds are in force, and what a dataset makes of them."""

    entry: Entry
    wished: Wished

    @property
    def unknown(self) -> SpeedRows:
        """The speeds of roads that are not in the dataset."""
        pieces, ways = self.entry.speeds.pieces, self.entry.speeds.ways
        return SpeedRows(
            {nodes: pieces[nodes] for nodes in self.wished.unknown_pieces},
            {way: ways[way] for way in self.wished.unknown_ways},  # type: ignore[index,misc]
        )


class LiveSpeeds:
    """Speeds in force for the workers of a server. Threads and processes may use it at once."""

    def __init__(self, dataset: Path, settings: Settings) -> None:
        self._dataset, self._settings = dataset, settings
        self._folder = Path(settings.state_dir) if settings.state_dir else beside(dataset)
        self._most = settings.max_live_speeds
        self._may_change = bool(settings.admin_token)
        self._users = FolderUsers()
        self._any_shared: Path | None = None
        self._last: tuple[str, str, InForce] | None = None

    def restore(self, engine: Engine, *, thorough: bool = False) -> None:
        """Let an engine use what the journal says is in force, for each of its profiles.

        To be called when an engine is opened and, once more, when it has taken the place of
        another: then nothing that was put in force meanwhile is lost. It costs little where all
        is well; ``thorough`` does not trust numbers. Raises ``EngineError``, unless nobody can
        change anything: then a system without shared memory is good enough.
        """
        if self._may_change and not os.access(state_folder(self._dataset, self._settings), os.W_OK):
            raise ResourceError(f"{self._folder}: cannot write here; set WHIMBREL_STATE_DIR")
        for profile in engine.profiles:
            try:
                if not engine.is_following(profile):
                    self._follow(engine, profile)
                    if self._may_change:
                        engine.prepare_changes(profile)
                self._restore(engine, profile, thorough)
            except EngineError as error:
                if self._may_change:
                    raise
                _log.warning("no live speeds for %s: %s", profile, error)

    def close(self) -> None:
        """Leave the shared memory to others; without any it is given back.

        The last call, in the last process.
        """
        self._users.close()
        self._remove_unused()

    def replace(self, engine: Engine, profile: str, speeds: SpeedRows) -> InForce:
        """Put these speeds in force instead of all before. Raises ``EngineError``."""
        return self._change(engine, profile, lambda before: speeds)

    def update(self, engine: Engine, profile: str, speeds: SpeedRows) -> InForce:
        """Put these speeds in force beside others. Raises ``EngineError``."""
        return self._change(engine, profile, lambda before: before.updated(speeds))

    def in_force(self, engine: Engine, profile: str) -> InForce:
        """What is in force."""
        entry = self._journal(profile).read() or NOTHING
        last = self._last
        if last is not None and last[:2] == (engine.data_id, profile) and last[2].entry == entry:
            return last[2]
        found = InForce(entry, engine.wished(entry.speeds.wishes(), profile))
        self._last = engine.data_id, profile, found
        return found

    def _change(
        self, engine: Engine, profile: str, make: Callable[[SpeedRows], SpeedRows]
    ) -> InForce:
        journal = self._journal(profile)
        with journal.locked(_WAIT_S):
            before = journal.read() or NOTHING
            speeds = make(before.speeds)
            if len(speeds) > self._most:
                raise TooBig(
                    f"Number of speeds {len(speeds)} is higher than current maximum ({self._most})"
                )
            wished = engine.wished(speeds.wishes(), profile)
            with self._writer(engine, profile) as writer:
                number = max(before.version, writer.sequence) + 1
                entry = Entry(number, _now(), speeds)
                writer.publish(wished.changes, number, before=lambda: journal.write(entry))
            return InForce(entry, wished)

    def _restore(self, engine: Engine, profile: str, thorough: bool) -> None:
        journal = self._journal(profile)
        version, announced = journal.version(), engine.announced(profile)
        if version == announced and (version == 0 or not thorough):
            return
        with journal.locked(_WAIT_S), self._writer(engine, profile) as writer:
            entry = journal.read() or NOTHING
            wanted = engine.wished(entry.speeds.wishes(), profile).changes
            if entry.version == writer.sequence and _are_alike(wanted, writer.changes):
                return
            number = max(entry.version, writer.sequence + 1)
            again = replace(entry, version=number)

            def keep() -> None:
                if number != entry.version:
                    journal.write(again)

            writer.publish(wanted, number, before=keep)

    def _journal(self, profile: str) -> Journal:
        return Journal(self._folder / "live" / profile)

    def _follow(self, engine: Engine, profile: str) -> None:
        folder = self._shared(engine, profile)
        with one_line(folder):
            self._users.keep(folder, engine)
        engine.follow(folder, profile=profile)
        self._any_shared = folder
        self._remove_unused()

    def _remove_unused(self) -> None:
        """Remove what is left in shared memory of other data and of servers that were killed."""
        if self._any_shared is not None:
            remove_unused(list(self._any_shared.parent.glob("*-*")))

    def _shared(self, engine: Engine, profile: str) -> Path:
        return engine.live_folder(str(self._folder.absolute()), profile)

    def _writer(self, engine: Engine, profile: str) -> LiveWriter:
        return engine.live_writer(self._shared(engine, profile), profile=profile, ready=False)


def _are_alike(a: RoadChanges, b: RoadChanges) -> bool:
    return np.array_equal(a.arcs, b.arcs) and np.array_equal(a.duration_cs, b.duration_cs)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
