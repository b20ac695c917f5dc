"""When a change of name is worth saying, and which names are one road's."""

import pytest

from routing.guidance.labels import RoadTexts
from routing.guidance.road_names import are_alike, is_new_name, is_same_road

SILENT, SAID = False, True

CHANGES = [
    # name before, number before, name after, number after, worth saying?
    ("Oak Street", "", "Oak Street", "", SILENT),
    ("", "", "", "", SILENT),
    ("Oak Street", "", "Elm Street", "", SAID),
    ("", "", "Elm Street", "", SAID),
    ("", "", "", "A 1", SAID),
    ("Oak Street", "", "", "", SILENT),
    ("", "A 1", "", "", SILENT),
    ("Oak Street", "A 1", "", "", SILENT),
    # a number alone
    ("Oak Street", "A 1", "Oak Street", "A 2", SILENT),
    ("Oak Street", "", "Oak Street", "A 2", SILENT),
    ("Oak Street", "A 1", "Oak Street", "", SILENT),
    ("Oak Street", "A 1", "Elm Street", "A 1", SAID),
    ("Oak Street", "A 1", "Elm Street", "A 1; A 2", SAID),
    ("", "A 1", "", "A 1; A 2", SILENT),
    ("", "A 1; A 2", "", "A 2", SILENT),
    ("", "A 1; A 2", "", "A 3; A 1", SILENT),
    ("", "A 1", "", "A 2", SAID),
    ("", "A 1", "", "A 11", SAID),
    ("", "I 80 East", "", "I 80 West", SILENT),
    # names that come and go beside numbers
    ("Ring Road", "A 1", "", "A 1", SILENT),
    ("", "A 1", "Ring Road", "A 1", SILENT),
    ("Ring Road", "A 1", "", "A 1; A 2", SILENT),
    ("Ring Road", "A 1", "", "A 2", SAID),
    ("", "A 1", "Ring Road", "A 2", SAID),
    ("", "A 1", "Ring Road", "", SAID),
    ("Ring Road", "", "", "A 1", SAID),
    # parts of one road
    ("42 N", "", "42 S", "", SILENT),
    ("42 N", "", "42 S", "101", SILENT),
    ("West 42", "", "East 42", "", SILENT),
    ("West 42", "", "42", "", SILENT),
    ("West 42", "101", "East 42", "", SILENT),
    ("42", "", "42 S", "", SILENT),
    ("42 N", "", "43 N", "", SAID),
    ("North High Street", "", "South High Street", "", SILENT),
    ("north high street", "", "High Street", "", SILENT),
    ("Ringstraße Nord", "", "Ringstraße Süd", "", SILENT),
    ("Ringstrasse Nord", "", "Ringstraße Süd", "", SILENT),
    ("Søndre gate", "", "Nordre gate", "", SILENT),
    ("проспект Север", "", "проспект Юг", "", SILENT),
    ("North", "", "South", "", SAID),
    ("Northampton Road", "", "Southampton Road", "", SAID),
    # one name is the beginning of the other
    ("Long Street", "", "Long Street Extension", "", SILENT),
    ("Long Street Extension", "", "Long Street", "", SILENT),
    ("Long Street; Ring", "", "Long Street", "", SILENT),
    ("Long Street/Ring", "", "Long Street", "", SILENT),
    ("Hill Road", "", "Hillside Road", "", SAID),
    ("Hill", "", "Hillside", "", SAID),
    ("Rua da Boavista", "", "Avenida da Boavista", "", SAID),
    # the same letters, written otherwise
    ("Café Street", "", "Cafe\u0301 Street", "", SILENT),
    ("ΟΔΟΣ ΑΘΗΝΑΣ", "", "οδος αθηνας", "", SILENT),
    ("中山路", "", "中山路", "", SILENT),
    ("中山路", "", "中正路", "", SAID),
]


@pytest.mark.parametrize(("name", "ref", "new_name", "new_ref", "said"), CHANGES)
def test_changes_of_names(name: str, ref: str, new_name: str, new_ref: str, said: bool) -> None:
    assert is_new_name(RoadTexts(name, ref), RoadTexts(new_name, new_ref)) is said


def test_a_pronunciation_that_differs_is_another_road() -> None:
    before = RoadTexts("Read Street", pronunciation="rɛd")
    assert is_new_name(before, RoadTexts("Read Street", pronunciation="rid"))
    assert not is_new_name(before, RoadTexts("Read Street"))


def test_an_exit_is_said_when_it_comes_but_not_when_it_goes() -> None:
    ramp, plain = RoadTexts("Ramp", exits="10"), RoadTexts("Ramp")
    assert is_new_name(plain, ramp)
    assert is_new_name(RoadTexts("Ramp", exits="9"), ramp)
    assert not is_new_name(ramp, plain)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (RoadTexts("Oak Street"), RoadTexts("Oak Street"), True),
        (RoadTexts("Oak Street"), RoadTexts("Elm Street"), False),
        (RoadTexts(), RoadTexts(), False),
        (RoadTexts("Oak Street"), RoadTexts(), False),
        (RoadTexts(ref="A 1"), RoadTexts("Ring", "A 1"), True),
    ],
)
def test_roads_are_the_same_only_if_both_are_called_something(
    one: RoadTexts, other: RoadTexts, same: bool
) -> None:
    assert is_same_road(one, other) is same


@pytest.mark.parametrize(("name", "new_name", "said"), [(a, c, e) for a, _, c, _, e in CHANGES])
def test_likeness_of_names_is_mutual(name: str, new_name: str, said: bool) -> None:
    assert are_alike(name, new_name) == are_alike(new_name, name)
