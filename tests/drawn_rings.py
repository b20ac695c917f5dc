"""Roundabouts, rotaries and the turns that small roundabouts are, in drawn worlds."""

from drawn import Case

RING = """
        n
        |
      . p .
    .       .
w - q       s - e
    .       .
      . r .
        |
        z
"""
"""Four arms; driven anticlockwise as ``pqrsp``."""
WAYS = """
    pqrsp junction=roundabout highway=tertiary name=
    np
    wq
    zr
    es
"""
LARGE = """
            n
            |
        . . p . .
      .           .
    .               .
w - q               s - e
    .               .
      .           .
        . . r . .
            |
            z
"""
THREE = """
        n
        |
      . p .
    .       .
w - q       s
    .       .
      . r .
        |
        z
"""
LEFT = (-0.1, 51.5)
"""Where people drive on the left."""

CASES = {
    "turn": Case(
        RING,
        WAYS,
        """
        w>n: depart wq, roundabout turn-3 left np, arrive np
        w>e: depart wq, roundabout turn-2 straight es, arrive es
        w>z: depart wq, roundabout turn-1 right zr, arrive zr
        n>e: depart np, roundabout turn-3 left es, arrive es
        n>w: depart np, roundabout turn-1 right wq, arrive wq
        """,
        metres=3.0,
    ),
    "roundabout": Case(
        RING,
        WAYS,
        """
        w>n: depart wq, roundabout-3 slight right np, exit roundabout-3 right np, arrive np
        w>e: depart wq, roundabout-2 slight right es, exit roundabout-2 slight right es, arrive es
        w>z: depart wq, roundabout-1 slight right zr, exit roundabout-1 right zr, arrive zr
        w>w: depart wq, arrive wq
        n>z: depart np, roundabout-2 right zr, exit roundabout-2 right zr, arrive zr
        """,
        metres=10.0,
    ),
    "starts inside": Case(
        RING,
        WAYS,
        """
        qr>e: depart -, exit roundabout-2 slight right es, arrive es
        qr>n: depart -, exit roundabout-3 right np, arrive np
        """,
        metres=10.0,
    ),
    "ends inside": Case(
        RING,
        WAYS,
        """
        w>rs: depart wq, roundabout slight right -, arrive -
        w>sp: depart wq, roundabout slight right -, arrive -
        """,
        metres=10.0,
    ),
    "turn that ends inside": Case(
        RING,
        WAYS,
        """
        w>rs: depart wq, roundabout slight right -, arrive -
        """,
        metres=3.0,
    ),
    "rotary": Case(
        LARGE,
        """
        pqrsp junction=roundabout highway=tertiary name='Place de Mars'
        np
        wq
        zr
        es
        """,
        """
        w>z: depart wq, rotary-1 slight right zr, exit rotary-1 right zr, arrive zr
        w>e: depart wq, rotary-2 slight right es, exit rotary-2 slight right es, arrive es
        n>e: depart np, rotary-3 right es, exit rotary-3 slight right es, arrive es
        w>rs: depart wq, rotary slight right Place de Mars, arrive Place de Mars
        """,
        metres=15.0,
    ),
    "large roundabout without a name": Case(
        LARGE,
        """
        pqrsp junction=roundabout highway=tertiary name=
        np
        wq
        zr
        es
        """,
        """
        w>e: depart wq, roundabout-2 slight right es, exit roundabout-2 slight right es, arrive es
        """,
        metres=15.0,
    ),
    "large roundabout of the name of a street": Case(
        LARGE,
        """
        pqrsp junction=roundabout highway=tertiary name=One
        np name=One
        wq name=One
        zr
        es
        """,
        """
        w>e: depart One, roundabout-2 slight right es, exit roundabout-2 slight right es, arrive es
        w>n: depart One, roundabout-3 slight right One, exit roundabout-3 right One, arrive One
        """,
        metres=15.0,
    ),
    "named circle": Case(
        RING,
        """
        pqrsp junction=circular highway=tertiary name='Circle Square' oneway=yes
        np
        wq
        zr
        es
        """,
        """
        w>e: depart wq, rotary-2 slight right es, exit rotary-2 slight right es, arrive es
        w>z: depart wq, rotary-1 slight right zr, exit rotary-1 right zr, arrive zr
        """,
        metres=10.0,
    ),
    "circle without a name": Case(
        RING,
        """
        pqrsp junction=circular highway=tertiary oneway=yes name=
        np
        wq
        zr
        es
        """,
        """
        w>z: depart wq, turn right zr, arrive zr
        """,
        metres=10.0,
    ),
    "three arms": Case(
        THREE,
        """
        pqrsp junction=roundabout highway=tertiary name=
        np
        wq
        zr
        """,
        """
        w>z: depart wq, roundabout-1 slight right zr, exit roundabout-1 right zr, arrive zr
        w>n: depart wq, roundabout-2 slight right np, exit roundabout-2 right np, arrive np
        z>w: depart zr, roundabout-2 right wq, exit roundabout-2 slight right wq, arrive wq
        """,
        metres=10.0,
    ),
    "service exits": Case(
        RING,
        """
        pqrsp junction=roundabout highway=tertiary name=
        np
        wq
        zr highway=service name=
        es
        """,
        """
        w>e: depart wq, roundabout-1 slight right es, exit roundabout-1 slight right es, arrive es
        w>z: depart wq, roundabout-1 slight right -, exit roundabout-1 right -, arrive -
        w>n: depart wq, roundabout-2 slight right np, exit roundabout-2 right np, arrive np
        """,
        metres=10.0,
    ),
    "roundabout on a service road": Case(
        RING,
        """
        pqrsp junction=roundabout highway=service name=
        np highway=service
        wq highway=service
        zr highway=service
        es highway=service
        """,
        """
        w>e: depart wq, roundabout-2 slight right es, exit roundabout-2 slight right es, arrive es
        """,
        metres=10.0,
    ),
    "exits of one direction": Case(
        RING,
        """
        pqrsp junction=roundabout highway=tertiary name=
        np oneway=yes
        wq
        rz oneway=yes
        es
        """,
        """
        w>e: depart wq, roundabout-2 slight right es, exit roundabout-2 slight right es, arrive es
        e>w: depart es, roundabout-1 slight right wq, exit roundabout-1 slight right wq, arrive wq
        """,
        metres=10.0,
    ),
    "two roundabouts": Case(
        """
              n           m
              |           |
            . p .       . h .
          .       .   .       .
        w q       s - g       k e
          .       .   .       .
            . r .       . i .
        """,
        """
        pqrsp junction=roundabout highway=tertiary name=
        hgikh junction=roundabout highway=tertiary name=
        np
        wq
        sg
        mh
        ke
        """,
        """
        w>e: depart wq, roundabout-1 slight right sg, exit roundabout-1 slight right sg,
            roundabout-1 slight right ke, exit roundabout-1 slight right ke, arrive ke
        w>m: depart wq, roundabout-1 slight right sg, exit roundabout-1 slight right sg,
            roundabout-2 slight right mh, exit roundabout-2 right mh, arrive mh
        n>m: depart np, roundabout-2 right sg, exit roundabout-2 slight right sg,
            roundabout-2 slight right mh, exit roundabout-2 right mh, arrive mh
        """,
        metres=10.0,
    ),
    "driven on the left": Case(
        RING,
        """
        psrqp junction=roundabout highway=tertiary name= driving_side=left
        np driving_side=left
        wq driving_side=left
        zr driving_side=left
        es driving_side=left
        """,
        """
        w>n: depart wq, roundabout-1 slight left np, exit roundabout-1 left np, arrive np
        w>e: depart wq, roundabout-2 slight left es, exit roundabout-2 slight left es, arrive es
        w>z: depart wq, roundabout-3 slight left zr, exit roundabout-3 left zr, arrive zr
        """,
        metres=10.0,
    ),
    "mini roundabout": Case(
        """
            n
            |
        w - x - e
            |
            z
        """,
        """
        wx name=One
        nx name=Two
        ex name=Three
        zx name=Four
        """,
        """
        w>e: depart One, new name straight Three, arrive Three
        w>n: depart One, turn left Two, arrive Two
        """,
        nodes="x highway=mini_roundabout",
    ),
    "exit onto the same road": Case(
        RING,
        """
        pqrsp junction=roundabout highway=tertiary name=
        np
        wq name=Long
        zr
        es name=Long
        """,
        """
        w>e: depart Long, roundabout-2 slight right Long, exit roundabout-2 slight right Long,
            arrive Long
        """,
        metres=10.0,
    ),
    "open both ways": Case(
        RING,
        """
        pqrsp junction=roundabout highway=tertiary oneway=no name=
        np
        wq
        zr
        es
        """,
        """
        w>z: depart wq, roundabout-1 slight right zr, exit roundabout-1 right zr, arrive zr
        """,
        metres=10.0,
    ),
}
