"""The environment variables that mean something to Whimbrel, and those that look as if they did."""

import os
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches

from server.settings import PREFIX, Settings

_OF_EVERY_COMMAND = ("CACHE_DIR", "DEBUG")
_OF_TESTS = (
    *("CHROMIUM", "EXTRACTS", "NODE_MODULES", "PEERS_DATA", "PEERS_PYTHON", "PEERS_SECONDS"),
    *("SCREENSHOTS", "SOAK_S"),
)

KNOWN = frozenset(
    PREFIX + name
    for name in (
        *(field.name.upper() for field in fields(Settings)),
        *_OF_EVERY_COMMAND,
        *_OF_TESTS,
    )
)
"""All names in use: a new one is entered here, or a test fails."""


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """A line for each variable that is named like ours and changes nothing."""
    found = []
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in KNOWN:
            others = sorted(known.removeprefix(PREFIX) for known in KNOWN)
            near = get_close_matches(name.removeprefix(PREFIX), others, 1)
            hint = f"; did you mean {PREFIX}{near[0]}?" if near else ""
            found.append(f"{name} is set but means nothing to Whimbrel{hint}")
    return found
