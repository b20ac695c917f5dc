"""What a cyclist makes of ways: tags, km/h forward, km/h backward and what else.

``-`` is closed, ``p4`` is pushing the bicycle at 4 km/h, and an ``r`` behind a speed means that
the way may be reached but not passed through. The fourth column lists ``roundabout``,
``circular``, ``ferry`` and ``train``, ``no-start`` where no route begins or ends, ``tunnel``, a
duration in seconds (``90s``) and warnings (``!kind``). The meaning of the tags is the OpenStreetMap
wiki's.
"""

import pytest
from tag_rows import read_rows, read_tags
from way_rows import check_path_row

from gis.profiles.bicycle import PROFILE

CLASSES = """
(none)                                                     -     -
highway=motorway                                           -     -
highway=motorway_link                                      -     -
highway=trunk                                              -     -
highway=trunk_link                                         -     -
highway=primary                                            15    15
highway=primary_link                                       15    15
highway=secondary                                          15    15
highway=secondary_link                                     15    15
highway=tertiary                                           15    15
highway=tertiary_link                                      15    15
highway=unclassified                                       15    15
highway=residential                                        15    15
highway=living_street                                      15    15
highway=service                                            15    15
highway=service, service=driveway                          15    15    # whoever lives there says so
highway=road                                               15    15
highway=cycleway                                           15    15
highway=path                                               13    13
highway=track                                              12    12
highway=footway                                            p4    p4
highway=pedestrian                                         p4    p4
highway=pedestrian, area=yes                               p4    p4    # around its outline
highway=crossing                                           p4    p4
highway=platform                                           p4    p4
railway=platform                                           p4    p4
public_transport=platform                                  p4    p4
man_made=pier                                              p4    p4
amenity=parking                                            10    10    # around its outline
amenity=parking, parking=surface                           10    10
amenity=parking, parking=underground                       -     -
amenity=parking, access=customers                          10r   10r
amenity=parking, access=no                                 -     -
amenity=bench                                              -     -
highway=steps                                              p2    p2
highway=steps, ramp:bicycle=yes                            p3    p3
highway=steps, ramp:bicycle=no                             p2    p2
highway=steps, ramp:stroller=yes                           p3    p3
highway=steps, bicycle=yes                                 p3    p3
highway=bridleway                                          -     -
highway=busway                                             -     -
highway=bus_guideway                                       -     -
highway=raceway                                            -     -
highway=corridor                                           -     -
highway=elevator                                           -     -
highway=construction                                       -     -
highway=construction, bicycle=yes                          -     -
highway=proposed                                           -     -
highway=abandoned                                          -     -
highway=residential, construction=yes                      -     -
highway=residential, construction=minor                    15    15
highway=tertiary, proposed=secondary                       15    15
highway=nonsense                                           -     -
railway=rail                                               -     -
man_made=bridge                                            -     -
highway=primary, impassable=yes                            -     -
highway=track, status=impassable                           -     -
highway=primary, motorroad=yes                             -     -
highway=trunk, motorroad=yes, access=yes                   -     -
highway=primary, motorroad=yes, bicycle=yes                15    15
highway=trunk, bicycle=yes                                 15    15
highway=trunk, bicycle=designated                          15    15
highway=trunk, access=yes                                  -     -     # speaks of cars
highway=motorway, vehicle=yes                              -     -
highway=motorway, bicycle=yes                              15    -
highway=primary, tunnel=yes                                15    15    tunnel
highway=cycleway, tunnel=no                                15    15
highway=residential, bicycle_road=yes                      15    15
highway=service, junction=roundabout                       15    -     roundabout
"""

ACCESS = """
highway=residential, access=yes                            15    15
highway=residential, access=permissive                     15    15
highway=residential, access=no                             -     -
highway=residential, access=agricultural                   -     -
highway=residential, access=forestry                       -     -
highway=residential, access=bus                            -     -
highway=residential, access=private                        15r   15r    no-start
highway=residential, access=destination                    15r   15r
highway=residential, access=customers                      15r   15r
highway=residential, access=delivery                       15r   15r
highway=residential, access=residents                      15r   15r
highway=residential, access=elephants                      15    15    !access
highway=residential, vehicle=no                            -     -
highway=residential, vehicle=destination                   15r   15r
highway=residential, vehicle=destination, bicycle=yes      15    15
highway=residential, motor_vehicle=no                      15    15
highway=residential, bicycle=no                            -     -
highway=residential, bicycle=use_sidepath                  -     -
highway=residential, bicycle=optional_sidepath             15    15
highway=residential, bicycle=discouraged                   15    15
highway=residential, bicycle=dismount                      p4    p4
highway=residential, access=no, bicycle=dismount           p4    p4
highway=residential, bicycle=official                      15    15
highway=residential, bicycle=private                       15r   15r    no-start
highway=residential, access=no, vehicle=yes                15    15
highway=residential, access=yes, vehicle=no                -     -
highway=residential, access=no, bicycle=yes                15    15
highway=residential, vehicle=no, bicycle=permissive        15    15
highway=residential, vehicle=yes, bicycle=no               -     -
highway=residential, access=private, bicycle=yes           15    15
highway=residential, vehicle=agricultural;forestry         -     -
highway=residential, vehicle=agricultural;destination      15r   15r
highway=residential, bicycle:forward=no                    -     15
highway=residential, bicycle:backward=no                   15    -
highway=residential, bicycle=no, bicycle:forward=yes       15    -
highway=residential, vehicle:backward=no                   15    -
highway=residential, access:forward=private                15r   15
highway=residential, vehicle:forward=no, bicycle=yes       15    15
highway=residential, access:backward=no                    15    -
highway=residential, access=no, foot:forward=yes           p4    -
highway=residential, bicycle:conditional=no @ (Mo-Fr)      15    15     # at no special time
highway=residential, access=no, foot=yes                   p4    p4    # walkers may push
highway=residential, vehicle=no, foot=designated           p4    p4
highway=residential, bicycle=no, foot=yes                  -     -
highway=residential, bicycle_road=yes, vehicle=destination  15   15
highway=residential, cyclestreet=yes, access=no            15    15
highway=residential, bicycle_road=yes, bicycle=no          -     -
highway=cycleway, bicycle=no                               -     -
highway=cycleway, foot=no                                  15    15
highway=track, access=forestry, bicycle=yes                12    12
highway=path, bicycle=no                                   -     -
highway=path, bicycle=designated, foot=designated          13    13
highway=path, vehicle=no                                   -     -
highway=footway, bicycle=yes                               15    15
highway=footway, bicycle=designated                        15    15
highway=footway, bicycle=permissive                        15    15
highway=footway, bicycle=destination                       p4r   p4r
highway=footway, bicycle=no                                -     -
highway=footway, bicycle=dismount                          p4    p4
highway=footway, access=yes                                p4    p4
highway=footway, access=private                            p4r   p4r    no-start
highway=footway, access=no                                 -     -
highway=footway, access=no, foot=yes                       p4    p4
highway=footway, vehicle=no                                p4    p4    # as the class says
highway=footway, foot=no                                   -     -
highway=footway, foot=private                              p4r   p4r    no-start
highway=footway, foot:backward=no                          p4    -
highway=footway, bicycle:forward=yes                       15    p4
highway=pedestrian, bicycle=yes                            15    15
highway=pedestrian, vehicle=delivery                       p4    p4
highway=steps, access=no                                   -     -
highway=steps, foot=no                                     -     -
highway=platform, access=customers                         p4r   p4r
highway=bridleway, bicycle=yes                             15    15
highway=bridleway, foot=yes                                p4    p4
highway=bridleway, horse=designated                        -     -
highway=busway, bicycle=yes                                15    15
highway=busway, foot=yes                                   p4    p4
highway=raceway, access=yes                                15    15
highway=motorway, foot=yes                                 p4    -
highway=motorway_link, foot=yes                            p4    p4
"""

ONEWAY = """
highway=residential, oneway=yes                            15    p4
highway=residential, oneway=1                              15    p4
highway=residential, oneway=true                           15    p4
highway=residential, oneway=-1                             p4    15
highway=residential, oneway=reverse                        p4    15
highway=residential, oneway=no                             15    15
highway=residential, oneway=alternating                    15    15    !oneway
highway=residential, oneway=reversible                     p4    p4    !oneway
highway=residential, oneway=sideways                       15    15    !oneway
highway=residential, oneway:conditional=yes @ (Mo-Fr)      15    15     # at no special time
highway=residential, oneway=yes, foot=no                   15    -
highway=residential, oneway=yes, oneway:bicycle=no         15    15
highway=residential, oneway:bicycle=yes                    15    p4
highway=residential, oneway:bicycle=-1                     p4    15
highway=residential, oneway=-1, oneway:bicycle=yes         15    p4
highway=residential, oneway=yes, oneway:vehicle=no         15    15
highway=residential, oneway=yes, bicycle:backward=yes      15    15
highway=residential, oneway=-1, bicycle:forward=designated  15   15
highway=residential, oneway=yes, bicycle=yes               15    p4
highway=residential, oneway=yes, access=private            15r   p4r    no-start
highway=residential, oneway=yes, bicycle=no                -     -
highway=cycleway, oneway=yes                               15    p4
highway=path, oneway=yes                                   13    p4
highway=pedestrian, oneway=yes                             p4    p4
highway=pedestrian, oneway=yes, bicycle=yes                15    p4
highway=steps, oneway=yes                                  p2    p2
highway=primary, junction=roundabout                       15    -     roundabout
highway=primary, junction=circular                         15    -     circular
highway=primary, junction=roundabout, oneway=-1            -     15    roundabout
highway=primary, junction=roundabout, oneway:bicycle=no    15    15    roundabout
highway=footway, junction=roundabout                       p4    p4    roundabout
highway=primary, junction=jughandle                        15    15
"""

CYCLEWAYS = """
highway=trunk, cycleway=track                              15    15
highway=trunk, cycleway=lane                               15    15
highway=trunk, cycleway:both=lane                          15    15
highway=trunk, cycleway=shared_lane                        15    15
highway=trunk, cycleway=share_busway                       15    15
highway=trunk, cycleway=shoulder                           15    15
highway=trunk, cycleway=no                                 -     -
highway=trunk, cycleway=none                               -     -
highway=trunk, cycleway=some_track                         -     -
highway=trunk, cycleway:right=lane                         15    -
highway=trunk, cycleway:left=lane                          -     15
highway=trunk, cycleway:left=track, cycleway:right=track   15    15
highway=trunk, cycleway=lane, cycleway:left=no             15    -
highway=trunk, cycleway:left=opposite_lane                 15    -
highway=trunk, cycleway:right=track, cycleway:right:oneway=no  15  15
highway=trunk, cycleway:left=track, cycleway:left:oneway=no    15  15
highway=trunk, cycleway:left=track, cycleway:left:oneway=yes   15  -
highway=trunk, cycleway:right=track, cycleway:right:oneway=-1  -   15
highway=trunk, motorroad=yes, cycleway:right=track         15    -
highway=trunk, cycleway=track, access=no                   -     -
highway=trunk, cycleway=track, bicycle=no                  -     -
highway=motorway, cycleway=lane                            15    -
highway=motorway, cycleway=opposite                        -     15
highway=busway, cycleway=lane                              15    15
highway=footway, cycleway=track                            15    15
highway=track, cycleway=track                              12    12    # never faster than its class
highway=primary, cycleway=track                            15    15
highway=primary, oneway=yes, cycleway=lane                 15    p4
highway=primary, oneway=yes, cycleway=track                15    p4
highway=primary, oneway=yes, cycleway:left=lane            15    p4
highway=primary, oneway=yes, cycleway:both=lane            15    p4
highway=primary, oneway=-1, cycleway:right=lane            p4    15
highway=primary, oneway=yes, cycleway=opposite             15    15
highway=primary, oneway=yes, cycleway=opposite_lane        15    15
highway=primary, oneway=yes, cycleway=opposite_track       15    15
highway=primary, oneway=-1, cycleway=opposite              15    15
highway=primary, oneway=yes, cycleway:left=opposite_lane   15    15
highway=primary, oneway=yes, cycleway:right=opposite_track  15   15
highway=primary, oneway=yes, cycleway:left=lane, cycleway:left:oneway=-1  15  15
highway=primary, oneway=yes, cycleway:left=track, cycleway:left:oneway=no  15  15
highway=primary, oneway=yes, cycleway=track, cycleway:oneway=no  15  15
highway=primary, oneway=yes, cycleway:both=lane, cycleway:both:oneway=-1  15  15
highway=primary, oneway=yes, cycleway:both=lane, cycleway:left:oneway=-1  15  15
highway=primary, oneway=yes, cycleway=lane, oneway:bicycle=no  15  15
highway=primary, junction=roundabout, cycleway=lane        15    -     roundabout
highway=residential, cycleway=separate                     -     -
highway=residential, cycleway:both=separate                -     -
highway=residential, cycleway:right=separate               -     -
highway=residential, cycleway:right=separate, cycleway:left=lane  -  15
highway=residential, cycleway=separate, bicycle=yes        15    15
highway=residential, cycleway=separate, bicycle=destination  15r  15r
highway=residential, cycleway=separate, vehicle=yes        -     -
highway=footway, cycleway=separate                         p4    p4
"""

CONDITION = """
highway=primary, surface=asphalt                           15    15
highway=primary, surface=concrete:plates                   12    12
highway=primary, surface=paving_stones                     10    10
highway=primary, surface=compacted                         10    10
highway=primary, surface=fine_gravel                       10    10
highway=primary, surface=wood                              10    10
highway=primary, surface=sett                              9     9
highway=primary, surface=dirt                              8     8
highway=primary, surface=cobblestone                       7     7
highway=primary, surface=unhewn_cobblestone                6     6
highway=primary, surface=unpaved                           6     6
highway=primary, surface=gravel                            6     6
highway=primary, surface=grass                             6     6
highway=primary, surface=laterite                          5     5
highway=primary, surface=sand                              3     3
highway=primary, surface=carpet                            15    15
highway=primary, surface=asphalt;cobblestone               7     7
highway=footway, surface=cobblestone                       p4    p4
highway=footway, surface=sand                              p3    p3
highway=primary, oneway=yes, surface=gravel                6     p4
highway=track, tracktype=grade1                            12    12
highway=track, tracktype=grade2                            12    12
highway=track, tracktype=grade3                            11    11
highway=track, tracktype=grade4                            9     9
highway=track, tracktype=grade5                            7     7
highway=track, tracktype=grade2, surface=gravel            6     6
highway=path, smoothness=intermediate                      13    13
highway=path, smoothness=bad                               12    12
highway=path, smoothness=very_bad                          9     9
highway=path, smoothness=horrible                          7     7
highway=path, smoothness=very_horrible                     3     3
highway=path, smoothness=impassable                        -     -
highway=residential, maxspeed=30                           15    15
highway=residential, maxspeed=10                           10    10
highway=residential, maxspeed=5 mph                        8.045  8.045
highway=living_street, maxspeed=walk                       7     7
highway=residential, maxspeed:forward=10                   10    15
highway=residential, maxspeed:backward=10                  15    10
highway=residential, maxspeed=fast                         15    15    !maxspeed
highway=residential, maxspeed=10, surface=gravel           6     6
highway=living_street, source:maxspeed=DE:living_street    7     7
highway=residential, zone:maxspeed=DE:30                   15    15
highway=living_street, maxspeed:type=DE:living_street      7     7
"""

FERRIES = """
route=ferry                                                5     5     ferry
route=ferry, duration=20                                   5     5     ferry 1200s
route=ferry, duration=PT1H30M                              5     5     ferry 5400s
route=ferry, duration=a while                              5     5     ferry !duration
route=ferry, bicycle=yes                                   5     5     ferry
route=ferry, bicycle=dismount                              5     5     ferry
route=ferry, bicycle=no                                    -     -
route=ferry, vehicle=no                                    -     -
route=ferry, access=no                                     -     -
route=ferry, access=no, bicycle=yes                        5     5     ferry
route=ferry, motor_vehicle=no                              5     5     ferry
route=ferry, access=private                                5r    5r    ferry
route=ferry, oneway=yes                                    5     -     ferry
route=ferry, oneway=-1                                     -     5     ferry
route=shuttle_train                                        -     -
route=shuttle_train, bicycle=yes                           10    10    train
route=shuttle_train, bicycle=yes, duration=00:30           10    10    train 1800s
route=shuttle_train, bicycle=no                            -     -
route=train, bicycle=yes                                   15    15    # only where it is a road too
highway=primary, bridge=movable                            5     5
highway=primary, bridge=movable, duration=5                5     5     300s
highway=primary, bridge=yes, duration=5                    15    15
highway=residential, duration=5                            15    15
"""

ROWS = [
    row
    for table in (CLASSES, ACCESS, ONEWAY, CYCLEWAYS, CONDITION, FERRIES)
    for row in read_rows(table)
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_way(row: tuple[str, ...]) -> None:
    """Every row of the tables holds."""
    check_path_row(PROFILE, row)


def test_the_tables_are_complete() -> None:
    """Every key that the bicycle declares stands in a row, no row twice, and none was lost."""
    seen = {key for row in ROWS for key in read_tags(row[0])}
    assert {key for key in PROFILE.way_keys if not key.endswith(":conditional")} <= seen
    assert len(set(PROFILE.way_keys)) == len(PROFILE.way_keys)
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 250
