"""When the stops of a route are reached."""

from typing import Any, Final, NamedTuple

import numpy as np

from gis.arrays import I64, freeze
from gis.jit import int64, plain_kernel
from routing.courier.instance import Instance
from routing.courier.routes import depot, halt, last_moment, opening, way

LEG: Final = 0
ARRIVAL: Final = 1
BEGIN: Final = 2
HALT: Final = 3


class Trace(NamedTuple):
    """A route of m stops, left at a time: all in centiseconds.

    ``table`` int64 (m + 1, 4): the leg to each stop, when it is reached, when what is to be done
    there begins, -1 from the first on where that is too late, and how long it takes; the last row
    is the end, where nothing is done.
    """

    departure: int
    table: I64


def trace(instance: Instance, v: int, stops: list[int]) -> Trace:
    """The route of a courier who leaves as late as that makes him be done no later.

    As early as may be if he cannot do it all.
    """
    table = np.zeros((len(stops) + 1, 4), np.int64)
    chain = freeze(np.array(stops, np.int64))
    departure = int(instance.fleet.opens[v])
    _trace(instance, v, chain, departure, table)
    if stops and table[-1, BEGIN] >= 0:
        departure = max(departure, int(_latest_departure(instance, chain, table)))
        _trace(instance, v, chain, departure, table)
    return Trace(departure, freeze(table))


@plain_kernel
def _trace(instance: Instance, v: int, stops: I64, departure: int, table: I64) -> None:
    m = len(stops)
    end = depot(instance, int64(v))
    x: Any = end
    now: Any = int64(departure)
    late = False
    for i in range(m + 1):
        y = stops[i] if i < m else end
        leg = way(instance, int64(v), x, y)
        now += leg
        table[i, LEG], table[i, ARRIVAL] = leg, now
        begin = opening(instance.clock, y, now) if i < m and not late else now
        late = late or begin < 0
        table[i, BEGIN] = -1 if late else begin
        table[i, HALT] = halt(instance, int64(v), x, y) if i < m else 0
        now = begin + table[i, HALT]
        x = y


@plain_kernel
def _latest_departure(instance: Instance, stops: I64, table: I64) -> Any:
    latest: Any = table[len(stops) - 1, BEGIN]
    for i in range(len(stops) - 1, -1, -1):
        latest = last_moment(instance.clock, stops[i], latest) - table[i, LEG]
        if i > 0:
            latest -= table[i - 1, HALT]
    return latest
