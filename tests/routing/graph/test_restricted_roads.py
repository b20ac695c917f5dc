"""What lies behind restricted roads and gates becomes restricted, and nothing is lost by it."""

import numpy as np
import pytest
from graphs import World, worlds
from hypothesis import given, settings
from oracles import reachable
from walks import following, keeps_out, phased_costs
from world import World as Drawn
from world import spell_arcs

from gis.arrays import freeze
from gis.profiles.verdicts import BACKWARD_RESTRICTED, FORWARD_RESTRICTED
from routing.graph import reachability
from routing.graph.arc_turns import BEHIND, OPEN, RESTRICTED
from routing.graph.components import (
    ARC_END,
    ARC_RESTRICTED,
    ARC_START,
    build_components,
    check_components,
)
from routing.graph.restricted_roads import restricted_arcs
from routing.graph.turn_graph import build_turn_graph
from routing.metric import duration_metric


@pytest.fixture(params=[3, 1000])
def big(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """What counts as a big component."""
    monkeypatch.setattr(reachability, "BIG_COMPONENT_ARCS", request.param)
    return request.param


def of_profile(world: World, open_arc: np.ndarray) -> list[int]:
    """How far each arc is restricted by its own tags."""
    flags = world.verdicts.way_flags[world.network.edge_tagset]
    both = np.stack([flags & FORWARD_RESTRICTED, flags & BACKWARD_RESTRICTED], 1) > 0
    return (both.ravel() * open_arc * RESTRICTED).tolist()


def reached_from(world: World, open_arc: np.ndarray, level: list[int]) -> dict[int, set[int]]:
    """Where one gets from each open arc without passing through what is restricted."""
    onward = following(world, open_arc.tolist(), level)
    return {arc: set(phased_costs(onward, level, lambda _a, _b: 1, arc)) for arc in onward}


@settings(max_examples=200)
@given(worlds(max_nodes=7, n_edges=(2, 14), n_paths=(0, 0)))
def test_nothing_is_lost_by_what_lies_behind(big: int, world: World) -> None:
    """Whatever could be reached before is so after roads behind others became restricted, too."""
    open_arc = duration_metric(*world).open_arc
    level = restricted_arcs(*world, open_arc)
    own = of_profile(world, open_arc)
    assert level.dtype == np.uint8 and not level.flags.writeable
    assert ((level == RESTRICTED) == (np.array(own) == RESTRICTED)).all()
    assert not level[~open_arc].any()
    before, after = (
        reached_from(world, open_arc, own),
        reached_from(world, open_arc, level.tolist()),
    )
    assert all(before[arc] <= after[arc] for arc in before)


@settings(max_examples=200)
@given(worlds(max_nodes=7, n_edges=(2, 14), n_paths=(0, 0)))
def test_what_is_joined_to_the_rest_stays_open(big: int, world: World) -> None:
    """Only what is not joined to a big part over open roads becomes restricted.

    And all that is joined to it over whatever roads can be reached from there, or leads there.
    """
    network, verdicts = world
    open_arc = duration_metric(*world).open_arc
    level = restricted_arcs(*world, open_arc).tolist()
    own = of_profile(world, open_arc)
    is_through = [bool(is_open and not own[arc]) for arc, is_open in enumerate(open_arc)]
    steps = following(world, is_through, [OPEN] * network.n_arcs)
    reach = {arc: reachable(steps, [arc]) for arc in steps}
    parts = {frozenset(b for b in reach[a] if a in reach[b]) for a in reach}
    least = min(big, max(map(len, parts), default=1))
    in_big = {arc for part in parts if len(part) >= least for arc in part}
    core = {a for a in reach if reach[a] & in_big and any(a in reach[b] for b in in_big)}
    assert not any(level[arc] for arc in core)

    graph = build_turn_graph(network, verdicts, open_arc)
    everywhere = freeze(np.ones(network.n_arcs, np.bool_))
    restricted = freeze(np.array(level, np.uint8))
    components = build_components(graph, open_arc, everywhere, restricted)
    check_components(components, network.n_arcs)
    flags = components.arc_flags
    assert ((flags & ARC_RESTRICTED > 0) == (restricted > 0)).all()
    if not core:
        return
    # A way that leaves the core and comes back to it is no way to or from the rest.
    off_core = [int(arc not in core) for arc in range(network.n_arcs)]
    anyhow = following(world, open_arc.tolist(), off_core)
    found = {arc: set(phased_costs(anyhow, off_core, lambda _a, _b: 1, arc)) for arc in anyhow}
    for arc in anyhow:
        assert flags[arc] & ARC_END or not any(arc in found[a] for a in core)
        assert flags[arc] & ARC_START or not found[arc] & core


def levels(world: Drawn) -> dict[str, int]:
    """How far each arc is restricted, by its letters."""
    network, _ = world.network()
    (verdicts,) = world.verdicts()
    open_arc = duration_metric(network, verdicts).open_arc
    level = restricted_arcs(network, verdicts, open_arc).tolist()
    return dict(zip(spell_arcs(network), level, strict=True))


def test_an_estate_behind_a_private_road() -> None:
    """Streets without tags of their own, to which only a private road leads."""
    found = levels(
        Drawn(
            """
            a---b---c     h
                |         |
                d---e---f-g
            """,
            """
            abc   highway=x
            bd    highway=x private=yes
            defgh highway=x
            """,
        )
    )
    assert found["ab"] == found["cb"] == OPEN
    assert found["bd"] == found["db"] == RESTRICTED
    assert found["defgh"] == found["hgfed"] == BEHIND


def test_an_estate_behind_a_gate() -> None:
    """The smaller side of a gate is what lies behind it; a gate on a through road divides none."""
    estate = """
        a---b---c
        |   |
        e---f-g---h
        """
    ways = "abc highway=x\nae highway=x\nef highway=x\nbf highway=x\nfgh highway=x"
    found = levels(Drawn(estate, ways, nodes="g private=yes"))
    assert {arc for arc, level in found.items() if level} == {"gh", "hg"}
    assert found["gh"] == BEHIND
    found = levels(Drawn(estate, ways, nodes="a private=yes"))
    assert not any(found.values())


def test_one_way_out() -> None:
    """Who can only leave a street for the open roads comes to it by the private one."""
    found = levels(
        Drawn(
            """
            a---b---c---d
                |   |
                e---f
            """,
            """
            abcd highway=x
            be   highway=x private=yes
            ef   highway=x
            fc   highway=x oneway=yes
            """,
        )
    )
    assert found["be"] == RESTRICTED and found["ef"] == found["fc"] == BEHIND
    assert found["bc"] == found["cd"] == OPEN


def test_an_island_of_its_own_is_not_restricted() -> None:
    """A road that nothing leads to is an island, not private."""
    found = levels(
        Drawn("a---b-c\n\nd---e", "ab highway=x\nbc highway=x private=yes\nde highway=x")
    )
    assert found["de"] == OPEN


def test_keeping_out() -> None:
    """What the oracle takes for passing through."""
    level = [0, 0, 1, 2]
    assert all(keeps_out(walk, level) for walk in [(2, 0, 1, 3), (2, 3), (0, 1), (0, 2), (3, 0)])
    assert not keeps_out((0, 2, 1), level) and not keeps_out((2, 0, 3, 1), level)
