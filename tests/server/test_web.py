"""The page and its files over HTTP, around a fake engine."""

import gzip
import json
import re
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from asgi import ask
from fake_engine import fake_state

from server import web
from server.api.codings import WORTH_ENCODING
from server.app import create_app

STATIC = Path(str(resources.files("server"))) / "static"
SCRIPTS = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.js"))
SHEETS = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.css"))
LIBRARY = ("maplibre-gl.js", "maplibre-gl.css")


@pytest.fixture(scope="module")
def app() -> Any:
    return create_app(fake_state())


def test_page(app: Any) -> None:
    """All that the page refers to is there, and ours."""
    page = ask(app, "GET", "/")
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    links = re.findall(r'(?:href|src)="([^"#]+)', page.text)
    assert len(links) > 15
    outside = [link for link in links if not link.startswith("/")]
    assert outside == ["https://www.openstreetmap.org/copyright"]
    pytest.importorskip("maplibre")
    for link in links:
        if link.startswith("/"):
            assert ask(app, "GET", link.replace("&amp;", "&")).status == 200, link


def test_page_without_scripts(app: Any) -> None:
    """It leads to the description, and to requests that show what there is."""
    inside = re.search("<noscript>(.*?)</noscript>", ask(app, "GET", "/").text, re.S)
    assert inside is not None
    assert 'href="/docs"' in inside[1]
    assert 'href="/route/v1/car/' in inside[1]


def test_dataset_of_the_page(app: Any) -> None:
    """The page is told what it is about, whatever that is called."""
    block = re.compile('<script type="application/json" id="dataset">(.*?)</script>', re.S)
    found = block.search(ask(app, "GET", "/").text)
    assert found is not None
    dataset = json.loads(found[1])
    assert dataset["profiles"] == ["car"]
    assert dataset["bounds"] == [24.9, 60.1, 25.0, 60.2]

    state = fake_state()
    name = "</script><script>alert(1)</script>"
    extract = replace(state.engine.info.extract, name=name)
    state.engine.info = replace(state.engine.info, extract=extract)  # type: ignore[misc]
    text = ask(create_app(state), "GET", "/").text
    assert "alert(1)</script>" not in text
    found = block.search(text)
    assert found is not None
    assert json.loads(found[1])["extract"] == name


def test_policy(app: Any) -> None:
    """Nothing but our own files may be loaded, and nothing in the page itself may run."""
    for target in ("/", "/static/js/main.js", "/static/none"):
        headers = ask(app, "GET", target).headers
        policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    text = ask(app, "GET", "/").text
    assert not re.search(r"\son\w+=|\sstyle=|<style|javascript:", text)
    for attributes, inside in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.S):
        assert "application/json" in attributes or not inside


def test_the_icon(app: Any) -> None:
    """It is there, too, where browsers look for one on pages that name none."""
    found = ask(app, "GET", "/favicon.ico")
    assert (found.status, found.headers["content-type"]) == (200, "image/svg+xml")
    assert found.body == (STATIC / "icon.svg").read_bytes()
    assert ask(app, "HEAD", "/favicon.ico").status == 200


@pytest.mark.parametrize("path", [*SCRIPTS, *SHEETS, "icon.svg"])
def test_files(app: Any, path: str) -> None:
    """Each is served as what it is, compressed if one likes, and not again if one has it."""
    target = f"/static/{path}"
    plain = ask(app, "GET", target)
    assert plain.body == (STATIC / path).read_bytes()
    kind = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    assert plain.headers["content-type"].startswith(kind[Path(path).suffix])
    assert plain.headers["cache-control"] == "no-cache"
    assert plain.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers
    packed = ask(app, "GET", target, headers={"accept-encoding": "br, gzip"})
    if len(plain.body) >= WORTH_ENCODING:
        assert packed.headers["content-encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
    etag = plain.headers["etag"]
    assert packed.headers["etag"] == etag
    again = ask(app, "GET", target, headers={"if-none-match": f'"x", {etag}'})
    assert (again.status, again.body) == (304, b"")
    assert ask(app, "GET", target, headers={"if-none-match": '"x"'}).status == 200
    head = ask(app, "HEAD", target)
    assert head.headers["content-length"] == str(len(plain.body))


@pytest.mark.parametrize(
    "path",
    [
        "none.js",
        "",
        "index.html",
        "page.html",
        "../web.py",
        "../../pyproject.toml",
        "%2e%2e/web.py",
        "js/../../web.py",
        "js/%2e%2e%2f%2e%2e%2fweb.py",
        "js\\..\\..\\web.py",
        "//etc/passwd",
        "js/main.js/",
        "js/main.js%00.css",
    ],
)
def test_no_other_files(app: Any, path: str) -> None:
    """What is not among the files of the page does not exist."""
    found = ask(app, "GET", f"/static/{path}")
    assert found.status == 404
    assert found.json()["code"] == "NotFound"


def test_map_library(app: Any) -> None:
    """It is kept for ever under the address that the page uses, which another version changes."""
    pytest.importorskip("maplibre")
    text = ask(app, "GET", "/").text
    for name in LIBRARY:
        found = re.search(rf"/static/{re.escape(name)}\?v=(\w+)", text)
        assert found is not None
        kept = ask(app, "GET", found[0])
        assert "immutable" in kept.headers["cache-control"]
        for query in ("", "?v=", "?v=0", f"?v={found[1]}&x"):
            other = ask(app, "GET", f"/static/{name}{query}")
            assert other.headers["cache-control"] == "no-cache"


def test_without_map_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is served all the same."""
    monkeypatch.setattr(web.importlib.util, "find_spec", lambda name: None)
    app = create_app(fake_state())
    assert ask(app, "GET", "/").status == 200
    assert ask(app, "GET", "/static/maplibre-gl.js").status == 404


@pytest.mark.parametrize("path", [*SCRIPTS, *SHEETS])
def test_own_files_name_no_other_host(path: str) -> None:
    """Nothing is fetched from elsewhere; modules import their neighbours by name."""
    text = (STATIC / path).read_text(encoding="utf-8")
    hosts = set(re.findall(r"https?://([\w.]+)", text))
    assert hosts <= {"www.openstreetmap.org", "www.w3.org"}
    for module in re.findall(r'^import .* from "(.*)";', text, re.M):
        assert (STATIC / "js" / module).is_file(), module


def test_files_are_small() -> None:
    """One concept a file: at most 400 lines, as everywhere."""
    for path in [*SCRIPTS, *SHEETS]:
        assert len((STATIC / path).read_text(encoding="utf-8").splitlines()) <= 400, path
