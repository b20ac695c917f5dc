"""Who may administer a server."""

from typing import Annotated

import pytest
from asgi import Response, ask
from fastapi import Depends, FastAPI

from gis.errors import EngineError
from server.admin import admin_only
from server.app import tell_error
from server.settings import Settings

TOKEN = "a-token-of-24-characters"


def _enter(token: str, given: str) -> Response:
    app = FastAPI()
    app.add_exception_handler(EngineError, tell_error)

    @app.get("/")
    def guarded(_: Annotated[None, Depends(admin_only(Settings(admin_token=token)))]) -> str:
        return "in"

    return ask(app, "GET", "/", headers={"authorization": given})


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_known(scheme: str) -> None:
    """Whoever has the token comes in."""
    assert _enter(TOKEN, f"{scheme} {TOKEN}").body == b'"in"'


@pytest.mark.parametrize(
    "given", ["", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ", TOKEN]
)
def test_unknown(given: str) -> None:
    """Anybody else is told how, and nothing else."""
    answer = _enter(TOKEN, given)
    assert (answer.status, answer.json()["code"]) == (401, "Unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert TOKEN.encode() not in answer.body


def test_no_token() -> None:
    """A server without a token lets nobody in, not even who sends none."""
    assert _enter("", "Bearer ").status == 401
