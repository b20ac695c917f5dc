"""Which columns of a file are coordinates, and which are carried into the output."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count
from typing import NamedTuple

from server.batch.errors import InputError

_AXES = {"lon": 0, "lng": 0, "long": 0, "longitude": 0, "x": 0, "lat": 1, "latitude": 1, "y": 1}

_ORIGINS = "o orig origin from start source src s pickup departure begin home a 1"
_DESTINATIONS = "d dest destination dst to end target tgt t dropoff arrival finish work b 2"
_ROLES = {role: i for i, names in enumerate((_ORIGINS, _DESTINATIONS)) for role in names.split()}
_FILLERS = "station|stop|location|loc|point|place|pos|position|coord|gps"

_AXIS = "(?P<axis>" + "|".join(_AXES) + ")"
_ROLE = "(?P<role>" + "|".join(_ROLES) + ")"
_ROLE_FIRST = re.compile(f"{_ROLE}(?:{_FILLERS})?{_AXIS}")
_AXIS_FIRST = re.compile(f"{_AXIS}{_ROLE}")

_SHAPES = "geometry", "geom", "the_geom", "wkt", "wkb", "shape"
"""What columns of shapes are called, the more common first."""

_N_LISTED = 30
"""More columns are not named in an error."""

_N_LETTERS = 60
"""More of a name is not either."""


class WantedColumns(NamedTuple):
    """What is wanted of the columns of a file.

    ``columns`` names those of the coordinates (two for each point), or one of shapes for each
    point, or one of shapes that are all points; None: found by their names. ``keep`` names those
    to carry, None: all; what is called as one of ``reserved`` is carried by another name.
    ``typed``: text is carried as what it holds.
    """

    n_points: int
    columns: Sequence[str] | None = None
    keep: Sequence[str] | None = None
    reserved: Collection[str] = ()
    typed: bool = False


class Selection(NamedTuple):
    """Columns by their positions in the file.

    ``points`` are the longitude and latitude of each point, or fewer of shapes; ``carried`` go
    into the output, where they are called ``names``.
    """

    points: tuple[int, ...]
    carried: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def needed(self) -> list[int]:
        """All that must be read, in the order of the file."""
        return sorted({*self.points, *self.carried})


def select(
    where: str, names: Sequence[str], wanted: WantedColumns, shapes: int | None = None
) -> Selection:
    """Select the columns of a file that is called ``where``; ``shapes`` is one that is known.

    Raises ``InputError`` if there are no such columns.
    """
    if wanted.columns is None and shapes is not None:
        points: tuple[int, ...] = (shapes,)
    else:
        points = select_points(where, names, wanted)
    carried = select_carried(where, names, wanted)
    return Selection(
        points, carried, tuple(output_names((names[i] for i in carried), wanted.reserved))
    )


def select_points(
    where: str, names: Sequence[str], wanted: WantedColumns, may_be_shapes: bool = True
) -> tuple[int, ...]:
    """The columns of coordinates, or those of shapes if there may be such."""
    columns, n_points = wanted.columns, wanted.n_points
    if columns is None:
        return find_points(where, names, n_points, may_be_shapes)
    if len(columns) not in ((1, n_points, 2 * n_points) if may_be_shapes else (2 * n_points,)):
        each = ", one of points for each" if n_points > 1 and may_be_shapes else ""
        raise InputError(
            f"{where}: got {len(columns)} names of columns, expected {2 * n_points} "
            f"({_wanted(n_points)}){each} or one of shapes"
        )
    points = [_position(where, names, name) for name in columns]
    twice = [names[i] for i in points if points.count(i) > 1]
    if twice:
        raise InputError(
            f"{where}: column {listed(twice[:1])} is named twice for the {_wanted(n_points)}"
        )
    return tuple(points)


def select_carried(where: str, names: Sequence[str], wanted: WantedColumns) -> tuple[int, ...]:
    """The columns that go into the output."""
    if wanted.keep is None:
        return tuple(range(len(names)))
    return tuple(dict.fromkeys(_position(where, names, name) for name in wanted.keep))


def find_points(
    where: str, names: Sequence[str], n_points: int, may_be_shapes: bool = True
) -> tuple[int, ...]:
    """The columns of coordinates by common names, or else one of shapes.

    Raises ``InputError`` if that is not clear.
    """
    found = _by_place(names) if n_points == 1 else _by_role(names)
    points = []
    for point in range(n_points):
        for axis in range(2):
            candidates = found.get((point, axis), [])
            if len(candidates) > 1:
                which = listed([names[i] for i in candidates]).replace(", ", " or ")
                raise InputError(
                    f"{where}: {which}? Name the columns of the {_wanted(n_points)} with --columns"
                )
            points += candidates
    if len(points) < 2 * n_points:
        lower = [name.lower() for name in names]
        shapes = [lower.index(name) for name in _SHAPES if name in lower]
        if shapes and may_be_shapes:
            return (shapes[0],)
        example = "lon,lat" if n_points == 1 else "lon1,lat1,lon2,lat2"
        raise InputError(
            f"{where}: found no columns of the {_wanted(n_points)} among {listed(names)}; "
            f"name them with --columns {example}, or one column of shapes"
        )
    return tuple(points)


def unique_names(names: Iterable[str]) -> list[str]:
    """Names of which no two are equal: ``a, a, (none)`` become ``a, a_2, column_3``."""
    names = list(names)
    taken, seen = set(names), {""}
    unique = []
    for i, name in enumerate(names):
        if name in seen:
            base = name or f"column_{i + 1}"
            numbered = (f"{base}_{k}" for k in count(2))
            name = next(n for n in chain([base], numbered) if n not in taken)
            taken.add(name)
        seen.add(name)
        unique.append(name)
    return unique


def output_names(names: Iterable[str], reserved: Collection[str]) -> list[str]:
    """What carried columns are called in the output, where some names are ``reserved``."""
    names = list(names)
    free = unique_names([*reserved, *(f"input_{n}" if n in reserved else n for n in names)])
    return free[len(reserved) :]


def listed(names: Sequence[str]) -> str:
    """Names for an error, which is one line."""
    more = len(names) - _N_LISTED
    shown = (printable(name[:_N_LETTERS]) for name in names[:_N_LISTED])
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def printable(text: str) -> str:
    """Text on one line; what cannot be shown is replaced."""
    return "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))


def _position(where: str, names: Sequence[str], name: str) -> int:
    """Where a column is; upper and lower case are the same if there is but one such."""
    if name in names:
        return names.index(name)
    alike = [i for i, known in enumerate(names) if known.lower() == name.lower()]
    if len(alike) != 1:
        raise InputError(f"{where}: has no column {name}, only {listed(names)}")
    return alike[0]


def _wanted(n_points: int) -> str:
    return "longitude and latitude" + (" of origin and destination" if n_points == 2 else "")


def _by_role(names: Sequence[str]) -> dict[tuple[int, int], list[int]]:
    """Columns by (0 for origin or 1 for destination, axis)."""
    found: dict[tuple[int, int], list[int]] = {}
    for i, name in enumerate(names):
        plain = re.sub(r"[\W_]", "", name.lower())
        match = _ROLE_FIRST.fullmatch(plain) or _AXIS_FIRST.fullmatch(plain)
        if match:
            key = _ROLES[match["role"]], _AXES[match["axis"]]
            found.setdefault(key, []).append(i)
    return found


def _by_place(names: Sequence[str]) -> dict[tuple[int, int], list[int]]:
    """Columns by (0, axis): ``lon`` and ``lat``, or else the only two like ``shop_lon``."""
    places: dict[str, dict[tuple[int, int], list[int]]] = {}
    for i, name in enumerate(names):
        words = _words(name)
        for at in {len(words) - 1, 0} if words else ():
            if words[at] in _AXES:
                rest = " ".join(words[:at] + words[at + 1 :])
                places.setdefault(rest, {}).setdefault((0, _AXES[words[at]]), []).append(i)
    whole = {rest: found for rest, found in places.items() if len(found) == 2}
    if "" in whole or len(whole) == 1:
        return whole.get("") or next(iter(whole.values()))
    together: dict[tuple[int, int], list[int]] = {}
    for found in whole.values():
        for key, columns in found.items():
            together.setdefault(key, []).extend(columns)
    return together


def _words(name: str) -> list[str]:
    """``decimalLongitude``, ``DECIMAL_LONGITUDE`` and ``decimal longitude`` are two words each."""
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
