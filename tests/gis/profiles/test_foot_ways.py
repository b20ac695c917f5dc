"""What a walker makes of ways: tags, km/h forward, km/h backward and what else.

``-`` is closed; an ``r`` behind a speed means that the way may be reached but not passed through.
The fourth column lists ``roundabout``, ``circular``, ``ferry`` and ``train``, ``no-start`` where
no route begins or ends, ``tunnel``, a duration in seconds (``90s``) and warnings (``!kind``).
Whatever is not a ferry or a train is walked. The meaning of the tags is the OpenStreetMap wiki's.
"""

import pytest
from tag_rows import read_rows, read_tags
from way_rows import check_path_row

from gis.profiles.foot import PROFILE

CLASSES = """
(none)                                                     -     -
highway=motorway                                           -     -
highway=motorway_link                                      -     -
highway=trunk                                              -     -
highway=trunk_link                                         -     -
highway=primary                                            5     5
highway=primary_link                                       5     5
highway=secondary                                          5     5
highway=secondary_link                                     5     5
highway=tertiary                                           5     5
highway=tertiary_link                                      5     5
highway=unclassified                                       5     5
highway=residential                                        5     5
highway=living_street                                      5     5
highway=service                                            5     5
highway=service, area=yes                                  5     5
highway=road                                               5     5
highway=track                                              5     5
highway=path                                               5     5
highway=footway                                            5     5
highway=footway, footway=sidewalk                          5     5
highway=footway, footway=crossing                          5     5
highway=pedestrian                                         5     5
highway=pedestrian, area=yes                               5     5     # around its outline
highway=steps                                              5     5
highway=crossing                                           5     5
highway=corridor                                           5     5
highway=elevator                                           5     5
highway=platform                                           5     5
highway=pier                                               5     5
railway=platform                                           5     5
railway=platform, area=yes                                 5     5
public_transport=platform                                  5     5
man_made=pier                                              5     5
amenity=parking                                            5     5     # around its outline
amenity=parking, parking=surface                           5     5
amenity=parking, parking=multi-storey                      -     -
amenity=parking, access=customers                          5r    5r
amenity=parking, foot=no                                   -     -
amenity=bench                                              -     -
highway=cycleway                                           -     -
highway=bridleway                                          -     -
highway=busway                                             -     -
highway=bus_guideway                                       -     -
highway=raceway                                            -     -
highway=via_ferrata                                        -     -
highway=construction                                       -     -
highway=proposed                                           -     -
highway=proposed, foot=yes                                 -     -
highway=razed, foot=yes                                    -     -
highway=nonsense                                           -     -
highway=tertiary, proposed=secondary                       5     5
railway=rail                                               -     -
public_transport=stop_area                                 -     -
man_made=bridge                                            -     -
highway=path, impassable=yes                               -     -
highway=path, impassable=no                                5     5
highway=path, status=impassable                            -     -
highway=primary, motorroad=yes                             -     -
highway=primary, motorroad=no                              5     5
highway=primary, motorroad=yes, access=yes                 -     -
highway=primary, motorroad=yes, foot=yes                   5     5
highway=footway, tunnel=yes                                5     5     tunnel
highway=footway, tunnel=no                                 5     5
highway=primary, junction=roundabout                       5     5     roundabout
highway=primary, junction=circular                         5     5     circular
"""

ACCESS = """
highway=footway, access=yes                                5     5
highway=footway, access=permissive                         5     5
highway=footway, access=designated                         5     5
highway=footway, access=public                             5     5
highway=footway, access=elephants                          5     5     !access
highway=footway, access=no                                 -     -
highway=footway, access=agricultural                       -     -
highway=footway, access=forestry                           -     -
highway=footway, access=military                           -     -
highway=footway, access=emergency                          -     -
highway=footway, access=private                            5r    5r    no-start
highway=footway, access=destination                        5r    5r
highway=footway, access=customers                          5r    5r
highway=footway, access=delivery                           5r    5r
highway=footway, access=permit                             5r    5r
highway=footway, access=residents                          5r    5r
highway=footway, foot=yes                                  5     5
highway=footway, foot=designated                           5     5
highway=footway, foot=permissive                           5     5
highway=footway, foot=discouraged                          5     5
highway=footway, foot=no                                   -     -
highway=footway, foot=private                              5r    5r    no-start
highway=footway, foot=destination                          5r    5r
highway=footway, foot=no;destination                       5r    5r
highway=residential, foot=use_sidepath                     -     -
highway=footway, access=no, foot=yes                       5     5
highway=footway, access=yes, foot=no                       -     -
highway=footway, access=private, foot=permissive           5     5
highway=track, access=forestry, foot=yes                   5     5
highway=primary, access=bus                                -     -
highway=primary, vehicle=no                                5     5     # no vehicle
highway=primary, motor_vehicle=private                     5     5
highway=footway, bicycle=no                                5     5
highway=footway, foot:conditional=no @ (22:00-06:00)       5     5     # at no special time
highway=footway, access:conditional=no @ winter            5     5     # at no special time
highway=footway, foot:forward=no                           -     5
highway=footway, foot:backward=no                          5     -
highway=footway, access:forward=no                         -     5
highway=footway, access:backward=private                   5     5r
highway=footway, access:backward=no, foot=yes              5     5
highway=cycleway, foot=yes                                 5     5
highway=cycleway, foot=designated                          5     5
highway=cycleway, foot=destination                         5r    5r
highway=cycleway, foot=no                                  -     -
highway=cycleway, access=yes                               5     5
highway=cycleway, sidewalk=right                           5     5
highway=cycleway, foot:backward=designated                 -     5
highway=bridleway, foot=yes                                5     5
highway=bridleway, bicycle=yes                             -     -
highway=busway, foot=yes                                   5     5
highway=raceway, access=permissive                         5     5
highway=construction, foot=yes                             5     5
highway=motorway, foot=yes                                 5     5
highway=motorway, access=yes                               -     -     # speaks of cars
highway=motorway, access=private, foot=yes                 5     5
highway=trunk, foot=designated                             5     5
highway=trunk, foot=private                                5r    5r    no-start
highway=trunk, access=yes                                  -     -
highway=trunk, sidewalk=both                               5     5
highway=trunk, sidewalk=right                              5     5
highway=trunk, sidewalk:left=yes                           5     5
highway=trunk, sidewalk=right, foot=no                     -     -
highway=trunk, sidewalk=no                                 -     -
highway=residential, sidewalk=no                           5     5
highway=residential, sidewalk=none                         5     5
highway=residential, sidewalk=both                         5     5
highway=residential, sidewalk=separate                     -     -
highway=residential, sidewalk:both=separate                -     -
highway=residential, sidewalk:left=separate                -     -
highway=residential, sidewalk:right=separate, sidewalk:left=no   -  -
highway=residential, sidewalk:right=separate, sidewalk:left=yes  5  5
highway=residential, sidewalk=separate, foot=yes           5     5
highway=residential, sidewalk=separate, foot=destination   5r    5r
highway=residential, sidewalk=separate, access=yes         -     -
highway=residential, sidewalk=separate, foot:forward=yes   5     -
"""

ONEWAY = """
highway=residential, oneway=yes                            5     5
highway=residential, oneway=-1                             5     5
highway=residential, oneway=reversible                     5     5
highway=footway, oneway=yes                                5     5     # for other vehicles
highway=residential, oneway:foot=yes                       5     -
highway=residential, oneway:foot=-1                        -     5
highway=residential, oneway=yes, oneway:foot=no            5     5
highway=primary, junction=roundabout, oneway:foot=yes      5     -     roundabout
highway=path, foot:oneway=yes                              5     -
highway=path, oneway:foot=sometimes                        5     5     !oneway:foot
highway=footway, oneway:foot:conditional=yes @ (Mo-Fr)     5     5     # at no special time
highway=steps, conveying=yes                               5     5
highway=steps, conveying=reversible                        5     5
highway=steps, conveying=forward                           5     -
highway=steps, conveying=backward                          -     5
highway=steps, conveying=forward, oneway=no                5     5
highway=footway, conveying=forward                         5     -
highway=corridor, conveying=backward                       -     5
highway=residential, conveying=forward                     5     5
"""

CONDITION = """
highway=footway, surface=asphalt                           5     5
highway=footway, surface=cobblestone                       5     5
highway=footway, surface=fine_gravel                       3.75  3.75
highway=footway, surface=gravel                            3.75  3.75
highway=track, surface=pebblestone                         3.75  3.75
highway=path, surface=mud                                  2.5   2.5
highway=path, surface=sand                                 2.5   2.5
highway=path, surface=asphalt;sand                         2.5   2.5
highway=track, tracktype=grade5                            5     5
highway=path, smoothness=impassable                        5     5     # to wheels
highway=residential, maxspeed=3                            5     5
"""

FERRIES = """
route=ferry                                                5     5     ferry
route=ferry, duration=20                                   5     5     ferry 1200s
route=ferry, duration=02:30;03:30                          5     5     ferry 12600s
route=ferry, duration=a while                              5     5     ferry !duration
route=ferry, foot=yes                                      5     5     ferry
route=ferry, foot=no                                       -     -
route=ferry, access=no                                     -     -
route=ferry, access=no, foot=yes                           5     5     ferry
route=ferry, access=customers                              5r    5r    ferry
route=ferry, motor_vehicle=no                              5     5     ferry
route=ferry, oneway=yes                                    5     5     ferry
route=ferry, foot:backward=no                              5     -     ferry
route=shuttle_train                                        -     -
route=shuttle_train, foot=yes                              10    10    train
route=shuttle_train, foot=yes, duration=00:30              10    10    train 1800s
route=shuttle_train, foot=no                               -     -
route=hiking                                               -     -
route=hiking, highway=path                                 5     5
"""

ROWS = [row for table in (CLASSES, ACCESS, ONEWAY, CONDITION, FERRIES) for row in read_rows(table)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_way(row: tuple[str, ...]) -> None:
    """Every row of the tables holds."""
    check_path_row(PROFILE, row)


def test_the_tables_are_complete() -> None:
    """Every key that the walker declares stands in a row, no row twice, and none was lost."""
    seen = {key for row in ROWS for key in read_tags(row[0])}
    assert {key for key in PROFILE.way_keys if not key.endswith(":conditional")} <= seen
    assert len(set(PROFILE.way_keys)) == len(PROFILE.way_keys)
    assert len({row[0] for row in ROWS}) == len(ROWS) >= 170
