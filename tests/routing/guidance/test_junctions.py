"""Roads at crossings: where they lead, which may be entered, and what plainly goes on."""

import numpy as np
import pytest
from drawn import Case, engine_for
from drawn_ramps import CASES as RAMPS
from drawn_rings import CASES as ROUNDABOUTS
from drawn_turns import CASES as TURNS
from world import spell_arcs

from gis.arrays import I64
from gis.network.road_network import RoadNetwork
from routing.graph.turn_graph import TurnGraph
from routing.guidance.classify import Classifier
from routing.guidance.drafts import STRAIGHT, SUPPRESSED, Crossing, Road
from routing.guidance.facts import RoadFacts
from routing.guidance.guide import open_arcs
from routing.guidance.junctions import NO_ROAD, Junctions
from routing.guidance.silent import NOTHING, SILENT


class Town:
    """A world with all that guidance knows of it."""

    def __init__(self, case: Case) -> None:
        self.world, engine = engine_for(case)
        self.network: RoadNetwork = engine._network
        prepared = engine._vehicles[case.profile].prepared
        self.graph: TurnGraph = prepared.turn_graph
        self.facts = RoadFacts(self.network, prepared.roads)
        is_open = open_arcs(self.network, prepared.roads)
        self.junctions = Junctions(self.network, prepared.roads, self.graph, is_open)
        self.spelled = spell_arcs(self.network)

    def arc(self, letters: str) -> int:
        """An arc by its letters."""
        return self.spelled.index(letters)

    def crossing(self, before: str, after: str) -> Crossing:
        """The crossing between two arcs."""
        pairs = np.array([(self.arc(before), self.arc(after))], np.int64)
        (crossing,) = self.junctions.between(pairs)
        assert crossing is not None
        return crossing


def bearing(case: Case, arc: str) -> float:
    """The bearing of an arc as it is perceived."""
    town = Town(case)
    return town.junctions.bearing(town.arc(arc))


SHAPES: dict[str, tuple[str, str, str, float, float]] = {
    "straight": ("a - - - - b", "ab", "ab", 90.0, 10.0),
    "north": (
        """
        b
        |
        a
        """,
        "ab",
        "ab",
        0.0,
        10.0,
    ),
    "a kink of two metres does not count": (
        """
         x - - - - - - - - - - - - - b
        a
        """,
        "axb",
        "axb",
        90.0,
        1.0,
    ),
    "a corner after twenty metres does": (
        """
        x - - - - b
        |
        |
        a
        """,
        "axb",
        "axb",
        0.0,
        10.0,
    ),
    "a wobble is smoothed": (
        """
            x       z
        a       y       b
        """,
        "axyzb",
        "axyzb",
        90.0,
        1.0,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_perceived_bearings(name: str) -> None:
    """What a driver sees of a road is its direction beyond the first metres."""
    drawing, way, arc, expected, metres = SHAPES[name]
    case = Case(drawing, f"{way} highway=tertiary", "", metres=metres)
    off = (bearing(case, arc) - expected + 180.0) % 360.0 - 180.0
    assert abs(off) < 12.0


def test_beyond_a_node_of_the_same_road() -> None:
    """A road goes on where only traffic lights part it."""
    drawing = """
     x - - - - - - - - - - - - - b
    a
    """
    whole = Case(drawing, "axb highway=tertiary", "", metres=1.0)
    parted = whole._replace(nodes="x highway=traffic_signals")
    assert "ax" in Town(parted).spelled
    assert bearing(parted, "ax") == pytest.approx(bearing(whole, "axb"), abs=0.1)


CROSS = """
    b
    |
a - c - d
    |
    e
"""


def test_roads_and_entries() -> None:
    """Roads stand clockwise from north; closed are the way back, one-ways and forbidden turns."""
    case = Case(
        CROSS,
        """
        ac
        bc oneway=yes
        cd
        ce
        """,
        "",
        relations="restriction=no_right_turn from:ac via:c to:ce",
    )
    town = Town(case)
    crossing = town.crossing("ac", "cd")
    assert [town.spelled[road.arc] for road in crossing.roads] == ["cb", "cd", "ce", "ca"]
    assert [road.entry for road in crossing.roads] == [False, True, False, False]
    assert [round(road.bearing) for road in crossing.roads] == [0, 90, 180, 270]
    assert (crossing.came_in, crossing.out) == (3, 1)
    assert [round(crossing.angle(i)) for i in range(4)] == [270, 180, 90, 0]


def test_ahead() -> None:
    """The next crossing is found beyond nodes where only the road itself goes on."""
    drawing = """
            d
            |
    a - b - c - e
    """
    case = Case(drawing, "abce\ndc", "", nodes="b highway=traffic_signals")
    town = Town(case)
    crossing = town.junctions.ahead(town.arc("ab"))
    assert crossing is not None and crossing.came_in is not None and crossing.out is None
    assert town.spelled[crossing.roads[crossing.came_in].arc] == "cb"
    assert town.junctions.ahead(town.arc("ce")) is None


def naive_crossing(town: Town, before: int, after: int) -> Crossing:
    """A crossing from what is found, whatever it says of itself."""
    found, node = town.junctions.find(np.array([(before, after)], np.int64))
    roads = [
        Road(*values)
        for values in zip(
            found.arc.tolist(), found.bearing.tolist(), found.entry.tolist(), strict=True
        )
    ][: int(found.first[1])]
    return Crossing(int(node[0]), roads, int(found.came_in[0]), int(found.out[0]))


@pytest.mark.parametrize(
    "case", [*TURNS.values(), *ROUNDABOUTS.values(), *RAMPS.values()], ids=lambda case: ""
)
def test_plain_ways(case: Case) -> None:
    """Where it is known at once that nothing is to be said, the long way comes to the same."""
    town = Town(case)
    classifier = Classifier(town.facts, town.junctions)
    for before, after in turns_of(town.graph):
        found, _ = town.junctions.find(np.array([(before, after)], np.int64))
        plain = int(found.plain[0])
        if plain in (SILENT, NOTHING) and NO_ROAD not in (found.came_in[0], found.out[0]):
            said = classifier.classify(naive_crossing(town, before, after), before, after)
            assert said == (None if plain == NOTHING else (SUPPRESSED, STRAIGHT, 0))


def turns_of(graph: TurnGraph) -> list[tuple[int, int]]:
    """All turns between arcs, as pairs."""
    first: I64 = graph.first_turn.astype(np.int64)
    tails = np.repeat(np.arange(len(first) - 1), np.diff(first))
    arcs = graph.vertex_arc[tails].tolist(), graph.vertex_arc[graph.turn_head].tolist()
    return list(zip(*arcs, strict=True))


@pytest.mark.parametrize("case", [*TURNS.values(), *RAMPS.values()], ids=lambda case: "")
def test_roads_against_the_network(case: Case) -> None:
    """The roads of a crossing are all open ones at its node, their entries the graph's turns."""
    town = Town(case)
    allowed = set(turns_of(town.graph))
    tails = town.network.edge_tail.tolist(), town.network.edge_head.tolist()
    for before, after in sorted(allowed):
        crossing = naive_crossing(town, before, after)
        node = tails[0 if before & 1 else 1][before >> 1]
        leaving = [arc for arc in range(town.network.n_arcs) if tails[arc & 1][arc >> 1] == node]
        is_open = [arc for arc in leaving if town.facts.is_open(arc) or town.facts.is_open(arc ^ 1)]
        assert sorted(road.arc for road in crossing.roads) == is_open
        assert crossing.node == node
        bearings = [road.bearing for road in crossing.roads]
        assert bearings == sorted(bearings) and all(0.0 <= b < 360.0 for b in bearings)
        for road in crossing.roads:
            assert road.entry == ((before, road.arc) in allowed)
        assert crossing.came_in is not None and crossing.out is not None
        assert crossing.roads[crossing.came_in].arc == before ^ 1
        assert crossing.roads[crossing.out].arc == after
