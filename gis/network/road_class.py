"""How important a road is, whatever the vehicle: by its ``highway``, ``service`` and ``route``."""

from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from gis.arrays import U8, freeze
from gis.osm.tagsets import TagSets
from gis.profiles.rules import Tags

CLASS_KEYS = ("highway", "service", "route")


class RoadClass(IntEnum):
    """The kinds of roads from the most to the least important; kept in datasets as numbers."""

    MOTORWAY = 0
    MOTORWAY_LINK = 1
    TRUNK = 2
    TRUNK_LINK = 3
    PRIMARY = 4
    PRIMARY_LINK = 5
    SECONDARY = 6
    SECONDARY_LINK = 7
    TERTIARY = 8
    TERTIARY_LINK = 9
    UNCLASSIFIED = 10
    RESIDENTIAL = 11
    LIVING_STREET = 12
    SERVICE = 13
    ALLEY = 14
    DRIVEWAY = 15
    """Also parking aisles and whatever else leads to a place and nowhere else."""
    TRACK = 16
    PEDESTRIAN = 17
    CYCLEWAY = 18
    FOOTWAY = 19
    """Also paths, bridleways and steps."""
    FERRY = 20
    """Also trains that carry vehicles."""
    OTHER = 21

    @property
    def is_link(self) -> bool:
        """Whether it joins roads, as ramps do."""
        return self <= RoadClass.TERTIARY_LINK and bool(self & 1)


_BY_SERVICE = {
    "alley": RoadClass.ALLEY,
    **dict.fromkeys(
        ("driveway", "parking_aisle", "parking", "drive-through", "drive-thru", "emergency_access"),
        RoadClass.DRIVEWAY,
    ),
}
_BY_HIGHWAY = {
    **{kind.name.lower(): kind for kind in RoadClass if kind <= RoadClass.SERVICE},
    "road": RoadClass.UNCLASSIFIED,
    "busway": RoadClass.SERVICE,
    "track": RoadClass.TRACK,
    "pedestrian": RoadClass.PEDESTRIAN,
    "cycleway": RoadClass.CYCLEWAY,
    **dict.fromkeys(
        ("footway", "path", "bridleway", "steps", "corridor", "crossing", "platform"),
        RoadClass.FOOTWAY,
    ),
}


def road_class(tags: Tags) -> RoadClass:
    """The kind of a road."""
    highway = tags.get("highway", "")
    if highway == "service":
        return _BY_SERVICE.get(tags.get("service", ""), RoadClass.SERVICE)
    found = _BY_HIGHWAY.get(highway)
    if found is not None:
        return found
    return RoadClass.FERRY if tags.get("route") in ("ferry", "shuttle_train") else RoadClass.OTHER


def road_classes(way_tags: TagSets) -> U8:
    """The kind of each tag set's roads, uint8 (S,)."""
    sets: Sequence[Tags] = way_tags.all_tags(CLASS_KEYS)
    return freeze(np.array([road_class(tags) for tags in sets], np.uint8))
