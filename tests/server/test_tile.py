"""Vector tiles over HTTP: the grammar of their URLs, what is kept, and who need not be sent one."""

import gzip
import math
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import pytest
from asgi import Response, ask
from engines import engine_of
from world import World

from gis.profiles.registry import get_profile
from gis.tiles.grid import Tile
from routing.engine import Engine
from server.api.osrm_url import split_url
from server.api.replies import Reply
from server.api.services import SERVICES
from server.api.tile import MEDIA_TYPE, TileCache, TileParams, read_tile
from server.app import create_app
from server.state import EngineState

GRID = "\n".join("-".join("abcdefghijklmnopqrstuvwxyz"[i : i + 13]) for i in (0, 13))
WAYS = "\n".join(
    f"{a}{b} highway=residential name='{a * 60}'" for a, b in pairwise("abcdefghijklm")
)
CORNER = (
    9327.1 / 2**14 * 360 - 180,
    math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * 4745.1 / 2**14)))),
)
HERE = "/tile/v1/car/tile(9327,4745,14).mvt"


class CountingEngine:
    """Counts the tiles that are made."""

    def __init__(self, engine: Engine) -> None:
        self.made = 0
        self._engine = engine

    def tile(self, *args: Any, **options: Any) -> bytes:
        self.made += 1
        return self._engine.tile(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def snapshot(self, profile: str) -> "CountingEngine":
        return self


@pytest.fixture(scope="module")
def engine() -> Engine:
    world = World(GRID, WAYS, metres=30.0, origin=CORNER)
    return engine_of(world, get_profile("car"))


@pytest.fixture
def counting(engine: Engine) -> Any:
    return CountingEngine(engine)


@pytest.fixture
def app(counting: Any) -> Any:
    return create_app(EngineState(counting, Path("city.whimbrel")))


def failure(response: Response) -> tuple[int, str, str]:
    found = response.json()
    return response.status, found["code"], found["message"]


def test_a_tile(app: Any, engine: Engine) -> None:
    """It is what the engine makes, as protocol buffers, for browsers on any page."""
    response = ask(app, "GET", HERE)
    assert response.status == 200
    assert response.body == engine.tile(9327, 4745, 14)
    assert len(mapbox_vector_tile.decode(response.body)["speeds"]["features"]) == 12
    assert response.headers["content-type"] == "application/x-protobuf"
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["whimbrel-weights"] == "0"
    assert "content-disposition" not in response.headers


def test_head(app: Any) -> None:
    """The same without the tile."""
    head, get = ask(app, "HEAD", HERE), ask(app, "GET", HERE)
    assert (head.status, head.body, head.headers) == (200, b"", get.headers)


def test_an_empty_tile(app: Any) -> None:
    """Where no roads are there is an answer, too."""
    response = ask(app, "GET", "/tile/v1/car/tile(0,0,14).mvt")
    assert (response.status, response.body) == (200, b"")
    assert response.headers["content-length"] == "0"


def test_compressed(app: Any) -> None:
    """For those who accept that."""
    plain = ask(app, "GET", HERE)
    packed = ask(app, "GET", HERE, headers={"accept-encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["etag"] == plain.headers["etag"]
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


def test_kept_by_browsers(app: Any, counting: Any) -> None:
    """They ask again each time, and are told that theirs is right, without a body."""
    first = ask(app, "GET", HERE)
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    for known in (tag, f'"x", {tag}', tag.removeprefix("W/"), "*"):
        again = ask(app, "GET", HERE, headers={"if-none-match": known})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["etag"] == tag and "content-length" not in again.headers
    other = ask(app, "GET", HERE, headers={"if-none-match": 'W/"other"'})
    assert (other.status, other.body) == (200, first.body)
    assert counting.made == 1


def test_another_tile_has_another_tag(app: Any) -> None:
    """So that it is sent."""
    tags = {
        ask(app, "GET", f"/tile/v1/car/tile({x},4745,14).mvt").headers["etag"] for x in (0, 9327)
    }
    assert len(tags) == 2


def test_other_weights_are_seen_at_once(app: Any, engine: Engine) -> None:
    """What is kept belongs to an engine, and another one has its own."""
    closed = engine.with_weights(speeds={(ord("a"), ord("b")): 0})
    changed = create_app(EngineState(closed, Path("city.whimbrel")))
    before, after = ask(app, "GET", HERE), ask(changed, "GET", HERE)
    assert before.headers["etag"] != after.headers["etag"]
    assert before.body != after.body == closed.tile(9327, 4745, 14)


@pytest.mark.parametrize(
    ("rest", "code", "message"),
    [
        ("tile(1,1,4).mvt", "InvalidOptions", "Invalid coordinates. Zoom levels 5 to 19 are"),
        ("tile(1,1,20).mvt", "InvalidOptions", "Invalid coordinates. Zoom levels 5 to 19 are"),
        ("tile(4096,1,12).mvt", "InvalidOptions", "Invalid coordinates."),
        ("tile(1,4096,12).mvt", "InvalidOptions", "Invalid coordinates."),
        ("tile(1,1,4294967295).mvt", "InvalidOptions", "Invalid coordinates."),
        ("tile(1,1,12)", "InvalidQuery", "Query string malformed close to position 24"),
        ("tile(1,1,12).json", "InvalidQuery", "Query string malformed close to position 24"),
        ("tile(1,1,12).mvt?x=1", "InvalidQuery", "Query string malformed close to position 29"),
        ("tile(1,-1,12).mvt", "InvalidQuery", "Query string malformed close to position 20"),
        ("tile(1.5,1,12).mvt", "InvalidQuery", "Query string malformed close to position 19"),
        ("tile(1,1).mvt", "InvalidQuery", "Query string malformed close to position 21"),
        (
            "tile(4294967296,1,12).mvt",
            "InvalidQuery",
            "Query string malformed close to position 18",
        ),
        ("tile(" + "9" * 5000, "InvalidQuery", "Query string malformed close to position 18"),
        ("1,1,12", "InvalidQuery", "Query string malformed close to position 13"),
        ("", "InvalidUrl", "URL string malformed close to position 13"),
    ],
    ids=lambda value: value[:30],
)
def test_errors(app: Any, rest: str, code: str, message: str) -> None:
    """Each as OSRM tells it, as JSON."""
    found = failure(ask(app, "GET", f"/tile/v1/car/{rest}"))
    assert found[:2] == (400, code) and found[2].startswith(message)


def test_no_bodies(app: Any) -> None:
    """A tile cannot be asked for in a body."""
    headers = {"content-type": "application/json"}
    found = failure(ask(app, "POST", "/tile/v1/car", b'{"coordinates": [[1, 2]]}', headers))
    assert found == (
        400,
        "NotImplemented",
        "This service does not support POST requests with a JSON body.",
    )
    assert failure(ask(app, "POST", "/tile/v1/car", b"{}"))[:2] == (415, "InvalidContentType")
    unknown = failure(ask(app, "GET", "/tile/v1/tank/tile(1,1,12).mvt"))
    assert unknown[:2] == (400, "InvalidValue")


@pytest.mark.parametrize(("zoom", "quick"), [(5, False), (14, False), (17, True), (19, True)])
def test_what_is_quick(zoom: int, quick: bool) -> None:
    """Tiles of many roads are made by threads."""
    assert SERVICES["tile"].is_quick(TileParams(1, 1, zoom)) == quick


def test_reading() -> None:
    """The numbers in their order."""
    path = split_url("/tile/v1/car/tile(3,2,10).mvt", with_query=True)
    assert read_tile(path) == TileParams(3, 2, 10)


def key(number: int) -> tuple[str, Tile]:
    return "car", Tile(number, 0, 9)


def test_the_cache_is_bounded() -> None:
    """It drops what nobody has asked for longest, and never holds more than it may."""
    cache = TileCache(10_000)
    replies = [Reply(bytes(3000), MEDIA_TYPE) for _ in range(6)]
    for number, reply in enumerate(replies[:2]):
        cache.keep(key(number), reply)
    assert cache.find(key(0)) is replies[0]
    for number, reply in enumerate(replies[2:], 2):
        cache.keep(key(number), reply)
        cache.find(key(0))
    kept = [number for number in range(6) if cache.find(key(number)) is not None]
    assert kept == [0, 5]
    assert cache.n_bytes <= 10_000
    cache.keep(key(9), Reply(bytes(20_000), MEDIA_TYPE))
    assert cache.find(key(9)) is None, "it would leave no room for others"
    assert cache.find(key(0)) is replies[0] and cache.find(key(5)) is replies[5]


def test_nobody_waits_for_compression() -> None:
    """While a tile is compressed others may look for theirs."""
    cache = TileCache(10_000)
    began, may_end = threading.Event(), threading.Event()

    class SlowReply(Reply):
        @property
        def packed(self) -> bytes:
            began.set()
            may_end.wait(10)
            return b""

    keeping = threading.Thread(
        target=cache.keep, args=(key(1), SlowReply(bytes(100), MEDIA_TYPE)), daemon=True
    )
    keeping.start()
    assert began.wait(10)
    looking = threading.Thread(target=cache.find, args=(key(2),), daemon=True)
    looking.start()
    looking.join(5)
    assert not looking.is_alive()
    may_end.set()
    keeping.join(10)
    assert cache.find(key(1)) is not None


def test_the_cache_is_shared_by_threads() -> None:
    """Whatever they do at the same time, it counts right."""
    cache = TileCache(50_000)

    def work(offset: int) -> None:
        for i in range(300):
            number = (i * 7 + offset) % 40
            if cache.find(key(number)) is None:
                cache.keep(key(number), Reply(bytes(1000 + number), MEDIA_TYPE))

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept = [cache.find(key(number)) for number in range(40)]
    sizes = [len(reply.body) + len(reply.packed) + 400 for reply in kept if reply is not None]
    assert cache.n_bytes == sum(sizes) <= 50_000


def test_live_speeds_are_drawn_at_once(tmp_path: Path) -> None:
    """What is published shows in the next tile, and a tile without it is the old one again."""
    world = World(GRID, WAYS, metres=30.0, origin=CORNER)
    own = engine_of(world, get_profile("car"))
    own.follow(tmp_path)
    app = create_app(EngineState(own, Path("city.whimbrel")))
    tag = {"if-none-match": ask(app, "GET", HERE).headers["etag"]}
    with own.live_writer(tmp_path) as writer:
        writer.publish(own.changes(speeds={(ord("a"), ord("b")): 0}))
        changed = ask(app, "GET", HERE, headers=tag)
        assert (changed.status, changed.headers["whimbrel-weights"]) == (200, "1")
        features = mapbox_vector_tile.decode(changed.body)["speeds"]["features"]
        closed = [f["properties"] for f in features if f["properties"]["speed"] == 0]
        assert [(road["name"], road["datasource"]) for road in closed] == [("a" * 60, "live")]
        assert len(features) == 13  # the way back is as it was
        writer.clear()
        assert ask(app, "GET", HERE, headers=tag).status == 304
