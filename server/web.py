"""The map page and the files it is made of; nothing of it comes from elsewhere."""

import gzip
import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from gis.version import installed_version
from server.api.codings import GZIP, WORTH_ENCODING, coding_for
from server.api.osrm_json import error_answer, to_bytes
from server.state import EngineState

_MAP_LIBRARY = ("maplibre-gl.js", "maplibre-gl.css")
"""Files of MapLibre GL JS, as the package ``maplibre`` brings them."""

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"
"""It may be kept, but whether it still holds is asked each time."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src blob:",  # MapLibre makes its workers out of its own text
        "style-src 'self'",
        "img-src 'self' data: blob:",  # its controls' signs
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


@dataclass(frozen=True)
class StaticFile:
    """The bytes of a file, with what a browser has to know of them."""

    name: str
    body: bytes

    @cached_property
    def etag(self) -> str:
        """Another one for other bytes; weak, since they travel compressed or not."""
        return f'W/"{hashlib.sha256(self.body).hexdigest()[:24]}"'

    @cached_property
    def packed(self) -> bytes:
        """The bytes compressed, always alike."""
        return gzip.compress(self.body, 6, mtime=0)

    @property
    def media_type(self) -> str:
        """What kind of file it is."""
        return _TYPES[Path(self.name).suffix]

    def answer(self, request: Request, cache_control: str = _ASK_FIRST) -> Response:
        """The file, compressed if that is wanted, or 304 if the browser has it."""
        headers = SECURITY_HEADERS | {
            "cache-control": cache_control,
            "etag": self.etag,
            "vary": "Accept-Encoding",
        }
        if _is_known(request.headers.get("if-none-match", ""), self.etag):
            return Response(status_code=304, headers=headers)
        body = self.body
        coding = coding_for(request.headers.get("accept-encoding", "").encode("latin-1"))
        if coding == GZIP and len(body) >= WORTH_ENCODING:
            body, headers["content-encoding"] = self.packed, "gzip"
        return Response(body, headers=headers, media_type=self.media_type)


def static_files() -> dict[str, StaticFile]:
    """Every file that may be asked for, by its path under ``/static/``: there are no others."""
    files = {name: StaticFile(name, body) for name, body in _read(_folder(), "").items()}
    files.update(_map_library())
    return files


def web_router(state: EngineState) -> APIRouter:
    """The page and its files."""
    router = APIRouter(include_in_schema=False)
    files = static_files()
    library = b"".join(files[name].body for name in _MAP_LIBRARY if name in files)
    version = hashlib.sha256(library).hexdigest()[:12]
    template = Template((_folder() / "index.html").read_text(encoding="utf-8"))

    def page(request: Request) -> Response:
        text = template.substitute(
            version=escape(installed_version()),
            dataset=_data_block(_dataset(state)),
            examples=_links(state.examples()),
            maplibre=version,
        )
        return StaticFile("index.html", text.encode()).answer(request)

    def static(request: Request, path: str) -> Response:
        found = files.get(path)
        if found is None:
            body = to_bytes(error_answer("NotFound", "There is no such file."))
            return Response(body, 404, SECURITY_HEADERS, media_type="application/json")
        is_versioned = path in _MAP_LIBRARY and request.url.query == f"v={version}"
        return found.answer(request, _FOR_EVER if is_versioned else _ASK_FIRST)

    def icon(request: Request) -> Response:
        return files["icon.svg"].answer(request)

    router.add_api_route("/", page, methods=["GET", "HEAD"])
    router.add_api_route("/favicon.ico", icon, methods=["GET", "HEAD"])
    router.add_api_route("/static/{path:path}", static, methods=["GET", "HEAD"])
    return router


def _is_known(if_none_match: str, etag: str) -> bool:
    """Whether one of the tags is that of the file, compared weakly (RFC 9110, section 13.1.2)."""
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return "*" in tags or etag.removeprefix("W/") in tags


def _folder() -> Traversable:
    return resources.files("server") / "static"


def _read(folder: Traversable, prefix: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_dir():
            found.update(_read(entry, f"{prefix}{entry.name}/"))
        elif Path(entry.name).suffix in _TYPES and not entry.name.endswith(".html"):
            found[prefix + entry.name] = entry.read_bytes()
    return found


def _map_library() -> dict[str, StaticFile]:
    """The files of MapLibre; none where the package is missing, which the page says.

    The package itself is not imported: it would load much that is not needed.
    """
    spec = importlib.util.find_spec("maplibre")
    found = {}
    for place in (spec and spec.submodule_search_locations) or ():
        for name in _MAP_LIBRARY:
            file = Path(place) / "srcjs" / name
            if file.is_file():
                found[name] = StaticFile(name, file.read_bytes())
    return found


def _dataset(state: EngineState) -> dict[str, object]:
    """What the page has to know before it asks for anything."""
    extract = state.engine.info.extract
    return {
        "name": state.dataset.name,
        "extract": extract.name,
        "timestamp": extract.timestamp,
        "version": installed_version(),
        "profiles": list(state.engine.profiles),
        "bounds": [round(float(side), 6) for side in state.engine.bounds],
    }


def _data_block(value: dict[str, object]) -> str:
    """JSON that can stand within a script element, whatever it says."""
    return orjson.dumps(value).decode().replace("<", "\\u003c")


def _links(examples: Mapping[str, str]) -> str:
    return "".join(
        f'<li><a href="{escape(url)}">{escape(what)}</a></li>' for what, url in examples.items()
    )
