"""How a server behaves, from the environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from gis.errors import EngineError

PREFIX = "WHIMBREL_"

_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]{16,}=*")
"""What RFC 6750 (section 2.1) allows as a bearer token, and not too short to be guessed."""


@dataclass(frozen=True)
class Settings:
    """Limits and habits of a server; each field is read from ``WHIMBREL_`` and its name."""

    max_route_coordinates: int = 500
    """Most coordinates of a route."""
    max_nearest_results: int = 100
    """Most results of one question for the nearest roads."""
    max_alternatives: int = 3
    """Most alternatives that may be asked for."""
    max_table_cells: int = 1_000_000
    """Most cells of a table: sources times destinations."""
    max_table_coordinates: int = 10_000
    """Most sources and destinations of a table together, however few cells it has."""
    max_trip_coordinates: int = 100
    """Most coordinates of a trip."""
    max_match_coordinates: int = 100
    """Most coordinates of a trace."""
    max_match_radius: int = 0
    """Largest standard deviation of a point of a trace, in metres; 0: any."""
    max_isochrone_contours: int = 4
    """Most contours of one request."""
    max_isochrone_minutes: int = 120
    """Longest duration of a contour."""
    max_isochrone_meters: int = 200_000
    """Longest distance of a contour."""
    max_courier_stops: int = 2000
    """Most stops of a courier's problem: two for a shipment, one for a job."""
    max_courier_seconds: int = 60
    """Longest time that a problem may be searched for."""
    max_courier_runs: int = 2
    """Most problems that are solved at once, by all worker processes; 0: none ever."""
    max_courier_body_bytes: int = 16 << 20
    """Most bytes of a body with a problem."""
    max_avoid_polygons: int = 100
    """Most polygons that a request may keep out of."""
    max_avoid_points: int = 10_000
    """Most points of all of them."""
    max_speeds: int = 10_000
    """Most speeds of roads that a request may bring along."""
    max_live_speeds: int = 200_000
    """Most speeds that may be in force at once."""
    max_live_body_bytes: int = 16 << 20
    """Most bytes of a body with such speeds."""
    max_body_bytes: int = 1 << 20
    """Most bytes of a request body."""
    max_url_bytes: int = 48 * 500 + 1024
    """Most bytes of a request's path and query."""
    max_header_bytes: int = 16 << 10
    """Most bytes of a request's headers."""
    max_waiting_requests: int = 100
    """Most long requests that wait in each worker process; more are refused."""
    keep_alive_s: int = 5
    """Seconds before an idle connection is closed."""
    max_connections: int = 1000
    """Most open connections of each worker process; more are refused."""
    head_s: int = 10
    """Seconds that the head of a request may take to come in."""
    body_s: int = 60
    """Seconds that all of a request may take, and how long a reader may stand still."""
    watch_s: int = 2
    """Seconds between looks whether the dataset was built anew; 0: only when told to reload."""
    stop_delay_s: int = 0
    """Seconds for which a server that is told to stop still takes requests, but says it is not
    ready."""
    drain_s: int = 20
    """Seconds that requests have to finish in when the server is told to stop."""
    any_profile: bool = False
    """Whether a profile that the dataset does not have means its first one."""
    access_log: bool = False
    """Whether each request is logged."""
    admin_token: str = ""
    """What whoever changes speeds or data must know; without it nobody can."""
    state_dir: str = ""
    """Folder of what must survive a restart; without it one beside the dataset."""


def settings_from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings, with what ``WHIMBREL_MAX_ROUTE_COORDINATES=1000`` and the like change.

    Raises ``EngineError`` for a value that is not a whole number of at least 0, for ``access_log``
    or ``any_profile`` not 0 or 1, or for a token that no header can carry.
    """
    values: dict[str, int | bool | str] = {}
    for field in fields(Settings):
        name = PREFIX + field.name.upper()
        text = environment.get(name)
        if text is None:
            continue
        if isinstance(field.default, str):
            if field.name == "admin_token" and not _TOKEN.fullmatch(text):
                raise EngineError(f"{name}: expected at least 16 letters, digits or -._~+/=")
            values[field.name] = text
            continue
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise EngineError(f"{name}: got '{text}', expected a whole number")
        if isinstance(field.default, bool):
            if text not in ("0", "1"):
                raise EngineError(f"{name}: got '{text}', expected 0 or 1")
            values[field.name] = text == "1"
        else:
            values[field.name] = int(text)
    return Settings(**values)  # type: ignore[arg-type]
