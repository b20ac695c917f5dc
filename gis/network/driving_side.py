"""On which side of a road one drives: by its own tag, or by the country it lies in."""

from collections.abc import Callable
from itertools import product

import numpy as np

from gis.arrays import I32, U32, Bool, freeze, group_by
from gis.geodesy import UNITS_PER_DEGREE
from gis.osm.tagsets import TagSets

_ZONES = {
    "Africa": (
        *("Blantyre", "Dar_es_Salaam", "Gaborone", "Harare", "Johannesburg", "Kampala", "Lusaka"),
        *("Maputo", "Maseru", "Mbabane", "Nairobi", "Windhoek"),
    ),
    "America": (
        *("Anguilla", "Antigua", "Barbados", "Cayman", "Dominica", "Grand_Turk", "Grenada"),
        *("Guyana", "Jamaica", "Montserrat", "Nassau", "Paramaribo", "Port_of_Spain", "St_Kitts"),
        *("St_Lucia", "St_Thomas", "St_Vincent", "Tortola"),
    ),
    "Asia": (
        *("Bangkok", "Brunei", "Colombo", "Dhaka", "Dili", "Famagusta", "Hong_Kong", "Jakarta"),
        *("Jayapura", "Karachi", "Kathmandu", "Kolkata", "Kuala_Lumpur", "Kuching", "Macau"),
        *("Makassar", "Nicosia", "Pontianak", "Singapore", "Thimphu", "Tokyo"),
    ),
    "Atlantic": ("Bermuda", "South_Georgia", "St_Helena", "Stanley"),
    "Australia": (
        *("Adelaide", "Brisbane", "Broken_Hill", "Darwin", "Eucla", "Hobart", "Lindeman"),
        *("Lord_Howe", "Melbourne", "Perth", "Sydney"),
    ),
    "Europe": ("Dublin", "Guernsey", "Isle_of_Man", "Jersey", "London", "Malta"),
    "Indian": ("Christmas", "Cocos", "Mahe", "Maldives", "Mauritius"),
    "Pacific": (
        *("Apia", "Auckland", "Bougainville", "Chatham", "Fakaofo", "Fiji", "Funafuti"),
        *("Guadalcanal", "Kanton", "Kiritimati", "Nauru", "Niue", "Norfolk", "Pitcairn"),
        *("Port_Moresby", "Rarotonga", "Tarawa", "Tongatapu"),
    ),
}
LEFT_HAND_ZONES = frozenset(f"{part}/{place}" for part in _ZONES for place in _ZONES[part])
"""Time zones of the countries and territories where one drives on the left.

The countries are those that Wikipedia's "Left- and right-hand traffic" lists, their zones those
of ``zone.tab`` in the time zone database of IANA.
"""

LEFT_HAND_BOXES = (
    (-11.0, 48.5, 2.5, 61.5),  # the British Isles
    (14.0, 35.5, 15.0, 36.5),  # Malta
    (32.0, 34.0, 35.0, 36.0),  # Cyprus
    (-86.0, 1.0, -53.0, 33.0),  # the Caribbean, Bermuda, the Guianas
    (-62.0, -61.0, -25.0, -50.0),  # the Falklands, South Georgia
    (-15.0, -41.0, -5.0, -7.0),  # St Helena, Ascension, Tristan da Cunha
    (11.0, -36.0, 64.0, 6.0),  # southern and eastern Africa, its islands
    (60.0, -13.0, 155.0, 46.0),  # from Pakistan to Japan
    (95.0, -56.0, 180.0, 6.0),  # Australia and Oceania
    (-180.0, -56.0, -123.0, 6.0),  # the rest of Oceania
)
"""West, south, east and north of all that the zones lie in.

Elsewhere nobody need wait for the shapes of the zones, which are loaded in 0.06 s.
"""

CELL_DEG = 0.1
_CELL = round(CELL_DEG * UNITS_PER_DEGREE)
_LOW = 2**32 - 1

_SIDES = {"left": True, "right": False}


def left_hand_edges(lon: I32, lat: I32, edge_tagset: U32, way_tags: TagSets) -> Bool:
    """Whether one drives on the left on each edge, bool (E,).

    ``lon`` and ``lat`` (E,) are a point of each, in 1e-7 degree.
    """
    left = _left_hand_places(lon, lat)
    tagged = [_SIDES.get(tags.get("driving_side", "")) for tags in way_tags.all_tags(_KEYS)]
    says = np.array([side is not None for side in tagged], np.bool_)[edge_tagset]
    left[says] = np.array([bool(side) for side in tagged], np.bool_)[edge_tagset[says]]
    return freeze(left)


_KEYS = ("driving_side",)


def _left_hand_places(lon: I32, lat: I32) -> Bool:
    """In which places (n,) one drives on the left.

    Asked for the corners of a grid; where they differ, a border is near and every place counts.
    """
    left = np.zeros(len(lon), np.bool_)
    near = np.flatnonzero(_may_be_left(lon, lat))
    if not len(near):
        return left
    is_left = _zone_lookup()
    column, row = (place[near].astype(np.int64) // _CELL for place in (lon, lat))
    cells, cell = np.unique(column << 32 | row & _LOW, return_inverse=True)
    first, member = group_by(cell.astype(np.uint32), len(cells))
    for index, at in enumerate(near[member[first[:-1]]].tolist()):
        x, y = int(lon[at]) // _CELL, int(lat[at]) // _CELL
        places = near[member[first[index] : first[index + 1]]]
        corners = {is_left(x + dx, y + dy, _CELL) for dx, dy in product((0, 1), repeat=2)}
        if len(corners) == 1:
            left[places] = corners.pop()
        else:
            ends = zip(lon[places].tolist(), lat[places].tolist(), strict=True)
            left[places] = [is_left(place_lon, place_lat, 1) for place_lon, place_lat in ends]
    return left


def _may_be_left(lon: I32, lat: I32) -> Bool:
    """Which places (n,) lie in one of the boxes."""
    may_be = np.zeros(len(lon), np.bool_)
    for box in LEFT_HAND_BOXES:
        west, south, east, north = (round(bound * UNITS_PER_DEGREE) for bound in box)
        may_be |= (lon >= west) & (lon <= east) & (lat >= south) & (lat <= north)
    return may_be


def _zone_lookup() -> Callable[[int, int, int], bool]:
    """Whether one drives on the left at a place, in some units of 1e-7 degree."""
    from tzfpy import get_tz

    def is_left(x: int, y: int, unit: int) -> bool:
        lon, lat = x * unit / UNITS_PER_DEGREE, y * unit / UNITS_PER_DEGREE
        return get_tz(min(max(lon, -180.0), 180.0), min(max(lat, -90.0), 90.0)) in LEFT_HAND_ZONES

    return is_left
