"""Turns, forks, ends of roads and new names in drawn worlds."""

from drawn import Case

CROSS = """
    b
    |
a - c - d
    |
    e
"""
TEE = """
a - b - c
    |
    d
"""
FORK = """
            d
          .
a - b - c
          .
            e
"""

CASES = {
    "cross of four names": Case(
        CROSS,
        """
        ac
        bc
        cd
        ce
        """,
        """
        a>b: depart ac, turn left bc, arrive bc
        a>d: depart ac, new name straight cd, arrive cd
        a>e: depart ac, turn right ce, arrive ce
        b>d: depart bc, turn left cd, arrive cd
        """,
    ),
    "cross of two streets": Case(
        CROSS,
        """
        acd
        bce
        """,
        """
        a>d: depart acd, arrive acd
        a>b: depart acd, turn left bce, arrive bce
        a>e: depart acd, turn right bce, arrive bce
        b>e: depart bce, arrive bce
        """,
    ),
    "street that turns": Case(
        CROSS,
        """
        acb highway=secondary
        cd
        ce
        """,
        """
        a>b: depart acb, continue left acb, arrive acb
        a>d: depart acb, new name straight cd, arrive cd
        a>e: depart acb, turn right ce, arrive ce
        b>a: depart acb, continue right acb, arrive acb
        """,
    ),
    "tee": Case(
        TEE,
        """
        abc
        bd
        """,
        """
        a>c: depart abc, arrive abc
        a>d: depart abc, turn right bd, arrive bd
        d>a: depart bd, turn left abc, arrive abc
        d>c: depart bd, turn right abc, arrive abc
        """,
    ),
    "tee of three names": Case(
        TEE,
        """
        ab
        bc
        bd
        """,
        """
        a>c: depart ab, new name straight bc, arrive bc
        a>d: depart ab, turn right bd, arrive bd
        d>c: depart bd, turn right bc, arrive bc
        """,
    ),
    "end of a road after a crossing": Case(
        """
            c
            |
        a - b - e
        |   |
        f   d
        """,
        """
        eba
        cbd
        caf name=edge
        """,
        """
        e>f: depart eba, turn left edge, arrive edge
        e>c: depart eba, turn right cbd, arrive cbd
        """,
    ),
    "end of a road with crossings before": Case(
        """
        a   x   y   d
        |   |   |
        b - c - e - f
        |   |   |
        g   h   i
        """,
        """
        abg
        bcef
        xch
        yei
        """,
        """
        f>a: depart bcef, end of road right abg, arrive abg
        f>g: depart bcef, end of road left abg, arrive abg
        """,
    ),
    "side street forbidden": Case(
        TEE,
        """
        abc
        db oneway=yes
        """,
        """
        a>c: depart abc, arrive abc
        """,
    ),
    "only way on": Case(
        TEE,
        """
        db
        ba oneway=yes
        cb oneway=yes
        """,
        """
        d>a: depart db, turn left ba, arrive ba
        """,
    ),
    "bend": Case(
        """
        a - b
            |
            c
        """,
        """
        ab
        bc
        """,
        """
        a>c: depart ab, new name right bc, arrive bc
        c>a: depart bc, new name left ab, arrive ab
        """,
    ),
    "bend of one name": Case(
        """
        a - b
            |
            c
        """,
        """
        ab name=One
        bc name=One
        """,
        """
        a>c: depart One, arrive One
        """,
    ),
    "new name": Case(
        "a - b - c - d",
        """
        ab
        bcd
        """,
        """
        a>d: depart ab, new name straight bcd, arrive bcd
        d>a: depart bcd, new name straight ab, arrive ab
        """,
    ),
    "name is lost": Case(
        "a - b - c - d",
        """
        ab name=One
        bcd name=
        """,
        """
        a>d: depart One, arrive -
        d>a: depart -, new name straight One, arrive One
        """,
    ),
    "number changes under one name": Case(
        "a - b - c - d",
        """
        ab name=One ref=7
        bcd name=One ref=8
        """,
        """
        a>d: depart One, arrive One
        """,
    ),
    "direction in the name": Case(
        "a - b - c - d",
        """
        ab name='North Street'
        bcd name='South Street'
        """,
        """
        a>d: depart North Street, arrive South Street
        """,
    ),
    "fork": Case(
        FORK,
        """
        abc
        cd
        ce
        """,
        """
        a>d: depart abc, fork slight left cd, arrive cd
        a>e: depart abc, fork slight right ce, arrive ce
        d>a: depart cd, new name slight right abc, arrive abc
        d>e: depart cd, turn sharp left ce, arrive ce
        """,
    ),
    "fork with a main road": Case(
        FORK,
        """
        abc highway=primary
        cd highway=primary
        ce highway=residential
        """,
        """
        a>d: depart abc, new name slight left cd, arrive cd
        a>e: depart abc, turn slight right ce, arrive ce
        """,
    ),
    "fork into a service road": Case(
        FORK,
        """
        abc highway=primary
        cd highway=primary
        ce highway=service
        """,
        """
        a>d: depart abc, new name slight left cd, arrive cd
        a>e: depart abc, turn slight right ce, arrive ce
        """,
    ),
    "fork of one name": Case(
        FORK,
        """
        abc name=One
        cd name=One
        ce
        """,
        """
        a>d: depart One, fork slight left One, arrive One
        a>e: depart One, fork slight right ce, arrive ce
        """,
    ),
    "fork of three": Case(
        """
                d
              .
        a b c - f
              .
                e
        """,
        """
        abc
        cd
        cf
        ce
        """,
        """
        a>d: depart abc, turn slight left cd, arrive cd
        a>f: depart abc, new name straight cf, arrive cf
        a>e: depart abc, turn slight right ce, arrive ce
        """,
    ),
    "slight turn off a street": Case(
        """
        a - b - c - d
              .
                  .
                      e
        """,
        """
        abcd
        be
        """,
        """
        a>d: depart abcd, arrive abcd
        a>e: depart abcd, turn slight right be, arrive be
        """,
    ),
    "two rights": Case(
        """
        a - b - c
           .|
          . |
         d  e
        """,
        """
        abc
        bd
        be
        """,
        """
        a>d: depart abc, turn sharp right bd, arrive bd
        a>e: depart abc, turn right be, arrive be
        a>c: depart abc, arrive abc
        """,
    ),
    "two lefts": Case(
        """
            d   e
            |  .
            | .
        a - b - c
        """,
        """
        abc
        bd
        be
        """,
        """
        a>d: depart abc, turn left bd, arrive bd
        a>e: depart abc, turn slight left be, arrive be
        """,
    ),
    "star of six": Case(
        """
          b   c
           . .
        a - x - d
           . .
          f   e
        """,
        """
        ax
        bx
        cx
        dx
        ex
        fx
        """,
        """
        a>b: depart ax, turn sharp left bx, arrive bx
        a>c: depart ax, turn left cx, arrive cx
        a>d: depart ax, new name straight dx, arrive dx
        a>e: depart ax, turn right ex, arrive ex
        a>f: depart ax, turn sharp right fx, arrive fx
        """,
    ),
    "driveways are passed": Case(
        """
            x   y
            |   |
        a - b - c - d - e
                    |
                    z
        """,
        """
        abc name=One
        cde name=Two
        xb highway=service service=driveway name=
        yc highway=service service=driveway name=
        zd highway=service name=
        """,
        """
        a>e: depart One, new name straight Two, arrive Two
        a>x: depart One, turn left -, arrive -
        x>a: depart -, turn right One, arrive One
        a>z: depart One, new name straight Two, turn right -, arrive -
        """,
    ),
    "residential onto a through street": Case(
        """
                c
                |
        a - - - b
                |
                d
        """,
        """
        ab highway=residential
        cbd highway=primary
        """,
        """
        a>c: depart ab, turn left cbd, arrive cbd
        a>d: depart ab, turn right cbd, arrive cbd
        c>a: depart cbd, turn right ab, arrive ab
        """,
    ),
    "turning back at a dead end": Case(
        "a - b - c",
        """
        abc
        """,
        """
        a>c>a: depart abc, continue uturn abc, arrive abc
        """,
    ),
    "straight on onto a street from the side": Case(
        """
        a
          .
            b - c - d
          .
        e
        """,
        """
        ab
        ebcd
        """,
        """
        a>d: depart ab, new name slight left ebcd, arrive ebcd
        e>d: depart ebcd, arrive ebcd
        """,
    ),
    "turn restriction leaves one way": Case(
        CROSS,
        """
        ac
        bc
        cd
        ce
        """,
        """
        a>d: depart ac, new name straight cd, arrive cd
        """,
        relations="restriction=only_straight_on from:ac via:c to:cd",
    ),
}
