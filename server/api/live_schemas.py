"""What live speeds look like over HTTP, for OpenAPI."""

from typing import Any

from pydantic import BaseModel, Field

from server.api.openapi_failures import failures
from server.live.csv_rows import csv_schema
from server.live.rows import row_schema


def body(may_take_back: bool) -> dict[str, Any]:
    """The body of a request with speeds."""
    rows = {"type": "array", "items": row_schema(may_take_back)}
    schema = {"type": "object", "required": ["speeds"], "properties": {"speeds": rows}}
    content = {
        "application/json": {
            "schema": schema,
            "example": {"speeds": [{"nodes": [25291537, 25291564], "speed": 0}]},
        },
        "text/csv": {
            "schema": csv_schema(may_take_back),
            "example": "25291537,25291564,0\n4252938,30\n",
        },
    }
    return {"requestBody": {"required": True, "content": content}}


class LiveState(BaseModel):
    """What is in force, and how much of it this dataset knows."""

    code: str = Field(examples=["Ok"])
    profile: str
    dataset: str = Field(description="As in the header Whimbrel-Dataset")
    weights: int = Field(description="As in the header Whimbrel-Weights of answers made with it")
    changed: str = Field(description="When it was put in force, empty if nothing ever was")
    known: int = Field(description="Speeds of roads that are in this dataset")
    unknown: int = Field(description="Speeds of roads that are not: they change nothing")
    unknown_speeds: list[dict[str, Any]] = Field(description="The first of these")


class LiveRows(LiveState):
    """The same with all speeds."""

    speeds: list[dict[str, Any]]


_FAILURES = {
    400: "The profile or a row is wrong; the row is named",
    401: "Without the server's token",
    500: "A fault of the server; all is as it was",
}
_CHANGE_FAILURES = _FAILURES | {409: "Others are being put in force; try again"}
_BODY_FAILURES = _CHANGE_FAILURES | {
    413: "The body is too long",
    415: "The body is neither JSON nor CSV",
}
FAILURES, CHANGE_FAILURES, BODY_FAILURES = map(
    failures, (_FAILURES, _CHANGE_FAILURES, _BODY_FAILURES)
)
