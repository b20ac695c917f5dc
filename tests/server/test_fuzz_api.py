"""The OpenAPI document held against a real server by schemathesis, which makes the requests."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import serving

pytestmark = [pytest.mark.compiled, pytest.mark.usefixtures("kernels")]

TESTS = Path(__file__).resolve().parent.parent
TOKEN = "0123456789abcdef-fuzz"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "allow_header_conformance",
    "ignored_auth",
    "well_formed_is_understood",
    "other_methods_are_refused",
)
"""Of its own all but two: requests that fit the document may have no answer (400), and to OSRM a
path with or without coordinates is another path (400, too). Ours are in their place."""

ENDLESS = "/bench/v1/parse/events"
HEAVY = "/bench/v1/parse"
"""Runs a benchmark in the background."""
FEW = "/(nearest|live|search|health|ready|datasets|tile|isochrone)"
"""Paths whose requests cover every kind of option, body and answer."""


@pytest.fixture(scope="module")
def address(
    command: Callable[..., list[str]],
    environment: dict[str, str],
    dataset: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Where a server with all services listens."""
    folder = tmp_path_factory.mktemp("fuzzed")
    state = {"WHIMBREL_ADMIN_TOKEN": TOKEN, "WHIMBREL_STATE_DIR": str(folder / "state")}
    with serving(command, environment | state, dataset, folder / "log") as found:
        yield found


def fuzz(address: str, folder: Path, *arguments: object, document: Path | None = None) -> str:
    """What schemathesis says about the failures it finds; nothing if there are none."""
    place = [str(document), "--url", address] if document else [f"{address}/openapi.json"]
    found = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", *place),
            *("--header", f"Authorization: Bearer {TOKEN}"),
            *("--checks", ",".join(CHECKS)),
            *("--exclude-path", ENDLESS),
            *("--continue-on-failure", "--no-color"),
            *map(str, arguments),
        ],
        cwd=folder,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "fuzz_hooks", "PYTHONPATH": str(TESTS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert found.returncode in (0, 1), found.stdout
    assert "test cases" in found.stdout.lower(), found.stdout
    return found.stdout if found.returncode else ""


def test_whatever_is_asked(address: str, tmp_path: Path) -> None:
    """No fault of ours, nothing undocumented, nothing that does not fit its schema."""
    few = ("--generation-deterministic", "--exclude-path", HEAVY, "-n", 3)
    failures = fuzz(address, tmp_path, "--phases", "examples,fuzzing", *few)
    assert not failures, failures


def test_whatever_borders_on_what_may_be_asked(address: str, tmp_path: Path) -> None:
    """Likewise at the limits of what the document allows, and just beyond."""
    few = ("--generation-deterministic", "--exclude-path", HEAVY, "--include-path-regex", FEW)
    failures = fuzz(address, tmp_path, "--phases", "coverage", *few)
    assert not failures, failures


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_all_that_can_be_asked(address: str, tmp_path: Path) -> None:
    """The same for every service and for long; each time with other requests."""
    failures = fuzz(address, tmp_path, "--max-time", 600, "-n", 200)
    assert not failures, failures


def lies(document: Any) -> Iterator[tuple[str, str, str]]:
    """Makes the document untrue: the path of each lie, and what has to be found."""
    paths = document["paths"]
    health = paths["/health"]["get"]["responses"]["200"]["content"]["application/json"]
    health["schema"] = {"type": "object", "required": ["mood"]}
    yield "/health", "Response violates schema", "mood"
    del paths["/search/v1/streets"]["get"]["responses"]["400"]
    yield "/search/v1/streets", "Undocumented status code", "400"
    answers = paths["/metrics"]["get"]["responses"]
    answers["200"]["content"] = {"application/json": {"schema": {}}}
    yield "/metrics", "Undocumented Content-Type", "text/plain"
    nearest = paths["/nearest/v1/{profile}"]["post"]

    body = nearest["requestBody"]["content"]["application/json"]["schema"]["properties"]
    body["snapping"] = {"type": "string", "enum": ["firmly"]}
    yield "/nearest/v1/{profile}", "Well-formed request not understood", "snapping"
    number = paths["/isochrone/v1/{profile}/{coordinates}"]["get"]
    number["responses"]["200"]["headers"]["Whimbrel-Weights"]["schema"] = {"type": "boolean"}
    yield "/isochrone/v1/{profile}/{coordinates}", "Response header does not conform", "boolean"


def test_lies_are_found(address: str, tmp_path: Path) -> None:
    """It can fail: a document that is not true of the server is found out, each lie in it."""
    with urllib.request.urlopen(f"{address}/openapi.json") as answer:
        document = json.load(answer)
    told = list(lies(document))
    path = tmp_path / "lies.json"
    path.write_text(json.dumps(document))
    included = [part for where, _, _ in told for part in ("--include-path", where)]
    arguments = ("--generation-deterministic", "-n", 8, "--phases", "examples,fuzzing", *included)
    found = fuzz(address, tmp_path, *arguments, document=path)
    for _, title, detail in told:
        assert title in found, found
        assert detail in found, found
