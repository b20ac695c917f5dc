"""Mosaics: whole, joined, and always the same."""

import hashlib
import itertools
from pathlib import Path
from typing import NamedTuple

import osmium
import pytest
from pbf_writer import Block, Group, Node, Way, write_pbf

from gis.errors import FormatError, ResourceError
from routing.build import build_dataset
from routing.engine import Engine
from server.benchmark.mosaic import Place, lay_out
from server.benchmark.town import read_town

pytestmark = pytest.mark.compiled


def objects(path: Path) -> list[tuple]:
    """Everything in a file that matters, in its order."""
    found: list[tuple] = []
    for item in osmium.FileProcessor(str(path)):
        tags = dict(item.tags)
        if item.is_node():
            found.append(("n", item.id, tags, round(item.lon, 7), round(item.lat, 7)))
        elif item.is_way():
            found.append(("w", item.id, tags, [node.ref for node in item.nodes]))
        else:
            members = [(member.type, member.ref, member.role) for member in item.members]
            found.append(("r", item.id, tags, members))
    return found


class Mosaic(NamedTuple):
    """A mosaic, where its copies lie, its objects, and its dataset beside that of one town."""

    path: Path
    places: list[Place]
    one: list[tuple]
    four: list[tuple]
    counts: tuple[dict[str, int], dict[str, int]]
    engines: tuple[Engine, Engine]


@pytest.fixture(scope="module")
def mosaic(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Mosaic:
    """Two by two copies of the sample."""
    folder = tmp_path_factory.mktemp("mosaic")
    path = folder / "mosaic.osm.pbf"
    places = lay_out(sample, path, 2, 2)
    datasets = folder / "one.whimbrel", folder / "four.whimbrel"
    counts = build_dataset(sample, datasets[0]).counts, build_dataset(path, datasets[1]).counts
    engines = Engine.open(datasets[0]), Engine.open(datasets[1])
    return Mosaic(path, places, objects(sample), objects(path), counts, engines)


def test_every_copy_is_whole(mosaic: Mosaic) -> None:
    """All objects are there four times with all their tags; ids are unique and rising."""
    one, four = mosaic.one, mosaic.four
    for kind in "nwr":
        before = [item[2] for item in one if item[0] == kind]
        after = [item[2] for item in four if item[0] == kind]
        assert after[: 4 * len(before)] == before * 4
        ids = [item[1] for item in four if item[0] == kind]
        assert ids == sorted(set(ids))
    links = [item[2] for item in four if item[0] == "w"][4 * sum(i[0] == "w" for i in one) :]
    assert len(links) == 4 * 3
    assert all(tags["name"].startswith("Link ") for tags in links)


def test_references_point_to_the_same_objects(mosaic: Mosaic) -> None:
    """What a way or a relation names in a copy is the copy of what it names."""
    one, four = mosaic.one, mosaic.four
    number = {kind: sum(item[0] == kind for item in one) for kind in "nwr"}
    place = {item[:2]: index for index, item in enumerate(four)}
    first = {kind: next(i for i, item in enumerate(four) if item[0] == kind) for kind in "nwr"}
    old = {(item[0], item[1]): index for index, item in enumerate(one)}
    begin = {kind: next(i for i, item in enumerate(one) if item[0] == kind) for kind in "nwr"}

    def copy_of(kind: str, ref: int, copy: int) -> int | None:
        index = old.get((kind, ref))
        if index is None:
            return None
        return first[kind] + copy * number[kind] + index - begin[kind]

    for copy in range(4):
        for index, item in enumerate(one):
            if item[0] == "n":
                continue
            moved = four[first[item[0]] + copy * number[item[0]] + index - begin[item[0]]]
            for before, after in zip(item[3], moved[3], strict=True):
                kind, ref, role = before if item[0] == "r" else ("n", before, "")
                new_kind, new_ref, new_role = after if item[0] == "r" else ("n", after, "")
                assert (new_kind, new_role) == (kind, role)
                assert place.get((kind, new_ref)) == copy_of(kind, ref, copy)


def test_one_can_drive_between_all_copies(mosaic: Mosaic) -> None:
    """Between the same place in all pairs of copies there is a route, which takes a link."""
    for one, other in itertools.permutations(mosaic.places, 2):
        ends = [(place.lon, place.lat) for place in (one, other)]
        route = mosaic.engines[1].route(ends)
        assert any(name.startswith("Link") for name in route.legs[0].names)
        assert route.distance_m > 5000


def test_restrictions_and_sizes_survive(mosaic: Mosaic, sample: Path) -> None:
    """Each copy has the restrictions of the town, and its roads are as long."""
    one, four = mosaic.counts
    assert one["restrictions"] > 0
    for name in ("restrictions", "restrictions_dropped"):
        assert four[name] == 4 * one[name]
    # A link has two ends; where one is amid an edge, that is cut.
    assert 4 * one["edges"] + 12 <= four["edges"] <= 4 * one["edges"] + 12 + 2 * 12
    town = read_town(sample)
    place = mosaic.places[0]
    shift = place.lon - town.middle[0], place.lat - town.middle[1]
    ends = [(town.middle[0] - 0.002, town.middle[1]), (town.middle[0] + 0.002, town.middle[1])]
    moved = [(lon + shift[0], lat + shift[1]) for lon, lat in ends]
    before, after = mosaic.engines[0].route(ends), mosaic.engines[1].route(moved)
    assert after.distance_m == pytest.approx(before.distance_m, rel=0.01)


def test_bytes_are_always_the_same(mosaic: Mosaic, sample: Path, tmp_path: Path) -> None:
    """Laid out once more, the file is equal."""
    lay_out(sample, tmp_path / "again.osm.pbf", 2, 2)
    digests = [
        hashlib.sha256(path.read_bytes()).digest()
        for path in (mosaic.path, tmp_path / "again.osm.pbf")
    ]
    assert digests[0] == digests[1]


def test_progress_counts_copies(sample: Path, tmp_path: Path) -> None:
    """Nodes and ways of each copy are a step each."""
    seen: list[tuple[int, int]] = []
    lay_out(sample, tmp_path / "m.osm.pbf", 2, 1, lambda done, total: seen.append((done, total)))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_no_gates_at_barriers_and_restrictions(sample: Path) -> None:
    """The ends of links are nodes that nothing closes."""
    town = read_town(sample)
    via = {
        ref
        for relation in town.relations
        for kind, ref, role in relation.members
        if (kind, role) == ("n", "via")
    }
    for gates in town.gates.values():
        assert len(set(gates)) == 2
        for node in gates:
            assert "barrier" not in town.node_tags.get(node, {})
            assert int(town.node_id[node]) not in via


def test_what_does_not_fit_on_the_globe(sample: Path, tmp_path: Path) -> None:
    """Too many copies are refused, in any direction."""
    for grid in ((100_000, 1), (1, 100_000)):
        with pytest.raises(ResourceError, match="do not fit on the globe"):
            lay_out(sample, tmp_path / "m.osm.pbf", *grid)


def test_an_extract_without_roads(tmp_path: Path) -> None:
    """It says so."""
    path = tmp_path / "paths.osm.pbf"
    nodes = [Node(number, number * 10**6, 0, []) for number in range(1, 5)]
    ways = [Way(1, [1, 2, 3, 4], [("highway", "footway")])]
    write_pbf(path, [Block([Group(nodes=nodes)]), Block([Group(ways=ways)])])
    with pytest.raises(FormatError, match="too few roads"):
        lay_out(path, tmp_path / "m.osm.pbf", 2, 2)


def test_what_is_no_extract(tmp_path: Path) -> None:
    """The file is named."""
    path = tmp_path / "page.osm.pbf"
    path.write_text("<!doctype html>")
    with pytest.raises(FormatError, match=r"page\.osm\.pbf"):
        lay_out(path, tmp_path / "m.osm.pbf", 2, 2)
