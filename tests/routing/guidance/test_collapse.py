"""Maneuvers that are one to the driver, on drawn maps: what is said on a route over two letters.

The expectations are OSRM's answers for the same maps.
"""

import pytest
from told import Scene, told

SCENES = [
    Scene(
        "a crossing with an offset of two steps",
        1.0,
        """
        j
        |
a       c
        |
        e       g
        |
        i
        """,
        """
        ac    highway=residential name=Oak
        eg    highway=residential name=Oak
        jcei  highway=residential name=Cedar
        """,
        {"ag": "", "ga": "", "ai": "turn right [Cedar]", "jg": "turn left [Oak]"},
    ),
    Scene(
        "a crossing with an offset of a few car lengths",
        1.0,
        """
        j
        |
a       c
        |
        |
        |
        |
        |
        |
        |
        |
        |
        e       g
        |
        i
        """,
        """
        ac    highway=residential name=Oak
        eg    highway=residential name=Oak
        jcei  highway=residential name=Cedar
        """,
        {"ag": "turn right [Cedar], turn left [Oak]", "ga": "turn right [Cedar], turn left [Oak]"},
    ),
    Scene(
        "a crossing with an offset, called otherwise beyond",
        1.0,
        """
        j
a       c
        e       g
        i
        """,
        """
        ac    highway=residential name=Oak
        eg    highway=residential name=Elm
        jcei  highway=residential name=Cedar
        """,
        {"ag": "", "ga": ""},
    ),
    Scene(
        "a street across a road with two carriageways",
        15.0,
        """
            i
            |
d --------- c --------- b
e --------- f --------- g
            |
            j
        """,
        """
        bcd  highway=primary name=Main oneway=yes
        efg  highway=primary name=Main oneway=yes
        icfj highway=secondary name=Cross
        de   highway=primary name=West oneway=yes
        gb   highway=primary name=East oneway=yes
        """,
        {
            "bi": "turn right [Cross]",
            "bj": "turn left [Cross]",
            "bd": "",
            "bg": "continue uturn [Main]",
            "ij": "",
            "id": "turn right [Main]",
            "ig": "turn left [Main]",
            "ed": "continue uturn [Main]",
            "ei": "turn left [Cross]",
            "ej": "turn right [Cross]",
        },
    ),
    Scene(
        "two roads with two carriageways each",
        15.0,
        """
          i l
          | |
          | |
          | |
d ------- c b ------- a
e ------- f g ------- h
          | |
          | |
          | |
          j k
        """,
        """
        abcd  highway=primary name=First oneway=yes
        efgh  highway=primary name=First oneway=yes
        icfj  highway=primary name=Second oneway=yes
        kgbl  highway=primary name=Second oneway=yes
        de    highway=primary name=West oneway=yes
        ha    highway=primary name=East oneway=yes
        jk    highway=primary name=South oneway=yes
        li    highway=primary name=North oneway=yes
        """,
        {
            "al": "turn right [Second]",
            "ad": "",
            "aj": "turn left [Second]",
            "ah": "continue uturn [First]",
            "kl": "",
            "kh": "turn right [First]",
            "kd": "turn left [First]",
            "kj": "continue uturn [Second]",
            "ih": "turn left [First]",
        },
    ),
    Scene(
        "a gap in the middle of a road with two carriageways",
        10.0,
        """
d --------- c --------- b
            |
e --------- f --------- g
        """,
        """
        bcd  highway=primary name=Main oneway=yes
        efg  highway=primary name=Main oneway=yes
        cf   highway=primary_link oneway=no
        """,
        {"bg": "continue uturn [Main]", "ed": "continue uturn [Main]", "bd": "", "eg": ""},
    ),
    Scene(
        "a bridge with a name of its own",
        20.0,
        """
a ----- b - c ----- d
        """,
        """
        ab  highway=primary name=Road
        bc  highway=primary name=Bridge bridge=yes
        cd  highway=primary name=Road
        """,
        {"ad": "", "da": ""},
    ),
    Scene(
        "a long bridge with a name of its own",
        100.0,
        """
a ----- b --- c ----- d
        """,
        """
        ab  highway=primary name=Road
        bc  highway=primary name=Bridge bridge=yes
        cd  highway=primary name=Road
        """,
        {"ad": "", "ac": "new name straight [Bridge]"},
    ),
    Scene(
        "a bridge between roads of two names",
        20.0,
        """
a ----- b - c ----- d
        """,
        """
        ab  highway=primary name=Inner
        bc  highway=primary name=Bridge bridge=yes
        cd  highway=primary name=Outer
        """,
        {"ad": "new name straight [Outer]"},
    ),
    Scene(
        "a piece without a name",
        20.0,
        """
a ----- b - c ----- d
        """,
        """
        ab  highway=primary name=Road
        bc  highway=primary
        cd  highway=primary name=Road
        """,
        {"ad": ""},
    ),
    Scene(
        "a new name just before a turn, and just behind one",
        10.0,
        """
                  e
                  |
a --------- b - - c --------- d
                  |
                  f
                  |
                  g
        """,
        """
        ab   highway=tertiary name=Road
        bc   highway=tertiary name=Square
        cd   highway=tertiary name=Out
        ec   highway=tertiary name=Up
        cf   highway=tertiary name=Down
        fg   highway=tertiary name=Deep
        """,
        {
            "ae": "turn left [Up]",
            "ad": "new name straight [Out]",
            "ag": "turn right [Deep]",
            "ga": "turn left [Square], new name straight [Road]",
        },
    ),
    Scene(
        "two turns with a block between them",
        20.0,
        """
      g d
      | |
e --- b-c --- f
      | |
      a h
        """,
        """
        ab    highway=primary name=In
        ebcf  highway=primary name=Cross
        cd    highway=primary name=Out
        bg    highway=primary name=Up
        ch    highway=primary name=Back
        """,
        {
            "ad": "turn right [Cross], turn left [Out]",
            "ah": "turn right [Cross], turn right [Back]",
            "gd": "turn left [Cross], turn left [Out]",
        },
    ),
    Scene(
        "a road that cuts the corner",
        5.0,
        """
                 e
                 |
a --- b -------- c --- d
        `        |
            h    |
              `  |
                `|
                 f
                 |
                 g
        """,
        """
        ab   highway=trunk name=First
        bc   highway=trunk name=First
        cd   highway=trunk name=First
        bhf  highway=trunk_link oneway=yes
        cf   highway=primary name=Second
        fg   highway=primary name=Second
        ec   highway=primary name=Second
        """,
        {"ag": "turn right [Second]", "ad": "", "eg": "", "ae": "turn left [Second]"},
        relations="restriction=no_right_turn from:bc via:c to:cf",
    ),
    Scene(
        "a road that bends",
        10.0,
        """
a ----- b
        |
        c ----- d
        """,
        """
        ab  highway=tertiary name=Road
        bc  highway=tertiary
        cd  highway=tertiary name=Road
        """,
        {"ad": ""},
    ),
    Scene(
        "the end of a road",
        50.0,
        """
        e       c
        |       |
a ----- b ----- d
                |
                f
        """,
        """
        ab   highway=tertiary name=Road
        bd   highway=tertiary name=Road
        eb   highway=tertiary name=Side
        cdf  highway=tertiary name=Cross
        """,
        {
            "ac": "end of road left [Cross]",
            "af": "end of road right [Cross]",
            "ec": "turn left [Road], turn left [Cross]",
        },
    ),
    Scene(
        "points that lie at a junction",
        50.0,
        """
        e
        |
a ----- b ----- d
        |
        f
        """,
        """
        abd  highway=tertiary name=Road
        ebf  highway=tertiary name=Cross
        """,
        {"be": "", "bd": "", "ab": "", "eb": "", "bf": ""},
    ),
    Scene(
        "a ferry",
        100.0,
        """
a ----- b
        |
        c ----- d
        """,
        """
        ab  highway=tertiary name=Road
        bc  route=ferry name=Boat
        cd  highway=tertiary name=Road
        """,
        {"ad": "notification right [Boat], notification left [Road]"},
    ),
]


@pytest.mark.parametrize("scene", SCENES, ids=str)
def test_what_is_told(scene: Scene) -> None:
    assert scene.found(told) == scene.routes


def test_there_are_many_routes() -> None:
    assert sum(len(scene.routes) for scene in SCENES) >= 40
