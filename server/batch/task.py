"""What is asked of every row of a batch, and what is answered, as arrays."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gis.arrays import F64, I64, U8, AnyArray
from routing.many.batch import RouteStatus

TASKS = ("route", "table", "nearest", "isochrone")

N_POINTS = {"route": 2, "table": 1, "nearest": 1, "isochrone": 1}
"""Points that a row has: of a route origin and destination."""

MAIN_SHAPE = "geometry"
"""The column of answers that are shapes; of several, that of the largest."""

INVALID_ROW = len(RouteStatus)
"""Beyond the numbers of `RouteStatus`: a row that is damaged, whatever points it seems to have."""

STATUSES = (*(status.word for status in RouteStatus), "InvalidRow")
"""As they stand in outputs, by their numbers."""


@dataclass(frozen=True)
class Task:
    """What is asked of every row; small, and sent to every process that answers.

    ``destinations`` float64 (m, 2) in degrees are those of a table; ``limits`` those of
    isochrones in seconds, or in metres if ``by_distance``.
    """

    name: str
    profile: str | None = None
    depart_at: str | None = None
    exclude: tuple[str, ...] = ()
    radius_m: float | None = None
    snapping: str = "default"
    geometry: bool = False
    distances: bool = False
    destinations: F64 = field(default_factory=lambda: np.empty((0, 2)))
    limits: tuple[float, ...] = ()
    by_distance: bool = False
    reverse: bool = False

    @property
    def roads(self) -> dict[str, Any]:
        """The vehicle and the roads that it may use, as the engine's options."""
        return {
            "profile": self.profile,
            "depart_at": self.depart_at,
            "exclude": self.exclude,
            "snapping": self.snapping,
        }


class Ragged(NamedTuple):
    """Bytes of n values of any length: value i is ``data[first[i]:first[i + 1]]``.

    ``first`` is int64 (n + 1,), ``data`` uint8.
    """

    first: I64
    data: U8


class Answer(NamedTuple):
    """Answers for n rows: the status uint8 (n,), and columns of arrays (n,) or (n, m), or `Ragged`.

    Numbers are NaN and shapes empty where there is no answer. Columns whose names are those of
    `answer_fields` for the task, in its order.
    """

    status: U8
    columns: dict[str, AnyArray | Ragged]
