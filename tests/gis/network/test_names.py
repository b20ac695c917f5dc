"""What signs say about an edge."""

from world import World

from gis.network.names import NamePool


def test_names_by_label() -> None:
    """Name, ref and destination come from the label; what is absent is empty."""
    network, _ = World(
        "a b c d",
        """
        ab highway=x name='Rua de Santa Catarina' ref=N12
        bc highway=x
        cd highway=x destination='Porto;Gaia' name=Ponte
        """,
    ).network()
    pool = NamePool(network.labels)
    labels = network.edge_label.tolist()
    assert [pool.name(x) for x in labels] == ["Rua de Santa Catarina", "", "Ponte"]
    assert [pool.ref(x) for x in labels] == ["N12", "", ""]
    assert [pool.destination(x) for x in labels] == ["", "", "Porto;Gaia"]
    assert pool.tags(labels[2]) == {"destination": "Porto;Gaia", "name": "Ponte"}
    assert labels[1] == 0
