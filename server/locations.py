"""Where datasets and the sample lie, and whether a dataset is the extract's newest."""

import os
import stat
import tempfile
from importlib import resources
from pathlib import Path

from gis.errors import DatasetError, FormatError

SUFFIX = ".whimbrel"
SAMPLE = "helsinki.osm.pbf"

_EXTRACT_SUFFIXES = (".pbf", ".osm", ".osc", ".o5m", ".opl", ".xml")
_COMPRESSED_SUFFIXES = (".gz", ".bz2")


def dataset_of(extract: Path) -> Path:
    """The dataset that belongs to an extract: ``a/city.osm.pbf`` has ``a/city.whimbrel``."""
    name = extract.name
    if not name:
        raise FormatError(f"'{extract}' is no file, expected an OpenStreetMap extract")
    for suffixes in (_COMPRESSED_SUFFIXES, _EXTRACT_SUFFIXES, (".osm",)):
        found = next((suffix for suffix in suffixes if name.lower().endswith(suffix)), "")
        name = name[: len(name) - len(found)] or name
    return extract.with_name(name + SUFFIX)


def is_dataset(path: Path) -> bool:
    """Whether a path is to be opened as a dataset rather than read as an extract."""
    return path.is_dir() or path.suffix == SUFFIX


def why_build(extract: Path, dataset: Path) -> str:
    """Why the dataset must be built from the extract now; an empty string if it need not."""
    from gis.dataset import read_manifest
    from gis.manifest import MANIFEST

    if not extract.is_file():
        raise FormatError(f"{extract}: no such file")
    if not dataset.exists():
        return "it has not been built yet"
    try:
        made_from = read_manifest(dataset).about.extract
    except DatasetError as error:
        return str(error)
    size = extract.stat().st_size
    if (made_from.name, made_from.bytes) != (extract.name, size):
        return f"it was made from another file ({made_from.name}, {made_from.bytes} bytes)"
    if (dataset / MANIFEST).stat().st_mtime < extract.stat().st_mtime:
        return "the extract is newer"
    return ""


def sample_extract() -> Path:
    """The extract that comes with Whimbrel: installed, or in the checkout."""
    installed = resources.files("server") / "sample" / SAMPLE
    checkout = Path(__file__).resolve().parent.parent / "data" / SAMPLE
    for path in (Path(str(installed)), checkout):
        if path.is_file():
            return path
    raise FormatError(f"{installed}: the sample extract is not installed; name an extract")


def sample_dataset(extract: Path) -> Path:
    """Where the sample's dataset goes: beside it in a checkout, else in the user's cache."""
    import platformdirs

    beside = dataset_of(extract)
    if extract.parent.name == "data" and os.access(extract.parent, os.W_OK):
        return beside
    cache = platformdirs.user_cache_path("whimbrel")
    if _can_write(cache):
        return cache / beside.name
    shared = Path(tempfile.gettempdir()) / f"whimbrel-{os.getuid()}"
    return (shared if _can_write(shared) and _is_private(shared) else extract.parent) / beside.name


def _can_write(folder: Path) -> bool:
    """Whether a folder can be written to, made if need be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _is_private(folder: Path) -> bool:
    """Whether nobody else can have put something into a folder, or put it there."""
    found = folder.lstat()
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return ours and stat.S_IMODE(found.st_mode) & 0o077 == 0
