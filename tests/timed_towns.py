"""Random towns whose tags hold only at times, and the same with only what holds at one time."""

import itertools
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from towns import STREETS, TOWN
from world import World

from routing.engine import Engine

MONDAY_MORNING = "2026-11-30T08:15"
CONDITIONS = {
    "Mo-Fr 07:00-09:00": True,
    "(Mo-Sa 06:00-20:00; PH off)": True,
    "(22:00-06:00)": False,
    "(Su)": False,
    "wet": False,
    "(Mo-Fr 08:00-09:00 AND weight>7.5)": False,
    "(Mo 08:00-08:16 AND Nov 30)": True,
}
"""What holds then, in Helsinki. These are five times, as many as one street may have."""

KINDS = ("no_left_turn", "no_right_turn", "no_u_turn", "only_left_turn", "only_straight_on")


def clauses(values: Sequence[str]) -> st.SearchStrategy[str]:
    """A conditional value: one to three of some values, each under a condition."""
    clause = st.builds("{} @ {}".format, st.sampled_from(values), st.sampled_from([*CONDITIONS]))
    return st.lists(clause, min_size=1, max_size=3).map("; ".join)


def resolved(tags: dict[str, str]) -> dict[str, str]:
    """Tags without conditions: what they say on a Monday morning."""
    plain = {key: value for key, value in tags.items() if not key.endswith(":conditional")}
    for key, text in tags.items():
        if key.endswith(":conditional"):
            # The semicolon of one of the conditions divides no clauses.
            for clause in text.replace("00; PH", "00;PH").split("; "):
                value, condition = clause.replace(";PH", "; PH").split(" @ ")
                if CONDITIONS[condition]:
                    plain[key.removesuffix(":conditional")] = value
    return plain


WAY_TAGS = st.fixed_dictionaries(
    {"highway": st.sampled_from(["residential", "primary", "tertiary", "proposed"])},
    optional={
        "motor_vehicle": st.sampled_from(["yes", "no", "destination", "private"]),
        "oneway": st.sampled_from(["yes", "-1", "no"]),
        "maxspeed": st.sampled_from(["30", "80"]),
        "motor_vehicle:conditional": clauses(["no", "yes", "destination", "private"]),
        "oneway:conditional": clauses(["yes", "no", "-1"]),
        "maxspeed:conditional": clauses(["20", "60", "100"]),
    },
)
RELATION_TAGS = st.one_of(
    st.fixed_dictionaries({"restriction": st.sampled_from(KINDS)}),
    st.fixed_dictionaries({"restriction:conditional": clauses(KINDS)}),
    st.fixed_dictionaries(
        {"restriction": st.sampled_from(KINDS), "restriction:conditional": clauses(KINDS)}
    ),
)
PATHS = [
    (one, via, other)
    for one, other in itertools.permutations(STREETS, 2)
    for via in set(one) & set(other)
] + [
    (one, via, other)
    for via in STREETS
    for one, other in itertools.permutations(STREETS, 2)
    if len({one, via, other}) == 3
    and set(one) & set(via)
    and set(via) & set(other)
    and set(one) & set(via) != set(via) & set(other)
]
LONG_STREETS = ["abcd", "efgh", "ijkl", "mnop", *STREETS[12:]]
"""Some cross others, which divide them."""


@st.composite
def worlds(draw: st.DrawFn, streets: Sequence[str] = STREETS) -> tuple[World, World]:
    """A town with some tags that hold at times, and the same on a Monday morning.

    Unless they are given, a street goes from one crossing to the next: none has more pieces because
    another is there only at times, so the same part of the town is the largest.
    """
    special = draw(st.one_of(st.just(set(streets)), st.sets(st.sampled_from(streets))))
    ways = {
        street: draw(WAY_TAGS) if street in special else {"highway": "residential"}
        for street in streets
    }
    paths = [path for path in PATHS if all(len(x) == 1 or x in streets for x in path)]
    relations = [
        (draw(st.sampled_from(paths)), draw(RELATION_TAGS)) for _ in range(draw(st.integers(0, 6)))
    ]
    return drawn(ways, relations), drawn(
        {street: resolved(tags) for street, tags in ways.items()},
        [(path, resolved(tags)) for path, tags in relations],
    )


def drawn(
    ways: dict[str, dict[str, str]],
    relations: Sequence[tuple[tuple[str, str, str], dict[str, str]]],
) -> World:
    lines = [f"{way} {words(tags)}" for way, tags in ways.items()]
    members = [
        f"from:{one} via:{via} to:{other} {words(tags)}" for (one, via, other), tags in relations
    ]
    return World(TOWN, "\n".join(lines), "", "\n".join(members))


def words(tags: dict[str, str]) -> str:
    return " ".join(f"{key}='{value}'" for key, value in tags.items())


def durations(engine: Engine, world: World, **options: object) -> np.ndarray:
    """Between places on all streets, from each to each; what stands nowhere is NaN.

    No two are opposite each other: on a one-way street it would be a matter of rounding which of
    two places comes first that are the same.
    """
    points = []
    for place, (a, b) in enumerate(STREETS):
        (x, y), (to_x, to_y) = world.position(a), world.position(b)
        part = 0.3 + 0.4 * place / len(STREETS)
        points.append((x + part * (to_x - x) + 1e-5, y + part * (to_y - y) + 1e-5))
    return engine.table(points, strict=False, **options).duration_s
