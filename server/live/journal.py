"""The file that says which live speeds are in force, whatever becomes of processes and machine."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from gis.errors import DatasetError, ResourceError
from routing.live.files import one_line, try_lock, unlock
from server.errors import Conflict, InvalidQuery
from server.live.rows import SpeedRows, rows_from_json

FORMAT = "whimbrel live speeds 1"

_POLL_S = 0.02


@dataclass(frozen=True)
class Entry:
    """Speeds that were put in force, under which number and when."""

    version: int
    changed: str
    speeds: SpeedRows


NOTHING = Entry(0, "", SpeedRows({}, {}))
"""Where nobody has ever put anything in force."""


class Journal:
    """One folder with a file ``speeds.json``, which is replaced as a whole, and a lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "speeds.json"

    def version(self) -> int:
        """The number of what is in force, 0 if there never was anything."""
        document = self._document()
        return 0 if document is None else int(document["version"])

    def read(self) -> Entry | None:
        """What is in force; None if there never was anything. Raises ``DatasetError``."""
        document = self._document()
        if document is None:
            return None
        try:
            speeds = rows_from_json("speeds", document["speeds"])
        except InvalidQuery as error:
            raise self._damaged(error) from None
        return Entry(document["version"], document["changed"], speeds)

    def _document(self) -> dict[str, Any] | None:
        try:
            document: dict[str, Any] = orjson.loads(self.file.read_bytes())
            if document["format"] != FORMAT:
                raise ValueError("unknown format")
            if not isinstance(document["version"], int) or not isinstance(document["changed"], str):
                raise TypeError("no version")
            document["speeds"]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DatasetError(f"{self.file}: cannot be read: {error.strerror}") from None
        except (ValueError, TypeError, KeyError) as error:
            raise self._damaged(error) from None
        return document

    def _damaged(self, error: Exception) -> DatasetError:
        return DatasetError(
            f"{self.file}: damaged, or of another version ({error}); remove it to begin anew"
        )

    def write(self, entry: Entry) -> None:
        """Replace the file at once; after that not even a power cut loses it."""
        document = {
            "format": FORMAT,
            "version": entry.version,
            "changed": entry.changed,
            "speeds": entry.speeds.rows(),
        }
        part = self.folder / f"speeds-{secrets.token_hex(8)}.part"
        try:
            with part.open("wb") as stream:
                stream.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.file)
            _sync_folder(self.folder)
        except OSError as error:
            raise ResourceError(f"{self.file}: cannot be written: {error.strerror}") from None
        finally:
            part.unlink(missing_ok=True)

    @contextmanager
    def locked(self, wait_s: float) -> Iterator[None]:
        """Be the only one who reads and then writes. Raises ``Conflict`` if it takes too long."""
        with one_line(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        held = self._lock(wait_s)
        try:
            for rest in self.folder.glob("speeds-*.part"):  # of whoever was killed
                rest.unlink(missing_ok=True)
            yield
        finally:
            unlock(held)

    def _lock(self, wait_s: float) -> int:
        deadline = time.monotonic() + wait_s
        while True:
            with one_line(self.folder):
                held = try_lock(self.folder)
            if held >= 0:
                return held
            if time.monotonic() > deadline:
                raise Conflict("Other speeds are being put in force; try again.")
            time.sleep(_POLL_S)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
