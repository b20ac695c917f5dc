"""Nodes that stop or delay a vehicle stand at the end of edges."""

from dataclasses import replace

from world import PLAIN, World, spell, spell_edges

from gis.network.road_network import RoadNetwork

STREET = "a - b - c - d"


def tags_of_nodes(network: RoadNetwork) -> dict[str, dict[str, str]]:
    """Tags of the network's nodes by letter, where there are any."""
    return {
        letter: network.node_tags.tags(tagset)
        for letter, tagset in zip(spell(network.node_id), network.node_tagset.tolist(), strict=True)
        if tagset
    }


def test_a_barrier_within_a_way_cuts_it() -> None:
    """A node that blocks becomes a node of the network and keeps its tags."""
    network, _ = World(STREET, "abcd highway=x", "c barrier=bollard").network()
    assert spell_edges(network) == ["abc", "cd"]
    assert tags_of_nodes(network) == {"c": {"barrier": "bollard"}}


def test_a_delay_cuts_too() -> None:
    """A node that only costs time becomes a node as well."""
    network, _ = World(STREET, "abcd highway=x", "b delay=3").network()
    assert spell_edges(network) == ["ab", "bcd"]


def test_harmless_tags_do_not_cut() -> None:
    """A node whose tags say nothing to any vehicle stays a point of the shape."""
    network, _ = World(STREET, "abcd highway=x", "b delay=0").network()
    assert spell_edges(network) == ["abcd"]


def test_tags_are_kept_at_every_junction() -> None:
    """Where ways meet, the tag set of the node is told whether it matters or not."""
    network, _ = World(
        STREET, "abc highway=x\ncd highway=x", "a delay=1\nb delay=0\nc delay=0"
    ).network()
    assert spell_edges(network) == ["abc", "cd"]
    assert tags_of_nodes(network) == {"a": {"delay": "1"}, "c": {"delay": "0"}}


def test_what_matters_to_one_vehicle_cuts_for_all() -> None:
    """The network serves all profiles, so one that minds a node is enough."""
    blind = replace(PLAIN, name="blind", node=lambda _tags, _warn: None)
    world = World(STREET, "abcd highway=x", "c barrier=bollard")
    assert spell_edges(world.network(blind)[0]) == ["abcd"]
    assert spell_edges(world.network(blind, PLAIN)[0]) == ["abc", "cd"]


def test_a_barrier_off_the_network_is_nothing() -> None:
    """Special nodes of closed ways, of pieces that are dropped and of no way at all are left."""
    network, _ = World(
        STREET, "ab highway=x\nbc highway=closed\nzdz highway=x", "c barrier=x\nd barrier=x"
    ).network()
    assert spell(network.node_id) == "ab"


def test_a_gate_that_restricts_cuts() -> None:
    """A node that only some may pass becomes a node of the network."""
    network, _ = World(STREET, "abcd highway=x", "c private=yes").network()
    assert spell_edges(network) == ["abc", "cd"]
