"""Reads OpenStreetMap data in any format, chosen by the suffix of the file's name."""

from pathlib import Path

import numpy as np

from gis.errors import FormatError
from gis.osm.tables import OsmTables, TagSelection
from gis.stage import stage

_PBF = ".pbf"
_OTHERS = (".osm", ".osm.gz", ".osm.bz2", ".o5m", ".opl", ".opl.gz", ".opl.bz2")


def read_osm(path: Path, selection: TagSelection, workers: int = 1) -> OsmTables:
    """Read what a selection keeps of a file; the same for any number of workers.

    PBF is read by ``workers`` processes; other formats, through pyosmium, by one.

    Raises
    ------
    FormatError
        The file cannot be read, is damaged or of an unknown format.
    ResourceError
        A worker was killed, or memory is lacking.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FormatError(f"{path}: not a regular file, which can be read more than once")
    name = path.name.lower()
    if name.endswith(_PBF):
        from gis.osm.pbf import read_pbf

        return _checked(path, read_pbf(path, selection, workers))
    if name.endswith(_OTHERS):
        from gis.osm.other_formats import read_with_pyosmium

        with stage("read"):
            return _checked(path, read_with_pyosmium(path, selection))
    raise FormatError(
        f"{path}: unknown format, expected a name that ends with {_PBF}, {', '.join(_OTHERS)}"
    )


def _checked(path: Path, tables: OsmTables) -> OsmTables:
    """The tables, unless an object occurs twice: extracts were joined that overlap."""
    for kind, ids in (("way", tables.ways.id), ("relation", tables.relations.id)):
        if (ids[1:] > ids[:-1]).all():
            continue
        ordered = np.sort(ids)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(twice):
            raise FormatError(
                f"{path}: {kind} {twice[0]} occurs more than once; "
                "extracts that overlap are joined by osmium merge"
            )
    return tables
