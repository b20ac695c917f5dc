"""The OpenAPI document: that it is true of the services."""

from typing import Any

import pytest
from asgi import ask
from fake_engine import fake_state

from server.api.services import SERVICES
from server.app import create_app

OF_COORDINATES = [name for name, service in SERVICES.items() if service.reader is None]
ONLY_IN_BODIES = {"coordinates", "avoid_polygons", "speeds", "format"}
KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


@pytest.fixture(scope="module")
def document(app: Any) -> Any:
    return ask(app, "GET", "/openapi.json").json()


def fits(value: Any, schema: Any) -> bool:
    """Whether a value is what a schema says, with nothing besides."""
    if "oneOf" in schema:
        return sum(fits(value, choice) for choice in schema["oneOf"]) == 1
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(isinstance(value, KINDS[kind]) for kind in kinds):
        return False
    if value not in schema.get("enum", [value]):
        return False
    if isinstance(value, list):
        n_least, n_most = schema.get("minItems", 0), schema.get("maxItems", len(value))
        return n_least <= len(value) <= n_most and all(fits(v, schema["items"]) for v in value)
    if isinstance(value, dict) and "properties" in schema:
        known = schema["properties"]
        return (set(schema.get("required", ())) <= set(value) <= set(known)) and all(
            fits(part, known[name]) for name, part in value.items()
        )
    return True


def test_schemas_are_told_apart() -> None:
    """The check itself refuses what does not fit."""
    schema = {
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": {"type": "array", "items": {"type": ["number", "null"]}, "maxItems": 2},
            "b": {"oneOf": [{"type": "string", "enum": ["x"]}, {"type": "boolean"}]},
        },
    }
    for good in ({"a": []}, {"a": [1, None], "b": "x"}, {"a": [1.5], "b": True}):
        assert fits(good, schema)
    for bad in (
        [],
        {},
        {"a": 1},
        {"a": ["1"]},
        {"a": [1, 2, 3]},
        {"a": [], "b": "y"},
        {"a": [], "c": 1},
    ):
        assert not fits(bad, schema)


def operation_of(document: Any, service: str) -> Any:
    return document["paths"][f"/{service}/v1/{{profile}}/{{coordinates}}"]["get"]


def example_of(document: Any, service: str) -> str:
    """The request that the document gives as an example."""
    examples = {
        p["name"]: p["example"]
        for p in operation_of(document, service)["parameters"]
        if "example" in p
    }
    path = f"/{service}/v1/{examples.pop('profile')}/{examples.pop('coordinates')}"
    return f"{path}?{'&'.join(f'{name}={value}' for name, value in examples.items())}".rstrip("?")


@pytest.mark.parametrize("service", OF_COORDINATES)
def test_each_option_is_described(document: Any, service: str) -> None:
    """For a URL as for a body."""
    operation = operation_of(document, service)
    described = {p["name"] for p in operation["parameters"] if p["in"] == "query"}
    body = document["paths"][f"/{service}/v1/{{profile}}"]["post"]["requestBody"]
    members = body["content"]["application/json"]["schema"]["properties"]
    assert described == set(members) - ONLY_IN_BODIES
    assert len(described) >= 9


ANSWERED = [
    ("route", ""),
    ("route", "alternatives=2&annotations=true&geometries=geojson&overview=full"),
    ("route", "steps=true"),
    ("route", "steps=true&geometries=geojson&alternatives=1"),
    ("route", "overview=by_legs&annotations=nodes&generate_hints=false&skip_waypoints=true"),
    ("nearest", "number=3"),
    ("nearest", "skip_waypoints=true"),
    ("table", "annotations=duration,distance"),
    ("table", "fallback_speed=5&sources=0"),
    ("table", "skip_waypoints=true"),
    ("isochrone", "contours_minutes=1,10"),
    ("isochrone", "contours_meters=1,1000&polygons=false&direction=to&skip_waypoints=true"),
]


@pytest.mark.parametrize(("service", "query"), ANSWERED)
def test_answers_are_as_described(app: Any, document: Any, service: str, query: str) -> None:
    """Each member of an answer is in the document, and of the type that it says."""
    target = example_of(document, service).split("?")[0]
    response = ask(app, "GET", f"{target}?{query}".rstrip("?"))
    answers = operation_of(document, service)["responses"]
    assert response.status == 200
    assert fits(response.json(), answers["200"]["content"]["application/json"]["schema"])
    failure = ask(app, "GET", f"{target}?foo=1")
    assert fits(
        failure.json(), answers[str(failure.status)]["content"]["application/json"]["schema"]
    )


@pytest.mark.parametrize("service", OF_COORDINATES)
def test_examples_and_defaults_are_true(app: Any, document: Any, service: str) -> None:
    """The example works, and giving every option its documented default changes nothing."""
    target = example_of(document, service)
    plain = ask(app, "GET", target)
    assert plain.status == 200
    given = {
        p["name"]: str(p["schema"]["default"]).lower()
        for p in operation_of(document, service)["parameters"]
        if "default" in p["schema"]
    }
    assert len(given) >= 4
    query = "&".join(f"{name}={value}" for name, value in given.items())
    both = ask(app, "GET", f"{target}{'&' if '?' in target else '?'}{query}")
    assert both.json() == plain.json()


def test_page_for_people(app: Any) -> None:
    """It names every service and their options."""
    docs = ask(app, "GET", "/docs").text
    for word in ("continue_straight", "/health", "fallback_speed", "contours_minutes", *SERVICES):
        assert word in docs
