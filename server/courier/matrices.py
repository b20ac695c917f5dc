"""Matrices of times and distances that come with a request."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gis.arrays import F64, INF, freeze
from server.courier.asked import Matrix, Spot
from server.courier.members import Members, shown
from server.errors import InvalidQuery

_KNOWN = frozenset({"durations", "distances"})
_UNSUPPORTED = {"costs": "costs other than the durations are not supported"}


def read_matrix(value: Any, profile: str, spots: Sequence[Spot]) -> Matrix:
    """The matrix of a profile; ``InvalidQuery`` if it is none, or has too few rows for the spots.

    In ``durations`` null, or more than 248 days, means that no way leads there.
    """
    if not isinstance(value, dict) or profile not in value:
        raise InvalidQuery(f"matrices has no {profile!r}, expected one for the vehicles' profile")
    part = Members(f"matrices.{profile}", value[profile], _KNOWN, _UNSUPPORTED)
    part.need("durations")
    durations = _square(part, "durations")
    distances = _square(part, "distances") if part.has("distances") else None
    n = len(durations)
    if distances is not None and len(distances) != n:
        raise InvalidQuery(
            f"{part.path('distances')} has {len(distances)} rows, expected {n} as durations"
        )
    for spot in spots:
        assert spot.index is not None
        if spot.index >= n:
            raise InvalidQuery(f"{spot.index_where} is {spot.index}, expected 0 to {n - 1}")
    found = np.nan_to_num(durations, nan=np.inf) * 100
    durations_cs = np.where(found < INF, np.rint(np.minimum(found, INF)), INF).astype(np.uint32)
    return Matrix(freeze(durations_cs), distances)


def _square(part: Members, name: str) -> F64:
    rows = part.array(name)
    n = len(rows)
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != n:
            raise InvalidQuery(
                f"{part.path(name)}[{i}] is no array of {n}, as there are rows, expected a square"
            )
        for j, cell in enumerate(row):
            if cell is not None and type(cell) not in (int, float):
                raise InvalidQuery(
                    f"{part.path(name)}[{i}][{j}] is {shown(cell)}, expected a number or null"
                )
    found = np.array(rows, np.float64).reshape(n, n)
    if (found < 0).any():
        i, j = np.argwhere(found < 0)[0].tolist()
        raise InvalidQuery(
            f"{part.path(name)}[{i}][{j}] is {shown(rows[i][j])}, expected 0 or more"
        )
    if not n:
        raise InvalidQuery(f"{part.path(name)} is empty, expected a square")
    return found
