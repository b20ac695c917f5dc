"""Streets by their names, for whoever looks for a place on the map."""

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from gis.streets.search import Street
from server.api.openapi_failures import failures
from server.api.osrm_json import to_bytes
from server.api.own_options import only
from server.state import EngineState

MAX_TEXT, MAX_NUMBER = 100, 50

Text: TypeAlias = Annotated[
    str,
    Query(
        min_length=1,
        max_length=MAX_TEXT,
        description="Beginnings of words of the name, without regard to case and accents.",
        examples=["mann"],
    ),
]
Number: TypeAlias = Annotated[
    int, Query(ge=1, le=MAX_NUMBER, description="How many streets to find at most.")
]

_FAILURES = failures({400: "The text or the number is missing or out of range"})


class FoundStreet(BaseModel):
    """A street."""

    name: str
    location: tuple[float, float] = Field(
        description="Longitude and latitude of a place on it, in the middle of its longest piece"
    )
    bounds: tuple[float, float, float, float] = Field(
        description="West, south, east and north in degrees"
    )
    length: float = Field(description="Metres of all its pieces, each carriageway for itself")


class FoundStreets(BaseModel):
    """Streets, best first."""

    code: str = Field(examples=["Ok"])
    streets: list[FoundStreet]


def search_router(state: EngineState) -> APIRouter:
    """The route by which streets are found."""
    router = APIRouter(tags=["search"])

    def streets(text: Text, number: Number = 10) -> Response:
        """Streets in whose names every word of the text begins a word.

        First those that are called so, then those whose names begin so; the longest first. Pieces
        of one name that lie near each other are one street.
        """
        found = [_document(street) for street in state.engine.find_streets(text, number)]
        return Response(
            to_bytes({"code": "Ok", "streets": found}),
            headers={"access-control-allow-origin": "*"},
            media_type="application/json; charset=UTF-8",
        )

    for method in ("GET", "HEAD"):
        router.add_api_route(
            "/search/v1/streets",
            streets,
            methods=[method],
            summary="Streets by name",
            response_model=FoundStreets,
            responses=_FAILURES,
            dependencies=[Depends(only("text", "number"))],
            include_in_schema=method == "GET",
        )
    return router


def _document(street: Street) -> dict[str, object]:
    west, south, east, north = (round(side, 7) for side in street.bounds)
    return {
        "name": street.name,
        "location": [round(street.lon, 7), round(street.lat, 7)],
        "bounds": [west, south, east, north],
        "length": round(street.length_m, 1),
    }
