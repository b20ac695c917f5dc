"""What is read from conditional tags: clauses, conditions, and the spellings of hours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tag_rows import Warned, read_tags

from gis.profiles.conditional import Clause, read_conditional, variants_of
from gis.profiles.times_of_day import read_hours

TRUCK = (("height", 3.8), ("weight", 12.0), ("length", 10.0))

CLAUSES = """
# value                                             | clauses as value@hours, "!" if not understood
no @ (Mo-Fr 07:00-09:00)                            | no@Mo-Fr 07:00-09:00
no @ (Mo-Fr 07:00-09:00,16:00-18:00)                | no@Mo-Fr 07:00-09:00,16:00-18:00
no @ Mo-Fr 07:00-09:00                              | no@Mo-Fr 07:00-09:00
no@(07:30-09:00)                                    | no@07:30-09:00
no @ (7:30-9:00)                                    | no@07:30-09:00
no @ (7:30-9:00                                     | no@07:30-09:00
no @ 7:30-9:00)                                     | no@07:30-09:00
 no  @  ( Mo-Fr  07:00-09:00 )                      | no@Mo-Fr 07:00-09:00
30 @ (22:00-06:00); 50 @ (06:00-22:00)              | 30@22:00-06:00 & 50@06:00-22:00
30 @ (22:00-06:00);50 @ (06:00-22:00);              | 30@22:00-06:00 & 50@06:00-22:00
30 mph @ (Mo-Fr 07:30-08:30,15:00-16:00)            | 30 mph@Mo-Fr 07:30-08:30,15:00-16:00
20 mph @ (Mo-Fr 07:30-08:30; SH off)                | 20 mph@Mo-Fr 07:30-08:30; SH closed
no @ (Mo-Fr 08:00-10:00; Sa 08:00-12:00)            | no@Mo-Fr 08:00-10:00; Sa 08:00-12:00
no @ Mo-Fr 08:00-10:00; Sa 08:00-12:00              | no@Mo-Fr 08:00-10:00; Sa 08:00-12:00
-1 @ (Mo-Fr 15:00-19:00); yes @ (Mo-Fr 06:00-10:00) | -1@Mo-Fr 15:00-19:00 & yes@Mo-Fr 06:00-10:00
destination @ (Mo-Sa 06:00-11:00)                   | destination@Mo-Sa 06:00-11:00
delivery @ (06:00-11:00); customers @ (11:00-17:00) | delivery@06:00-11:00 & customers@11:00-17:00
yes @ (Mo-Fr 16:00-11:00;Sa 00:00-11:00)            | yes@Mo-Fr 16:00-11:00; Sa 00:00-11:00
no @ (2016 Apr 25 - 2016 Sep 26)                    | no@2016 Apr 25-2016 Sep 26
no @ (2023-05-01 - 2023-06-30)                      | no@2023 May 1-2023 Jun 30
60 @ (Nov 01 - Apr 8)                               | 60@Nov 1-Apr 8
no @ (Oct 15-Mar 15)                                | no@Oct 15-Mar 15
no @ (May-Sep: Sa,Su,PH 10:00-18:00)                | no@May-Sep Sa,Su,PH 10:00-18:00
no @ (week 10-20)                                   | no@week10-20
no @ (Su,PH)                                        | no@Su,PH
no @ (sunset-sunrise)                               | no@sunset-sunrise
no @ (Su 08:00-sunset)                              | no@Su 08:00-sunset
30 @ (22:00-24:00, 0:00-06:00)                      | 30@22:00-24:00,00:00-06:00
30 @ (Mo-Fr 08:00-16:00,PH off)                     | 30@Mo-Fr 08:00-16:00; PH closed
no @ (Mo - Fr 7:00 - 9:00)                          | no@Mo-Fr 07:00-09:00
no @ (Mon-Fri 07:00-09:00)                          | no@Mo-Fr 07:00-09:00
no @ (Saturday,Sunday)                              | no@Sa,Su
no @ (mo-fr 07:00-09:00)                            | no@Mo-Fr 07:00-09:00
no @ (7-9)                                          | no@07:00-09:00
no @ (Mo-Fr 7-9,16-18)                              | no@Mo-Fr 07:00-09:00,16:00-18:00
no @ (7 AM - 9 AM)                                  | no@07:00-09:00
no @ (7:30am-6pm)                                   | no@07:30-18:00
no @ (12am-12pm)                                    | no@00:00-12:00
no @ (Mo-Fr 7.30-9.00)                              | no@Mo-Fr 07:30-09:00
no @ (7h-9h30)                                      | no@07:00-09:30
no @ (Mo-Fr 0700-0900)                              | no@Mo-Fr 07:00-09:00
no @ (Mo\u2013Fr 07:00\u201309:00)                  | no@Mo-Fr 07:00-09:00
no @ (24/7)                                         | no@
no @ (07:00-10:00); no @ (15:00-18:00)              | no@07:00-10:00 & no@15:00-18:00
no @ (07:00-09:00 AND Oct-Mar)                      | no@07:00-09:00 AND Oct-Mar
no @ (07:00-09:00 and Oct-Mar)                      | no@07:00-09:00 AND Oct-Mar
no @ ((07:00-09:00) AND (Oct-Mar))                  | no@07:00-09:00 AND Oct-Mar
no @ weight>7.5                                     | no@
no @ (weight > 7.5 t)                               | no@
no @ (weight>=12)                                   | no@
no @ (weight<12)                                    |
no @ (weight<=12000 kg)                             | no@
no @ (weight=12)                                    | no@
no @ (weight>26000 lbs)                             | no@
no @ (height>12'4")                                 | no@
no @ (height>4)                                     |
no @ (axleload>10)                                  |
no @ (weight>3.5 AND Mo-Fr 22:00-06:00)             | no@Mo-Fr 22:00-06:00
no @ (weight>20 AND Mo-Fr 22:00-06:00)              |
no @ (stay > 2 hours)                               |
no @ (occupants<2)                                  |
80 @ wet                                            |
80 @ (wet AND 22:00-06:00)                          |
100 @ (06:00-20:00); 80 @ snow                      | 100@06:00-20:00
yes @ destination                                   | destination@
yes @ (06:00-11:00 AND delivery)                    | delivery@06:00-11:00
no @ destination                                    |
none @ destination                                  |
no @ "children present"                             |
no @ (winter)                                       |
no @ hgv                                            |
yes                                                 | !
no @                                                | !
no @ ()                                             | !
@ (07:00-09:00)                                     | !
no @ (someday)                                      | !
no @ (someday); 30 @ (22:00-06:00)                  | 30@22:00-06:00 !
no @ (weight>heavy)                                 | !
no @ (07:00-09:00 OR 16:00-18:00)                   | !
no @ (Mo-Fr 07:00-99:00)                            | !
;;                                                  | !
"""


def rows(table: str) -> list[tuple[str, str]]:
    lines = [line for line in table.splitlines() if line.strip() and not line.startswith("#")]
    return [(value, expected.strip()) for value, _, expected in (x.partition("|") for x in lines)]


@pytest.mark.parametrize(("value", "expected"), rows(CLAUSES))
def test_clauses(value: str, expected: str) -> None:
    """Every row of the table holds for a truck of 12 t."""
    found = read_conditional(value, TRUCK)
    said = " & ".join(f"{value}@{hours}" for value, hours in found.clauses)
    assert f"{said}{'' if found.understood else ' !'}".strip() == expected


def test_the_table_is_long() -> None:
    """Sixty values or more, as they are found on the map."""
    assert len(rows(CLAUSES)) >= 60


def test_an_unknown_size_compares_to_nothing() -> None:
    """Of a vehicle whose weight is not known no limit of weight speaks."""
    assert read_conditional("no @ weight>7.5; yes @ weight<7.5") == ((), True)


VARIANTS = """
# tags                                                            | normally   | at night
maxspeed=50, maxspeed:conditional=30 @ (22:00-06:00)              | maxspeed=50 | maxspeed=30
maxspeed:conditional=30 @ (22:00-06:00)                           |            | maxspeed=30
access:conditional=yes @ (22:00-06:00); no @ (22:00-06:00)        |            | access=no
access:conditional=no @ (22:00-06:00); yes @ (07:00-08:00)        |            | access=no
access=no, access:conditional=yes @ weight>3.5                    | access=yes | access=yes
access=no, access:conditional=yes @ weight>35                     | access=no  | access=no
oneway=yes, oneway:conditional=no @ nonsense                      | oneway=yes | oneway=yes
restriction=no_u_turn, hour_on=22:00, hour_off=06:00        |            | restriction=no_u_turn
restriction=x, day_on=Monday, day_off=Sunday, hour_on=22, hour_off=6    |            | restriction=x
restriction=no_u_turn, day_on=Monday, day_off=Funday              |            |
restriction:hgv=no_u_turn, hour_on=22:00, hour_off=06:00    |            | restriction:hgv=no_u_turn
"""


@pytest.mark.parametrize(
    "row", [line for line in VARIANTS.splitlines() if "|" in line and line[0] != "#"]
)
def test_variants(row: str) -> None:
    """A tag set as it is at no special time and while it is night, without what is conditional."""
    tags, normally, at_night = (part.strip() or "(none)" for part in row.split("|"))
    night = ["22:00-06:00", "Mo-Su 22:00-06:00"]
    variants = variants_of(read_tags(tags), TRUCK, Warned())
    for found, expected in ((variants.normal, normally), (variants.at(night), at_night)):
        plain = {key: value for key, value in found.items() if not key.endswith(":conditional")}
        assert plain == read_tags(expected)


def test_what_is_not_understood_is_told() -> None:
    """By its key, once; what is understood is not."""
    warned = Warned()
    tags = "access:conditional=no @ odd, maxspeed:conditional=30 @ (22:00-06:00), hour_on=x"
    variants_of(read_tags(f"{tags}, restriction=no_u_turn"), (), warned)
    assert list(warned) == [("access:conditional", "no @ odd"), ("hour_on", "no_u_turn")]


PIECES = st.sampled_from(
    (
        *("no", "yes", "30", "@", "(", ")", ";", "AND", "weight", ">", "<", "7.5", "t", "Mo", "Fr"),
        *("-", ",", "07:00", "25:61", "PH", "SH", "off", "sunset", "Jan", "31", "week", "53"),
        *("2026", "99999999999", '"', "\0", "é", "+", "[", "]", "24/7", "always", "wet", ":", "."),
        *("h", "am", "@@", ";;", "((", "))"),
    )
)


@given(st.lists(PIECES).map(" ".join) | st.lists(PIECES).map("".join) | st.text())
def test_odd_text(text: str) -> None:
    """No text stops a build; what is read as hours is read so again."""
    for value, hours in read_conditional(text, TRUCK).clauses:
        assert value
        for part in filter(None, hours.split(" AND ")):
            assert read_hours(part) == part
    variants_of({"access:conditional": text, "hour_on": text, "day_on": text}, TRUCK, Warned())


def test_clauses_are_of_two_parts() -> None:
    """A clause that always holds has no hours."""
    assert read_conditional("no @ 24/7").clauses == (Clause("no", ""),)
