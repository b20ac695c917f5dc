"""Lanes before crossings, on drawn maps: which are there, and which a route may use (with a star).

The expectations are OSRM's answers for the same maps unless a comment tells otherwise.
"""

import pytest
from engines import engine_of
from told import Scene, lanes_along, steps_of

from gis.profiles.registry import PROFILES

CROSS = """
        e
        |
a ----- b ----- c
        |
        d
"""
STREETS = "bc highway=primary name=Out\nbd highway=primary name=Down\nbe highway=primary name=Up\n"


def four_ways(title: str, tags: str, routes: dict[str, str]) -> Scene:
    """A crossing of four roads, of which one has lanes."""
    return Scene(title, 20.0, CROSS, STREETS + f"ab highway=primary name=In {tags}", routes)


SCENES = [
    four_ways(
        "each road its lane",
        "turn:lanes:forward=left|through|right",
        {
            "ac": "left straight* right",
            "ad": "left straight right*",
            "ae": "left* straight right",
            "ca": "",
        },
    ),
    four_ways(
        "a lane for two roads",
        "turn:lanes:forward=left|through;right",
        {"ac": "left straight,right*", "ad": "left straight,right*", "ae": "left* straight,right"},
    ),
    four_ways(
        "a lane without an arrow",
        "turn:lanes:forward=none|right",
        {"ac": "none* right", "ad": "none right*", "ae": "none* right"},
    ),
    four_ways(
        "two lanes without arrows",
        "turn:lanes:forward=left|none|none",
        {"ac": "left none* none*", "ad": "left none none*", "ae": "left* none none"},
    ),
    four_ways("lanes that do not fit", "turn:lanes:forward=left|through", {"ac": "", "ae": ""}),
    four_ways("words that are none", "turn:lanes:forward=left|thru|right", {"ac": "", "ae": ""}),
    four_ways(
        "a bus lane that is counted",
        "turn:lanes:forward=left|through;right| lanes:psv:forward=1",
        {"ac": "left straight,right*", "ae": "left* straight,right"},
    ),
    four_ways(
        "a lane that is closed",
        "turn:lanes:forward=left|through|through|right vehicle:lanes:forward=yes|no|yes|yes",
        {"ac": "left straight* right", "ad": "left straight right*"},
    ),
    four_ways(
        "a bus lane by its own tag",  # OSRM does not look at it
        "turn:lanes:forward=left|through|right| bus:lanes:forward=|||designated",
        {"ac": "left straight* right", "ad": "left straight right*"},
    ),
    Scene(
        "lanes that end before the crossing",
        5.0,
        """
a --------- b - c ------ d
                |
                e
        """,
        """
        ab  highway=primary name=Road turn:lanes:forward=through|right
        bc  highway=primary name=Road
        cd  highway=primary name=Road
        ce  highway=primary name=Turn
        """,
        {"ad": "straight* right", "ae": "straight right*"},
    ),
    Scene(
        "lanes that end long before the crossing",
        20.0,
        """
a --------- b - - c ------ d
                  |
                  e
        """,
        """
        ab  highway=primary name=Road turn:lanes:forward=through|right
        bc  highway=primary name=Road
        cd  highway=primary name=Road
        ce  highway=primary name=Turn
        """,
        {"ad": "", "ae": ""},
    ),
    Scene(
        "lanes for two crossings",
        5.0,
        """
      e         f
      |         |
      |         |
a --- b ------- c --- d
      |
      |
      g
        """,
        """
        ab  highway=primary name=Road turn:lanes:forward=left|through;right
        bcd highway=primary name=Road
        eb  highway=primary name=Come oneway=yes
        cf  highway=primary name=Left
        bg  highway=primary name=Right
        ge  highway=primary name=Round
        """,
        {
            "af": "left* straight,right*",
            "ag": "left straight,right*",
            "ad": "left* straight,right*",
        },
    ),
    Scene(
        "lanes for turning back",
        20.0,
        """
h --------- g ------- f
            |
a --------- b ------- c
        """,
        """
        ab  highway=primary name=Road oneway=yes turn:lanes=reverse|through|through
        bc  highway=primary name=Road oneway=yes
        bg  highway=primary_link name=Road oneway=yes
        fgh highway=primary name=Road oneway=yes
        cf  highway=primary name=East oneway=yes
        ha  highway=primary name=West oneway=yes
        """,
        {"ah": "uturn* straight straight", "ac": "uturn straight* straight*"},
    ),
    Scene(
        "a turn soon after a turn",
        20.0,
        """
a ----- b ----- x
        |
        c ----- d ----- z
        |       |
        y       e
        """,
        """
        ab  highway=primary name=abx turn:lanes:forward=through|right|right|right
        bx  highway=primary name=abx
        bc  highway=primary name=bcy turn:lanes:forward=left|left|through
        cy  highway=primary name=bcy
        cd  highway=primary name=cdz turn:lanes:forward=through|right
        dz  highway=primary name=cdz
        de  highway=primary name=de
        """,
        {
            "ad": "straight right* right* right / left* left* straight",
            "ae": "straight right right* right / left left* straight / straight right*",
        },
    ),
    Scene(
        "straight on before a turn",
        20.0,
        """
        f       g       d
        |       |       |
a ----- b ----- c ----- x
        |       |       |
        h       i       e
        """,
        """
        ab  highway=primary name=main turn:lanes:forward=left|through|through|through|through|right
        bc  highway=primary name=main turn:lanes:forward=left|through|through|right
        cx  highway=primary name=main turn:lanes:forward=left|right
        xd  highway=primary name=left
        xe  highway=primary name=right
        bf  highway=primary name=off1
        bh  highway=primary name=off2
        cg  highway=primary name=off3
        ci  highway=primary name=off4
        """,
        {
            "ad": "left straight straight* straight straight right / left straight* straight right"
            " / left* right",
            "ae": "left straight straight straight* straight right / left straight straight* right"
            " / left right*",
        },
    ),
    Scene(
        "a turn long after a turn",
        300.0,
        """
a ----- b ----- x
        |
        |
        |
        |
        |
        c ----- d
        |
        y
        """,
        """
        ab  highway=primary name=abx turn:lanes:forward=through|right|right
        bx  highway=primary name=abx
        bc  highway=primary name=bcy turn:lanes:forward=left|through
        cy  highway=primary name=bcy
        cd  highway=primary name=cd
        """,
        {"ad": "straight right* right* / left* straight"},
    ),
    Scene(
        "a way off a motorway",
        100.0,
        """
a ----- b ----- c
          `
            d
        """,
        """
        ab  highway=motorway name=Hwy turn:lanes=through|through|through;slight_right|slight_right
        bc  highway=motorway name=Hwy
        bd  highway=motorway_link name=Ramp oneway=yes
        ca  highway=motorway name=Round
        da  highway=motorway_link name=Back oneway=yes
        """,
        {
            "ac": "straight* straight* straight,slight right* slight right",
            "ad": "straight straight straight,slight right* slight right*",
        },
    ),
    Scene(
        "nothing at a roundabout",
        10.0,
        """
        e
a ----- b   d ----- f
        c
        """,
        """
        ab   highway=primary name=In turn:lanes:forward=slight_right|slight_right
        bcdeb highway=primary junction=roundabout
        df   highway=primary name=Out
        """,
        {"af": ""},
    ),
]


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_lanes(scene: Scene) -> None:
    assert scene.found(lanes_along) == scene.routes


def test_who_walks_keeps_to_no_lane() -> None:
    world = SCENES[0].world
    for name, lanes in (("bicycle", "left* straight right"), ("foot", "")):
        engine = engine_of(world, PROFILES[name])
        assert lanes_along(steps_of(engine, world, "ae")) == lanes


def test_there_are_many_routes() -> None:
    assert sum(len(scene.routes) for scene in SCENES) >= 40
