"""Another dataset taken over HTTP, for whoever has the server's token."""

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.responses import Response

from server.admin import admin_only
from server.api.openapi_failures import failures
from server.api.osrm_json import to_bytes
from server.errors import Busy, DatasetRefused
from server.state import EngineState


class Reloaded(BaseModel):
    """What is served now."""

    code: str = Field(examples=["Ok"])
    dataset: str = Field(description="What answers call Whimbrel-Dataset")
    previous: str = Field(description="What it was before; the same if nothing has changed")
    profiles: list[str]
    removed_profiles: list[str] = Field(description="Profiles that are not served any more")


_FAILURES = failures(
    {
        401: "No token, or a wrong one",
        409: "Refused: the dataset before it is still served",
        503: "The server is stopping",
    }
)


def datasets_router(state: EngineState) -> APIRouter:
    """The route to take a dataset that was built anew; none where there is no token."""
    router = APIRouter(tags=["datasets"])
    if not state.settings.admin_token:
        return router

    @router.post(
        "/datasets/v1/reload",
        summary="Take the dataset as it is now",
        responses=_FAILURES,
        response_model=Reloaded,
        dependencies=[Depends(admin_only(state.settings))],
    )
    async def reload() -> Response:
        """Open the dataset at the server's path again, check all of it, and answer from it.

        No request fails meanwhile: each ends with the dataset that it began with. Answered once
        every process answers from the new one. A dataset that is damaged or missing is refused,
        and the one before it stays. Profiles may vanish with a dataset; the answer tells which.
        """
        if state.reload is None:
            raise Busy("Nothing can be reloaded now; try again later.")
        found = await state.reload()
        if "error" in found:
            raise DatasetRefused(str(found["error"]))
        answer = to_bytes({"code": "Ok", **found})
        return Response(answer, media_type="application/json; charset=UTF-8")

    return router
