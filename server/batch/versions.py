"""Which Whimbrel runs: the answers of two are the same only if their sources are."""

import hashlib
from pathlib import Path

import numba
import numpy as np
import shapely

from gis.jit import source_hash
from gis.version import installed_version

_PACKAGES = ("batch", "cluster")


def _sources() -> str:
    """Hash of all that an answer depends on (12 hex digits): the engine, and what asks it."""
    digest = hashlib.sha256(source_hash().encode())
    server = Path(__file__).resolve().parent.parent
    for package in _PACKAGES:
        for path in sorted((server / package).rglob("*.py")):
            digest.update(path.relative_to(server).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


VERSION = f"{installed_version()} (sources {_sources()}, Numba {numba.__version__})"
"""As of the import, since the files may change while a worker lives."""

LIBRARIES = f"NumPy {np.__version__}, GEOS {shapely.geos_version_string}"
"""What else the bytes of answers depend on, if only in their last digits."""
