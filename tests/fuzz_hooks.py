"""What schemathesis checks beside its own checks; it loads this file by ``SCHEMATHESIS_HOOKS``."""

import json
import re
from typing import Any

import schemathesis
from schemathesis.core.failures import Failure

MALFORMED = ("InvalidUrl", "InvalidQuery", "InvalidService", "InvalidVersion", "InvalidContentType")
"""Codes of what cannot even be read."""

LIKE_OSRM = ("route", "nearest", "table", "trip", "match", "isochrone", "tile")
"""Services to which a path without, or with, coordinates is another one."""

OTHER_PATH = ((400, "InvalidUrl"), (415, "InvalidContentType"))
"""What is told of that: OSRM looks at the type of a body first."""

EXPONENT = re.compile(r"-?[0-9.]+[eE][-+]?[0-9]+")


def is_json_as_written(value: Any) -> bool:
    """Whether no number is written in a way that JSON Schema allows and the interface does not.

    To a schema 7.0 is an integer, and so is 10**30.
    """
    if isinstance(value, dict):
        return all(map(is_json_as_written, value.values()))
    if isinstance(value, list):
        return all(map(is_json_as_written, value))
    return not (isinstance(value, float) and value.is_integer())


def has_exponent(value: Any) -> bool:
    """Whether a number is written with an exponent in a URL, which the interface does not know."""
    return EXPONENT.fullmatch(str(value)) is not None


@schemathesis.check
def well_formed_is_understood(ctx: Any, response: Any, case: Any) -> None:
    """What fits the document is never told to be malformed, though it may have no answer."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if response.status_code not in (400, 415) or unspecified_method(case):
        return
    if any(map(has_exponent, (case.query or {}).values())) or not is_json_as_written(case.body):
        return
    told = response.json()
    if told["code"] in MALFORMED:
        raise Failure(
            operation=case.operation.label,
            title="Well-formed request not understood",
            message=f"{told['code']}: {told['message']}",
        )


@schemathesis.check
def other_methods_are_refused(ctx: Any, response: Any, case: Any) -> None:
    """By 405 with ``Allow``; or as OSRM does, to which it is another path."""
    if not unspecified_method(case) or response.request.method == "OPTIONS":
        return
    told = json.loads(response.content or b"{}")
    allowed = (response.headers.get("allow") or [""])[0]
    refused = response.status_code == 405 and told.get("code") == "InvalidMethod" and allowed
    service = case.operation.path.split("/")[1]
    other_path = (response.status_code, told.get("code")) in OTHER_PATH
    if service in LIKE_OSRM and other_path:
        return
    if not refused:
        raise Failure(
            operation=case.operation.label,
            title="Undeclared method not refused",
            message=f"{response.request.method}: {response.status_code} {told} Allow: {allowed}",
        )


def unspecified_method(case: Any) -> bool:
    """Whether a method is tried that the document does not have."""
    scenario = getattr(case.meta and case.meta.phase.data, "scenario", None)
    return getattr(scenario, "name", "") == "UNSPECIFIED_HTTP_METHOD"
