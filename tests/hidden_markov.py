"""The hidden Markov model in plain Python: brute force, and nothing of the code it checks."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from hierarchies import best_between, key_steps

from gis.geodesy import distance_m, metres_per_unit, project_on_segment
from routing.engine import Engine
from routing.search.seeds import Place, source_seeds, target_seeds

BETA_M, TURN_COST, DETOUR_M, SPEED_M_S, BROKEN = 10.0, 8.0, 2000.0, 50.0, 10


class State(NamedTuple):
    """An arc, the fraction of it that is nearest to a point, and how far that is."""

    arc: int
    fraction: float
    distance_m: float


class Belief(NamedTuple):
    """The best way to a state: its likelihood, where it stands, and the points it is over."""

    value: float
    place: float
    points: tuple[int, ...]


class NaiveModel:
    """A trace over the roads of an engine's only vehicle. Points in 1e-7 degree."""

    def __init__(
        self,
        engine: Engine,
        points: Sequence[tuple[int, int]],
        sigma_m: float,
        may_turn: Sequence[bool],
        times_s: Sequence[int] | None = None,
    ) -> None:
        _, self.weighting = engine._vehicle(None)
        self.network = engine._network
        self.points, self.sigma_m, self.may_turn, self.times_s = points, sigma_m, may_turn, times_s
        self.steps = key_steps(self.weighting.graph, self.weighting.metric)
        self.known: dict[tuple[int, float, int, float], float | None] = {}
        self.states = [self.states_of(*point) for point in points]

    def states_of(self, lon: int, lat: int) -> list[State]:
        """Every open arc whose nearest place is within the radius."""
        found = []
        network = self.network
        for edge in range(network.n_edges):
            first, stop = network.first_point[edge], network.first_point[edge + 1]
            shape = [
                (int(network.point_lon[p]), int(network.point_lat[p])) for p in range(first, stop)
            ]
            away_m, fraction = _nearest_on(shape, lon, lat)
            if away_m <= 3 * self.sigma_m:
                for arc, part in ((2 * edge, fraction), (2 * edge + 1, 1 - fraction)):
                    flags = int(self.weighting.ground.arc_flags[arc])
                    if flags & 1 and flags & 8:
                        found.append(State(arc, part, away_m))
        return found

    def way_m(self, a: int, start: float, b: int, end: float) -> float | None:
        """Metres of the cheapest way between two places, that leaves the first arc."""
        key = a, start, b, end
        if key not in self.known:
            graph, metric = self.weighting.graph, self.weighting.metric
            copies = [v for v in range(graph.n_vertices) if int(graph.vertex_arc[v]) == b]
            sources = source_seeds(graph, metric, [Place(a, start)])
            targets = target_seeds(graph, metric, [Place(v, end) for v in copies])
            rows = [
                list(zip(*(column.tolist() for column in seeds[:4]), strict=True))
                for seeds in (sources, targets)
            ]
            best = best_between(self.steps, *rows)
            length = None if best is None else best[2 if metric.has_durations else 1] / 100
            self.known[key] = length
        return self.known[key]

    def step(self, before: int, point: int, belief: Belief, a: State, b: State) -> Belief | None:
        """How likely a way from a state is that leads to another, and where it ends."""
        straight_m = distance_m(*self.points[before], *self.points[point])
        straight_m = math.sqrt(max(straight_m**2 - 4 * self.sigma_m**2, 0))
        off_m, place = 0.0, b.fraction
        length_m: float | None
        if a.arc == b.arc:
            arc_m = int(self.weighting.metric.length_cm[a.arc]) / 100
            length_m = (b.fraction - belief.place) * arc_m
            if length_m < 0:
                off_m, length_m = -length_m, 0.0
                if math.hypot(b.distance_m, off_m) <= 3 * self.sigma_m:
                    place = belief.place
                else:
                    off_m = 0.0
                    length_m = self.way_m(a.arc, belief.place, b.arc, b.fraction)
        else:
            length_m = self.way_m(a.arc, belief.place, b.arc, b.fraction)
        most_m = DETOUR_M
        if self.times_s is not None:
            step_s = max(self.times_s[point] - self.times_s[before], 1)
            most_m = SPEED_M_S * step_s + 6 * self.sigma_m
        if length_m is None or abs(length_m - straight_m) >= most_m:
            return None
        value = belief.value + self.fit(b, off_m) - abs(length_m - straight_m) / BETA_M
        return Belief(value, place, (*belief.points, point))

    def fit(self, state: State, off_m: float = 0.0) -> float:
        """How well a state fits its point."""
        return -0.5 * (state.distance_m**2 + off_m**2) / self.sigma_m**2

    def leaving(self, point: int, beliefs: dict[State, Belief]) -> dict[State, Belief]:
        """The states as which a point is left: where one may have turned, also the other way."""
        found = dict(beliefs)
        for state, belief in beliefs.items():
            mate = next((s for s in self.states[point] if s.arc == state.arc ^ 1), None)
            if self.may_turn[point] and mate is not None:
                turned = Belief(belief.value - TURN_COST, 1 - belief.place, belief.points)
                if mate not in beliefs or turned.value > beliefs[mate].value:
                    found[mate] = turned
        return found

    def advance(self, before: int, point: int, beliefs: dict[State, Belief]) -> Any:
        """The best ways to the states of a point."""
        found: dict[State, Belief] = {}
        for a, belief in self.leaving(before, beliefs).items():
            for b in self.states[point]:
                reached = self.step(before, point, belief, a, b)
                if reached is not None and (b not in found or reached.value > found[b].value):
                    found[b] = reached
        return found

    def match(self) -> list[tuple[tuple[int, ...], float]]:
        """For each matching its points and how likely it is."""
        matchings = []
        start, n = 0, len(self.points)
        while start < n:
            if not self.states[start]:
                start += 1
                continue
            chain = [
                (start, {s: Belief(self.fit(s), s.fraction, (start,)) for s in self.states[start]})
            ]
            last, broken = chain[0], n
            for t in range(start + 1, n):
                if t - chain[-1][0] > BROKEN:
                    broken = min(broken, t)
                    break
                if not self.states[t]:
                    continue
                found = self.advance(chain[-1][0], t, chain[-1][1])
                if not found and broken < n:
                    chain.pop()
                    if not chain:
                        break
                    found = self.advance(chain[-1][0], t, chain[-1][1])
                if found:
                    last, broken = (t, found), n
                    chain.append(last)
                else:
                    broken = min(broken, t)
            best = max(last[1].values(), key=lambda belief: belief.value)
            if len(best.points) > 1:
                matchings.append((best.points, best.value))
            start = broken
        return matchings


def _nearest_on(shape: Sequence[tuple[int, int]], lon: int, lat: int) -> tuple[float, float]:
    """How far a line is from a point, and the fraction of it that lies before the nearest place."""
    x_m, y_m = metres_per_unit(float(lat))
    lengths = [distance_m(*a, *b) for a, b in pairwise(shape)]
    best, best_at, before = math.inf, 0.0, 0.0
    for (a, b), length in zip(pairwise(shape), lengths, strict=True):
        ends = [((x - lon) * x_m, (y - lat) * y_m) for x, y in (a, b)]
        part = project_on_segment(*ends[0], *ends[1])
        place = round(a[0] + part * (b[0] - a[0])), round(a[1] + part * (b[1] - a[1]))
        away = math.hypot((place[0] - lon) * x_m, (place[1] - lat) * y_m)
        if away < best:
            best, best_at = away, before + part * length
        before += length
    return best, best_at / before if before else 0.0
