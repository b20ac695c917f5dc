"""The outermost layer of the application: counts requests, and limits what they bring along."""

from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import BodyTooLarge, HeadersTooLarge, UrlTooLong
from server.limits import check_size, limited, refuse
from server.state import EngineState


class Counted:
    """Counts what an application answers, and refuses what is too large for it."""

    def __init__(self, app: ASGIApp, state: EngineState) -> None:
        self._app = app
        self._metrics = state.metrics
        self._settings = state.settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        metrics = self._metrics
        service = service_of(scope["path"])
        told = False

        async def tell(message: Message) -> None:
            nonlocal told
            if not told and message["type"] == "http.response.start":
                told = True
                metrics.observe(service, message["status"], perf_counter() - began)
            await send(message)

        metrics.began_or_ended(1)
        try:
            try:
                check_size(scope, service, self._settings)
                await self._app(scope, limited(receive, service, self._settings), tell)
            except (BodyTooLarge, HeadersTooLarge, UrlTooLong) as error:
                if told:
                    raise
                await refuse(error, receive, tell)
        except Exception:
            if not told:
                metrics.observe(service, 500, perf_counter() - began)
            raise
        finally:
            metrics.began_or_ended(-1)


def service_of(path: str) -> str:
    """The service that a path is for, by its first part."""
    parts = path.split("/", 2)
    return parts[1] if len(parts) > 1 else ""
