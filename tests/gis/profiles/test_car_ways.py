"""What a car makes of ways: each row gives tags, km/h forward, km/h backward and what else holds.

``-`` is closed. The fourth column lists ``restricted`` (``restricted/-`` forward alone),
``roundabout``, ``circular``, ``ferry``, ``train``, a duration in seconds (``90s``), a preference
(``x0.5``, or ``x0.5/1`` forward and backward) and warnings (``!kind``). The meaning of the tags is
the OpenStreetMap wiki's.
"""

import pytest
from tag_rows import Warned, read_rows, read_tags

from gis.profiles.car import PROFILE, way
from gis.profiles.rules import Mode

CLASSES = """
(none)                                                     -     -
highway=motorway                                           90    -
highway=motorway_link                                      45    45
highway=trunk                                              85    85
highway=trunk_link                                         40    40
highway=primary                                            65    65
highway=primary_link                                       30    30
highway=secondary                                          55    55
highway=secondary_link                                     25    25
highway=tertiary                                           40    40
highway=tertiary_link                                      20    20
highway=unclassified                                       25    25
highway=residential                                        25    25
highway=living_street                                      10    10
highway=service                                            15    15
highway=winter_road                                        20    20
highway=ice_road                                           15    15
highway=trunk, motorroad=yes                               85    85
highway=primary, toll=yes                                  65    65
highway=track                                              -     -
highway=road                                               -     -
highway=pedestrian                                         -     -
highway=footway                                            -     -
highway=path                                               -     -
highway=cycleway                                           -     -
highway=bridleway                                          -     -
highway=steps                                              -     -
highway=busway                                             -     -
highway=bus_guideway                                       -     -
highway=raceway                                            -     -
highway=platform                                           -     -
highway=corridor                                           -     -
highway=construction                                       -     -
highway=construction, construction=motorway                -     -
highway=proposed                                           -     -
highway=proposed, proposed=trunk                           -     -
highway=trunk, proposed=motorway                           85    85
highway=residential, construction=no                       25    25
highway=residential, construction=minor                    25    25
highway=primary, construction=widening                     65    65
highway=primary, construction=primary                      -     -
highway=Residential                                        -     -
highway=nonsense                                           -     -
railway=rail                                               -     -
route=bicycle                                              -     -
highway=tertiary, route=bicycle                            40    40
highway=service, area=yes                                  -     -
highway=service, area=no                                   15    15
highway=pedestrian, area=yes, motor_vehicle=yes            -     -
highway=primary, impassable=yes                            -     -
highway=primary, impassable=no                             65    65
highway=primary, status=impassable                         -     -
highway=primary, status=open                               65    65
"""

ACCESS = """
highway=primary, access=yes                                65    65
highway=primary, access=permissive                         65    65
highway=primary, access=designated                         65    65
highway=primary, access=public                             65    65
highway=primary, access=no                                 -     -
highway=primary, access=private                            -     -
highway=primary, access=permit                             -     -
highway=primary, access=residents                          -     -
highway=primary, access=agricultural                       -     -
highway=primary, access=forestry                           -     -
highway=primary, access=emergency                          -     -
highway=primary, access=military                           -     -
highway=primary, access=official                           -     -
highway=primary, access=psv                                -     -
highway=primary, access=bus                                -     -
highway=primary, access=taxi                               -     -
highway=primary, access=foot                               -     -
highway=primary, access=destination                        65    65    restricted
highway=primary, access=delivery                           65    65    restricted
highway=primary, access=customers                          65    65    restricted
highway=primary, access=customer                           65    65    restricted
highway=primary, access=unknown                            65    65    restricted
highway=primary, access=elephants                          65    65    !access
highway=primary, vehicle=no                                -     -
highway=primary, vehicle=destination                       65    65    restricted
highway=primary, motor_vehicle=no                          -     -
highway=primary, motor_vehicle=private                     -     -
highway=primary, motorcar=no                               -     -
highway=primary, motorcar=delivery                         65    65    restricted
highway=primary, access=no, vehicle=yes                    65    65
highway=primary, access=yes, vehicle=no                    -     -
highway=primary, access=no, motor_vehicle=yes              65    65
highway=primary, access=yes, motor_vehicle=no              -     -
highway=primary, vehicle=no, motor_vehicle=yes             65    65
highway=primary, vehicle=yes, motor_vehicle=no             -     -
highway=primary, access=no, motorcar=yes                   65    65
highway=primary, access=yes, motorcar=no                   -     -
highway=primary, motor_vehicle=no, motorcar=yes            65    65
highway=primary, motor_vehicle=yes, motorcar=no            -     -
highway=primary, access=private, motorcar=destination      65    65    restricted
highway=primary, motor_vehicle=agricultural;forestry       -     -
highway=primary, motor_vehicle=agricultural; forestry      -     -
highway=primary, motor_vehicle=destination;agricultural    65    65    restricted
highway=primary, motor_vehicle=no;destination;yes          65    65
highway=primary, access:forward=no                         -     65
highway=primary, access:backward=no                        65    -
highway=primary, access=yes, access:forward=no             -     65
highway=primary, access=no, access:forward=yes             65    -
highway=primary, access=no, access:backward=yes            -     65
highway=primary, access:forward=no, motorcar=yes           65    65
highway=primary, access:forward=yes, motorcar=no           -     -
highway=primary, motorcar=yes, motorcar:forward=no         -     65
highway=primary, motorcar=no, motorcar:backward=yes        -     65
highway=primary, access:forward=no, motorcar:backward=no   -     -
highway=primary, vehicle:backward=no                       65    -
highway=primary, motor_vehicle:forward=no                  -     65
highway=primary, motor_vehicle:forward=destination         65    65    restricted/-
highway=primary, motor_vehicle:backward=private            65    -
highway=primary, vehicle:forward=forestry                  -     65
highway=primary, foot=no                                   65    65
highway=primary, bicycle=no, horse=no, psv=no              65    65
highway=primary, hgv=no, maxweight=3.5                     65    65
highway=footway, foot=yes                                  -     -
highway=track, access=yes                                  10    10
highway=track, access=permissive                           10    10
highway=track, access=agricultural                         -     -
highway=track, motor_vehicle=yes                           10    10
highway=track, motor_vehicle=destination                   10    10    restricted
highway=track, motorcar=designated                         10    10
highway=track, vehicle=yes, motor_vehicle=no               -     -
highway=track, motor_vehicle:forward=yes                   10    -
highway=track, foot=yes                                    -     -
highway=road, access=yes                                   10    10
highway=footway, access=yes                                -     -
highway=footway, access=permissive                         -     -
highway=footway, motor_vehicle=yes                         10    10
highway=path, access=destination                           -     -
highway=pedestrian, access=yes                             -     -
highway=pedestrian, motor_vehicle=delivery                 10    10    restricted
highway=pedestrian, motorcar=yes                           10    10
highway=cycleway, vehicle=destination                      10    10    restricted
highway=busway, motorcar=yes                               10    10
highway=steps, motorcar=yes                                -     -
highway=construction, motor_vehicle=destination            -     -
highway=proposed, motor_vehicle=yes                        -     -
highway=planned, motor_vehicle=yes                         -     -
highway=corridor, motor_vehicle=yes                        -     -
highway=elevator, motor_vehicle=yes                        -     -
highway=platform, motor_vehicle=yes                        -     -
highway=abandoned, motor_vehicle=yes                       -     -
highway=disused, motor_vehicle=yes                         -     -
highway=razed, motor_vehicle=yes                           -     -
highway=demolished, motor_vehicle=yes                      -     -
highway=removed, motor_vehicle=yes                         -     -
highway=no, motor_vehicle=yes                              -     -
highway=residential, service=emergency_access              -     -
highway=service, service=emergency_access                  -     -
highway=primary, access:conditional=no @ (22:00-06:00)     65    65    !access:conditional
highway=primary, vehicle:conditional=no @ Su               65    65    !vehicle:conditional
highway=primary, motor_vehicle:conditional=no @ Su         65    65    !motor_vehicle:conditional
highway=primary, motorcar:conditional=no @ Su              65    65    !motorcar:conditional
highway=primary, access:forward:conditional=no @ Su  65  65  !access:forward:conditional
highway=primary, access:backward:conditional=no @ Su  65  65  !access:backward:conditional
highway=primary, vehicle:forward:conditional=no @ Su  65  65  !vehicle:forward:conditional
highway=primary, vehicle:backward:conditional=no @ Su  65  65  !vehicle:backward:conditional
highway=trunk, motor_vehicle:forward:conditional=no @ x  85  85  !motor_vehicle:forward:conditional
highway=trunk, motor_vehicle:backward:conditional=x  85  85  !motor_vehicle:backward:conditional
highway=primary, motorcar:forward:conditional=no @ Su  65  65  !motorcar:forward:conditional
highway=primary, motorcar:backward:conditional=no @ Su  65  65  !motorcar:backward:conditional
highway=primary, hov=designated                            -     -
highway=motorway, hov=yes                                  90    -
highway=motorway, hov=lane                                 90    -
highway=motorway, hov:lanes=designated|designated          -     -
highway=motorway, hov:lanes=designated|no                  90    -
highway=motorway, hov:lanes=designated|                    90    -
highway=primary, hov:lanes:forward=designated              -     65
highway=primary, hov:lanes:backward=designated             65    -
"""

ONEWAY = """
highway=primary, oneway=no                                 65    65
highway=primary, oneway=yes                                65    -
highway=primary, oneway=1                                  65    -
highway=primary, oneway=true                               65    -
highway=primary, oneway=-1                                 -     65
highway=primary, oneway=reverse                            -     65
highway=primary, oneway=false                              65    65
highway=primary, oneway=0                                  65    65
highway=primary, oneway=maybe                              65    65    !oneway
highway=primary, oneway=reversible                         -     -     !oneway
highway=primary, oneway=alternating                        65    65    x0.4 !oneway
highway=primary, oneway=yes, oneway:conditional=no @ Su    65    -     !oneway:conditional
highway=primary, oneway:motorcar:conditional=yes @ Su      65    65    !oneway:motorcar:conditional
highway=primary, oneway:vehicle:conditional=yes @ Su       65    65    !oneway:vehicle:conditional
highway=trunk, oneway:motor_vehicle:conditional=yes @ x  85  85  !oneway:motor_vehicle:conditional
highway=motorway, oneway=no                                90    90
highway=motorway, oneway=-1                                -     90
highway=motorway, oneway=maybe                             90    -     !oneway
highway=motorway_link, oneway=yes                          45    -
highway=trunk, oneway=yes                                  85    -
highway=primary, junction=roundabout                       65    -     roundabout
highway=primary, junction=circular                         65    -     circular
highway=primary, junction=roundabout, oneway=-1            -     65    roundabout
highway=primary, junction=roundabout, oneway=no            65    65    roundabout
highway=motorway_link, junction=roundabout                 45    -     roundabout
highway=primary, junction=yes                              65    65
highway=primary, junction=jughandle                        65    65
highway=primary, oneway:motorcar=yes                       65    -
highway=primary, oneway:motor_vehicle=yes                  65    -
highway=primary, oneway:vehicle=yes                        65    -
highway=primary, oneway:vehicle=-1                         -     65
highway=primary, oneway=yes, oneway:motorcar=no            65    65
highway=primary, oneway=yes, oneway:motor_vehicle=no       65    65
highway=primary, oneway=yes, oneway:vehicle=no             65    65
highway=primary, oneway:motorcar=yes, oneway:vehicle=no    65    -
highway=primary, oneway:motorcar=no, oneway:vehicle=yes    65    65
highway=primary, oneway=no, oneway:motor_vehicle=yes       65    -
highway=primary, oneway=yes, oneway:motorcar=maybe         65    -     !oneway:motorcar
highway=primary, oneway:bicycle=yes                        65    65
highway=primary, oneway=yes, oneway:bicycle=no             65    -
highway=primary, oneway=yes, oneway:psv=no                 65    -
highway=primary, oneway=yes, access:forward=no             -     -
highway=primary, oneway=-1, access:forward=no              -     65
highway=primary, oneway=yes, access:backward=destination   65    -
"""

MAXSPEED = """
highway=primary, maxspeed=50                               40    40
highway=primary, maxspeed=100                              80    80
highway=residential, maxspeed=90                           72    72
highway=service, maxspeed=5                                4     4
highway=motorway, maxspeed=120                             96    -
highway=primary, maxspeed=50 km/h                          40    40
highway=primary, maxspeed=50 kmh                           40    40
highway=primary, maxspeed=30 mph                           38.616  38.616
highway=primary, maxspeed=30mph                            38.616  38.616
highway=primary, maxspeed=5 knots                          7.408  7.408
highway=primary, maxspeed=62,5                             50    50
highway=motorway, maxspeed=none                            112   -
highway=motorway, maxspeed=240                             180   -
highway=living_street, maxspeed=walk                       5.6   5.6
highway=motorway, maxspeed=signals                         90    -
highway=motorway, maxspeed=variable                        90    -
highway=primary, maxspeed=DE:urban                         40    40
highway=primary, maxspeed=DE:rural                         80    80
highway=motorway, maxspeed=DE:motorway                     90    -
highway=primary, maxspeed=FR:rural                         64    64
highway=primary, maxspeed=RU:urban                         48    48
highway=living_street, maxspeed=RU:living_street           16    16
highway=living_street, maxspeed=DE:living_street           5.6   5.6
highway=primary, maxspeed=US:urban                         32.18  32.18
highway=primary, maxspeed=GB:nsl_single                    77.232  77.232
highway=primary, maxspeed=DE:zone:30                       24    24
highway=primary, maxspeed=DE:zone30                        24    24
highway=primary, maxspeed=zone30                           24    24
highway=primary, maxspeed=50;30                            24    24
highway=primary, maxspeed=50|30                            24    24
highway=primary, maxspeed=80; 50                           40    40
highway=primary, maxspeed=fast                             65    65    !maxspeed
highway=primary, maxspeed=-50                              65    65    !maxspeed
highway=primary, maxspeed=0                                65    65    !maxspeed
highway=primary, maxspeed=5000                             65    65    !maxspeed
highway=primary, maxspeed:forward=60                       48    65
highway=primary, maxspeed:backward=60                      65    48
highway=primary, maxspeed=20, maxspeed:forward=60          48    16
highway=primary, maxspeed=20, maxspeed:backward=60         16    48
highway=primary, maxspeed:forward=30, maxspeed:backward=60  24   48
highway=primary, maxspeed=50, maxspeed:forward=fast        65    40    !maxspeed
highway=primary, maxspeed=100, maxspeed:advisory=50        40    40
highway=primary, maxspeed=100, maxspeed:advisory=fast      80    80    !maxspeed:advisory
highway=primary, maxspeed:advisory:forward=40              32    65
highway=primary, maxspeed=50, maxspeed:advisory:backward=30  40  24
highway=primary, source:maxspeed=DE:urban                  40    40
highway=primary, source:maxspeed=sign                      65    65
highway=primary, maxspeed:type=NO:zone30                   24    24
highway=primary, maxspeed:type=sign                        65    65
highway=primary, maxspeed=60, maxspeed:type=DE:urban       48    48
highway=motorway, maxspeed=signals, maxspeed:type=FR:motorway  104  -
highway=primary, maxspeed:hgv=60                           65    65
highway=primary, maxspeed=50, maxspeed:conditional=30 @ wet  40  40    !maxspeed:conditional
highway=primary, maxspeed:forward:conditional=30 @ wet     65    65    !maxspeed:forward:conditional
highway=primary, maxspeed:backward:conditional=30 @ wet  65  65  !maxspeed:backward:conditional
highway=primary, access=no, maxspeed=100                   -     -
highway=footway, maxspeed=100                              -     -
highway=track, motor_vehicle=yes, maxspeed=20              16    16
"""

CONDITION = """
highway=motorway, surface=asphalt                          90    -
highway=primary, surface=concrete:plates                   65    65
highway=motorway, surface=compacted                        80    -
highway=motorway, surface=cement                           80    -
highway=motorway, surface=fine_gravel                      80    -
highway=motorway, surface=metal                            60    -
highway=motorway, surface=bricks                           60    -
highway=motorway, surface=grass                            40    -
highway=motorway, surface=wood                             40    -
highway=motorway, surface=grass_paver                      40    -
highway=motorway, surface=ground                           40    -
highway=motorway, surface=dirt                             40    -
highway=motorway, surface=pebblestone                      40    -
highway=motorway, surface=tartan                           40    -
highway=motorway, surface=clay                             30    -
highway=motorway, surface=snow                             30    -
highway=motorway, surface=earth                            20    -
highway=motorway, surface=stone                            20    -
highway=motorway, surface=rocky                            20    -
highway=primary, surface=paving_stones                     60    60
highway=primary, surface=sett                              40    40
highway=primary, surface=gravel                            40    40
highway=primary, surface=unpaved                           40    40
highway=primary, surface=cobblestone                       30    30
highway=primary, surface=unhewn_cobblestone                30    30
highway=primary, surface=sand                              20    20
highway=primary, surface=mud                               10    10
highway=primary, surface=laterite                          15    15
highway=primary, surface=ice                               20    20
highway=primary, surface=carpet                            65    65
highway=residential, surface=sett                          25    25
highway=primary, surface=asphalt;gravel                    40    40
highway=primary, surface=paved; mud                        10    10
highway=primary, tracktype=grade1                          60    60
highway=primary, tracktype=grade2                          40    40
highway=primary, tracktype=grade3                          30    30
highway=primary, tracktype=grade4                          25    25
highway=primary, tracktype=grade5                          20    20
highway=primary, tracktype=grade2;grade5                   20    20
highway=primary, tracktype=grade9                          65    65
highway=motorway, smoothness=good                          90    -
highway=motorway, smoothness=intermediate                  80    -
highway=primary, smoothness=bad                            40    40
highway=primary, smoothness=very_bad                       20    20
highway=primary, smoothness=horrible                       10    10
highway=primary, smoothness=very_horrible                  5     5
highway=primary, smoothness=impassable                     -     -
highway=primary, surface=gravel, smoothness=very_bad       20    20
highway=primary, surface=mud, tracktype=grade1             10    10
highway=primary, maxspeed=100, surface=gravel              40    40
highway=primary, maxspeed=30, surface=gravel               24    24
highway=track, access=yes, tracktype=grade5                10    10
"""

PREFERENCE = """
highway=service, service=driveway                          15    15    x0.5
highway=service, service=alley                             15    15    x0.5
highway=service, service=parking                           15    15    x0.5
highway=service, service=parking_aisle                     15    15    x0.5
highway=service, service=drive-through                     15    15    x0.5
highway=service, service=drive-thru                        15    15    x0.5
highway=service, service=bus                               15    15
highway=primary, lanes=1                                   65    65    x0.5
highway=primary, lanes=1, oneway=yes                       65    -
highway=primary, lanes=1, oneway=-1                        -     65
highway=primary, lanes=2                                   65    65
highway=primary, lanes=many                                65    65
highway=primary, width=2.5                                 65    65    x0.5
highway=primary, width=3                                   65    65    x0.5
highway=primary, width=3.5                                 65    65    x0.6
highway=primary, width=4,5 m                               65    65    x0.75
highway=primary, width=ca. 5                               65    65    x0.8
highway=primary, width=4                                   65    65    x0.75
highway=primary, width=5.5                                 65    65    x0.8
highway=primary, width=6                                   65    65
highway=primary, width=3, oneway=yes                       65    -
highway=primary, lane_markings=no                          65    65    x0.75
highway=primary, lane_markings=no, oneway=yes              65    -
highway=primary, lane_markings=no, lanes=1                 65    65    x0.5
highway=primary, side_road=yes                             65    65    x0.8
highway=primary, side_road=rotary                          65    65    x0.8
highway=primary, side_road=no                              65    65
highway=primary, priority=forward                          65    65    x1/0.7
highway=primary, priority=backward                         65    65    x0.7/1
highway=primary, priority=backward, lanes=1                65    65    x0.5
highway=service, service=alley, lanes=1                    15    15    x0.5
"""

FERRIES = """
route=ferry                                                5     5     ferry
route=shuttle_train                                        10    10    train
route=train                                                -     -
route=ferry, motor_vehicle=yes                             5     5     ferry
route=ferry, motorcar=no                                   -     -
route=ferry, motor_vehicle=no, motorcar=yes                5     5     ferry
route=ferry, access=no                                     -     -
route=ferry, access=private                                -     -
route=ferry, vehicle=no, duration=20                       -     -
route=ferry, access=customers                              5     5     ferry restricted
route=ferry, oneway=yes                                    5     -     ferry
route=ferry, maxspeed=30                                   5     5     ferry
route=ferry, duration=20                                   5     5     ferry 1200s
route=ferry, duration=90                                   5     5     ferry 5400s
route=ferry, duration=01:30                                5     5     ferry 5400s
route=ferry, duration=1:30:00                              5     5     ferry 5400s
route=ferry, duration=PT1H30M                              5     5     ferry 5400s
route=ferry, duration=02:30;03:30                          5     5     ferry 12600s
route=ferry, duration=a while                              5     5     ferry !duration
route=ferry, duration=00:00                                5     5     ferry !duration
route=shuttle_train, duration=00:35                        10    10    train 2100s
highway=primary, route=ferry                               5     5     ferry
highway=primary, duration=20                               65    65
highway=primary, bridge=yes                                65    65
highway=primary, bridge=movable                            5     5
highway=primary, bridge=movable, maxspeed=50               40    40
highway=primary, bridge=movable, duration=10               5     5     600s
highway=footway, bridge=movable                            -     -
"""

TABLES = (CLASSES, ACCESS, ONEWAY, MAXSPEED, CONDITION, PREFERENCE, FERRIES)
ROWS = [row for table in TABLES for row in read_rows(table)]


def speed(text: str) -> float:
    return 0.0 if text == "-" else float(text)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_way(row: tuple[str, ...]) -> None:
    """Every row of the tables holds, and nothing that a row does not mention."""
    tags, forward, backward, more = (*row, "")[:4]
    warned = Warned()
    declared = {key: value for key, value in read_tags(tags).items() if key in PROFILE.way_keys}
    rule = way(declared, warned)
    facts = more.split()
    assert {kind for kind, _ in warned} == {fact[1:] for fact in facts if fact.startswith("!")}
    if rule is None:
        assert (forward, backward) == ("-", "-")
        return
    assert (rule.forward_kmh, rule.backward_kmh) == pytest.approx((speed(forward), speed(backward)))
    assert (rule.forward_restricted, rule.backward_restricted) == (
        "restricted" in facts or "restricted/-" in facts,
        "restricted" in facts or "-/restricted" in facts,
    )
    assert rule.roundabout == ("roundabout" in facts)
    assert rule.circular == ("circular" in facts)
    mode = Mode.FERRY if "ferry" in facts else Mode.TRAIN if "train" in facts else None
    assert (rule.forward_mode, rule.backward_mode) == (mode, mode)
    assert rule.startpoint == (mode is None)
    seconds = [float(fact[:-1]) for fact in facts if fact[:-1].isdigit() and fact.endswith("s")]
    assert rule.duration_s == (seconds[0] if seconds else None)
    preference = next((fact[1:] for fact in facts if fact.startswith("x")), "1").split("/")
    wanted = (float(preference[0]), float(preference[-1]))
    assert (rule.forward_preference, rule.backward_preference) == wanted


def test_the_tables_are_complete() -> None:
    """Every key that the car declares stands in a row, no row twice, and none was lost."""
    assert set(PROFILE.way_keys) <= {key for row in ROWS for key in read_tags(row[0])}
    assert len(set(PROFILE.way_keys)) == len(PROFILE.way_keys)
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 330
