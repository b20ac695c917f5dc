"""Expressions of opening hours, in the spellings that conditional tags have them."""

import re
from functools import lru_cache

from opening_hours import OpeningHours, ParserError  # type: ignore[attr-defined]

AND = " AND "
"""Between expressions that all have to hold."""

_MAX_CHARACTERS = 255
"""Longer than any tag of OpenStreetMap."""

_DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_LONG_DAY = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)(?:s|nes|rs|ur)?(?:day)?s?\b\.?", re.IGNORECASE
)
_TWELVE_HOURS = re.compile(r"\b(\d{1,2})(?:[:.](\d\d))?\s*([ap])\.?m\b\.?", re.IGNORECASE)
_HOUR_SIGN = re.compile(r"\b(\d{1,2})\s*h(?:rs)?(\d\d)?\b", re.IGNORECASE)
_POINT = re.compile(r"\b(\d{1,2})\.(\d\d)\b")
_FOUR_DIGITS = re.compile(r"\b([01]\d|2[0-4])([0-5]\d)\s*-\s*([01]\d|2[0-4])([0-5]\d)\b")
_AROUND_DASH = re.compile("\\s*[-\u2013\u2014]\\s*")
_TIME = r"\d{1,2}(?::\d\d)?"
_BARE_SPAN = re.compile(rf"(?<![\d:]){_TIME}-{_TIME}(?![\d:])")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_OFF_AFTER_COMMA = re.compile(r",\s*((?:PH|SH|SU|SA|MO)\b[^,;]*\boff)\b", re.IGNORECASE)
_MONTH = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|week|easter)", re.IGNORECASE
)


@lru_cache(8192)
def read_hours(text: str) -> str | None:
    """An expression of opening hours in its usual form; None if it is none.

    Beside the grammar it takes ``7-9``, ``7 AM - 9 AM``, ``7.30-9.00``, ``7h-9h``, ``0700-0900``
    and the names of days written out.
    """
    if len(text) > _MAX_CHARACTERS or not text.strip():
        return None
    for spelling in (text, _mend(text)):
        try:
            expression = str(OpeningHours(spelling))
        except (ParserError, ValueError, OverflowError):
            continue
        return expression or None
    return None


def _mend(text: str) -> str:
    """The same text, with what is often spelled in another way."""
    text = " ".join(text.split())
    text = _ISO_DATE.sub(_with_name_of_month, text)
    text = _OFF_AFTER_COMMA.sub(r"; \1", text)
    text = _LONG_DAY.sub(lambda day: day[1][:2].title(), text)
    text = _TWELVE_HOURS.sub(_in_24_hours, text)
    text = _HOUR_SIGN.sub(lambda time: f"{time[1]}:{time[2] or '00'}", text)
    text = _POINT.sub(r"\1:\2", text)
    text = _FOUR_DIGITS.sub(r"\1:\2-\3:\4", text)
    text = _AROUND_DASH.sub("-", text)
    if not _MONTH.search(text):
        text = _BARE_SPAN.sub(_with_minutes, text)
    return text


def _with_name_of_month(date: re.Match[str]) -> str:
    month = int(date[2])
    return f"{date[1]} {_MONTHS[month - 1]} {date[3]}" if 1 <= month <= 12 else date[0]


def _in_24_hours(time: re.Match[str]) -> str:
    hour = int(time[1]) % 12 + (12 if time[3].lower() == "p" else 0)
    return f"{hour:02}:{time[2] or '00'}"


def _with_minutes(span: re.Match[str]) -> str:
    return "-".join(time if ":" in time else f"{time}:00" for time in span[0].split("-"))


def hours_of_day(day_on: str, day_off: str, hour_on: str, hour_off: str) -> str | None:
    """The expression of relations that name their first and last day, and their hours."""
    days = [_day(text) for text in (day_on, day_off)] if day_on or day_off else []
    if None in days or bool(hour_on) != bool(hour_off):
        return None
    parts = ["-".join(filter(None, dict.fromkeys(days)))] if days else []
    if hour_on:
        parts.append(f"{hour_on.strip()}-{hour_off.strip()}")
    return read_hours(" ".join(parts))


def _day(text: str) -> str | None:
    """A day of the week by how its English name begins."""
    day = text.strip()[:2].title()
    return day if day in _DAYS else None
