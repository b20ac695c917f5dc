"""Which positions on roads an input point may stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from gis.snap import ANY_SIDE, BACKWARD, FORWARD, Snap
from gis.snap_index import SnapIndex
from routing.errors import NoSegment
from routing.graph.components import ARC_OPEN, ARC_STARTPOINT, CONNECTED, Components
from routing.places.nearest import NearestFinder, PointQuery
from routing.places.positions import Ground
from routing.search.seeds import Position


@dataclass(frozen=True)
class Candidates:
    """The positions that a point may stand for, by the snap that each lies on."""

    snaps: Sequence[Snap]
    positions: Sequence[Position]

    def snap_at(self, position: Position) -> Snap:
        """The snap of one of the positions, whichever its direction."""
        return next(snap for snap in self.snaps if snap.edge == position.arc >> 1)


class CandidateFinder:
    """Finds the candidates for the points of a route."""

    def __init__(self, index: SnapIndex, components: Components) -> None:
        self._nearest = NearestFinder(Ground(index, components.arc_flags))
        self._flags = components.arc_flags
        self._component = components.arc_component

    def nearest(self, query: PointQuery, anywhere: bool, number: int = 1) -> list[Snap]:
        """The nearest positions on ``number`` roads, and on those as near as the last of them.

        Only where the profile lets routes begin and end, unless ``anywhere``.
        """
        return self._nearest.find(
            query, ARC_OPEN if anywhere else ARC_OPEN | ARC_STARTPOINT, number
        )

    def choose(self, queries: Sequence[PointQuery], anywhere: bool) -> list[list[Candidates]]:
        """Candidates for every point of a route, in one version or two, the better one first.

        A point stands for the nearest road that can be reached from a big component and leads to
        one. If a nearer road is in a small component, all points are on it only if it is the
        nearest of each.
        Raises ``NoSegment`` where there is no road within the radius.
        """
        near = []
        for i, query in enumerate(queries):
            snaps = self.nearest(query, anywhere)
            if not snaps:
                raise NoSegment(i)
            near.append(Candidates(snaps, [p for snap in snaps for p in _positions(snap)]))
        connected = [
            self._connected(query, candidates, anywhere)
            for query, candidates in zip(queries, near, strict=True)
        ]
        if all(c is n for c, n in zip(connected, near, strict=True)):
            return [near]
        shared = reduce(set.intersection, (self._components_of(c) for c in near))
        return [near, connected] if shared else [connected]

    def _connected(self, query: PointQuery, near: Candidates, anywhere: bool) -> Candidates:
        """The candidates nearest to a point that are joined to a big component.

        It is enough if one direction of a road is.
        """
        if any(self._flags[p.arc] & CONNECTED == CONNECTED for p in near.positions):
            return near
        mask = CONNECTED if anywhere else CONNECTED | ARC_STARTPOINT
        snaps = self._nearest.find(query, mask, 1)
        if not snaps:
            return near
        if query.bearing is None and query.side == ANY_SIDE:
            snaps = [snap._replace(directions=self._open_directions(snap.edge)) for snap in snaps]
        return Candidates(snaps, [p for snap in snaps for p in _positions(snap)])

    def _open_directions(self, edge: int) -> int:
        forward, backward = self._flags[2 * edge : 2 * edge + 2] & ARC_OPEN
        return FORWARD * int(forward) | BACKWARD * int(backward)

    def _components_of(self, candidates: Candidates) -> set[int]:
        return {int(self._component[p.arc]) for p in candidates.positions}


def _positions(snap: Snap) -> list[Position]:
    """The positions of a snap along the arcs that qualify."""
    positions = []
    if snap.directions & FORWARD:
        positions.append(Position(2 * snap.edge, snap.fraction))
    if snap.directions & BACKWARD:
        positions.append(Position(2 * snap.edge + 1, 1 - snap.fraction))
    return positions
