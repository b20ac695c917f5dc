"""Reports as tables: what stands in them, and how numbers are written."""

import math

import pytest
from reports import GROWTH, report_of

from server.benchmark.growth import Growth
from server.benchmark.report import (
    BETTER,
    growth_table,
    heading_of,
    markdown_of,
    ratio_of,
    spread_of,
    tables_of,
    value_of,
)
from server.benchmark.results import OURS, figure


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0000245, "s", "24.5 us"),
        (0.000999999, "s", "1.00 ms"),
        (0.013, "s", "13.0 ms"),
        (0.9999, "s", "1.00 s"),
        (0.99, "s", "990 ms"),
        (12.345, "s", "12.3 s"),
        (279.4, "s", "279 s"),
        (1e-9, "s", "0.00100 us"),
        (0.0, "s", "0 us"),
        (288.4, "MB", "288 MB"),
        (1478.2, "MB", "1,480 MB"),
        (0.47, "MB", "0.470 MB"),
        (9.996, "MB", "10.0 MB"),
        (84_321.0, "1/s", "84,300 /s"),
        (-11.51, "MB", "-11.5 MB"),
        (math.inf, "MB", "inf MB"),
    ],
)
def test_values(value: float, unit: str, text: str) -> None:
    """Three digits, and a unit that suits."""
    assert value_of(value, unit) == text


def test_spreads() -> None:
    """Least and most in the unit of the median; of one run there is none."""
    assert spread_of(figure("g", "n", OURS, "s", [0.002, 0.0009, 0.011])) == "0.900 to 11.0"
    assert spread_of(figure("g", "n", OURS, "s", [0.002])) == ""
    assert spread_of(figure("g", "n", OURS, "1/s", [2000, 1000])) == "1,000 to 2,000"


@pytest.mark.parametrize(("unit", "ratio"), [("s", 5.0), ("MB", 5.0), ("1/s", 0.2)])
def test_ratios(unit: str, ratio: float) -> None:
    """More than one is good, whichever way the figure is to be read."""
    ours, theirs = (figure("g", "n", who, unit, [v]) for who, v in ((OURS, 2.0), ("peer", 10.0)))
    assert ratio_of(ours, theirs) == pytest.approx(ratio)
    assert ratio_of(theirs, ours) == pytest.approx(1 / ratio)


def test_peers_beside_ours() -> None:
    """A column for each with the ratio; what is lacking is marked."""
    (table,) = tables_of(
        report_of(
            figure("query", "route", OURS, "s", [0.001, 0.002, 0.003]),
            figure("query", "route", "OSRM", "s", [0.01]),
            figure("query", "many", OURS, "1/s", [100.0]),
            figure("query", "lines", "OSRM", "s", [1.0]),
        )
    )
    assert table.title == "query"
    assert table.columns == ["", OURS, "OSRM", BETTER]
    assert table.rows == [
        ["route", "2.00 ms (1.00 to 3.00)", "10.0 ms", "5.00 x"],
        ["many", "100 /s", "-", ""],
        ["lines", "-", "1.00 s", ""],
    ]


def test_many_contenders_stand_below_one_another() -> None:
    """Each in a row of its own, by what was measured."""
    names = [OURS, "a", "b", "c", "d"]
    figures = [
        figure("parse", what, who, "s", [float(n)])
        for n, who in enumerate(names, 1)
        for what in ("wall", "CPU")
    ]
    (table,) = tables_of(report_of(*figures))
    assert table.columns == ["", "", BETTER]
    assert [row[0] for row in table.rows] == [
        f"{what}: {who}" for what in ("wall", "CPU") for who in names
    ]
    assert table.rows[0] == ["wall: whimbrel", "1.00 s", ""]
    assert table.rows[1] == ["wall: a", "2.00 s", "2.00 x"]
    assert table.rows[2] == ["wall: b", "3.00 s", "3.00 x"]


def test_ours_in_another_way_is_no_peer() -> None:
    """It is not said how much better ours is than ours."""
    names = [OURS, f"{OURS}, 2 processes", "a", "b", "c"]
    (table,) = tables_of(report_of(*(figure("parse", "wall", n, "s", [2.0]) for n in names)))
    assert [row[2] for row in table.rows] == ["", "", "1.00 x", "1.00 x", "1.00 x"]


def test_groups_have_tables() -> None:
    """In the order in which they were measured."""
    figures = [figure(group, "n", OURS, "s", [1.0]) for group in ("table", "build", "table")]
    assert [table.title for table in tables_of(report_of(*figures))] == ["table", "build"]
    assert tables_of(report_of()) == []


def test_growth() -> None:
    """A row for each grid, the exponents last."""
    table = growth_table(GROWTH)
    assert table.columns == ["grid", "nodes", "arcs", "extract", "build", "disk"]
    assert table.rows == [
        ["1x1", "10", "100", "1.00 MB", "1.00 s", "2.00 MB"],
        ["2x2", "40", "400", "4.00 MB", "4.00 s (3.50 to 5.00)", "4.00 MB"],
        ["exponent", "", "", "", "1.00", "0.50"],
    ]
    assert growth_table(Growth(GROWTH.grids[:1], GROWTH.figures[::2])).rows[-1][0] == "1x1"


def test_heading() -> None:
    """Date, command, machine, versions and map."""
    said = heading_of(report_of())
    for part in (
        *("2026-01-02 03:04 UTC", "whimbrel bench query city.osm.pbf", "a machine"),
        *("whimbrel 1.2, other 3", "city.osm.pbf (2.35 MB, 1,234 nodes, 5,678 arcs)"),
    ):
        assert part in said


def test_markdown() -> None:
    """Tables that a README takes as they are, with all that a reader must know."""
    said = markdown_of(report_of(figure("query", "route", OURS, "s", [0.001])), GROWTH)
    assert "on 2026-01-02 03:04 UTC on a machine" in said
    assert "`whimbrel bench query city.osm.pbf`" in said
    assert "| query | Whimbrel |\n| --- | --- |\n| route | 1.00 ms |\n" in said
    assert "| exponent |  |  |  | 1.00 | 0.50 |" in said
    assert "- 5 pairs agree\n- valhalla is not installed\n" in said
    assert "| 2x2 | 40 | 400 | 4.00 MB | 4.00 s | 4.00 MB |" in said
    for line in said.splitlines():
        if line.startswith("|"):
            assert line.count("|") in (3, 7)


def test_markdown_beside_peers() -> None:
    """What, ours, each peer's: medians alone, however many contenders there are."""
    theirs = ["pyosmium", f"{OURS}, 2 processes", "a", "b"]
    said = markdown_of(
        report_of(
            figure("query", "route", "OSRM", "s", [0.01, 0.02]),
            figure("query", "route", OURS, "s", [0.001, 0.002, 0.003]),
            figure("query", "many", OURS, "1/s", [100_000.0, 200_000.0]),
            *(figure("parse", "reading", who, "s", [1.0, 2.0]) for who in [*theirs, OURS]),
        )
    )
    assert (
        "| query | Whimbrel | OSRM |\n| --- | --- | --- |\n"
        "| route | 2.00 ms | 15.0 ms |\n| many | 150,000 /s | - |\n"
    ) in said
    assert "| parse | Whimbrel | pyosmium | Whimbrel, 2 processes | a | b |" in said
    assert BETTER not in said
    assert "medians of up to 3 runs." in said
