"""All that answers for one vehicle: its graph, its weights, and scratch for every thread."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from gis.arrays import I64, INF, U32
from gis.network.road_network import RoadNetwork
from gis.snap import Snap
from gis.snap_index import SnapIndex
from routing.assemble import End, PathOfArcs
from routing.cch.customize import Customizer
from routing.cch.phast import Sweeper
from routing.cch.query import run_query
from routing.cch.table import Table, travel_table
from routing.cch.weights import Weights, check_alike
from routing.changes.road_changes import bounds_hold
from routing.direct import DirectFinder
from routing.errors import InvalidInput, NoRoute
from routing.graph.components import Components, flags_where_open
from routing.graph.turn_graph import TurnGraph
from routing.inputs import ALGORITHMS
from routing.many.matrix import (
    Group,
    islands,
    joined_positions,
    mend_stays,
    nearest_positions,
    seed_groups,
)
from routing.many.pairs import seeding
from routing.matching.matcher import Matcher
from routing.metric import DistanceMetric, Metric, distance_metric, reduced_to_duration
from routing.places.candidates import CandidateFinder, Candidates
from routing.places.positions import Ground, Positions
from routing.scratch import Scratch
from routing.search.chain import BrokenChainError, ChainFinder, Search, Stretch
from routing.search.dijkstra import dijkstra
from routing.search.driven import driven
from routing.search.landmarks import alt_query
from routing.search.seeds import Path, Seeds
from routing.store import PreparedProfile
from routing.weighting import Weighting


class Vehicle:
    """Answers for one profile. Its methods may be called from several threads at once."""

    def __init__(self, prepared: PreparedProfile, network: RoadNetwork, index: SnapIndex) -> None:
        self.prepared = prepared
        self._network = network
        self._index = index
        self.weighting = self.weigh(prepared.metric, prepared.weights)
        self.scratch = Scratch(prepared, self.weighting.ground)

    @property
    def weight_name(self) -> str:
        """What routes minimise, as the profile calls it."""
        return self.prepared.roads.weight_name[0]

    def weigh(
        self,
        metric: Metric,
        weights: Weights | None,
        graph: TurnGraph | None = None,
        components: Components | None = None,
    ) -> Weighting:
        """A metric, and the hierarchy's weights for it, as searches want them.

        ``graph`` and ``components`` are those of the dataset unless others are given.
        """
        if weights is not None:
            check_alike(weights, self.prepared.hierarchy)
        own = self.prepared
        graph, components = graph or own.turn_graph, components or own.components
        if metric is not own.metric:
            flags = flags_where_open(components.arc_flags, metric.weight)
            components = replace(components, arc_flags=flags)
        return Weighting(
            graph,
            metric,
            weights,
            seeding(graph, metric, components.arc_component),
            Ground(self._index, components.arc_flags),
            CandidateFinder(self._index, components),
            not isinstance(metric, DistanceMetric) and bounds_hold(own.metric, metric),
            own.roads,
        )

    @cached_property
    def direct(self) -> DirectFinder:
        """Routes between two points by the hierarchy."""
        return DirectFinder(self.prepared, self.weighting, self.scratch)

    @cached_property
    def matcher(self) -> Matcher:
        """Traces on the roads."""
        return Matcher(self.prepared.hierarchy, self.scratch)

    @cached_property
    def customizer(self) -> Customizer:
        """What customizations share; made when the first is asked for."""
        return Customizer.of(self.prepared.turn_graph, self.prepared.hierarchy)

    @cached_property
    def _by_distance(self) -> Weighting:
        """The roads by their lengths in decimetres; made when first asked for."""
        return self._reduced_to_distance(self.weighting)

    @cached_property
    def _weights_by_distance(self) -> Weights:
        return self.customizer.customize(self._by_distance.metric)

    def reduced_to_distance(self, weighting: Weighting) -> Weighting:
        """The same roads by their lengths in decimetres, without weights of the hierarchy."""
        if weighting is self.weighting:
            return self._by_distance
        return self._reduced_to_distance(weighting)

    def _reduced_to_distance(self, weighting: Weighting) -> Weighting:
        return _unprepared(weighting, distance_metric(self._network, weighting.metric))

    @cached_property
    def _by_duration(self) -> Weighting:
        """The roads by their durations, if these are not the weights; made when first asked for."""
        return _unprepared(self.weighting, reduced_to_duration(self.weighting.metric))

    @cached_property
    def _weights_by_duration(self) -> Weights:
        return self.customizer.customize(self._by_duration.metric)

    def reduced_to_duration(self, weighting: Weighting) -> Weighting:
        """The same roads by their durations, without weights of the hierarchy unless it has them.

        What can be reached in some time is reached the fastest way, not the one that is liked best.
        """
        if not weighting.metric.has_durations:
            return weighting
        if weighting is self.weighting:
            return self._by_duration
        return _unprepared(weighting, reduced_to_duration(weighting.metric))

    def weights_of(self, weighting: Weighting) -> Weights | None:
        """The hierarchy's weights; those by distance or duration are made when first needed."""
        if weighting.weights is not None:
            return weighting.weights
        if weighting is self._by_duration:
            return self._weights_by_duration
        return self._weights_by_distance if weighting is self._by_distance else None

    @cached_property
    def sweeper(self) -> Sweeper:
        """What sweeps share; made when the first is asked for."""
        return Sweeper.of(self.prepared.hierarchy)

    def search(self, algorithm: str, weighting: Weighting) -> Search:
        """A search by its name, or the next best one that these weights allow."""
        hierarchy, landmarks = self.prepared.hierarchy, self.prepared.landmarks
        graph, metric, weights = weighting.graph, weighting.metric, weighting.weights
        if algorithm not in ALGORITHMS:
            raise InvalidInput(f"no algorithm {algorithm!r}; there is: {', '.join(ALGORITHMS)}")

        def search(sources: Seeds, targets: Seeds) -> Path:
            ends = sources, targets
            if algorithm == "hierarchy" and weights is not None:
                return self.scratch.route.use(
                    lambda scratch: run_query(scratch.pairs.query, hierarchy, weights, *ends)
                )
            if algorithm != "dijkstra" and weighting.landmarks_hold:
                return self.scratch.search.use(
                    lambda state: alt_query(state, graph, metric, landmarks, *ends)
                )
            return self.scratch.search.use(lambda state: dijkstra(state, graph, metric, *ends))

        return search

    def table(
        self,
        weighting: Weighting,
        positions: Positions,
        sources: I64,
        targets: I64,
        with_length: bool,
        threads: int | None = None,
    ) -> Table:
        """A table of the routes between located points, rows (n,), (m,).

        It has durations, and lengths if wanted, for `table_measures`.
        """
        from_points = joined_positions(positions, sources)
        to_points = joined_positions(positions, targets)
        table = self._table(weighting, positions, from_points, to_points, with_length, threads)
        rows, columns, meant = islands(weighting.seeding, positions, sources, targets)
        if meant.any():
            near = self._table(
                weighting,
                positions,
                nearest_positions(positions, sources[rows]),
                nearest_positions(positions, targets[columns]),
                with_length,
                threads,
            )
            at = np.nonzero(meant & (near.weight < INF))
            cells = rows[at[0]], columns[at[1]]
            for whole, part in zip(table, near, strict=True):
                if part.size:
                    whole[cells] = part[at]
        return table

    @staticmethod
    def table_measures(weighting: Weighting, table: Table) -> tuple[U32, U32]:
        """Durations (n, m), INF where there is no route, and lengths if there are any, else (0, 0).

        The table may be changed.
        """
        if not weighting.metric.has_durations:
            return table.weight, table.second
        np.putmask(table.second, table.weight >= INF, np.uint32(INF))
        return table.second, table.third

    def _table(
        self,
        weighting: Weighting,
        positions: Positions,
        sources: Group,
        targets: Group,
        with_length: bool,
        threads: int | None,
    ) -> Table:
        """A table between chosen positions of some points."""
        assert weighting.weights is not None
        seeding, own = weighting.seeding, weighting.metric.has_durations
        state = self.scratch.table.take()
        table = travel_table(
            state,
            self.prepared.hierarchy,
            weighting.weights,
            seed_groups(seeding, positions, sources, as_sources=True),
            seed_groups(seeding, positions, targets, as_sources=False),
            own or with_length,
            own and with_length,
            threads,
        )
        self.scratch.table.give_back(state)
        for array in table:
            array.flags.writeable = True
        mend_stays(seeding, positions, sources, targets, table)
        return table

    def chain(
        self,
        search: Search,
        weighting: Weighting,
        versions: Sequence[Sequence[Candidates]],
        straight: bool,
    ) -> tuple[Sequence[Stretch], Sequence[Candidates]]:
        """The best route over the first candidates that are connected, and which they are."""
        finder = ChainFinder(search, weighting.graph, weighting.metric)
        for candidates in versions:
            try:
                return finder.find([found.positions for found in candidates], straight), candidates
            except BrokenChainError as error:
                leg = error.leg
        component = weighting.seeding.arc_component
        begin, end = (
            {int(component[p.arc]) for p in found.positions} for found in candidates[leg : leg + 2]
        )
        raise NoRoute(f"{'No route found' if begin & end else 'Impossible route'} between points")

    def path(self, weighting: Weighting, stretch: Stretch, begin: Snap, goal: Snap) -> PathOfArcs:
        """A stretch with what each of its arcs takes.

        Turns count alike in weight and duration, so the weight tells what they take.
        """
        metric, arcs = weighting.metric, stretch.arcs
        start, end = stretch.start.fraction, stretch.end.fraction
        weights, durations, slower_cs, length_cm = driven(metric, arcs, start, end)
        return PathOfArcs(
            arcs,
            durations,
            End(start, begin.lon, begin.lat),
            End(end, goal.lon, goal.lat),
            stretch.cost + slower_cs,
            length_cm,
            weights,
            stretch.cost,
            weighting.live_arcs,
        )


def _unprepared(weighting: Weighting, metric: Metric) -> Weighting:
    """The same roads by another metric, for which nothing is prepared."""
    return replace(weighting, metric=metric, weights=None, landmarks_hold=False)
