"""How long a ferry takes: the ``duration`` tag in every spelling."""

import re

from gis.profiles.rules import MAX_DURATION_S

_DAY_S, _HOUR_S, _MINUTE_S = 86400.0, 3600.0, 60.0

_CLOCK = re.compile(r"(\d{1,4}):(\d{1,2})(?::(\d{1,2}))?", re.ASCII)
_ISO_8601 = re.compile(
    r"p(?:(\d{1,3})d)?(?:t(?:(\d{1,4}(?:[.,]\d+)?)h)?(?:(\d{1,6}(?:[.,]\d+)?)m)?"
    r"(?:(\d{1,8}(?:[.,]\d+)?)s)?)?",
    re.ASCII,
)
_IN_WORDS = re.compile(
    r"(?:(\d{1,3})\s*(?:d|days?)[\s,]*)?"
    r"(?:(\d{1,4}(?:[.,]\d{1,3})?)\s*(?:h|hrs?|hours?)[\s,]*)?"
    r"(?:(\d{1,6}(?:[.,]\d{1,3})?)\s*(?:m|mins?|minutes?|')?\.?)?",
    re.ASCII,
)
_SEPARATOR = re.compile(r"[;|]|(?<=\d)\s*[-\u2013]\s*(?=\d)")


def parse_duration(value: str) -> float | None:
    """Seconds, or None where the value is not understood.

    Understands ``01:30`` (hours and minutes), ``1:30:00``, ``90`` (minutes), ``PT1H30M``,
    ``1 h 30 min``, ``1h30``, and lists and ranges of these, of which the longest counts: nobody
    is then late on our account.
    """
    times = [_parse_time(part.strip()) for part in _SEPARATOR.split(value.strip().lower())]
    seconds = max((time for time in times if time is not None), default=0.0)
    return seconds if 0.0 < seconds <= MAX_DURATION_S else None


def _parse_time(text: str) -> float | None:
    """One duration, in lower case."""
    clock = _CLOCK.fullmatch(text)
    if clock:
        return _seconds(None, clock[1], clock[2], clock[3])
    for form in (_ISO_8601, _IN_WORDS):
        match = form.fullmatch(text)
        if match:
            return _seconds(*match.groups(), *[None] * (4 - form.groups))
    return None


def _seconds(
    days: str | None, hours: str | None, minutes: str | None, seconds: str | None
) -> float:
    parts = (days, _DAY_S), (hours, _HOUR_S), (minutes, _MINUTE_S), (seconds, 1.0)
    return sum(float(text.replace(",", ".")) * unit for text, unit in parts if text)
