"""Vector tiles: what a request for one says, and the answers that are kept."""

import re
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

from gis.tiles.grid import Tile
from gis.tiles.levels import MAX_ZOOM, MIN_ZOOM
from routing.engine import Engine
from routing.errors import InvalidInput
from server.api.osrm_url import RequestPath, Scanner
from server.api.replies import Reply
from server.settings import Settings
from server.state import Serving

MEDIA_TYPE = b"application/x-protobuf"

CACHE_BYTES = 16 << 20
"""Most bytes that are kept of the tiles of one profile, in each process."""
_OVERHEAD_BYTES = 400
"""What a tile takes in memory beside its bytes."""

_QUICK_ZOOM = 17
"""From here on a tile takes a millisecond."""

_NUMBER = re.compile("[0-9]+")
_MAX_NUMBER = 2**32 - 1


@dataclass(frozen=True, slots=True)
class TileParams:
    """A request for a tile."""

    x: int
    y: int
    zoom: int


def read_tile(path: RequestPath) -> TileParams:
    """A request from ``tile(x,y,zoom).mvt``, without options.

    Raises ``InvalidQuery`` with the position of whatever is not understood.
    """
    scanner = Scanner(path.text, path.query_start)
    numbers = []
    for before in ("tile(", ",", ","):
        if not scanner.literal(before):
            scanner.fail()
        start = scanner.position
        number = int((scanner.match(_NUMBER) or scanner.fail())[:12])
        if number > _MAX_NUMBER:
            scanner.position = start
            scanner.fail()
        numbers.append(number)
    if not scanner.literal(").mvt") or not scanner.at_end:
        scanner.fail()
    return TileParams(*numbers)


def check_tile(params: TileParams, settings: Settings) -> None:
    """Raise ``InvalidInput`` for a tile that there is not."""
    if not MIN_ZOOM <= params.zoom <= MAX_ZOOM or max(params.x, params.y) >> params.zoom:
        raise InvalidInput(
            f"Invalid coordinates. Zoom levels {MIN_ZOOM} to {MAX_ZOOM} are supported,"
            " with x and y below 2^zoom."
        )


class TileCache:
    """The tiles that were asked for last, of one engine whose weights never change."""

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._max_bytes = max_bytes
        self.n_bytes = 0
        self._tiles: OrderedDict[tuple[str, Tile], Reply] = OrderedDict()
        self._lock = Lock()

    def find(self, key: tuple[str, Tile]) -> Reply | None:
        """A tile, if it is kept."""
        with self._lock:
            reply = self._tiles.get(key)
            if reply is not None:
                self._tiles.move_to_end(key)
            return reply

    def keep(self, key: tuple[str, Tile], reply: Reply) -> None:
        """Keep a tile, and drop those that nobody has asked for longest if there is no room.

        One that would take most of the room for itself is not kept.
        """
        size = _size(reply)  # compresses it: nobody is to wait for that
        if 2 * size > self._max_bytes:
            return
        with self._lock:
            if key in self._tiles:
                return
            self._tiles[key] = reply
            self.n_bytes += size
            while self.n_bytes > self._max_bytes:
                _, dropped = self._tiles.popitem(last=False)
                self.n_bytes -= _size(dropped)


def _size(reply: Reply) -> int:
    """Bytes in memory, compressed bytes included."""
    return len(reply.body) + len(reply.packed) + _OVERHEAD_BYTES


_caches: WeakKeyDictionary[Engine, TileCache] = WeakKeyDictionary()
"""They go with the engines, of which each has its dataset and weights for good."""


def answer_tile(serving: Serving, params: TileParams) -> Reply:
    """The tile, made or kept."""
    cache = _caches.setdefault(serving.engine, TileCache())
    tile = Tile(params.x, params.y, params.zoom)
    key = serving.profile, tile
    reply = cache.find(key)
    if reply is None:
        reply = Reply(serving.engine.tile(*tile, profile=serving.profile), MEDIA_TYPE)
        cache.keep(key, reply)
    return reply


def is_quick_tile(params: TileParams) -> bool:
    """Whether a tile holds few roads for certain."""
    return params.zoom >= _QUICK_ZOOM
