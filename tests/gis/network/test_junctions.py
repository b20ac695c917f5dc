"""Where ways are cut, and what becomes of odd ones."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from world import World, spell_edges

GRID = """
    a - b - c
    |   |   |
    d - e - f
"""


def edges(ways: str, nodes: str = "") -> list[str]:
    """The edges of ways, given by their letters alone, over the grid of a to f."""
    lines = "\n".join(f"{letters} highway=x" for letters in ways.split())
    network, _ = World(GRID, lines, nodes).network()
    return spell_edges(network)


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        pytest.param("abc", "abc", id="a lone way is one edge"),
        pytest.param("abc cfe", "abc cfe", id="ways that meet at their ends"),
        pytest.param("abc be", "ab bc be", id="a way that ends on another cuts it"),
        pytest.param("abc dbf", "ab bc db bf", id="ways that cross at a node"),
        pytest.param("abcf", "abcf", id="a way that passes a node nobody else uses"),
        pytest.param("abeda", "abeda", id="a ring is a loop edge"),
        pytest.param("cbedab", "cb bedab", id="a way that ends on itself"),
        pytest.param("cbedabf", "cb bedab bf", id="a way that crosses itself"),
        pytest.param("aba", "aba", id="a way there and back"),
        pytest.param("abab", "ab ba ab", id="a way there, back and there again"),
        pytest.param("ab ab", "ab ab", id="ways drawn twice are parallel edges"),
        pytest.param("abc adefc", "abc adefc", id="ways apart between the same nodes"),
        pytest.param("abbc", "abc", id="a node that follows itself counts once"),
        pytest.param("aabc ccf", "abc cf", id="also at the ends"),
        pytest.param("a", "", id="a way of a single node is nothing"),
        pytest.param("aa", "", id="nor is one that only repeats it"),
    ],
)
def test_cuts(ways: str, expected: str) -> None:
    """Ways are cut at their ends, at nodes used more than once, and nowhere else."""
    assert edges(ways) == expected.split()


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        pytest.param("zabc", "abc", id="at the start"),
        pytest.param("abcyz", "abc", id="at the end"),
        pytest.param("abzef", "ab ef", id="in the middle"),
        pytest.param("abzc", "ab", id="a single node that is left over is dropped"),
        pytest.param("zaz", "", id="nothing left"),
        pytest.param("aza", "", id="the same node before and after a gap is no edge"),
        pytest.param("abzba", "ab ba", id="there and back with the turning place missing"),
        pytest.param("abc eza", "abc", id="dropped nodes do not cut other ways"),
    ],
)
def test_missing_nodes(ways: str, expected: str) -> None:
    """A way that names nodes the file lacks keeps every piece that is there."""
    assert edges(ways) == expected.split()


def test_closed_ways_do_not_cut() -> None:
    """A way that no vehicle may use is no edge, and what it crosses stays whole."""
    network, report = World(GRID, "abc highway=x\nbe highway=closed").network()
    assert spell_edges(network) == ["abc"]
    assert report.open_ways == 1


def test_report_names_clipped_and_lost_ways() -> None:
    """The report tells the ways that lack a node, and those that nothing is left of."""
    _, report = World(GRID, "abz highway=x\nzez highway=x\na highway=x\nbc highway=x").network()
    assert report.open_ways == 4
    assert report.clipped_ways == (1001, 1002)
    assert report.lost_ways == (1002, 1003)


def naive_edges(ways: list[str], special: set[str]) -> list[tuple[int, str]]:
    """The same rules, told with regular expressions: (number of the way, letters)."""
    runs = []
    for number, letters in enumerate(ways):
        for present in re.findall("[a-f]+", letters):
            run = re.sub(r"(.)\1+", r"\1", present)
            if len(run) > 1:
                runs.append((number, run))
    uses = Counter("".join(run for _, run in runs))
    cuts = {letter for letter, n in uses.items() if n > 1} | special
    cuts |= {end for _, run in runs for end in (run[0], run[-1])}
    plain = "".join(set("abcdef") - cuts) or "-"
    piece = re.compile(f"(?=(.[{plain}]*.))")
    return [
        (number, match[1])
        for number, run in runs
        for match in piece.finditer(run)
        if match[1][0] in cuts and match[1][-1] in cuts
    ]


@given(
    ways=st.lists(st.text("abcdefyz", min_size=1, max_size=9), min_size=1, max_size=6),
    special=st.sets(st.sampled_from("abcdefz"), max_size=2),
)
def test_random_ways(ways: list[str], special: set[str]) -> None:
    """Edges, their order and their ways are those of the naive splitter."""
    lines = "\n".join(f"{letters} highway=x" for letters in ways)
    network, _ = World(GRID, lines, "\n".join(f"{s} barrier=gate" for s in special)).network()
    found = list(zip((network.edge_way - 1001).tolist(), spell_edges(network), strict=True))
    assert found == naive_edges(ways, special)
