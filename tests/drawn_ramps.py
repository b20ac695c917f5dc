"""Motorways, their ramps, links of other roads, ferries and other changes of mode."""

from drawn import Case

CASES = {
    "motorway exit": Case(
        """
        a - - b - - c - - d
                .
                    e
        """,
        """
        abcd highway=motorway name= ref='A 1'
        be highway=motorway_link name=
        """,
        """
        a>d: depart A 1, arrive A 1
        a>e: depart A 1, off ramp slight right -, arrive -
        """,
    ),
    "motorway exit to the left": Case(
        """
                    e
                .
        a - - b - - c - - d
        """,
        """
        abcd highway=motorway name= ref='A 1'
        be highway=motorway_link name=
        """,
        """
        a>e: depart A 1, off ramp slight left -, arrive -
        """,
    ),
    "motorway entry": Case(
        """
        a - - b - - c - - d
          .
        e
        """,
        """
        abcd highway=motorway name= ref='A 1'
        eb highway=motorway_link name=
        """,
        """
        e>d: depart -, merge slight left A 1, arrive A 1
        a>d: depart A 1, arrive A 1
        """,
    ),
    "motorway entry of a named motorway": Case(
        """
        a - - b - - c - - d
          .
        e
        """,
        """
        abcd highway=motorway name=Autobahn ref='A 1'
        eb highway=motorway_link name=
        """,
        """
        e>d: depart -, merge slight left Autobahn, arrive Autobahn
        a>d: depart Autobahn, arrive Autobahn
        """,
    ),
    "entry from the left": Case(
        """
        e
          .
        a - - b - - c - - d
        """,
        """
        abcd highway=motorway name=Autobahn ref='A 1'
        eb highway=motorway_link name=
        """,
        """
        e>d: depart -, merge slight right Autobahn, arrive Autobahn
        """,
    ),
    "on ramp": Case(
        """
                  d
                .
        a - - b - - c
        """,
        """
        abc highway=primary
        bd highway=motorway_link name=
        """,
        """
        a>c: depart abc, arrive abc
        a>d: depart abc, on ramp slight left -, arrive -
        """,
    ),
    "motorway divides": Case(
        """
                    d
                .
        a b c
                .
                    e
        """,
        """
        abc highway=motorway name= ref='A 1'
        cd highway=motorway name= ref='A 1'
        ce highway=motorway name= ref='A 2'
        """,
        """
        a>d: depart A 1, fork slight left A 1, arrive A 1
        a>e: depart A 1, fork slight right A 2, arrive A 2
        """,
    ),
    "ramp divides": Case(
        """
                    d
                .
        a b c
                .
                    e
        """,
        """
        abc highway=motorway_link name=
        cd highway=motorway_link name=
        ce highway=motorway_link name=
        """,
        """
        a>d: depart -, fork slight left -, arrive -
        a>e: depart -, fork slight right -, arrive -
        """,
    ),
    "motorways meet": Case(
        """
        a
           .
               b - - c - - d
           .
        e
        """,
        """
        ab highway=motorway name=Nord ref='A 1'
        eb highway=motorway name=Sued ref='A 2'
        bcd highway=motorway name=Mitte ref='A 3'
        """,
        """
        a>d: depart Nord, new name straight Mitte, arrive Mitte
        e>d: depart Sued, new name straight Mitte, arrive Mitte
        """,
    ),
    "off ramp ends at a street": Case(
        """
                    g
                    |
        a - b - - - f
                .   |
                    h
        """,
        """
        ab highway=trunk name= ref='B 1'
        bf highway=trunk_link name=
        gfh highway=primary
        """,
        """
        a>g: depart B 1, turn left gfh, arrive gfh
        a>h: depart B 1, turn right gfh, arrive gfh
        """,
    ),
    "exit then fork": Case(
        """
        a - - b - - c - - d
                  .
                      e - - g
                         .
                            h
        """,
        """
        abcd highway=trunk name= ref='B 1'
        be highway=trunk_link name=
        eg highway=trunk_link name=
        eh highway=trunk_link name=
        """,
        """
        a>g: depart B 1, off ramp slight right -, fork slight left -, arrive -
        a>h: depart B 1, off ramp slight right -, fork slight right -, arrive -
        """,
    ),
    "trunk road with an exit": Case(
        """
        a - - b - - c - - d
                .
                    e
        """,
        """
        abcd highway=trunk name= ref='B 9' oneway=yes
        be highway=trunk_link oneway=yes name=
        """,
        """
        a>d: depart B 9, arrive B 9
        a>e: depart B 9, off ramp slight right -, arrive -
        """,
    ),
    "exit with a destination": Case(
        """
        a - - b - - c - - d
                .
                    e
        """,
        """
        abcd highway=motorway name= ref='A 1'
        be highway=motorway_link oneway=yes name= destination='Köln;Bonn' junction:ref=23
        """,
        """
        a>e: depart A 1, off ramp slight right -, arrive -
        """,
    ),
    "link between streets": Case(
        """
        a - b - - - c - d
              .     |
                .   |
                    e
                    |
                    f
        """,
        """
        abcd highway=primary
        cef highway=primary
        be highway=primary_link oneway=yes name=
        """,
        """
        a>f: depart abcd, turn right cef, arrive cef
        a>d: depart abcd, arrive abcd
        """,
        metres=30.0,
    ),
    "ferry": Case(
        "a - b - c - - - d - e - f",
        """
        abc
        cd route=ferry name=Boat
        def
        """,
        """
        a>f: depart abc, notification straight Boat, notification straight def, arrive def
        """,
    ),
    "ferry of many pieces": Case(
        """
                    x
                    |
        a - b - - - c - - - d - e
        """,
        """
        ab
        bcd route=ferry name=Boat
        cx route=ferry name=Other
        de
        """,
        """
        a>e: depart ab, notification straight Boat, notification straight de, arrive de
        """,
    ),
    "ferry from a crossing": Case(
        """
        a - b - - - c - d
            |
            e
        """,
        """
        abe name=Quay
        bc route=ferry name=Boat
        cd
        """,
        """
        a>d: depart Quay, turn straight Boat, notification straight cd, arrive cd
        a>e: depart Quay, arrive Quay
        """,
    ),
}
