"""Routes in the making: what becomes of routes while orders are taken out and put in again.

A draft has only those legs of a route on which something may be put in, as a linked list, and what
is to be known of those between them. So its cost is that of a neighbourhood, not of whole routes,
and the routes stay what they are until the draft is found good: most are not.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from gis.arrays import I32, I64, U8, U32
from gis.jit import inlined_kernel, inner_kernel, int64
from routing.courier.instance import Instance
from routing.courier.routes import finish, halt, last_moment


class Draft(NamedTuple):
    """Legs of the routes of v couriers over n stops of r orders.

    A route that is drafted has at least its first and its last leg in it.

    | array | dtype, shape | content |
    |---|---|---|
    | x, y | uint32 (n + v + 1,) | each leg leads from stop x to stop y; each may be a depot |
    | leg | int32 (n + v + 1,) | its centiseconds |
    | load | int64 (n + v + 1, d) | what is carried on it |
    | gap | int64 (n + v + 1, d) | the most that is carried on the legs left out behind it |
    | left | int64 (n + v + 1,) | when x is done, at the earliest; -1 if too late |
    | due | int64 (n + v + 1,) | when y has to be done, so that all after it can be |
    | before, after | uint32 (n + v + 1,) | the legs beside it; at the ends the last of all |
    | first, last | uint32 (v,) | the legs at the ends of a route |
    | stops, travel, span | int64 (v,) | as `Routes` have them |
    | state | uint8 (v,) | of a route: ``ABSENT``, ``SAME`` or ``CHANGED`` |
    | drafted | int64 (v,) | the routes that are not absent |
    | mark | uint8 (n,) | of a stop: ``NEAR`` if the leg to it is to be in the draft, or ``TAKEN`` |
    | taken | int64 (r,) | the orders that are taken out of the routes |
    | line | uint32 (n,) | scratch: the stops of a route |
    | less, room | int64 (d,) | scratch: how much less is carried without them, may be carried |
    | total | int64 (4,) | how many routes, legs and taken orders; the cost of all routes |
    """

    x: U32
    y: U32
    leg: I32
    load: I64
    gap: I64
    left: I64
    due: I64
    before: U32
    after: U32
    first: U32
    last: U32
    stops: I64
    travel: I64
    span: I64
    state: U8
    drafted: I64
    mark: U8
    taken: I64
    line: U32
    less: I64
    room: I64
    total: I64


ABSENT: Final = 0
SAME: Final = 1
CHANGED: Final = 2
"""What ``Draft.state`` says."""

NEAR: Final = 1
TAKEN: Final = 2
"""What ``Draft.mark`` says, if anything."""

N_ROUTES: Final = 0
N_LEGS: Final = 1
N_TAKEN: Final = 2
COST: Final = 3
"""What the places of ``Draft.total`` mean."""


def empty_draft(instance: Instance) -> Draft:
    """A draft of no route."""
    n_couriers, n_stops = len(instance.fleet.kind), len(instance.order)
    n_orders, n_dimensions = len(instance.may), instance.load.shape[2]
    n_legs = n_stops + n_couriers + 1
    return Draft(
        x=np.zeros(n_legs, np.uint32),
        y=np.zeros(n_legs, np.uint32),
        leg=np.zeros(n_legs, np.int32),
        load=np.zeros((n_legs, n_dimensions), np.int64),
        gap=np.zeros((n_legs, n_dimensions), np.int64),
        left=np.zeros(n_legs, np.int64),
        due=np.zeros(n_legs, np.int64),
        before=np.zeros(n_legs, np.uint32),
        after=np.zeros(n_legs, np.uint32),
        first=np.zeros(n_couriers, np.uint32),
        last=np.zeros(n_couriers, np.uint32),
        stops=np.zeros(n_couriers, np.int64),
        travel=np.zeros(n_couriers, np.int64),
        span=np.zeros(n_couriers, np.int64),
        state=np.zeros(n_couriers, np.uint8),
        drafted=np.zeros(n_couriers, np.int64),
        mark=np.zeros(n_stops, np.uint8),
        taken=np.zeros(n_orders, np.int64),
        line=np.zeros(n_stops, np.uint32),
        less=np.zeros(n_dimensions, np.int64),
        room=np.zeros(n_dimensions, np.int64),
        total=np.zeros(4, np.int64),
    )


@inlined_kernel
def no_leg(draft: Draft) -> Any:
    """What stands before a route's first leg and behind its last."""
    return len(draft.x) - 1


@inner_kernel
def find_times(instance: Instance, draft: Draft, v: Any) -> None:
    """Find out when the stops of a route are done, and when they have to be."""
    fleet, first, last = instance.fleet, draft.first[v], draft.last[v]
    c: Any = int64(first)
    t: Any = fleet.opens[v]
    draft.left[c] = t
    while c != last:
        t = finish(instance, v, int64(draft.x[c]), int64(draft.y[c]), t + draft.leg[c])
        c = int64(draft.after[c])
        draft.left[c] = t
    draft.span[v] = t + draft.leg[c] - fleet.opens[v] if draft.stops[v] > 0 else int64(0)
    t = fleet.closes[v]
    draft.due[c] = t
    t -= draft.leg[c]
    while c != first:
        c = int64(draft.before[c])
        draft.due[c] = t
        x, y = int64(draft.x[c]), int64(draft.y[c])
        t = last_moment(instance.clock, y, t - halt(instance, v, x, y)) - draft.leg[c]
