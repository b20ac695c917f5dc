"""What guidance needs to know of a road, by the arc that is driven."""

import numpy as np

from gis.network.names import NamePool
from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import Mode
from gis.profiles.verdicts import CIRCULAR, ROUNDABOUT, RoadUse

_N_CLASSES = 8


class RoadFacts:
    """The roads of a network as one vehicle uses them; threads may share it.

    Looking at single numbers of NumPy's arrays is slow; memory views are several times faster.
    """

    def __init__(self, network: RoadNetwork, roads: RoadUse) -> None:
        self.names = NamePool(network.labels)
        self._label = network.edge_label.data
        self._tagset = network.edge_tagset.data
        self._class = network.way_class.data
        self._flags = roads.way_flags.data
        self._modes = roads.forward_mode.data, roads.backward_mode.data
        self._class_bits = roads.forward_classes.data, roads.backward_classes.data
        self._left_hand = network.edge_left_hand.view(np.uint8).data
        words = [
            tuple(word for bit, word in enumerate(roads.classes) if bits >> bit & 1)
            for bits in range(1 << _N_CLASSES)
        ]
        self._class_words = words

    def label(self, arc: int) -> int:
        """The set of the road's labels."""
        return self._label[arc >> 1]

    def name(self, arc: int) -> str:
        """The road's name, or an empty string."""
        return self.names.name(self._label[arc >> 1])

    def kind(self, arc: int) -> int:
        """The road's ``RoadClass``."""
        return self._class[self._tagset[arc >> 1]]

    def mode(self, arc: int) -> Mode:
        """How one travels along the road in this direction."""
        return Mode(self._modes[arc & 1][self._tagset[arc >> 1]])

    def classes(self, arc: int) -> tuple[str, ...]:
        """The words by which requests may exclude the road."""
        return self._class_words[self._class_bits[arc & 1][self._tagset[arc >> 1]]]

    def is_open(self, arc: int) -> bool:
        """Whether the vehicle may drive in this direction at all."""
        return self._modes[arc & 1][self._tagset[arc >> 1]] != Mode.INACCESSIBLE

    def is_roundabout(self, arc: int) -> bool:
        """Whether the road is part of a roundabout."""
        return bool(self._flags[self._tagset[arc >> 1]] & ROUNDABOUT)

    def is_circular(self, arc: int) -> bool:
        """Whether the road is part of a circle that is no roundabout: ``junction=circular``."""
        return bool(self._flags[self._tagset[arc >> 1]] & CIRCULAR)

    def is_link(self, arc: int) -> bool:
        """Whether the road joins others, as ramps do."""
        kind = self._class[self._tagset[arc >> 1]]
        return kind <= RoadClass.TERTIARY_LINK and bool(kind & 1)

    def drives_left(self, arc: int) -> bool:
        """Whether one drives on the left there."""
        return bool(self._left_hand[arc >> 1])
