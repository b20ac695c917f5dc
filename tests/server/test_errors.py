"""Every error has a code and a status."""

import importlib
import pkgutil

import pytest

import gis
import routing
import server
from gis.errors import DatasetError, EngineError
from routing.errors import NoRoute, QueryError
from server.errors import STATUS, status_code_message

CODES = {
    "InvalidUrl", "InvalidService", "InvalidVersion", "InvalidQuery", "InvalidOptions",
    "InvalidValue", "NoSegment", "TooBig", "NoRoute", "NoTable", "NoMatch", "NoTrips",
    "NotImplemented", "DisabledDataset", "InvalidMethod", "InvalidContentType", "InternalError",
    "Busy",  # ours, as the next: the interface has no word for them
    "Unauthorized",
    "TooSlow",
    "DatasetRefused",
    "SolverFailed",
}  # fmt: skip


COMMANDS = ("server.batch.", "server.benchmark.", "server.cluster.")
"""What the command line alone runs: its errors never meet a request."""


def all_errors() -> set[type[EngineError]]:
    """Every kind of error in every module of the project, but those of commands."""
    for package in (gis, routing, server):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = {EngineError}
    while True:
        children = {child for kind in found for child in kind.__subclasses__()}
        more = {child for child in children if not child.__module__.startswith(COMMANDS)} - found
        if not more:
            return found
        found |= more


def test_the_map_is_complete() -> None:
    """No error is missing from the map, and none is in it that does not exist."""
    assert set(STATUS) == all_errors()


@pytest.mark.parametrize("kind", STATUS, ids=lambda kind: kind.__name__)
def test_codes_and_statuses(kind: type[EngineError]) -> None:
    """The asker's faults are told with a code of the interface, ours are not told."""
    status, code, message = status_code_message(kind("what, where"))
    assert code in CODES
    if issubclass(kind, QueryError):
        assert 400 <= status < 500 or status == 503
        assert message.endswith("what, where") and "\n" not in message
    else:
        assert (status, code, message) == (500, "InternalError", "Internal Server Error")


def test_the_code_is_the_errors_own() -> None:
    """A query error brings its code; what is inside the server stays there."""
    assert status_code_message(NoRoute("no way")) == (400, "NoRoute", "no way")
    assert status_code_message(DatasetError("/secret/path"))[2] == "Internal Server Error"
    assert status_code_message(ZeroDivisionError("x"))[0] == 500
