"""The index of streets, and what is found in it, against naive ways to do the same."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World

from gis.geodesy import distance_m
from gis.network.road_network import RoadNetwork
from gis.snap_index import build_snap_index
from gis.streets.folding import beginnings, words_of
from gis.streets.index import StreetIndex, build_street_index, check_street_index
from gis.streets.search import Street, StreetFinder, find_streets

LETTERS = "abcdefghijklmnopqrst"
DRAWING = "-".join(LETTERS)
"""100 m from letter to letter unless told otherwise."""


def network_of(*names: str | None, metres: float = 50.0) -> RoadNetwork:
    """A row of streets, each named; None is a gap."""
    ways = [
        f"{a}{b} highway=x" + (f' name="{name}"' if name else "")
        for (a, b), name in zip(pairwise(LETTERS), names, strict=False)
        if name is not None
    ]
    return World(DRAWING, "\n".join(ways), metres=metres).network()[0]


def index_of(network: RoadNetwork) -> StreetIndex:
    return build_street_index(network, build_snap_index(network))


def found(network: RoadNetwork, text: str, number: int = 10) -> list[str]:
    return [street.name for street in find_streets(index_of(network), text, number)]


def test_every_promise() -> None:
    """Of the index, on names that are alike, empty, or have no words."""
    network = network_of("Rua A", "rua a", "Rua B", "", "!!", "中山路", "Rua A", "B C", "C B")
    index = index_of(network)
    check_street_index(index)
    assert index.n_names == 6


def test_nothing_has_a_name() -> None:
    """Then nothing is found."""
    network = network_of("", "")
    index = index_of(network)
    check_street_index(index)
    assert find_streets(index, "a", 10) == []


@pytest.mark.parametrize("text", ["", " ", "!?", "'"])
def test_no_words(text: str) -> None:
    """Find nothing."""
    assert found(network_of("Rua A"), text) == []


def test_order() -> None:
    """First the very name, then names that begin so, then others; the longer first."""
    network = network_of(
        "Nova", "Rua Nova", "Rua Nova", "Nova Rua", "Novas", "Novas", "Novas", "", "Rua da Nova Rua"
    )
    expected = ["Nova", "Novas", "Nova Rua", "Rua Nova", "Rua da Nova Rua"]
    assert found(network, "nova") == expected
    assert found(network, "NOVA", 2) == expected[:2]
    assert found(network, "rua nov") == ["Rua Nova", "Nova Rua", "Rua da Nova Rua"]
    assert found(network, "rua x") == []
    assert found(network, "ova") == []


def test_pieces_near_each_other_are_one_street() -> None:
    """Two pieces with a gap between them are one, those far away another."""
    near = index_of(network_of("A", None, "A", metres=25.0))
    assert near.n_streets == 1
    far = index_of(network_of("A", "A", None, None, None, None, None, "A", metres=150.0))
    assert far.n_streets == 2 and far.n_names == 1
    check_street_index(far)
    first, second = find_streets(far, "a", 10)
    assert first.length_m == pytest.approx(2 * 2 * 150, rel=0.01)
    assert second.length_m == pytest.approx(2 * 150, rel=0.01)
    assert first.bounds[2] < second.bounds[0]


def test_other_names_do_not_join() -> None:
    """However near they are."""
    index = index_of(network_of("A", "B", "A", "B", metres=10.0))
    assert index.n_streets == 2


def test_place_and_bounds() -> None:
    """A street is found on itself, in the middle of its longest piece."""
    world = World(
        """
        a---b-c
              |
              d
        """,
        "ab highway=x name=L\nbcd highway=x name=L\nbx highway=x",
        metres=50.0,
    )
    network = world.network()[0]
    (street,) = find_streets(index_of(network), "l", 1)
    (lon_a, lat_a), (lon_b, _) = world.position("a"), world.position("b")
    assert (street.lon, street.lat) == pytest.approx(((lon_a + lon_b) / 2, lat_a), abs=1e-6)
    (lon_c, _), (_, lat_d) = world.position("c"), world.position("d")
    assert street.bounds == pytest.approx((lon_a, lat_d, lon_c, lat_a), abs=1e-7)
    assert street.length_m == pytest.approx(network.edge_length_m.sum())


def test_numbers_of_roads_without_a_name() -> None:
    """Stand for the name."""
    world = World("a-b-c", "ab highway=x ref='A 28'\nbc highway=x ref='A 29' name=Road")
    assert found(world.network()[0], "a28") == []
    assert found(world.network()[0], "a 28") == ["A 28"]
    assert found(world.network()[0], "a 29") == []


WORDS = st.sampled_from(["rua", "ruas", "de", "Ru", "São", "sao", "中山路", "17", "d'a"])
NAMES = st.lists(WORDS, max_size=3).map(" ".join)


@given(st.lists(NAMES, max_size=12), NAMES, st.integers(1, 5))
def test_same_as_naive(names: list[str], text: str, number: int) -> None:
    """What is found is what a look at each street finds, in the same order."""
    network = network_of(*names)
    index = index_of(network)
    check_street_index(index)
    wanted = words_of(text)
    all_streets = [
        find_one(index, name, street)
        for name in range(index.n_names)
        for street in range(int(index.first_street[name]), int(index.first_street[name + 1]))
    ]

    def rank(street: Street) -> int:
        words = words_of(street.name)
        if words == wanted:
            return 0
        return 1 if " ".join(words).startswith(" ".join(wanted)) else 2

    matching = [
        street
        for street in all_streets
        if wanted
        and all(
            any(part.startswith(word) for own in words_of(street.name) for part in beginnings(own))
            for word in wanted
        )
    ]
    expected = sorted(matching, key=lambda street: (rank(street), -street.length_m))[:number]
    assert find_streets(index, text, number) == expected


def find_one(index: StreetIndex, name: int, street: int) -> Street:
    west, south, east, north = (float(side) / 1e7 for side in index.box[street])
    return Street(
        index.name.text(name).decode(),
        float(index.lon[street]) / 1e7,
        float(index.lat[street]) / 1e7,
        (west, south, east, north),
        float(index.length_m[street]),
    )


@given(st.integers(0, 10**6), st.integers(20, 400))
def test_joined_as_promised(seed: int, metres: int) -> None:
    """Ends of one name within 300 m are of one street, and streets are not joined over 1 km."""
    rng = np.random.default_rng(seed)
    names: list[str | None] = [[None, "A", "B"][i] for i in rng.integers(0, 3, len(LETTERS) - 1)]
    if not any(names):
        names[0] = "A"
    network = network_of(*names, metres=metres)
    index = index_of(network)
    check_street_index(index)
    for name in range(index.n_names):
        text = index.name.text(name).decode()
        label = [tags.get("name") == text for tags in network.labels.all_tags()]
        edges = np.flatnonzero(np.array(label)[network.edge_label])
        n_at_least = n_at_most = 1
        for a, b in pairwise(edges.tolist()):  # from west to east
            head, tail = int(network.edge_head[a]), int(network.edge_tail[b])
            gap = distance_m(
                network.node_lon[head], network.node_lat[head],
                network.node_lon[tail], network.node_lat[tail],
            )  # fmt: skip
            n_at_least += gap > 1000
            n_at_most += gap > 300
        n = int(index.first_street[name + 1]) - int(index.first_street[name])
        assert n_at_least <= n <= n_at_most


def test_found_from_several_threads() -> None:
    """The index is built once, whoever asks first."""
    network = network_of("Rua A")
    finder = StreetFinder(network, build_snap_index(network))
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: finder.find("a", 1), range(8)))
    assert all(answer == answers[0] and len(answer) == 1 for answer in answers)
