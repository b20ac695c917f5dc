"""Pieces of the JSON of steps that are always the same, and their numbers."""

from gis.profiles.rules import Mode
from routing.guidance import codes

_SINGLE = (
    *('{"distance":', ',"duration":', ',"weight":', ',"geometry":', '],"bearing_before":'),
    *(',"bearing_after":', ',"exit":', '},"intersections":[', "]}", '{"location":['),
    *('],"bearings":[', '],"entry":[true]', ',"out":0', ',"in":0,"out":0', ',"in":0'),
    *('{"type":"LineString","coordinates":[[', "],[", "]]}"),
)
DISTANCE, DURATION, WEIGHT, GEOMETRY, HEADED_BEFORE, HEADED_AFTER, EXIT_NUMBER = range(7)
INTERSECTIONS, STEP_END, LOCATION, BEARINGS, ENTRY = range(7, 12)
STARTS_HERE, TURNS_HERE, ENDS_HERE, LINE_BEGIN, NEXT_POINT, LINE_END = range(12, 18)

_MODES = [mode.word for mode in Mode]
MANEUVERS = len(_SINGLE)
"""By type."""
MODIFIERS = MANEUVERS + len(codes.TYPES)
MODES = MODIFIERS + len(codes.MODIFIERS)
SIDES = MODES + len(_MODES)
"""On which one drives, the right first."""
CLASSES = SIDES + 2
"""By the bits of a vehicle's own classes of roads; these follow here."""

FIXED_TEXTS = (
    *_SINGLE,
    *(f',"maneuver":{{"type":"{word}","location":[' for word in codes.TYPES),
    *(f',"modifier":"{word}"' for word in codes.MODIFIERS),
    *(f',"mode":"{word}"' for word in _MODES),
    *(f',"driving_side":"{word}"' for word in ("right", "left")),
)
assert [int(mode) for mode in Mode] == list(range(len(_MODES)))
