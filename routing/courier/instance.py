"""A courier's problem as the arrays that the search reads."""

from typing import Final, NamedTuple

from gis.arrays import I32, I64, U8

NEVER: Final = 2**28
"""A way that does not exist, in centiseconds; four of them fit in 32 bits."""
NO_WAY: Final = 2**27
"""A sum of ways from here on has one in it that does not exist."""
FARTHEST: Final = 2**25
"""Each way that exists is shorter: nearly four days."""
ALWAYS: Final = 2**50
"""A moment that never comes, in centiseconds."""


class Clock(NamedTuple):
    """What takes time at n stops, and when it may begin; all in centiseconds.

    | array | dtype, shape | content |
    |---|---|---|
    | first | int64 (n + 1,) | CSR of the windows of each stop, none: any time |
    | opens, closes | int64 (w,) | the windows, ascending |
    | service, setup | int64 (n,) | how long it takes |
    | place | int64 (n,) | where the stop is: setup is due only when coming from elsewhere |
    | first_setup | int64 (k, n) | setup of the first stop after the start, by kind |
    """

    first: I64
    opens: I64
    closes: I64
    service: I64
    setup: I64
    place: I64
    first_setup: I64


class Fleet(NamedTuple):
    """The v couriers, of k kinds: those of a kind have the same starts, ends and speed.

    | array | dtype, shape | content |
    |---|---|---|
    | kind | int64 (v,) | the kind of each |
    | speed | int64 (k,) | which matrix holds for a kind |
    | alike | int64 (v,) | couriers of the same number do not differ at all |
    | capacity | int64 (v, d) | what each can carry |
    | opens, closes | int64 (v,) | the window of each |
    | most_stops, most_travel | int64 (v,) | limits of a route |
    | rate, fixed | int64 (v,) | cost of a centisecond of travel, and of a route that is used |
    """

    kind: I64
    speed: I64
    alike: I64
    capacity: I64
    opens: I64
    closes: I64
    most_stops: I64
    most_travel: I64
    rate: I64
    fixed: I64


class Instance(NamedTuple):
    """A problem of n stops that belong to r orders (shipments, then jobs).

    | array | dtype, shape | content |
    |---|---|---|
    | out | int32 (s, n + k, n + k) | centiseconds from stop to stop, for each speed |
    | into | int32 (s, n + k, n + k) | the same, the other way round: to a stop, from each |
    | near | int32 (n, m) | the nearest other stops, nearest first |
    | related | int32 (r, l) | the orders with stops nearest to those of an order, nearest first |
    | order | int64 (n,) | whose stop it is |
    | pickup, delivery | int64 (r,) | the stops of an order; of a job the first is -1 |
    | load | int64 (3, r, d) | carried before the first stop, between both, and after the last |
    | worth | int64 (r,) | how much it matters that an order is served |
    | may | uint8 (r, v) | which courier may serve it |
    | rules | int64 (2,) | whether there are times to keep; whether the makespan is to be short |

    Where a way does not exist the cells are ``NEVER``. Behind the stops each of the k kinds of
    couriers has a row and a column: the ways from its best start, and to its best end.
    """

    out: I32
    into: I32
    near: I32
    related: I32
    order: I64
    pickup: I64
    delivery: I64
    load: I64
    worth: I64
    may: U8
    clock: Clock
    fleet: Fleet
    rules: I64


TIMED: Final = 0
SPAN: Final = 1
"""What the places of ``Instance.rules`` mean."""

SPAN_WEIGHT: Final = 1000
"""The makespan weighs so much more than travel where it is the objective."""
