"""The legs of a matched piece of a trace: all but what they take is made when it is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

from gis.arrays import F64
from routing.details import DetailMaker
from routing.matching.matcher import Matched
from routing.places.nearest import PointQuery
from routing.route import Annotation, Directions, Leg
from routing.vehicle import Vehicle
from routing.weighting import Weighting


@dataclass
class LegsOfPiece:
    """Makes the legs; the lines of all of them are traced at once."""

    maker: DetailMaker
    vehicle: Vehicle
    weighting: Weighting
    piece: Matched
    given: Sequence[PointQuery]

    def between(self, ends: Sequence[int]) -> tuple[Leg, ...]:
        """The legs between those points that are ends, the first and the last among them."""
        if len(ends) < len(self.given):
            return tuple(self._whole(a, b) for a, b in pairwise(ends))
        return tuple(
            Leg.deferred(length / 100, duration / 100, weight / 100, partial(self._leg, i))
            for i, (weight, duration, length) in enumerate(self._measures)
        )

    def _whole(self, a: int, b: int) -> Leg:
        """A leg from one point to another, over those between."""
        piece, given = self.piece, self.given
        stretches = [piece.stretch(i) for i in range(a, b)]
        candidates = [piece.candidates(i) for i in range(a, b + 1)]
        around = (given[a].lon, given[a].lat), (given[b].lon, given[b].lat)
        return self.maker.leg(self.vehicle, self.weighting, stretches, candidates, around)

    @cached_property
    def _lines(self) -> tuple[F64, F64, list[int]]:
        """The points of all legs, and where each one's begin."""
        piece, first = self.piece, self.piece.first_leg
        of = piece.legs.first[first : first + len(piece.points)]
        return self.maker.lines(piece.legs.arc, of, piece.ends())

    @cached_property
    def _measures(self) -> list[tuple[int, int, int]]:
        """Weight, duration and length of every leg."""
        return list(zip(*(column.tolist() for column in self.piece.measures), strict=True))

    def _leg(self, i: int) -> Leg:
        """The leg from the i-th point to the next."""
        lon, lat, offset = self._lines
        of = slice(offset[i], offset[i + 1])
        weight, duration, length = self._measures[i]
        later = partial(self._annotation, i), partial(self._names, i), partial(self._directions, i)
        return Leg(length / 100, duration / 100, lon[of], lat[of], *later, weight / 100)

    def _annotation(self, i: int) -> Annotation:
        return self._whole(i, i + 1).annotation

    def _names(self, i: int) -> tuple[str, ...]:
        return self._whole(i, i + 1).names

    def _directions(self, i: int) -> Directions:
        return self._whole(i, i + 1).directions
