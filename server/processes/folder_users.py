"""Folders in shared memory that vanish with the last process that uses them."""

import contextlib
import fcntl
import os
import secrets
import shutil
import weakref
from pathlib import Path

_NAME = "users"


class FolderUsers:
    """Keeps folders for as long as objects of this process, or of those it forks, want them.

    A shared lock on a file within tells that a folder is in use: the system gives it back
    however the process ends.
    """

    def __init__(self) -> None:
        self._held: set[int] = set()

    def keep(self, folder: Path, user: object) -> None:
        """Keep a folder, made if need be, as long as an object lives. Raises ``OSError``."""
        descriptor = _share(folder)
        self._held.add(descriptor)
        weakref.finalize(user, self._release, descriptor).atexit = False

    def close(self) -> None:
        """Keep nothing any more."""
        for descriptor in list(self._held):
            self._release(descriptor)

    def _release(self, descriptor: int) -> None:
        if descriptor in self._held:
            self._held.remove(descriptor)
            os.close(descriptor)


def remove_unused(folders: list[Path]) -> None:
    """Remove those of some folders that nobody keeps."""
    for folder in folders:
        try:
            descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Away at once: what somebody puts there from now on is in another folder.
            gone = folder.with_name(f".{folder.name}.{secrets.token_hex(8)}")
            folder.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        except OSError:  # in use
            pass
        finally:
            os.close(descriptor)


def _share(folder: Path) -> int:
    """A descriptor that keeps a folder while it is open."""
    while True:
        with contextlib.suppress(FileExistsError):  # it was there, and has just been removed
            folder.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(folder / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(folder / _NAME)):
                    return descriptor
            os.close(descriptor)  # of a folder that was just removed
