"""The steps of a leg: what a driver has to do, where, and what the roads are called."""

from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from gis.arrays import I64, U8, U16, Bool, freeze
from gis.jit import Settled
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import Mode
from gis.profiles.verdicts import RoadUse
from routing.graph.turn_graph import TurnGraph
from routing.guidance.book import Book, BookIsFullError
from routing.guidance.classify import Classifier
from routing.guidance.crossings import MAX_KNOWN, Crossings
from routing.guidance.drafts import Crossing
from routing.guidance.facts import RoadFacts
from routing.guidance.junctions import Junctions
from routing.guidance.lane_use import LaneUse, Road
from routing.guidance.leg_steps import LegSteps, Telling
from routing.guidance.passage import N_NEEDED, NEEDED, WITHIN, Passage
from routing.guidance.single_turns import SingleTurn, single_turns
from routing.guidance.slots import UNKNOWN
from routing.guidance.telling import Line, tell
from routing.guidance.trail import (
    Course,
    LegLine,
    Paths,
    ground_of,
    joints,
    new_course,
    paths_of,
    survey,
)
from routing.guidance.writing import Roads, Told
from routing.metric import Metric
from routing.pool import Pool

_USUAL_ARCS = 512
_MOST_KEPT = 1 << 14
"""Scratch for longer legs is not kept."""

_survey, _tell = Settled(survey), Settled(tell)

Described: TypeAlias = tuple[LegSteps, str]
"""The steps of a leg and its summary."""


class Guide:
    """Describes the legs of one vehicle's routes; threads may share it."""

    def __init__(
        self,
        network: RoadNetwork,
        roads: RoadUse,
        graph: TurnGraph,
        arc_flags: U8 | None = None,
        limit: int = MAX_KNOWN,
    ) -> None:
        flags = freeze(np.zeros(network.n_arcs, np.uint8)) if arc_flags is None else arc_flags
        self._network, self._graph = network, graph
        self._facts = RoadFacts(network, roads, flags)
        self._ground = ground_of(network, roads, graph)
        self._junctions = Junctions(network, roads, graph, open_arcs(network, roads))
        self._classifier = Classifier(self._facts, self._junctions)
        self._lane_use = LaneUse(self._facts, self._junctions, self._classifier.say)
        self._crossings = Crossings(
            self._facts, self._junctions, self._classifier, self._lane_use, limit
        )
        self._new_book = partial(Book, len(network.labels), roads.classes)
        self._limit = limit
        self._book = self._new_book(limit)
        restricted = self._facts.restricted_bit
        classes = roads.forward_classes, roads.backward_classes
        of_roads = Roads(network.edge_left_hand, network.edge_tagset, *classes, flags, restricted)
        self._telling = Telling(self._facts, self._crossings, of_roads)
        self._courses = Pool(partial(new_course, _USUAL_ARCS))

    def steps(self, leg: LegLine, metric: Metric) -> Described:
        """The steps of a leg, as long as its roads take by a metric, and the leg's summary."""
        paths = paths_of(leg.paths)
        k = len(paths.arc)
        course = self._courses.take()
        if k > len(course.arc):
            course = new_course(2 * k)
        turn_cost = metric.turn_costs(self._graph.turn_cost)
        book, limit = self._book, self._limit
        while True:
            try:
                found = self._describe(book, leg, paths, turn_cost, course)
            except BookIsFullError:
                # Others may be reading the old one; a leg that fills a whole one has its own.
                book = self._new_book(limit)
                if limit == self._limit:
                    self._book = book
                limit *= 2
                continue
            break
        if len(course.arc) <= _MOST_KEPT:
            self._courses.give_back(course)
        return found

    def _describe(
        self, book: Book, leg: LegLine, paths: Paths, turn_cost: U16, course: Course
    ) -> Described:
        k = len(paths.arc)
        n_facing, is_known = _survey(self._ground, turn_cost, paths, book.names, course)
        while not is_known:
            self._complete(book, course, k)
            n_facing, is_known = _survey(self._ground, turn_cost, paths, book.names, course)
        if len(leg.paths) > 1:
            course.record[joints(leg.paths)] = WITHIN
        if n_facing:
            self._draw_lanes(book, course, k, course.facing[:n_facing].tolist())
        line = Line(leg.lon, leg.lat, leg.first_point, np.array((leg.begin, leg.goal)))
        passage = Passage(
            course.texts, course.metres, course.draft, course.passed, course.counts, *book.pages
        )
        total = np.empty((k + 1, 3))
        while True:
            is_known, *main = _tell(passage, course, line, k, total)
            if is_known:
                break
            n = course.counts[N_NEEDED]
            book.add_needed(course.counts[NEEDED : NEEDED + n].tolist())
        n, m = course.counts[:2].tolist()
        told = Told(
            total[:n],
            course.draft[:n].copy(),
            course.passed[:m].copy(),
            course.arc[:k].copy(),
            course.mode[:k].copy(),
        )
        titles = [book.titles[title] for title in main if title]
        return LegSteps(self._telling, book, told, line), ", ".join(titles)

    def _complete(self, book: Book, course: Course, k: int) -> None:
        """Find out what is not yet known of the crossings and the roads of a leg."""
        arcs = course.arc[:k]
        facts, names = self._facts, book.names
        for arc in arcs[course.texts[:k] == 0].tolist():
            oneway = facts.is_oneway(arc)
            names.text_of[facts.label(arc) * 4 + (arc & 1) * 2 + oneway] = book.text(
                facts.texts(arc)
            )
        labels = [facts.label(arc) for arc in arcs[course.title[:k] == 0].tolist()]
        for label, title in zip(labels, facts.titles(labels), strict=True):
            names.title_of[label] = book.title(title)
        new = np.flatnonzero(course.record[:k] == UNKNOWN)
        pairs = np.stack((arcs[new - 1], arcs[new]), axis=1)
        keys = ((pairs[:, 0] << 32 | pairs[:, 1]) + 1).tolist()
        book.add_crossings(keys, self._crossings.between(pairs))

    def _draw_lanes(self, book: Book, course: Course, k: int, facing: Sequence[int]) -> None:
        """Fill the lanes that are drawn before another crossing."""
        arcs = course.arc[:k]

        def crossing(at: int) -> Crossing | None:
            if course.record[at] == WITHIN:
                return None
            (found,) = self._crossings.along(arcs[at - 1 : at + 1])
            return found

        road = Road(arcs.tolist(), course.metres[: k + 1].tolist(), crossing)
        chosen = [at for at in facing if course.record[at] > WITHIN]
        for at, lanes in self._lane_use.drawn_before(road, chosen).items():
            course.lanes[at] = book.lanes(lanes)

    def single_turns(self, arcs: I64) -> list[SingleTurn]:
        """What turns demand, each by itself: from the first to the second arc of (n, 2)."""
        return single_turns(self._junctions, self._classifier, arcs)


def open_arcs(network: RoadNetwork, roads: RoadUse) -> Bool:
    """Which arcs the vehicle may use at all, bool (A,), whatever they weigh."""
    is_open = np.empty(network.n_arcs, np.bool_)
    is_open[0::2] = (roads.forward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    is_open[1::2] = (roads.backward_mode != Mode.INACCESSIBLE)[network.edge_tagset]
    return freeze(is_open)
