"""Streets by name over HTTP."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from asgi import ask
from engines import engine_of
from world import World

from server.app import create_app
from server.state import EngineState

STREETS = World(
    "a-b-c-d",
    """
    ab highway=x name='Mannerheimintie'
    bc highway=x name='Hämeentie'
    cd highway=x name='улица Гоголя'
    """,
)


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(EngineState(engine_of(STREETS), Path("city.whimbrel")))


def search(app: Any, text: str, more: str = "") -> Any:
    return ask(app, "GET", f"/search/v1/streets?text={quote(text)}{more}")


def test_an_answer(app: Any) -> None:
    """It has the place, bounds and length of each street."""
    response = search(app, "hameen")
    assert response.status == 200
    assert response.headers["content-type"] == "application/json; charset=UTF-8"
    assert response.headers["access-control-allow-origin"] == "*"
    found = response.json()
    assert found["code"] == "Ok"
    (street,) = found["streets"]
    (west, lat), (east, _) = (STREETS.position(letter) for letter in "bc")
    assert street["name"] == "Hämeentie"
    assert street["location"] == pytest.approx([(west + east) / 2, lat], abs=1e-6)
    assert street["bounds"] == pytest.approx([west, lat, east, lat])
    assert street["length"] == pytest.approx(200, abs=1)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("MANN", ["Mannerheimintie"]),
        ("ГОГОЛЯ", ["улица Гоголя"]),
        ("гоголя улица", ["улица Гоголя"]),
        ("xyz", []),
        ("%", []),
        ("\x00", []),
        ("\ud7ff" * 100, []),
    ],
)
def test_what_is_found(app: Any, text: str, names: list[str]) -> None:
    """Whatever the script, and nothing for what is no name."""
    assert [street["name"] for street in search(app, text).json()["streets"]] == names


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "text is missing"),
        ("?text=", "text must have at least 1 character"),
        ("?text=" + "a" * 101, "text must have at most 100 characters"),
        ("?text=a&number=0", "number must be at least 1"),
        ("?text=a&number=51", "number must be at most 50"),
        ("?text=a&number=x", "number must be a whole number"),
        ("?text=a&number=" + "9" * 5000, "number must be a whole number"),
        ("?text=a&number=1.5", "number must be a whole number"),
        ("?text=a&number=", "number must be a whole number"),
        ("?text=a&limit=3", "unknown option 'limit', expected text or number"),
        ("?Text=a", "unknown option 'Text', expected text or number"),
        ("?text=a&=", "unknown option '', expected text or number"),
        ("?text=a&text=b", "text is given more than once"),
    ],
)
def test_errors(app: Any, query: str, message: str) -> None:
    """They are told as by the other services."""
    response = ask(app, "GET", f"/search/v1/streets{query}")
    assert response.status == 400
    assert response.json()["code"] == "InvalidQuery"
    assert response.json()["message"] == message


def test_head_and_number(app: Any) -> None:
    """HEAD works, and no more are found than were asked for."""
    assert ask(app, "HEAD", "/search/v1/streets?text=a").status == 200
    assert len(search(app, "ma", "&number=1").json()["streets"]) == 1


def test_described(app: Any) -> None:
    """The document knows it, with the errors that it really has."""
    operation = ask(app, "GET", "/openapi.json").json()["paths"]["/search/v1/streets"]
    assert list(operation) == ["get"]
    assert {"200", "400", "500"} <= set(operation["get"]["responses"])
