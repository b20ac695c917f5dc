"""Relations to paths of arcs: the sound ones, the odd ones, and what is told of the others."""

from dataclasses import replace

import pytest
from world import PLAIN, World, spell_restrictions

CROSSING = """
        c
        |
    a - b - d
        |
        e
"""
FOUR_ROADS = """
    ab highway=x
    bc highway=x
    db highway=x
    be highway=x
"""
CARRIAGEWAYS = """
    a - b - c
        |
        g
        |
    d - e - f
"""


def resolve(drawing: str, ways: str, relation: str) -> tuple[list[str], list[str]]:
    """The paths of one relation, and the reasons why it was dropped."""
    network, report = World(drawing, ways, relations=relation).network()
    dropped = report.restrictions.dropped
    assert report.restrictions.kept + sum(map(len, dropped.values())) == 1
    assert bool(network.restrictions.relation_id.tolist()) == bool(report.restrictions.kept)
    return spell_restrictions(network), list(dropped)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        pytest.param("no_left_turn from:ab via:b to:bc", "ab-bc", id="plain"),
        pytest.param("no_left_turn to:bc from:ab via:b", "ab-bc", id="members in any order"),
        pytest.param("no_left_turn from:bc via:b to:ab", "cb-ba", id="against the ways"),
        pytest.param("no_left_turn from:db via:b to:be", "db-be", id="the other way round"),
        pytest.param("only_straight_on from:ab via:b to:db", "ab-bd", id="mandatory"),
        pytest.param("no_u_turn from:ab via:b to:ab", "ab-ba", id="u-turn"),
        pytest.param("no_entry from:ab from:bc via:b to:be", "ab-be cb-be", id="several froms"),
        pytest.param("no_exit from:ab via:b to:bc to:be", "ab-bc ab-be", id="several tos"),
        pytest.param("only_left_turn from:ab from:db via:b to:bc", "ab-bc db-bc", id="all one to"),
        pytest.param("no_turn from:ab from:ab via:b via:b to:bc", "ab-bc", id="said twice"),
        pytest.param("no_turn from:ab via:b to:bc location_hint:d :e", "ab-bc", id="other roles"),
        pytest.param("no_turn from:ab from:a via:b to:bc to:#5", "ab-bc", id="other types"),
        pytest.param("no_turn from:ab from:zz via:b to:bc", "ab-bc", id="one from is missing"),
        pytest.param("only_turn from:ab via:b to:bc to:zz", "ab-bc", id="one to is left"),
    ],
)
def test_via_node(relation: str, expected: str) -> None:
    """A relation over a node gives the turn from the from way onto the to way there."""
    paths, _ = resolve(CROSSING, FOUR_ROADS, f"restriction={relation}")
    assert paths == expected.split()


@pytest.mark.parametrize(
    ("relation", "reason"),
    [
        ("via:b to:bc", "no from"),
        ("from:ab to:bc", "no via"),
        ("from:ab via:b", "no to"),
        ("", "no from"),
        ("from:a via:b to:bc", "no from"),
        ("from:ab via:#3 to:bc", "no via"),
        ("from:ab via:b via:d to:bc", "several vias"),
        ("from:ab via:b via:be to:bc", "several vias"),
        (f"from:ab {' '.join(f'via:v{n}' for n in range(33))} to:bc", "too many vias"),
        ("from:zz via:b to:bc", "from is not a road here"),
        ("from:ab via:b to:zz", "to is not a road here"),
        ("from:ab via:zz to:bc", "via is not a road here"),
        ("from:ab via:z to:bc", "via is not a junction here"),
        ("from:ab via:d to:bc", "via is not on from"),
        ("from:ab via:a to:bc", "via is not on to"),
        ("from:ab from:db via:b to:bc to:be", "several froms and tos"),
        ("from:ab via:d from:be to:db", "via is not on from"),
    ],
)
def test_malformed(relation: str, reason: str) -> None:
    """What names no turn is left out, and the reason told."""
    paths, reasons = resolve(CROSSING, FOUR_ROADS, f"restriction=no_turn {relation}")
    assert (paths, reasons) == ([], [reason])


def test_only_with_several_targets() -> None:
    """A vehicle cannot be sent to several places and to nowhere else."""
    paths, reasons = resolve(
        CROSSING, FOUR_ROADS, "restriction=only_turn from:ab via:b to:bc to:db"
    )
    assert (paths, reasons) == ([], ["several tos"])


@pytest.mark.parametrize(
    ("ways", "relation", "expected"),
    [
        ("abd highway=x oneway=yes\nbc highway=x", "from:abd via:b to:bc", "ab-bc"),
        ("abd highway=x oneway=-1\nbc highway=x", "from:abd via:b to:bc", "db-bc"),
        ("abd highway=x oneway=yes\nbc highway=x", "from:bc via:b to:abd", "cb-bd"),
        ("abd highway=x\nbc highway=x", "from:abd via:b to:bc", "ambiguous"),
        ("abd highway=x\nbc highway=x", "from:bc via:b to:abd", "ambiguous"),
        ("bceb highway=x oneway=yes\nab highway=x", "from:bceb via:b to:ab", "bceb-ba"),
        ("bceb highway=x\nab highway=x", "from:ab via:b to:bceb", "ambiguous"),
        (
            "ba highway=x oneway=yes\nbc highway=x",
            "from:ba via:b to:bc",
            "from is one-way the other way",
        ),
        (
            "ab highway=x\ncb highway=x oneway=yes",
            "from:ab via:b to:cb",
            "to is one-way the other way",
        ),
        ("ab highway=x\nbc highway=closed", "from:ab via:b to:bc", "to is not a road here"),
        ("abd highway=x\nce highway=x", "from:ce via:b to:abd", "via is not a junction here"),
    ],
)
def test_ways_that_pass_the_via_node(ways: str, relation: str, expected: str) -> None:
    """A way that goes on beyond via, or closes there, counts if its direction leaves no choice."""
    paths, reasons = resolve(CROSSING, ways, f"restriction=no_turn {relation}")
    assert paths + reasons == [expected]


@pytest.mark.parametrize(
    ("ways", "relation", "expected"),
    [
        ("ab bc bge de ef", "from:ab via:bge to:de", "ab-bge-ed"),
        ("ab bc egb de ef", "from:ab via:egb to:ef", "ab-bge-ef"),
        ("ab bc bg ge de ef", "from:ab via:bg via:ge to:de", "ab-bg-ge-ed"),
        ("ab bc bg ge de ef", "to:de via:ge via:bg from:ab", "ab-bg-ge-ed"),
        ("ab bc eg bg de ef", "from:ef via:bg via:eg to:bc", "fe-eg-gb-bc"),
        ("ab bc bge gc de ef", "from:ab via:bge to:de", "ab-bg-ge-ed"),
        ("ab bc egb gc de ef", "from:ab via:egb to:de", "ab-bg-ge-ed"),
        ("ab bc bge de ef", "from:ab via:bge to:bc", "not connected"),
        ("ab bc bge de ef", "from:ab from:bc via:bge to:de", "ab-bge-ed cb-bge-ed"),
        ("ab bc bge de ef", "from:ab via:bge to:de to:ef", "ab-bge-ed ab-bge-ef"),
        ("ab bc bg de ef", "from:ab via:bg to:de", "via is not on to"),
        ("ab bc bg ge de ef", "from:de via:bg to:ab", "via is not on from"),
        ("ab bc bg ef de", "from:ab via:bg via:ef to:de", "via is not one connected path"),
        ("ab bc bg ge de ef", "from:ab via:ge to:de", "via is not on from"),
        ("ab bc bzge de ef", "from:ab via:bzge to:de", "via is not on from"),
        ("ab bcbzge cbge de", "from:ab via:bcbzge to:de", "via is not one connected path"),
        ("abc bge de ef", "from:abc via:bge to:de", "ambiguous"),
        ("ab bc bge def", "from:ab via:bge to:def", "ambiguous"),
        ("ab bc bge be de", "from:ab via:bge via:be to:de", "via is not one connected path"),
        ("abcfeda bge", "from:abcfeda via:bge to:abcfeda", "ambiguous"),
    ],
)
def test_via_ways(ways: str, relation: str, expected: str) -> None:
    """Via ways are passed whole, in the one order and direction that joins from and to."""
    lines = "\n".join(f"{letters} highway=x" for letters in ways.split())
    paths, reasons = resolve(CARRIAGEWAYS, lines, f"restriction=no_u_turn {relation}")
    assert " ".join(paths + reasons) == expected


@pytest.mark.parametrize(
    ("oneway", "expected"), [("yes", ["ab-bge-ed"]), ("-1", ["via is not on from"])]
)
def test_one_way_via(oneway: str, expected: list[str]) -> None:
    """A via way is passed only in a direction that is open."""
    ways = f"ab highway=x\nbc highway=x\nbge highway=x oneway={oneway}\nde highway=x\nef highway=x"
    paths, reasons = resolve(CARRIAGEWAYS, ways, "restriction=no_u_turn from:ab via:bge to:de")
    assert paths + reasons == expected


def test_report_counts_and_names_relations() -> None:
    """The report tells how many relations are kept, and the others' ids by reason."""
    world = World(
        CROSSING,
        FOUR_ROADS,
        relations="""
        restriction=no_turn from:ab via:b
        restriction=no_entry from:ab from:bc via:b to:be
        restriction=no_turn via:b to:ab
        restriction=no_turn from:bc via:b to:zz
        restriction=no_turn from:bc via:b
        restriction=no_turn except=x from:ab via:b to:bc
        restriction=only_turn from:be via:b to:bc
        """,
    )
    network, report = world.network()
    assert report.restrictions.kept == 2
    assert report.restrictions.dropped == {
        "no to": (1, 5),
        "no from": (3,),
        "to is not a road here": (4,),
        "does not bind this vehicle": (6,),
    }
    assert spell_restrictions(network) == ["ab-be", "cb-be", "eb-bc"]
    assert network.restrictions.relation_id.tolist() == [2, 2, 7]
    values = [network.restrictions.tags.tags(x)["restriction"] for x in network.restrictions.tagset]
    assert values == ["no_entry", "no_entry", "only_turn"]


def test_each_vehicle_reads_a_relation_on_its_own_roads() -> None:
    """A way that one vehicle may use in a single direction is clear to it, whoever else goes there.

    A relation is kept if it binds one of the vehicles, and read alike by several counts once.
    """
    cycle = replace(
        PLAIN,
        name="cycle",
        way=lambda tags, warn: PLAIN.way({**tags, "oneway": "no"}, warn),
        restriction=lambda tags, warn: (None, "excepted") if "except" in tags else ("no", ""),
    )
    world = World(
        CROSSING,
        "abd highway=x oneway=yes\nbc highway=x\nbe highway=x",
        relations="""
        restriction=no_left_turn from:abd via:b to:bc
        restriction=no_left_turn from:bc via:b to:be
        restriction=no_left_turn from:bc via:b to:abd except=cycle
        """,
    )
    for order in ((PLAIN, cycle), (cycle, PLAIN)):
        network, report = world.network(*order)
        assert report.restrictions.kept == 2
        assert spell_restrictions(network) == ["ab-bc", "cb-be"]
    _, report = world.network(cycle)
    assert report.restrictions.dropped["ambiguous"] == (1,)


@pytest.mark.parametrize(
    ("relations", "kept", "dropped"),
    [
        ("only_straight_on from:ab via:b to:db | no_straight_on from:ab via:b to:db", 1, (1,)),
        ("no_straight_on from:ab via:b to:db | only_straight_on from:ab via:b to:db", 1, (2,)),
        ("no_straight_on from:ab via:b to:db | only_straight_on from:bc via:b to:be", 2, ()),
        ("no_left_turn from:ab via:b to:bc | only_straight_on from:ab via:b to:db", 2, ()),
        ("no_left_turn from:ab via:b to:bc | no_left_turn from:ab via:b to:bc", 2, ()),
        ("only_left_turn from:ab via:b to:bc | only_straight_on from:ab via:b to:db", 2, ()),
        (
            "no_exit from:ab via:b to:bc to:be | only_turn from:ab via:b to:be"
            " | only_straight_on from:ab via:b to:db",
            2,
            (2,),
        ),
    ],
)
def test_contradictions(relations: str, kept: int, dropped: tuple[int, ...]) -> None:
    """Who is sent where another sign forbids to go may go elsewhere: the demand is left out."""
    lines = "\n".join(f"restriction={relation}" for relation in relations.split(" | "))
    _, report = World(CROSSING, FOUR_ROADS, relations=lines).network()
    assert report.restrictions.kept == kept
    assert report.restrictions.dropped.get("demands what another forbids", ()) == dropped
