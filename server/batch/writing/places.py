"""Where results are written, and where they are not."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from server.batch.errors import OutputError


class Place(NamedTuple):
    """The file that results are to be in, and those beside it that they are in until then."""

    output: Path
    partial: Path
    journal: Path


def find_place(output: Path) -> Place:
    """Where an output is written, symbolic links followed.

    It is written beside its place and then renamed, so it must be a file, or none yet, in a
    folder. Raises ``OutputError``.
    """
    path = Path(os.path.realpath(output))
    if path.is_dir():
        raise OutputError(f"{output}: a folder, expected a file to write")
    if _is_device(output):
        raise OutputError(
            f"{output}: a device or a pipe, expected a file: "
            "results are written beside it, and renamed when they are whole"
        )
    if not path.parent.is_dir():
        raise OutputError(f"{path.parent}: no such folder to write {path.name} into")
    return Place(path, *(path.with_name(path.name + end) for end in (".partial", ".journal")))


def refuse_inputs(place: Place, inputs: Iterable[Path]) -> None:
    """Raise ``OutputError`` if a file that is read would be written."""
    for path in inputs:
        for file in place:
            if path.exists() and file.exists() and file.samefile(path):
                raise OutputError(f"{file}: is the input, expected another file to write")


def _is_device(output: Path) -> bool:
    """Whether it is anything but a file, or one of the links of the system to open files.

    Of these even one that leads to a file is not meant as its name: ``/dev/stdout``.
    """
    folder = Path(os.path.realpath(output.parent))
    system = folder == Path("/dev") or Path("/proc") in (folder, *folder.parents)
    return system or (output.exists() and not output.is_file())
