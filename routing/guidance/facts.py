"""What guidance needs to know of a road, by the arc that is driven."""

import numpy as np

from gis.arrays import U8
from gis.network.names import NamePool
from gis.network.road_class import RoadClass
from gis.network.road_network import RoadNetwork
from gis.profiles.rules import RESTRICTED_CLASS, Mode
from gis.profiles.verdicts import (
    BACKWARD_RESTRICTED,
    CIRCULAR,
    FORWARD_RESTRICTED,
    ROUNDABOUT,
    RoadUse,
)
from routing.graph.components import ARC_RESTRICTED
from routing.guidance.labels import RoadLabels, RoadTexts
from routing.guidance.road_names import is_new_name

CARRIED = (Mode.FERRY, Mode.TRAIN)
"""Modes in which something else carries the vehicle."""
_N_CLASS_BITS = 8
_MAX_NATURES = 1 << 16

# Priority and group of each RoadClass as in OSRM: roads of a lower group are never the obvious
# way on from a road of a higher one, and forks join roads of nearly the same priority.
_RESIDENTIAL_GROUP, _MINOR_GROUP, _CYCLE_GROUP, _FOOT_GROUP, _OTHER_GROUP = 3, 4, 5, 6, 7
_RANKS: dict[RoadClass, tuple[int, int]] = {
    RoadClass.MOTORWAY: (0, 0),
    RoadClass.MOTORWAY_LINK: (1, 0),
    RoadClass.TRUNK: (2, 1),
    RoadClass.TRUNK_LINK: (3, 1),
    RoadClass.PRIMARY: (4, 2),
    RoadClass.PRIMARY_LINK: (5, 2),
    RoadClass.SECONDARY: (6, 2),
    RoadClass.SECONDARY_LINK: (7, 2),
    RoadClass.TERTIARY: (8, 2),
    RoadClass.TERTIARY_LINK: (9, 2),
    RoadClass.UNCLASSIFIED: (15, _MINOR_GROUP),
    RoadClass.RESIDENTIAL: (10, _RESIDENTIAL_GROUP),
    RoadClass.LIVING_STREET: (11, _RESIDENTIAL_GROUP),
    RoadClass.SERVICE: (12, _RESIDENTIAL_GROUP),
    RoadClass.ALLEY: (12, _RESIDENTIAL_GROUP),
    RoadClass.DRIVEWAY: (12, _RESIDENTIAL_GROUP),
    RoadClass.TRACK: (16, _CYCLE_GROUP),
    RoadClass.PEDESTRIAN: (18, _FOOT_GROUP),
    RoadClass.CYCLEWAY: (31, _OTHER_GROUP),
    RoadClass.FOOTWAY: (18, _FOOT_GROUP),
    RoadClass.FERRY: (31, _OTHER_GROUP),
    RoadClass.OTHER: (31, _OTHER_GROUP),
}
SECONDARY_PRIORITY = _RANKS[RoadClass.SECONDARY][0]


class RoadNature:
    """What kind of a road it is and what signs say, in one direction; shared by all alike.

    ``motorway`` is true of trunk roads, too: roads with ramps. ``ramp`` is a link to those,
    ``link`` any link. ``low`` roads matter only to those who want to go there. ``lanes`` is 0
    where unknown. ``ring`` is a roundabout or a circle.
    """

    __slots__ = (
        "circular",
        "classes",
        "group",
        "kind",
        "labelled",
        "lanes",
        "link",
        "low",
        "mode",
        "mode_word",
        "motorway",
        "name",
        "priority",
        "ramp",
        "restricted",
        "ring",
        "roundabout",
        "texts",
    )

    def __init__(
        self, kind: RoadClass, texts: RoadTexts, mode: Mode, flags: int, backward: bool
    ) -> None:
        self.kind, self.texts, self.mode = kind, texts, mode
        self.mode_word, self.name = mode.word, texts.name
        self.labelled = bool(texts.name or texts.ref or texts.destinations or texts.exits)
        self.priority, self.group = _RANKS[kind]
        self.link = kind.is_link
        fast = kind <= RoadClass.TRUNK_LINK
        self.motorway, self.ramp = fast and not self.link, fast and self.link
        self.low = kind >= RoadClass.SERVICE
        self.roundabout, self.circular = bool(flags & ROUNDABOUT), bool(flags & CIRCULAR)
        self.ring = self.roundabout or self.circular
        self.restricted = bool(flags & (BACKWARD_RESTRICTED if backward else FORWARD_RESTRICTED))
        self.lanes = 0
        self.classes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"RoadNature({self.kind.name}, {self.texts.title!r})"

    def renames(self, other: "RoadNature") -> bool:
        """Whether a driver should hear of another name when going on to another road."""
        return self.texts is not other.texts and is_new_name(self.texts, other.texts)

    def same_class(self, other: "RoadNature") -> bool:
        """Whether both are of the same kind, as far as forks and turns are concerned."""
        return self.priority == other.priority and self.low == other.low

    def is_less_than(self, other: "RoadNature") -> bool:
        """Whether it is of a lower group of roads."""
        if self.low != other.low:
            return self.low
        return self.group > other.group

    def is_link_to(self, other: "RoadNature") -> bool:
        """Whether it is the kind of link that belongs to the other road."""
        return self.link and not other.link and self.priority == other.priority + 1


class RoadFacts:
    """The roads of a network as one vehicle uses them; threads may share it.

    Looking at single numbers of NumPy's arrays is slow; memory views are several times faster.
    """

    def __init__(self, network: RoadNetwork, roads: RoadUse, arc_flags: U8 | None = None) -> None:
        self.names = NamePool(network.labels)
        self._labels = RoadLabels(self.names)
        self._label = network.edge_label.data
        self._tagset = network.edge_tagset.data
        self._class = network.way_class.data
        self._flags = roads.way_flags.data
        self._modes = roads.forward_mode.data, roads.backward_mode.data
        self._class_bits = roads.forward_classes.data, roads.backward_classes.data
        self._left_hand = network.edge_left_hand.view(np.uint8).data
        self._length_m = network.edge_length_m.data
        self._words = [
            tuple(word for bit, word in enumerate(roads.classes) if bits >> bit & 1)
            for bits in range(1 << _N_CLASS_BITS)
        ]
        self._arc_flags = None if arc_flags is None else arc_flags.data
        self.restricted_bit = sum(
            1 << bit for bit, word in enumerate(roads.classes) if word == RESTRICTED_CLASS
        )
        self._natures: dict[tuple[int, int, int], RoadNature] = {}
        self._titles: dict[int, str] = {}

    def nature(self, arc: int) -> RoadNature:
        """All about the road in this direction."""
        edge = arc >> 1
        key = self._tagset[edge], self._label[edge], arc & 1
        found = self._natures.get(key)
        if found is None:
            if len(self._natures) > _MAX_NATURES:
                self._natures = {}
            found = self._natures[key] = self._make_nature(*key)
        return found

    def open_nature(self, arc: int) -> RoadNature:
        """The nature of the direction away, or of the other where only that one is open."""
        there = self.nature(arc)
        return there if there.mode else self.nature(arc ^ 1)

    def _make_nature(self, tagset: int, label: int, backward: int) -> RoadNature:
        oneway = not (self._modes[0][tagset] and self._modes[1][tagset])
        nature = RoadNature(
            RoadClass(self._class[tagset]),
            self._labels.texts(label, bool(backward), oneway),
            Mode(self._modes[backward][tagset]),
            self._flags[tagset],
            bool(backward),
        )
        tags = self.names.tags(label)
        nature.lanes = _whole(tags.get("lanes")) or (
            _whole(tags.get("lanes:forward")) + _whole(tags.get("lanes:backward"))
        )
        nature.classes = self.classes_of(tagset, backward)
        return nature

    def classes_of(self, tagset: int, backward: int) -> tuple[str, ...]:
        """The words by which requests may exclude roads of a tag set."""
        return self._words[self._class_bits[backward][tagset]]

    def label(self, arc: int) -> int:
        """The set of the road's labels."""
        return self._label[arc >> 1]

    def texts(self, arc: int) -> RoadTexts:
        """What signs say in this direction."""
        return self.nature(arc).texts

    def titles(self, labels: list[int]) -> list[str]:
        """What roads with these labels are called, in whatever direction."""
        known = self._titles
        if len(known) > _MAX_NATURES:
            known = self._titles = {}
        for label in set(labels).difference(known):
            known[label] = self._labels.texts(label, False, False).title
        return [known[label] for label in labels]

    def kind(self, arc: int) -> RoadClass:
        """The road's class."""
        return self.nature(arc).kind

    def mode(self, arc: int) -> Mode:
        """How one travels along the road in this direction."""
        return self.nature(arc).mode

    def classes(self, arc: int) -> tuple[str, ...]:
        """The words by which requests may exclude the road; of one behind others what it is, too.

        Those behind restricted roads have no tag that says so.
        """
        if self._arc_flags is not None and self._arc_flags[arc] & ARC_RESTRICTED:
            bits = self._class_bits[arc & 1][self._tagset[arc >> 1]]
            return self._words[bits | self.restricted_bit]
        return self.nature(arc).classes

    def length_m(self, arc: int) -> float:
        """How long the whole arc is."""
        return self._length_m[arc >> 1]

    def is_open(self, arc: int) -> bool:
        """Whether the vehicle may drive in this direction at all."""
        return bool(self._modes[arc & 1][self._tagset[arc >> 1]])

    def is_oneway(self, arc: int) -> bool:
        """Whether the vehicle may use the road in one direction only."""
        tagset = self._tagset[arc >> 1]
        return not (self._modes[0][tagset] and self._modes[1][tagset])

    def is_roundabout(self, arc: int) -> bool:
        """Whether the road is part of a roundabout."""
        return self.nature(arc).roundabout

    def is_link(self, arc: int) -> bool:
        """Whether the road joins others, as ramps do."""
        return self.nature(arc).link

    def drives_left(self, arc: int) -> bool:
        """Whether one drives on the left there."""
        return bool(self._left_hand[arc >> 1])


def _whole(text: str | None) -> int:
    """A number of lanes, 0 if the text is none."""
    return int(text) if text and text.isascii() and text.isdigit() else 0
