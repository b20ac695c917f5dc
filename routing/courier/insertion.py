"""The cheapest places of an order in the routes."""

from typing import Any, NamedTuple

from gis.arrays import I32, I64
from gis.jit import inlined_kernel, inner_kernel, int64
from routing.courier.instance import NO_WAY, SPAN, SPAN_WEIGHT, TIMED, Instance
from routing.courier.routes import Routes, finish, longest_span, stop_at, way

_BLINK_EVERY = 100
_NO_COST = 2**62
"""More than any place costs: a route may cost 2^50 only for being used."""


class Trial(NamedTuple):
    """Scratch of insertions.

    | array | dtype, shape | content |
    |---|---|---|
    | before, second | int32 (n + 1,) | what the first stop costs on a leg, and the second |
    | together | int32 (n + 1,) | what both cost there |
    | after | int64 (n + 1,) | what the second stop costs on a later leg, at the least |
    | tried | int64 (v,) | when an unused courier of a sort was tried last |
    | random | int64 (3,) | the random number, places until the next blink, and a count |
    """

    before: I32
    second: I32
    together: I32
    after: I64
    tried: I64
    random: I64


@inlined_kernel
def next_random(random: I64) -> Any:
    """The minimal standard of Park and Miller (1988): 1 to 2^31 - 2."""
    random[0] = random[0] * 48271 % 2147483647
    return random[0]


@inner_kernel
def _blinks(random: I64) -> Any:
    """Whether to overlook a place, one in a hundred."""
    random[1] -= 1
    if random[1] > 0:
        return False
    random[1] = 1 + next_random(random) % (2 * _BLINK_EVERY)
    return True


@inner_kernel
def insert_best(instance: Instance, routes: Routes, trial: Trial, order: Any) -> Any:
    """The best place of an order in any route: (courier or -1, leg of the first, of the second).

    Of the makespan only the travel added counts, not waiting nor service; with windows some places
    may be missed at which others are spared their setup, or where a way around is shorter.
    """
    fleet = instance.fleet
    best: Any = int64(_NO_COST)
    found, first, second = int64(-1), int64(0), int64(0)
    trial.random[2] += 1
    longest = longest_span(routes) if instance.rules[SPAN] != 0 else int64(0)
    n_stops = int64(1) if instance.pickup[order] < 0 else int64(2)
    for v in range(len(routes.length)):
        if instance.may[order, v] == 0 or routes.length[v] + n_stops > fleet.most_stops[v]:
            continue
        base = int64(0)
        if routes.length[v] == 0:
            if trial.tried[fleet.alike[v]] == trial.random[2]:
                continue
            trial.tried[fleet.alike[v]] = trial.random[2]
            base = fleet.fixed[v]
        room = fleet.most_travel[v] - routes.travel[v]
        if fleet.rate[v] > 0:
            room = min(room, (best - base) // fleet.rate[v] + 1)
        if n_stops == 1:
            more, i, j = _place_job(instance, routes, trial, order, v, room)
        elif instance.rules[TIMED] != 0:
            _find_steps(instance, routes, trial, order, v)
            more, i, j = _place_in_time(instance, routes, trial, order, v, room)
        else:
            more, i, j = _place_shipment(instance, routes, trial, order, v, room)
        if more >= NO_WAY:
            continue
        cost = base + more * fleet.rate[v]
        if instance.rules[SPAN] != 0:
            cost += SPAN_WEIGHT * max(int64(0), routes.span[v] + more - longest)
        if cost < best:
            best, found, first, second = cost, int64(v), i, j
    return found, first, second


@inlined_kernel
def _fits(instance: Instance, routes: Routes, part: Any, order: Any, v: Any, leg: Any) -> Any:
    """Whether a leg has room for what an order has carried there."""
    for k in range(routes.load.shape[2]):
        if routes.load[v, leg, k] + instance.load[part, order, k] > instance.fleet.capacity[v, k]:
            return False
    return True


@inlined_kernel
def _reach(instance: Instance, v: Any, x: Any, y: Any) -> Any:
    """What `way` is, read from where all ways to y lie side by side: for loops over x."""
    kind = instance.fleet.kind[v]
    if x < 0:
        return int64(instance.leave[kind, y])
    return int64(instance.into[instance.fleet.speed[kind], y, x])


@inner_kernel
def _place_job(
    instance: Instance, routes: Routes, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The cheapest leg for a job: (more travel, leg, leg), ``NO_WAY`` if there is none below."""
    m, y = routes.length[v], instance.delivery[order]
    best: Any = min(room + 1, int64(NO_WAY))
    found = int64(-1)
    begin, end = int64(0), m
    for leg in range(m + 1):
        if not _fits(instance, routes, 0, order, v, leg):
            end = int64(leg) - 1
            break
    for leg in range(m, -1, -1):
        if not _fits(instance, routes, 2, order, v, leg):
            begin = int64(leg) + 1
            break
    timed = instance.rules[TIMED] != 0
    for leg in range(begin, end + 1):
        x = stop_at(routes, v, leg - 1)
        to, on = _reach(instance, v, x, y), way(instance, v, y, stop_at(routes, v, leg))
        more = to + on - routes.leg[v, leg]
        if more >= best or _blinks(trial.random):
            continue
        if timed:
            t = routes.done[v, leg - 1] if leg > 0 else instance.fleet.opens[v]
            t = finish(instance, v, x, y, t + to)
            if t < 0 or not _in_time(instance, routes, v, y, t + on, leg):
                continue
        best, found = more, int64(leg)
    if found < 0:
        return int64(NO_WAY), found, found
    return best, found, found


@inner_kernel
def _in_time(instance: Instance, routes: Routes, v: Any, x: Any, arrival: Any, leg: Any) -> Any:
    """Whether all from a leg on can be done if the stop after x is reached so."""
    if leg == routes.length[v]:
        return arrival <= instance.fleet.closes[v]
    t = finish(instance, v, x, stop_at(routes, v, leg), arrival)
    return 0 <= t <= routes.due[v, leg]


@inner_kernel
def _place_shipment(
    instance: Instance, routes: Routes, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The cheapest legs for a shipment: (more travel, leg of the pick-up, of the delivery).

    From the last leg to the first, with the best leg of the delivery so far: in linear time. A leg
    without room for the load ends what may come before it.
    """
    m, kind = routes.length[v], instance.fleet.kind[v]
    s = instance.fleet.speed[kind]
    p, d = instance.pickup[order], instance.delivery[order]
    pd = instance.out[s, p, d]
    loaded = routes.load.shape[2] > 0
    best: Any = min(room + 1, int64(NO_WAY))
    first, second = int64(-1), int64(-1)
    cheapest: Any = int64(NO_WAY)
    at = int64(-1)
    blink = trial.random[1]
    from_p, from_d = int64(instance.come[kind, p]), int64(instance.come[kind, d])
    for leg in range(m, -1, -1):
        if leg > 0:
            x = routes.stop[v, leg - 1]
            to_p, to_d = int64(instance.into[s, p, x]), int64(instance.into[s, d, x])
            next_p, next_d = int64(instance.out[s, p, x]), int64(instance.out[s, d, x])
        else:
            to_p, to_d = int64(instance.leave[kind, p]), int64(instance.leave[kind, d])
            next_p, next_d = int64(0), int64(0)
        blink -= 1
        if loaded and not _fits(instance, routes, 1, order, v, leg):
            cheapest = int64(NO_WAY)
        elif blink > 0:
            before = to_p - routes.leg[v, leg]
            together = before + pd + from_d
            if together < best:
                best, first, second = together, int64(leg), int64(leg)
            before += from_p + cheapest
            if before < best:
                best, first, second = before, int64(leg), at
            to_d += from_d - routes.leg[v, leg]
            if to_d < cheapest:
                cheapest, at = to_d, int64(leg)
        else:
            blink = 1 + next_random(trial.random) % (2 * _BLINK_EVERY)
        from_p, from_d = next_p, next_d
    trial.random[1] = blink
    if first < 0:
        return int64(NO_WAY), first, second
    return best, first, second


@inner_kernel
def _find_steps(instance: Instance, routes: Routes, trial: Trial, order: Any, v: Any) -> None:
    """What each stop of a shipment costs on each leg, and both together."""
    m = routes.length[v]
    p, d = instance.pickup[order], instance.delivery[order]
    pd = way(instance, v, p, d)
    for leg in range(m + 1):
        x, y = stop_at(routes, v, leg - 1), stop_at(routes, v, leg)
        to_p, from_d = _reach(instance, v, x, p), way(instance, v, d, y)
        now = routes.leg[v, leg]
        trial.before[leg] = to_p + way(instance, v, p, y) - now
        trial.second[leg] = _reach(instance, v, x, d) + from_d - now
        trial.together[leg] = to_p + pd + from_d - now
    cheapest: Any = int64(NO_WAY)
    for leg in range(m, -1, -1):
        trial.after[leg] = cheapest
        cheapest = min(cheapest, int64(trial.second[leg]))


@inner_kernel
def _place_in_time(
    instance: Instance, routes: Routes, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The same where times are to be kept, by walking on from each leg that may be the cheapest."""
    m = routes.length[v]
    p, d = instance.pickup[order], instance.delivery[order]
    loaded = routes.load.shape[2] > 0
    best: Any = min(room + 1, int64(NO_WAY))
    first, second = int64(-1), int64(-1)
    for i in range(m + 1):
        alone = trial.before[i]
        x = stop_at(routes, v, i - 1)
        together = int64(trial.together[i])
        if min(together, alone + trial.after[i]) >= best or _blinks(trial.random):
            continue
        if loaded and not _fits(instance, routes, 1, order, v, i):
            continue
        t = routes.done[v, i - 1] if i > 0 else instance.fleet.opens[v]
        t = finish(instance, v, x, p, t + way(instance, v, x, p))
        if t < 0:
            continue
        if together < best:
            then = finish(instance, v, p, d, t + way(instance, v, p, d))
            on = way(instance, v, d, stop_at(routes, v, i))
            if then >= 0 and _in_time(instance, routes, v, d, then + on, i):
                best, first, second = together, int64(i), int64(i)
        if alone + trial.after[i] >= best:
            continue
        x = p
        for j in range(i + 1, m + 1):
            y = stop_at(routes, v, j - 1)
            t = finish(instance, v, x, y, t + way(instance, v, x, y))
            if t < 0 or t > routes.due[v, j - 1]:
                break
            if loaded and not _fits(instance, routes, 1, order, v, j):
                break
            x = y
            more = alone + trial.second[j]
            if more >= best:
                continue
            then = finish(instance, v, x, d, t + way(instance, v, x, d))
            if then < 0:
                break
            on = way(instance, v, d, stop_at(routes, v, j))
            if _in_time(instance, routes, v, d, then + on, j):
                best, first, second = more, int64(i), int64(j)
    if first < 0:
        return int64(NO_WAY), first, second
    return best, first, second
