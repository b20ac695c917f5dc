"""Which orders are taken out of the routes: strings of stops near each other, or related orders.

After slack induction by string removals (Christiaens and Vanden Berghe, "Slack Induction by String
Removals for Vehicle Routing Problems", Transportation Science 54(2), 2020, section 5.2). Where
there is one route only, all strings are of it. Related orders are those of Shaw, "Using
constraint programming and local search methods to solve vehicle routing problems", CP 1998.
"""

from typing import Any

from gis.arrays import I64
from gis.jit import inlined_kernel, int64
from routing.courier.draft import TAKEN, Draft
from routing.courier.draft_legs import take_out
from routing.courier.insertion import next_random
from routing.courier.instance import Instance
from routing.courier.routes import Routes

_LONGEST_STRING = 10
"""At most so many stops next to each other are taken out at once."""
_SPLIT_ONE_IN = 2
"""Of so many strings one keeps some stops in its middle."""
_RELATED_OF_TEN = 3
"""So many times of ten related orders are taken, else strings."""
_PASSED_OF_TEN = 3
"""Of ten related orders so many are passed over."""


@inlined_kernel
def ruin(instance: Instance, routes: Routes, draft: Draft, random: I64, wanted: Any) -> None:
    """Take about so many orders out, from around a random stop."""
    if next_random(random) % 10 < _RELATED_OF_TEN:
        _take_related(instance, routes, draft, random, wanted)
    else:
        _take_strings(instance, routes, draft, random, wanted)


@inlined_kernel
def _take_related(
    instance: Instance, routes: Routes, draft: Draft, random: I64, wanted: Any
) -> None:
    """Take a random order and some of those of which both stops are near its stops."""
    n_gone = int64(0)
    seed = next_random(random) % len(instance.may)
    for i in range(-1, instance.related.shape[1]):
        order = int64(instance.related[seed, i]) if i >= 0 else seed
        if n_gone >= wanted:
            return
        if i >= 0 and next_random(random) % 10 < _PASSED_OF_TEN:
            continue
        if routes.route[instance.delivery[order]] >= 0:
            take_out(instance, draft, order)
            n_gone += 1


@inlined_kernel
def _take_strings(
    instance: Instance, routes: Routes, draft: Draft, random: I64, wanted: Any
) -> None:
    """Take the orders of strings of stops that are near a random one.

    Half the time near a stop of an order that is in no route, if there is one: so it gets room.
    """
    seed = next_random(random) % len(routes.route)
    n_absent = routes.absent[len(routes.absent) - 1]
    if n_absent > 0 and next_random(random) % 2 == 0:
        order = routes.absent[next_random(random) % n_absent]
        seed = instance.delivery[order]
        if instance.pickup[order] >= 0 and next_random(random) % 2 == 0:
            seed = instance.pickup[order]
    n_gone = int64(0)
    for i in range(-1, instance.near.shape[1]):
        if n_gone >= wanted:
            return
        x = int64(instance.near[seed, i]) if i >= 0 else seed
        n_gone += _take_string(instance, routes, draft, random, x, wanted - n_gone)


@inlined_kernel
def _take_string(
    instance: Instance,
    routes: Routes,
    draft: Draft,
    random: I64,
    x: Any,
    most: Any,
) -> Any:
    """Take the orders of a string of stops that holds x; how many they are."""
    v = routes.route[x]
    if v < 0 or draft.mark[x] & TAKEN != 0:
        return int64(0)
    m = routes.length[v]
    longest = min(m, _LONGEST_STRING, most)
    length = 1 + next_random(random) % longest
    kept_at, kept = int64(0), int64(0)
    if length > 1 and length < m and next_random(random) % _SPLIT_ONE_IN == 0:
        kept = 1 + next_random(random) % min(m - length, length)
        kept_at = 1 + next_random(random) % (length - 1)
    whole = length + kept
    first = routes.at[x] - next_random(random) % whole
    first = max(int64(0), min(first, m - whole))
    n_gone = int64(0)
    for i in range(first, first + whole):
        if kept_at <= i - first < kept_at + kept and i != routes.at[x]:
            continue
        y = routes.stop[v, i]
        order = instance.order[y]
        if draft.mark[y] & TAKEN == 0 and n_gone < most:
            take_out(instance, draft, order)
            n_gone += 1
    return n_gone
