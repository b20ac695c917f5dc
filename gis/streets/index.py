"""The streets of a network, and an index of the words of their names."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from gis.arrays import F32, F64, I32, I64, U8, U32, AnyArray, Bool, freeze, offsets, ranges
from gis.geodesy import UNITS_PER_DEGREE
from gis.network.road_network import RoadNetwork
from gis.snap_index import SnapIndex, edge_positions
from gis.streets.folding import beginnings, fold, words_of

_NEAR = 3 * UNITS_PER_DEGREE // 1000
"""Some 330 metres in 1e-7 degree of latitude: pieces of one name in neighbouring squares of this
size are one street."""

_NEIGHBOURS = ((0, 1), (1, -1), (1, 0), (1, 1))
"""Half of the squares around one: row and column."""


@dataclass(frozen=True)
class Texts:
    """n texts as UTF-8: offsets uint32 (n + 1,) into ``byte`` uint8 (B,)."""

    first: U32
    byte: U8

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Texts":
        """Texts in the order given."""
        encoded = [text.encode("utf-8", "replace") for text in texts]
        sizes = np.array([len(text) for text in encoded], np.int64)
        return cls(freeze(offsets(sizes)), freeze(np.frombuffer(b"".join(encoded), np.uint8)))

    def __len__(self) -> int:
        return len(self.first) - 1

    def text(self, number: int) -> bytes:
        """One text."""
        return self.byte[self.first[number] : self.first[number + 1]].tobytes()


@dataclass(frozen=True)
class StreetIndex:
    """Streets by name. N names, S streets, W words, P postings.

    | array | dtype, shape | content |
    |---|---|---|
    | name | ``Texts`` (N) | as on the map, ascending by ``folded`` |
    | folded | ``Texts`` (N) | as they are compared, see ``fold`` |
    | word | ``Texts`` (W) | distinct, ascending |
    | first_posting | uint32 (W + 1,) | offsets into ``posting`` |
    | posting | uint32 (P,) | the names that have a word, ascending |
    | first_street | uint32 (N + 1,) | offsets into the streets; each name has one or more |
    | lon, lat | int32 (S,) | the middle of the longest piece, 1e-7 degree |
    | box | int32 (S, 4) | west, south, east, north |
    | length_m | float32 (S,) | of all pieces; descending within a name |
    """

    name: Texts
    folded: Texts
    word: Texts
    first_posting: U32
    posting: U32
    first_street: U32
    lon: I32
    lat: I32
    box: I32
    length_m: F32

    @property
    def n_names(self) -> int:
        return len(self.name)

    @property
    def n_streets(self) -> int:
        return len(self.lon)


def build_street_index(network: RoadNetwork, index: SnapIndex) -> StreetIndex:
    """The index over all roads that have a name or, without one, a number."""
    texts = [tags.get("name") or tags.get("ref", "") for tags in network.labels.all_tags()]
    folded = {text: fold(text) for text in set(texts)}
    names = sorted((text for text, key in folded.items() if key), key=lambda t: (folded[t], t))
    number = {text: i for i, text in enumerate(names)}
    of_label = np.array([number.get(text, -1) for text in texts], np.int64)
    of_edge = of_label[network.edge_label]
    edge = np.flatnonzero(of_edge >= 0)
    name = of_edge[edge]
    street = _numbered(_join_near(network, edge, name), network.edge_length_m[edge], name)
    first = np.searchsorted(street.name, np.arange(len(names) + 1))
    words, postings = _post([words_of(text) for text in names])
    lengths = np.array([len(numbers) for numbers in postings], np.int64)
    numbers = [number for found in postings for number in found]
    position = edge_positions(
        index, edge[street.longest].astype(np.uint32), np.full(len(street.longest), 0.5)
    )
    return StreetIndex(
        Texts.of(names),
        Texts.of(folded[text] for text in names),
        Texts.of(words),
        freeze(offsets(lengths)),
        freeze(np.array(numbers, np.uint32)),
        freeze(first.astype(np.uint32)),
        freeze(position[1]),
        freeze(position[2]),
        freeze(_boxes(network, edge, street.of_piece, len(street.name))),
        freeze(street.length_m.astype(np.float32)),
    )


def _join_near(network: RoadNetwork, edge: I64, name: I64) -> I64:
    """Numbers of streets of edges (k,): those of one name whose ends come near each other."""
    ends = np.concatenate([network.edge_tail[edge], network.edge_head[edge]])
    row = np.floor_divide(network.node_lat[ends].astype(np.int64), _NEAR)
    shrink = np.cos(np.radians((row + 0.5) * _NEAR / UNITS_PER_DEGREE))
    column = np.floor(network.node_lon[ends] * shrink / _NEAR).astype(np.int64)
    code = _code(np.tile(name, 2), row, column)
    squares, square = np.unique(code, return_inverse=True)
    joined = [(square[: len(edge)], square[len(edge) :])]
    for down, right in _NEIGHBOURS:
        wanted = squares + ((down << _COLUMN_BITS) + right)
        place = np.minimum(np.searchsorted(squares, wanted), max(len(squares) - 1, 0))
        has = np.flatnonzero(squares[place] == wanted) if len(squares) else place
        joined.append((has, place[has]))
    a, b = (np.concatenate(side) for side in zip(*joined, strict=True))
    graph = coo_matrix((np.ones(len(a), np.int8), (a, b)), (len(squares), len(squares)))
    _, component = connected_components(graph, directed=False)
    found: I64 = component[square[: len(edge)]].astype(np.int64)
    return found


_ROW_BITS, _COLUMN_BITS = 17, 18
"""More than squares need, so that one beside another has a code of its own."""


def _code(name: I64, row: I64, column: I64) -> I64:
    """Name, row and column as one number each, ascending as they do."""
    row, column = row + (1 << _ROW_BITS - 1), column + (1 << _COLUMN_BITS - 1)
    code: I64 = (name << _ROW_BITS | row) << _COLUMN_BITS | column
    return code


class _Streets(NamedTuple):
    """Streets by name, the longest first: S of k pieces.

    ``name`` int64 (S,), ``length_m`` float64 (S,), ``longest`` int64 (S,) the longest piece, and
    ``of_piece`` int64 (k,) the street of each piece.
    """

    name: I64
    length_m: F64
    longest: I64
    of_piece: I64


def _numbered(component: I64, piece_m: F32, name: I64) -> _Streets:
    n = int(component.max(initial=-1)) + 1
    length_m = np.bincount(component, piece_m.astype(np.float64), n).astype(np.float64)
    order = np.lexsort((-piece_m, component))
    longest = order[np.searchsorted(component[order], np.arange(n))]
    of_component = name[longest]
    by_name = np.lexsort((np.arange(n), -length_m, of_component))
    rank = np.empty(n, np.int64)
    rank[by_name] = np.arange(n)
    return _Streets(of_component[by_name], length_m[by_name], longest[by_name], rank[component])


def _boxes(network: RoadNetwork, edge: I64, street: I64, n_streets: int) -> I32:
    """The bounds of streets, int32 (S, 4), of the shapes of their pieces."""
    first = network.first_point[edge].astype(np.int64)
    count = network.first_point[edge + 1].astype(np.int64) - first
    point, owner = ranges(first, count), np.repeat(street, count)
    box = np.empty((n_streets, 4), np.int32)
    order = np.argsort(owner, kind="stable")
    start = np.searchsorted(owner[order], np.arange(n_streets))
    if n_streets:
        for i, coordinate in enumerate((network.point_lon, network.point_lat)):
            along = coordinate[point[order]]
            box[:, i] = np.minimum.reduceat(along, start)
            box[:, i + 2] = np.maximum.reduceat(along, start)
    return box


def _post(names: Sequence[Sequence[str]]) -> tuple[list[str], list[list[int]]]:
    """Every word of names, ascending as bytes, and the numbers of the names that have it."""
    found: dict[str, list[int]] = {}
    for number, words in enumerate(names):
        parts = dict.fromkeys(part for word in words for part in beginnings(word))
        for part in parts:
            found.setdefault(part, []).append(number)
    ordered = sorted(found)  # code points and UTF-8 are in the same order
    return ordered, [found[word] for word in ordered]


def check_street_index(index: StreetIndex) -> None:
    """Assert every documented invariant."""
    names = [index.name.text(i).decode() for i in range(index.n_names)]
    folded = [index.folded.text(i).decode() for i in range(index.n_names)]
    assert folded == [fold(name) for name in names] == sorted(folded)
    assert len(set(names)) == len(names) and all(folded)
    words = [index.word.text(i) for i in range(len(index.word))]
    assert words == sorted(set(words))
    for i, word in enumerate(words):
        numbers = index.posting[index.first_posting[i] : index.first_posting[i + 1]].tolist()
        has = [
            number
            for number, text in enumerate(folded)
            if any(word.decode() in beginnings(part) for part in text.split())
        ]
        assert numbers == has
    first = index.first_street.astype(np.int64)
    assert first[0] == 0 and first[-1] == index.n_streets and (np.diff(first) >= 1).all()
    west, south, east, north = index.box.T
    inside: Bool = (west <= index.lon) & (index.lon <= east)
    inside &= (south <= index.lat) & (index.lat <= north)
    assert inside.all()
    drops: AnyArray = np.diff(index.length_m) <= 0
    drops[first[1:-1] - 1] = True
    assert drops.all() and (index.length_m >= 0).all()
