"""Names as they are compared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gis.streets.folding import beginnings, fold, words_of


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Rua de Gonçalo Cristóvão", "rua de goncalo cristovao"),
        ("Straße des 17. Juni", "STRASSE DES 17 JUNI"),
        ("Ørstedsvej", "orstedsvej"),
        ("Łódzka", "lodzka"),
        ("Åkervägen", "akervagen"),
        ("İstiklâl Caddesi", "istiklal caddesi"),
        ("Is\u0131klar Sokak", "isiklar sokak"),
        ("Rua d'Ouro", "rua douro"),
        ("O\u2019Connell Street", "oconnell street"),
        ("Οδός Ερμού", "οδος ερμου"),
        ("улица Ёлочная", "УЛИЦА ЕЛОЧНАЯ"),
        ("شارع مُحَمَّد", "شارع محمد"),
        ("रामपुर मार्ग", "रामपुर मार्ग"),
        ("ＡＢＣ通り", "abc通り"),
        ("１７号線", "17号線"),
        ("  A-28 / IC 1 ", "a 28 ic 1"),
        ("e\u0301", "é"),
    ],
)
def test_alike(name: str, typed: str) -> None:
    """What people mean by the same name is the same."""
    assert fold(name) == fold(typed) == " ".join(words_of(typed))
    assert fold(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [("かど", "がど"), ("कि", "का"), ("Main", "Mein"), ("ab", "a b"), ("กา", "กี")],
)
def test_not_alike(one: str, other: str) -> None:
    """Marks that make another word of it in its script are kept."""
    assert fold(one) != fold(other)


@given(st.text(max_size=30))
def test_folding_again_changes_nothing(text: str) -> None:
    """So that what is typed and what is kept are compared as one."""
    folded = fold(text)
    assert fold(folded) == folded
    assert folded == folded.strip() and "  " not in folded


def test_words_without_spaces() -> None:
    """Within Chinese, Japanese or Thai any letter may begin a word."""
    assert beginnings("中山北路") == ["中山北路", "山北路", "北路", "路"]
    assert beginnings("abc通り") == ["abc通り", "通り", "り"]
    assert beginnings("street") == ["street"]
    assert beginnings("улица") == ["улица"]
