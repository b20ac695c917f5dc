"""Which ways a car may use, and in which directions.

Columns: tags, km/h forward, km/h backward and facts, as `way_rows` describes them.
The meaning of the tags is the OpenStreetMap wiki's.
"""

import pytest
from tag_rows import read_rows, read_tags
from way_rows import check_way_row

from gis.profiles.car import PROFILE

ACCESS = """
highway=primary, access=yes                                65      65
highway=primary, access=permissive                         65      65
highway=primary, access=designated                         65      65
highway=primary, access=public                             65      65
highway=primary, access=no                                 -       -
highway=primary, access=private                            65      65      restricted
highway=primary, access=permit                             65      65      restricted
highway=primary, access=residents                          65      65      restricted
highway=primary, access=agricultural                       -       -
highway=primary, access=forestry                           -       -
highway=primary, access=emergency                          -       -
highway=primary, access=military                           -       -
highway=primary, access=official                           -       -
highway=primary, access=psv                                -       -
highway=primary, access=bus                                -       -
highway=primary, access=taxi                               -       -
highway=primary, access=foot                               -       -
highway=primary, access=destination                        65      65      restricted
highway=primary, access=delivery                           65      65      restricted
highway=primary, access=customers                          65      65      restricted
highway=primary, access=customer                           65      65      restricted
highway=primary, access=unknown                            65      65      restricted
highway=primary, access=elephants                          65      65      !access
highway=primary, vehicle=no                                -       -
highway=primary, vehicle=destination                       65      65      restricted
highway=primary, motor_vehicle=no                          -       -
highway=primary, motor_vehicle=private                     65      65      restricted
highway=primary, motorcar=no                               -       -
highway=primary, motorcar=delivery                         65      65      restricted
highway=primary, access=no, vehicle=yes                    65      65
highway=primary, access=yes, vehicle=no                    -       -
highway=primary, access=no, motor_vehicle=yes              65      65
highway=primary, access=yes, motor_vehicle=no              -       -
highway=primary, vehicle=no, motor_vehicle=yes             65      65
highway=primary, vehicle=yes, motor_vehicle=no             -       -
highway=primary, access=no, motorcar=yes                   65      65
highway=primary, access=yes, motorcar=no                   -       -
highway=primary, motor_vehicle=no, motorcar=yes            65      65
highway=primary, motor_vehicle=yes, motorcar=no            -       -
highway=primary, access=private, motorcar=destination      65      65      restricted
highway=primary, motor_vehicle=agricultural;forestry       -       -
highway=primary, motor_vehicle=agricultural; forestry      -       -
highway=primary, motor_vehicle=destination;agricultural    65      65      restricted
highway=primary, motor_vehicle=no;destination;yes          65      65
highway=primary, access:forward=no                         -       65
highway=primary, access:backward=no                        65      -
highway=primary, access=yes, access:forward=no             -       65
highway=primary, access=no, access:forward=yes             65      -
highway=primary, access=no, access:backward=yes            -       65
highway=primary, access:forward=no, motorcar=yes           65      65
highway=primary, access:forward=yes, motorcar=no           -       -
highway=primary, motorcar=yes, motorcar:forward=no         -       65
highway=primary, motorcar=no, motorcar:backward=yes        -       65
highway=primary, access:forward=no, motorcar:backward=no   -       -
highway=primary, vehicle:backward=no                       65      -
highway=primary, motor_vehicle:forward=no                  -       65
highway=primary, motor_vehicle:forward=destination         65      65      restricted/-
highway=primary, motor_vehicle:backward=private            65      65      -/restricted
highway=primary, vehicle:forward=forestry                  -       65
highway=primary, foot=no                                   65      65
highway=primary, bicycle=no, horse=no, psv=no              65      65
highway=primary, hgv=no, maxweight=3.5                     65      65
highway=footway, foot=yes                                  -       -
highway=track, access=yes                                  10      10
highway=track, access=permissive                           10      10
highway=track, access=agricultural                         -       -
highway=track, motor_vehicle=yes                           10      10
highway=track, motor_vehicle=destination                   10      10      restricted
highway=track, motorcar=designated                         10      10
highway=track, vehicle=yes, motor_vehicle=no               -       -
highway=track, motor_vehicle:forward=yes                   10      -
highway=track, foot=yes                                    -       -
highway=road, access=yes                                   10      10
highway=footway, access=yes                                -       -
highway=footway, access=permissive                         -       -
highway=footway, motor_vehicle=yes                         10      10
highway=path, access=destination                           -       -
highway=pedestrian, access=yes                             -       -
highway=pedestrian, motor_vehicle=delivery                 10      10      restricted
highway=pedestrian, motorcar=yes                           10      10
highway=cycleway, vehicle=destination                      10      10      restricted
highway=busway, motorcar=yes                               10      10
highway=steps, motorcar=yes                                -       -
highway=construction, motor_vehicle=destination            -       -
highway=proposed, motor_vehicle=yes                        -       -
highway=planned, motor_vehicle=yes                         -       -
highway=corridor, motor_vehicle=yes                        -       -
highway=elevator, motor_vehicle=yes                        -       -
highway=platform, motor_vehicle=yes                        -       -
highway=abandoned, motor_vehicle=yes                       -       -
highway=disused, motor_vehicle=yes                         -       -
highway=razed, motor_vehicle=yes                           -       -
highway=demolished, motor_vehicle=yes                      -       -
highway=removed, motor_vehicle=yes                         -       -
highway=no, motor_vehicle=yes                              -       -
highway=residential, service=emergency_access              -       -
highway=service, service=emergency_access                  -       -
highway=primary, access:conditional=no @ (22:00-06:00)     65      65
highway=primary, vehicle:conditional=no @ Su               65      65
highway=primary, motor_vehicle:conditional=no @ Su  65  65
highway=primary, motorcar:conditional=no @ Su              65      65
highway=primary, access:forward:conditional=no @ Su  65  65
highway=primary, access:backward:conditional=no @ Su  65  65
highway=primary, vehicle:forward:conditional=no @ Su  65  65
highway=primary, vehicle:backward:conditional=no @ Su  65  65
highway=trunk, motor_vehicle:forward:conditional=no @ x  85  85
highway=trunk, motor_vehicle:backward:conditional=x  85  85
highway=primary, motorcar:forward:conditional=no @ Su  65  65
highway=primary, motorcar:backward:conditional=no @ Su  65  65
highway=primary, hov=designated                            65      65      restricted
highway=motorway, hov=yes                                  90      -       +motorway
highway=motorway, hov=lane                                 90      -       +motorway
highway=motorway, hov:lanes=designated|designated          90      -       restricted +motorway
highway=motorway, hov:lanes=designated|no                  90      -       +motorway
highway=motorway, hov:lanes=designated|                    90      -       +motorway
highway=primary, hov:lanes:forward=designated              65      65      restricted/-
highway=primary, hov:lanes:backward=designated             65      65      -/restricted
"""

PRIVATE = """
# One reaches what is private, but nobody begins or ends on a private drive.
highway=service, access=private                            15      15      restricted no-start
highway=service, motor_vehicle=private                     15      15      restricted no-start
highway=service, motorcar=private                          15      15      restricted no-start
highway=service, vehicle=private, motorcar=destination     15      15      restricted
highway=service, access=destination                        15      15      restricted
highway=service, access=customers                          15      15      restricted
highway=service, access=permit                             15      15      restricted
highway=service, access=residents                          15      15      restricted
highway=service, access=private;customers                  15      15      restricted
highway=service, access=private; no                        15      15      restricted no-start
highway=service, access=private;yes                        15      15
highway=service, service=driveway, access=private          15      15      restricted no-start x0.5
highway=service, access=private, oneway=yes                15      -       restricted no-start
highway=service, access:forward=private                    15      15      restricted/- no-start
highway=service, access:backward=private                   15      15      -/restricted
highway=residential, access=private                        25      25      restricted
highway=unclassified, motor_vehicle=private                25      25      restricted
highway=track, motor_vehicle=private                       10      10      restricted no-start
highway=track, access=private                              10      10      restricted no-start
highway=road, access=private                               10      10      restricted no-start
highway=pedestrian, motor_vehicle=private                  10      10      restricted no-start
highway=footway, access=private                            -       -
highway=path, access=private                               -       -
highway=primary, access=local                              65      65      restricted
highway=primary, access=resident                           65      65      restricted
highway=primary, access=tenants                            65      65      restricted
highway=primary, access=visitors                           65      65      restricted
highway=primary, access=employees                          65      65      restricted
highway=primary, access=staff                              65      65      restricted
highway=primary, access=members                            65      65      restricted
highway=primary, access=key                                65      65      restricted
highway=primary, access=discouraged                        65      65
highway=primary, access=hov                                65      65
highway=primary, access=restricted                         -       -
highway=primary, access=emergency_vehicle                  -       -
highway=primary, access=minibus                            -       -
highway=primary, access=share_taxi                         -       -
highway=primary, access=no, access:forward=destination     65      -       restricted
highway=primary, access=destination, oneway=-1             -       65      restricted
highway=primary, access=no;private                         65      65      restricted
highway=primary, motorcar:forward=private, motorcar=no     65      -       restricted
"""

ONEWAY = """
highway=primary, oneway=no                                 65      65
highway=primary, oneway=yes                                65      -
highway=primary, oneway=1                                  65      -
highway=primary, oneway=true                               65      -
highway=primary, oneway=-1                                 -       65
highway=primary, oneway=reverse                            -       65
highway=primary, oneway=false                              65      65
highway=primary, oneway=0                                  65      65
highway=primary, oneway=maybe                              65      65      !oneway
highway=primary, oneway=reversible                         -       -       !oneway
highway=primary, oneway=alternating                        65      65      x0.4 !oneway
highway=primary, oneway=yes, oneway:conditional=no @ Su    65      -
highway=primary, oneway:motorcar:conditional=yes @ Su  65  65
highway=primary, oneway:vehicle:conditional=yes @ Su  65  65
highway=trunk, oneway:motor_vehicle:conditional=yes @ x  85  85
highway=motorway, oneway=no                                90      90      +motorway
highway=motorway, oneway=-1                                -       90      +motorway
highway=motorway, oneway=maybe                             90      -       +motorway !oneway
highway=motorway_link, oneway=yes                          45      -       +motorway
highway=trunk, oneway=yes                                  85      -
highway=primary, junction=roundabout                       65      -       roundabout
highway=primary, junction=circular                         65      -       circular
highway=primary, junction=roundabout, oneway=-1            -       65      roundabout
highway=primary, junction=roundabout, oneway=no            65      65      roundabout
highway=motorway_link, junction=roundabout                 45      -       roundabout +motorway
highway=primary, junction=yes                              65      65
highway=primary, junction=jughandle                        65      65
highway=primary, oneway:motorcar=yes                       65      -
highway=primary, oneway:motor_vehicle=yes                  65      -
highway=primary, oneway:vehicle=yes                        65      -
highway=primary, oneway:vehicle=-1                         -       65
highway=primary, oneway=yes, oneway:motorcar=no            65      65
highway=primary, oneway=yes, oneway:motor_vehicle=no       65      65
highway=primary, oneway=yes, oneway:vehicle=no             65      65
highway=primary, oneway:motorcar=yes, oneway:vehicle=no    65      -
highway=primary, oneway:motorcar=no, oneway:vehicle=yes    65      65
highway=primary, oneway=no, oneway:motor_vehicle=yes       65      -
highway=primary, oneway=yes, oneway:motorcar=maybe         65      -       !oneway:motorcar
highway=primary, oneway:bicycle=yes                        65      65
highway=primary, oneway=yes, oneway:bicycle=no             65      -
highway=primary, oneway=yes, oneway:psv=no                 65      -
highway=primary, oneway=yes, access:forward=no             -       -
highway=primary, oneway=-1, access:forward=no              -       65
highway=primary, oneway=yes, access:backward=destination   65      -
highway=primary, oneway=Yes                                65      -
highway=primary, oneway=NO                                 65      65
highway=primary, oneway=True                               65      -
highway=primary, oneway=yes, junction=roundabout           65      -       roundabout
highway=primary, junction=roundabout, oneway:motorcar=no   65      65      roundabout
highway=residential, junction=circular, oneway=no          25      25      circular
highway=trunk, junction=circular, oneway=reverse           -       85      circular
highway=motorway, oneway=reversible                        -       -       !oneway
highway=motorway, oneway:motorcar=no                       90      90      +motorway
highway=primary, oneway=reversible, oneway:motorcar=yes    65      -
highway=primary, oneway=yes, motorcar:backward=yes         65      -
highway=trunk_link, oneway=-1                              -       40
highway=primary, oneway=                                   65      65      !oneway
"""

ROWS = [row for table in (ACCESS, PRIVATE, ONEWAY) for row in read_rows(table)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_way(row: tuple[str, ...]) -> None:
    """Every row of the tables holds, and nothing that a row does not mention."""
    check_way_row(PROFILE, row)


def test_the_tables_are_whole() -> None:
    """Every key that speaks of access stands in a row, no row twice, and none was lost."""
    keys = {key for row in ROWS for key in read_tags(row[0])}
    words = ("access", "vehicle", "motor_vehicle", "motorcar", "oneway", "hov")
    declared = {key for key in PROFILE.way_keys if key.split(":")[0] in words}
    assert declared <= keys
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 200
