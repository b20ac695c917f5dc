"""The cheapest places of an order in the routes that are drafted."""

from typing import Any, NamedTuple

from gis.arrays import I64
from gis.jit import inlined_kernel, int64
from routing.courier.draft import ABSENT, Draft, no_leg
from routing.courier.draft_legs import ask_for_route, draft_route
from routing.courier.instance import NO_WAY, SPAN, SPAN_WEIGHT, TIMED, Instance
from routing.courier.routes import Routes, finish, reach, way

_BLINK_EVERY = 100
NO_COST = 2**62
"""More than any place costs: a route may cost 2^50 only for being used."""


class Trial(NamedTuple):
    """Scratch of insertions.

    | array | dtype, shape | content |
    |---|---|---|
    | before, second | int64 (n + v + 1,) | what the first stop costs on a leg, and the second |
    | after | int64 (n + v + 1,) | what the second stop costs on a later leg, at the least |
    | tried | int64 (v,) | when an unused courier of a sort was tried last |
    | random | int64 (3,) | the random number, places until the next blink, and a count |
    """

    before: I64
    second: I64
    after: I64
    tried: I64
    random: I64


@inlined_kernel
def next_random(random: I64) -> Any:
    """The minimal standard of Park and Miller (1988): 1 to 2^31 - 2."""
    random[0] = random[0] * 48271 % 2147483647
    return random[0]


@inlined_kernel
def _blinks(random: I64) -> Any:
    """Whether to overlook a place, one in a hundred."""
    random[1] -= 1
    if random[1] > 0:
        return False
    random[1] = 1 + next_random(random) % (2 * _BLINK_EVERY)
    return True


@inlined_kernel
def insert_best(
    instance: Instance, routes: Routes, draft: Draft, trial: Trial, order: Any, most: Any
) -> Any:
    """The best place of an order that costs less than ``most``.

    Gives courier or -1, leg of the first stop, leg of the second. Of the makespan only the travel
    added counts, not waiting nor service; with windows some places may be missed at which others
    are spared their setup, or where a way around is shorter.
    """
    fleet = instance.fleet
    best: Any = int64(most)
    found, first, second = int64(-1), int64(0), int64(0)
    trial.random[2] += 1
    longest = longest_drafted(instance, routes, draft)
    n_stops = int64(1) if instance.pickup[order] < 0 else int64(2)
    for v in range(len(routes.length)):
        if draft.state[v] == ABSENT:
            if routes.length[v] > 0:
                continue
            ask_for_route(draft, v)
            draft_route(instance, routes, draft, v, True)
        if instance.may[order, v] == 0 or draft.stops[v] + n_stops > fleet.most_stops[v]:
            continue
        base = int64(0)
        if draft.stops[v] == 0:
            if trial.tried[fleet.alike[v]] == trial.random[2]:
                continue
            trial.tried[fleet.alike[v]] = trial.random[2]
            base = fleet.fixed[v]
        room = fleet.most_travel[v] - draft.travel[v]
        if fleet.rate[v] > 0:
            room = min(room, (best - base) // fleet.rate[v] + 1)
        if n_stops == 1:
            more, i, j = _place_job(instance, draft, trial, order, v, room)
        elif instance.rules[TIMED] != 0:
            _find_steps(instance, draft, trial, order, v)
            more, i, j = _place_in_time(instance, draft, trial, order, v, room)
        else:
            more, i, j = _place_shipment(instance, draft, trial, order, v, room)
        if more >= NO_WAY:
            continue
        cost = base + more * fleet.rate[v]
        if instance.rules[SPAN] != 0:
            cost += SPAN_WEIGHT * max(int64(0), draft.span[v] + more - longest)
        if cost < best:
            best, found, first, second = cost, int64(v), int64(i), int64(j)
    return found, first, second


@inlined_kernel
def longest_drafted(instance: Instance, routes: Routes, draft: Draft) -> Any:
    """The makespan; 0 where it does not matter."""
    longest = int64(0)
    if instance.rules[SPAN] != 0:
        for v in range(len(routes.span)):
            longest = max(longest, routes.span[v] if draft.state[v] == ABSENT else draft.span[v])
    return longest


@inlined_kernel
def _find_room(instance: Instance, draft: Draft, part: Any, order: Any, v: Any) -> None:
    """Find out what may be carried on legs, at the most, on which an order shall be, too."""
    for k in range(len(draft.room)):
        draft.room[k] = instance.fleet.capacity[v, k] - instance.load[part, order, k]


@inlined_kernel
def _is_full(draft: Draft, load: I64, c: Any) -> Any:
    """Whether more is carried on a leg, or on those left out behind it."""
    is_full = False
    for k in range(len(draft.room)):
        is_full = is_full or load[c, k] > draft.room[k]
    return is_full


@inlined_kernel
def _place_job(
    instance: Instance, draft: Draft, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The cheapest leg for a job: (more travel, leg, leg), ``NO_WAY`` if there is none below.

    All that is carried to it has to fit on each leg before it, what is carried on on each behind.
    """
    y = instance.delivery[order]
    best: Any = min(room + 1, int64(NO_WAY))
    found = int64(-1)
    timed = instance.rules[TIMED] != 0
    c = draft.first[v]
    begin = _first_with_room(instance, draft, order, v)
    _find_room(instance, draft, 0, order, v)
    is_open = False
    while c != no_leg(draft):
        is_open = is_open or c == begin
        if _is_full(draft, draft.load, c):
            break
        more = reach(instance, v, draft.x[c], y) + way(instance, v, y, draft.y[c]) - draft.leg[c]
        if is_open and more < best and not _blinks(trial.random):
            x, left = int64(draft.x[c]), draft.left[c]
            if not timed or _is_last_in_time(instance, draft, v, x, y, left, c):
                best, found = more, int64(c)
        if _is_full(draft, draft.gap, c):
            break
        c = draft.after[c]
    if found < 0:
        return int64(NO_WAY), found, found
    return best, found, found


@inlined_kernel
def _first_with_room(instance: Instance, draft: Draft, order: Any, v: Any) -> Any:
    """The first leg of a route from which on there is room for what a job has carried on."""
    c = draft.last[v]
    begin = int64(no_leg(draft))
    _find_room(instance, draft, 2, order, v)
    while c != no_leg(draft):
        if _is_full(draft, draft.gap, c) or _is_full(draft, draft.load, c):
            break
        begin = int64(c)
        c = draft.before[c]
    return begin


@inlined_kernel
def _in_time(instance: Instance, draft: Draft, v: Any, x: Any, arrival: Any, c: Any) -> Any:
    """Whether all can be done if the stop at the end of a leg is reached so, coming from x."""
    if c == draft.last[v]:
        return arrival <= instance.fleet.closes[v]
    t = finish(instance, v, x, int64(draft.y[c]), arrival)
    return 0 <= t <= draft.due[c]


@inlined_kernel
def _place_shipment(
    instance: Instance, draft: Draft, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The cheapest legs for a shipment: (more travel, leg of the pick-up, of the delivery).

    From the last leg to the first, with the best leg of the delivery so far: in linear time. A leg
    without room for the load ends what may come before it. A delivery without a place costs more
    than any pick-up may spare, since a leg may have no way where a stop was taken out.
    """
    p, d = instance.pickup[order], instance.delivery[order]
    pd = way(instance, v, p, d)
    best: Any = min(room + 1, int64(NO_WAY))
    first, second = int64(-1), int64(-1)
    cheapest: Any = int64(NO_COST)
    at = int64(-1)
    blink = trial.random[1]
    s = instance.fleet.speed[instance.fleet.kind[v]]
    _find_room(instance, draft, 1, order, v)
    c = draft.last[v]
    while c != no_leg(draft):
        blink -= 1
        if _is_full(draft, draft.gap, c):
            cheapest = int64(NO_COST)
        if _is_full(draft, draft.load, c):
            cheapest = int64(NO_COST)
        elif blink > 0:
            x, y = draft.x[c], draft.y[c]
            to_p, from_d = int64(instance.into[s, p, x]), int64(instance.out[s, d, y])
            before = to_p - draft.leg[c]
            together = before + pd + from_d
            if together < best:
                best, first, second = together, int64(c), int64(c)
            before += int64(instance.out[s, p, y]) + cheapest
            if before < best:
                best, first, second = before, int64(c), at
            from_d += int64(instance.into[s, d, x]) - draft.leg[c]
            if from_d < cheapest:
                cheapest, at = from_d, int64(c)
        else:
            blink = 1 + next_random(trial.random) % (2 * _BLINK_EVERY)
        c = draft.before[c]
    trial.random[1] = blink
    if first < 0:
        return int64(NO_WAY), first, second
    return best, first, second


@inlined_kernel
def _find_steps(instance: Instance, draft: Draft, trial: Trial, order: Any, v: Any) -> None:
    """What each stop of a shipment costs on each leg of a route."""
    p, d = instance.pickup[order], instance.delivery[order]
    cheapest: Any = int64(NO_COST)
    c = draft.last[v]
    while c != no_leg(draft):
        x, y, now = draft.x[c], draft.y[c], draft.leg[c]
        trial.before[c] = reach(instance, v, x, p) + way(instance, v, p, y) - now
        trial.second[c] = reach(instance, v, x, d) + way(instance, v, d, y) - now
        trial.after[c] = cheapest
        cheapest = min(cheapest, trial.second[c])
        c = draft.before[c]


@inlined_kernel
def _place_in_time(
    instance: Instance, draft: Draft, trial: Trial, order: Any, v: Any, room: Any
) -> Any:
    """The same where times are to be kept, by walking on from each leg that may be the cheapest.

    All legs of the route are in the draft then.
    """
    p, d = instance.pickup[order], instance.delivery[order]
    pd = way(instance, v, p, d)
    best: Any = min(room + 1, int64(NO_WAY))
    first, second = int64(-1), int64(-1)
    _find_room(instance, draft, 1, order, v)
    end = no_leg(draft)
    c = draft.first[v]
    while c != end:
        i, c = c, draft.after[c]
        alone, to = trial.before[i], reach(instance, v, draft.x[i], p)
        together = to + pd + way(instance, v, d, draft.y[i]) - draft.leg[i]
        if min(together, alone + trial.after[i]) >= best or _blinks(trial.random):
            continue
        if _is_full(draft, draft.load, i):
            continue
        t = finish(instance, v, int64(draft.x[i]), p, draft.left[i] + to)
        if t < 0:
            continue
        if together < best and _is_last_in_time(instance, draft, v, p, d, t, i):
            best, first, second = together, int64(i), int64(i)
        if alone + trial.after[i] >= best:
            continue
        x: Any = p
        j = i
        while draft.after[j] != end:
            y = int64(draft.y[j])
            t = finish(instance, v, x, y, t + way(instance, v, x, y))
            if t < 0 or t > draft.due[j]:
                break
            j, x = draft.after[j], y
            if _is_full(draft, draft.load, j):
                break
            more = alone + trial.second[j]
            if more >= best:
                continue
            then = finish(instance, v, x, d, t + way(instance, v, x, d))
            if then < 0:
                break
            on = way(instance, v, d, int64(draft.y[j]))
            if _in_time(instance, draft, v, d, then + on, j):
                best, first, second = more, int64(i), int64(j)
    if first < 0:
        return int64(NO_WAY), first, second
    return best, first, second


@inlined_kernel
def _is_last_in_time(
    instance: Instance, draft: Draft, v: Any, x: Any, d: Any, left: Any, c: Any
) -> Any:
    """Whether a job or delivery can be done on a leg if stop x before it is left then."""
    t = finish(instance, v, x, d, left + way(instance, v, x, d))
    on = way(instance, v, d, int64(draft.y[c]))
    return t >= 0 and _in_time(instance, draft, v, d, t + on, c)
