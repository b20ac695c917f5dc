"""Requests and what osrm-routed answers to them, as a table."""

import json
import re
from pathlib import Path
from typing import NamedTuple, TypeAlias

_TABLE = Path(__file__).with_name("osrm_facts.jsonl")

_REPEATED = re.compile(r"\{(\d+) (points|letters|stars|brackets)\}")
_REPEATS = {"points": ("-8.61,41.15", ";"), "letters": ("A", ""), "stars": ("*", "")}

_JSON_ERROR = re.compile("^invalid JSON:.*")
"""What follows is each parser's own."""

Told: TypeAlias = tuple[int, str, str]
"""Status, code and, of errors, the message."""


class Fact(NamedTuple):
    """A request, and the answers."""

    name: str
    method: str
    target: str
    body: bytes
    headers: dict[str, str]
    osrm: Told
    ours: Told
    needs_map: bool
    """Whether the answer depends on roads."""

    def told(self, status: int, body: bytes) -> Told:
        """What an answer says, as the table has it."""
        if status == 204 or self.method == "HEAD" or not body.startswith(b"{"):
            return status, "", ""
        answer = json.loads(body)
        message: str = answer.get("message", "")
        return status, answer["code"], _JSON_ERROR.sub("invalid JSON", message)


def read_facts() -> list[Fact]:
    """All rows of the table."""
    facts = []
    for line in _TABLE.read_text().splitlines():
        row = json.loads(line)
        method, _, target = row["ask"].partition(" ")
        body = _unfolded(row.get("body", ""))
        kind = row.get("type", "application/json" if "body" in row else "")
        osrm = tuple(row["osrm"])
        name = f"{row['ask']} {row.get('body', '')}".strip()
        headers = {"content-type": kind} if kind else {}
        ours, needs_map = tuple(row.get("ours", osrm)), "map" in row
        facts.append(
            Fact(name, method, _unfolded(target), body.encode(), headers, osrm, ours, needs_map)
        )
    return facts


def _unfolded(text: str) -> str:
    """A text with all that it says is repeated."""

    def repeat(match: re.Match[str]) -> str:
        number, what = int(match[1]), match[2]
        one, between = _REPEATS.get(what, ("[", ""))
        return between.join([one] * number)

    return _REPEATED.sub(repeat, text)
