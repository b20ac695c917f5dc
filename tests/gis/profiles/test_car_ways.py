"""How fast and how gladly a car takes ways.

Columns: tags, km/h forward, km/h backward and facts, as `way_rows` describes them.
The meaning of the tags is the OpenStreetMap wiki's.
"""

import pytest
from tag_rows import read_rows, read_tags
from way_rows import check_way_row

from gis.profiles.car import PROFILE
from gis.profiles.rules import Mode

KINDS = """
(none)                                                     -       -
motor_vehicle=yes                                          -       -         # a pier
highway=motorway                                           90      -       +motorway
highway=motorway_link                                      45      45      +motorway
highway=trunk                                              85      85
highway=trunk_link                                         40      40
highway=primary                                            65      65
highway=primary_link                                       30      30
highway=secondary                                          55      55
highway=secondary_link                                     25      25
highway=tertiary                                           40      40
highway=tertiary_link                                      20      20
highway=unclassified                                       25      25
highway=residential                                        25      25
highway=living_street                                      10      10
highway=service                                            15      15
highway=winter_road                                        20      20
highway=ice_road                                           15      15
highway=trunk, motorroad=yes                               85      85
highway=primary, toll=yes                                  65      65      +toll
highway=track                                              -       -
highway=road                                               -       -
highway=pedestrian                                         -       -
highway=footway                                            -       -
highway=path                                               -       -
highway=cycleway                                           -       -
highway=bridleway                                          -       -
highway=steps                                              -       -
highway=busway                                             -       -
highway=bus_guideway                                       -       -
highway=raceway                                            -       -
highway=platform                                           -       -
highway=corridor                                           -       -
highway=construction                                       -       -
highway=construction, construction=motorway                -       -
highway=proposed                                           -       -
highway=proposed, proposed=trunk                           -       -
highway=trunk, proposed=motorway                           85      85
highway=residential, construction=no                       25      25
highway=residential, construction=minor                    25      25
highway=primary, construction=widening                     65      65
highway=primary, construction=primary                      -       -
highway=Residential                                        -       -
highway=nonsense                                           -       -
railway=rail                                               -       -
route=bicycle                                              -       -
highway=tertiary, route=bicycle                            40      40
highway=service, area=yes                                  -       -
highway=service, area=no                                   15      15
highway=pedestrian, area=yes, motor_vehicle=yes            -       -
highway=primary, impassable=yes                            -       -
highway=primary, impassable=no                             65      65
highway=primary, status=impassable                         -       -
highway=primary, status=open                               65      65
highway=construction, construction=no                      -       -
highway=construction, construction=minor                   10      10
highway=construction, construction=widening                10      10
highway=construction, construction=residential, motor_vehicle=yes  -  -
highway=construction, construction=minor, motorcar=no      -       -
highway=construction, construction=minor, maxspeed=30      24      24
highway=residential, construction=yes                      -       -
highway=residential, proposed=yes                          25      25
highway=runway                                             -       -
highway=escape                                             -       -
highway=services                                           -       -
highway=rest_area                                          -       -
highway=emergency_bay                                      -       -
highway=bus_stop                                           -       -
"""

MAXSPEED = """
highway=primary, maxspeed=50                               40      40
highway=primary, maxspeed=100                              80      80
highway=residential, maxspeed=90                           72      72
highway=service, maxspeed=5                                4       4
highway=motorway, maxspeed=120                             96      -       +motorway
highway=primary, maxspeed=50 km/h                          40      40
highway=primary, maxspeed=50 kmh                           40      40
highway=primary, maxspeed=30 mph                           38.616  38.616
highway=primary, maxspeed=30mph                            38.616  38.616
highway=primary, maxspeed=5 knots                          7.408   7.408
highway=primary, maxspeed=62,5                             50      50
highway=motorway, maxspeed=none                            112     -       +motorway
highway=motorway, maxspeed=240                             180     -       +motorway
highway=living_street, maxspeed=walk                       5.6     5.6
highway=motorway, maxspeed=signals                         90      -       +motorway
highway=motorway, maxspeed=variable                        90      -       +motorway
highway=primary, maxspeed=DE:urban                         40      40
highway=primary, maxspeed=DE:rural                         80      80
highway=motorway, maxspeed=DE:motorway                     90      -       +motorway
highway=primary, maxspeed=FR:rural                         64      64
highway=primary, maxspeed=RU:urban                         48      48
highway=living_street, maxspeed=RU:living_street           16      16
highway=living_street, maxspeed=DE:living_street           5.6     5.6
highway=primary, maxspeed=US:urban                         32.18   32.18
highway=primary, maxspeed=GB:nsl_single                    77.232  77.232
highway=primary, maxspeed=DE:zone:30                       24      24
highway=primary, maxspeed=DE:zone30                        24      24
highway=primary, maxspeed=zone30                           24      24
highway=primary, maxspeed=50;30                            24      24
highway=primary, maxspeed=50|30                            24      24
highway=primary, maxspeed=80; 50                           40      40
highway=primary, maxspeed=fast                             65      65      !maxspeed
highway=primary, maxspeed=-50                              65      65      !maxspeed
highway=primary, maxspeed=0                                65      65      !maxspeed
highway=primary, maxspeed=5000                             65      65      !maxspeed
highway=primary, maxspeed:forward=60                       48      65
highway=primary, maxspeed:backward=60                      65      48
highway=primary, maxspeed=20, maxspeed:forward=60          48      16
highway=primary, maxspeed=20, maxspeed:backward=60         16      48
highway=primary, maxspeed:forward=30, maxspeed:backward=60  24  48
highway=primary, maxspeed=50, maxspeed:forward=fast        65      40      !maxspeed
highway=primary, maxspeed=100, maxspeed:advisory=50        40      40
highway=primary, maxspeed=100, maxspeed:advisory=fast      80      80      !maxspeed:advisory
highway=primary, maxspeed:advisory:forward=40              32      65
highway=primary, maxspeed=50, maxspeed:advisory:backward=30  40  24
highway=primary, source:maxspeed=DE:urban                  40      40
highway=primary, source:maxspeed=sign                      65      65
highway=primary, maxspeed:type=NO:zone30                   24      24
highway=primary, maxspeed:type=sign                        65      65
highway=primary, maxspeed=60, maxspeed:type=DE:urban       48      48
highway=motorway, maxspeed=signals, maxspeed:type=FR:motorway  104  -  +motorway
highway=primary, maxspeed:hgv=60                           65      65
highway=primary, maxspeed=50, maxspeed:conditional=30 @ wet  40  40
highway=primary, maxspeed:forward:conditional=30 @ wet  65  65
highway=primary, maxspeed:backward:conditional=30 @ wet  65  65
highway=primary, access=no, maxspeed=100                   -       -
highway=footway, maxspeed=100                              -       -
highway=track, motor_vehicle=yes, maxspeed=20              16      16
highway=primary, maxspeed=50mph                            64.36   64.36
highway=motorway, maxspeed=US:motorway                     83.668  -       +motorway
highway=primary, maxspeed=IT:urban                         40      40
highway=primary, maxspeed=AT:rural                         80      80
highway=primary, maxspeed=BE-VLG:rural                     56      56
highway=motorway, maxspeed=PL:motorway                     112     -       +motorway
highway=motorway, maxspeed=unlimited                       112     -       +motorway
highway=residential, maxspeed=GB:zone20                    25.744  25.744
highway=residential, maxspeed=DE:bicycle_road              24      24
highway=service, maxspeed=walking_pace                     5.6     5.6
highway=primary, maxspeed=50, maxspeed:motorcar=80         64      64
highway=primary, maxspeed=50, maxspeed:motorcar:forward=80  64     40
highway=primary, maxspeed:motorcar:backward=80             65      64
highway=primary, maxspeed:advisory=30, maxspeed:motorcar=80  24    24
highway=primary, maxspeed:lanes=80|100                     65      65
highway=living_street, maxspeed=20                         16      16
highway=primary, minspeed=60                               65      65
highway=primary, maxspeed:motorcar:conditional=30 @ wet  65  65
highway=x, maxspeed:motorcar:forward:conditional=x  -  -
highway=x, maxspeed:motorcar:backward:conditional=x  -  -
"""

CONDITION = """
highway=motorway, surface=asphalt                          90      -       +motorway
highway=primary, surface=concrete:plates                   65      65
highway=motorway, surface=compacted                        80      -       +motorway
highway=motorway, surface=cement                           80      -       +motorway
highway=motorway, surface=fine_gravel                      80      -       +motorway
highway=motorway, surface=metal                            60      -       +motorway
highway=motorway, surface=bricks                           60      -       +motorway
highway=motorway, surface=grass                            40      -       +motorway
highway=motorway, surface=wood                             40      -       +motorway
highway=motorway, surface=grass_paver                      40      -       +motorway
highway=motorway, surface=ground                           40      -       +motorway
highway=motorway, surface=dirt                             40      -       +motorway
highway=motorway, surface=pebblestone                      40      -       +motorway
highway=motorway, surface=tartan                           40      -       +motorway
highway=motorway, surface=clay                             30      -       +motorway
highway=motorway, surface=snow                             30      -       +motorway
highway=motorway, surface=earth                            20      -       +motorway
highway=motorway, surface=stone                            20      -       +motorway
highway=motorway, surface=rocky                            20      -       +motorway
highway=primary, surface=paving_stones                     60      60
highway=primary, surface=sett                              40      40
highway=primary, surface=gravel                            40      40
highway=primary, surface=unpaved                           40      40
highway=primary, surface=cobblestone                       30      30
highway=primary, surface=unhewn_cobblestone                30      30
highway=primary, surface=sand                              20      20
highway=primary, surface=mud                               10      10
highway=primary, surface=laterite                          15      15
highway=primary, surface=ice                               20      20
highway=primary, surface=carpet                            65      65
highway=residential, surface=sett                          25      25
highway=primary, surface=asphalt;gravel                    40      40
highway=primary, surface=paved; mud                        10      10
highway=primary, tracktype=grade1                          60      60
highway=primary, tracktype=grade2                          40      40
highway=primary, tracktype=grade3                          30      30
highway=primary, tracktype=grade4                          25      25
highway=primary, tracktype=grade5                          20      20
highway=primary, tracktype=grade2;grade5                   20      20
highway=primary, tracktype=grade9                          65      65
highway=motorway, smoothness=good                          90      -       +motorway
highway=motorway, smoothness=intermediate                  80      -       +motorway
highway=primary, smoothness=bad                            40      40
highway=primary, smoothness=very_bad                       20      20
highway=primary, smoothness=horrible                       10      10
highway=primary, smoothness=very_horrible                  5       5
highway=primary, smoothness=impassable                     -       -
highway=primary, surface=gravel, smoothness=very_bad       20      20
highway=primary, surface=mud, tracktype=grade1             10      10
highway=primary, maxspeed=100, surface=gravel              40      40
highway=primary, maxspeed=30, surface=gravel               24      24
highway=track, access=yes, tracktype=grade5                10      10
highway=motorway, smoothness=excellent                     90      -       +motorway
highway=track, motor_vehicle=yes, surface=mud              10      10
highway=track, motor_vehicle=yes, smoothness=very_horrible  5      5
highway=residential, smoothness=bad;horrible               10      10
highway=trunk, maxspeed=120, smoothness=intermediate       80      80
highway=primary, surface=unpaved, oneway=yes               40      -
"""

PREFERENCE = """
highway=service, service=driveway                          15      15      x0.5
highway=service, service=alley                             15      15      x0.5
highway=service, service=parking                           15      15      x0.5
highway=service, service=parking_aisle                     15      15      x0.5
highway=service, service=drive-through                     15      15      x0.5
highway=service, service=drive-thru                        15      15      x0.5
highway=service, service=bus                               15      15
highway=primary, lanes=1                                   65      65      x0.5
highway=primary, lanes=1, oneway=yes                       65      -
highway=primary, lanes=1, oneway=-1                        -       65
highway=primary, lanes=2                                   65      65
highway=primary, lanes=many                                65      65
highway=primary, width=2.5                                 65      65      x0.5
highway=primary, width=3                                   65      65      x0.5
highway=primary, width=3.5                                 65      65      x0.6
highway=primary, width=4,5 m                               65      65      x0.75
highway=primary, width=ca. 5                               65      65      x0.8
highway=primary, width=4                                   65      65      x0.75
highway=primary, width=5.5                                 65      65      x0.8
highway=primary, width=6                                   65      65
highway=primary, width=3, oneway=yes                       65      -
highway=primary, lane_markings=no                          65      65      x0.75
highway=primary, lane_markings=no, oneway=yes              65      -
highway=primary, lane_markings=no, lanes=1                 65      65      x0.5
highway=primary, side_road=yes                             65      65      x0.8
highway=primary, side_road=rotary                          65      65      x0.8
highway=primary, side_road=no                              65      65
highway=primary, priority=forward                          65      65      x1/0.7
highway=primary, priority=backward                         65      65      x0.7/1
highway=primary, priority=backward, lanes=1                65      65      x0.5
highway=service, service=alley, lanes=1                    15      15      x0.5
highway=primary, width=3.01                                65      65      x0.6
highway=primary, width=10'                                 65      65      x0.6
highway=primary, width=9'6"                                65      65      x0.5
highway=primary, width=300 cm                              65      65      x0.5
highway=primary, width=3;6                                 65      65      x0.5
highway=primary, width=wide                                65      65
highway=primary, width=narrow                              65      65      x0.5
highway=primary, width=quite                               65      65      !width
highway=primary, width=5.5, lane_markings=no               65      65      x0.75
highway=primary, width=7, lane_markings=no                 65      65      x0.75
highway=primary, lanes=1.5                                 65      65      x0.5
highway=primary, lanes=0                                   65      65      x0.5
highway=primary, lanes=2, width=3                          65      65      x0.5
highway=primary, lanes=1, motorcar:backward=no             65      -
highway=primary, lane_markings=yes                         65      65
highway=primary, oneway=alternating, lanes=1               65      65      x0.4 !oneway
highway=primary, side_road=yes, oneway=yes                 65      -       x0.8
highway=service, service=alley, oneway=yes                 15      -       x0.5
highway=service, service=emergency_access                  -       -
highway=service, service=irrigation                        15      15
highway=primary, priority=forward, oneway=yes              65      -       x1/0.7
"""

FERRIES = """
route=ferry                                                5       5       ferry +ferry
route=shuttle_train                                        10      10      train
route=train                                                -       -
route=ferry, motor_vehicle=yes                             5       5       ferry +ferry
route=ferry, motorcar=no                                   -       -
route=ferry, motor_vehicle=no, motorcar=yes                5       5       ferry +ferry
route=ferry, access=no                                     -       -
route=ferry, access=private  5  5  restricted ferry +ferry
route=ferry, vehicle=no, duration=20                       -       -
route=ferry, access=customers  5  5  restricted ferry +ferry
route=ferry, oneway=yes                                    5       -       ferry +ferry
route=ferry, maxspeed=30                                   5       5       ferry +ferry
route=ferry, duration=20  5  5  ferry 1200s +ferry
route=ferry, duration=90  5  5  ferry 5400s +ferry
route=ferry, duration=01:30  5  5  ferry 5400s +ferry
route=ferry, duration=1:30:00  5  5  ferry 5400s +ferry
route=ferry, duration=PT1H30M  5  5  ferry 5400s +ferry
route=ferry, duration=02:30;03:30  5  5  ferry 12600s +ferry
route=ferry, duration=a while  5  5  ferry +ferry !duration
route=ferry, duration=00:00  5  5  ferry +ferry !duration
route=shuttle_train, duration=00:35                        10      10      train 2100s
highway=primary, route=ferry                               5       5       ferry +ferry
highway=primary, duration=20                               65      65
highway=primary, bridge=yes                                65      65
highway=primary, bridge=movable                            5       5
highway=primary, bridge=movable, maxspeed=50               40      40
highway=primary, bridge=movable, duration=10               5       5       600s
highway=footway, bridge=movable                            -       -
route=ferry, motor_vehicle:forward=no                      -       5       ferry +ferry
route=ferry, vehicle=destination                           5       5       restricted ferry +ferry
route=ferry, motorcar=designated, access=no                5       5       ferry +ferry
route=ferry, oneway=-1, duration=PT45M                     -       5       ferry 2700s +ferry
route=ferry, duration=P1DT2H                               5       5       ferry 93600s +ferry
route=ferry, duration=1 h 30 min                           5       5       ferry 5400s +ferry
route=ferry, duration=00:08:30                             5       5       ferry 510s +ferry
route=ferry, toll=yes                                      5       5       ferry +ferry +toll
route=ferry, maxheight=1.8                                 -       -
route=ferry, maxweight=3.5                                 5       5       ferry +ferry
route=shuttle_train, motor_vehicle=no                      -       -
route=shuttle_train, oneway=yes, duration=15               10      -       train 900s
route=shuttle_train, tunnel=yes                            10      10      train +tunnel
highway=steps, route=ferry                                 5       5       ferry +ferry
highway=primary, bridge=movable, duration=PT5M, oneway=yes  5      -       300s
highway=primary, bridge=movable, duration=soon             5       5       !duration
"""

EXCLUDABLE = """
highway=motorway, oneway=no                                90      90      +motorway
highway=primary, toll=no                                   65      65
highway=primary, toll=interval                             65      65
highway=primary, toll:forward=yes                          65      65      +toll
highway=primary, toll:backward=yes                         65      65      +toll
highway=primary, toll:backward=yes, oneway=yes             65      -
highway=primary, toll:forward=yes, oneway=-1               -       65
highway=primary, toll=yes, toll:motorcar=no                65      65
highway=primary, toll:motorcar=yes                         65      65      +toll
highway=primary, toll=no, toll:motorcar:forward=yes        65      65      +toll
highway=primary, toll:motorcar:backward=yes                65      65      +toll
highway=primary, toll:hgv=yes                              65      65
highway=primary, tunnel=yes                                65      65      +tunnel
highway=primary, tunnel=no                                 65      65
highway=service, tunnel=building_passage                   15      15      +tunnel
highway=primary, tunnel=avalanche_protector                65      65      +tunnel
highway=motorway, toll=yes, tunnel=yes                     90      -       +motorway +toll +tunnel
highway=primary, access=no, toll=yes                       -       -
"""

TABLES = (KINDS, MAXSPEED, CONDITION, PREFERENCE, FERRIES, EXCLUDABLE)
ROWS = [row for table in TABLES for row in read_rows(table)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_way(row: tuple[str, ...]) -> None:
    """Every row of the tables holds, and nothing that a row does not mention."""
    check_way_row(PROFILE, row)


def test_the_tables_are_whole() -> None:
    """Every key stands in a row here or in the tables of access and of dimensions; none twice."""
    keys = {key for row in ROWS for key in read_tags(row[0])}
    access = ("access", "vehicle", "motor_vehicle", "motorcar", "oneway", "hov", "junction")
    limits = ("maxheight", "maxwidth", "maxlength", "maxweight", "maxweightrating", "maxaxleload")
    elsewhere = (*access, *limits, "width", "est_width", "narrow")
    missing = [key for key in PROFILE.way_keys if key.split(":")[0] not in elsewhere]
    assert set(missing) <= keys
    assert len(set(PROFILE.way_keys)) == len(PROFILE.way_keys)
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 250


def test_the_car_is_whole() -> None:
    """Each class can be excluded alone, and routes say what they minimise."""
    words = ("toll", "motorway", "ferry", "restricted", "tunnel")
    assert PROFILE.classes == words
    assert set(PROFILE.excludable) == {frozenset((word,)) for word in words}
    assert PROFILE.weight_name == "routability"
    assert PROFILE.mode is Mode.DRIVING
