"""One dataset for drivers, cyclists and walkers: each goes where the tags let them."""

import pytest
from engines import engine_of
from world import World

from gis.profiles.bicycle import PROFILE as BICYCLE
from gis.profiles.car import PROFILE as CAR
from gis.profiles.foot import PROFILE as FOOT
from routing.engine import Engine

TOWN = World(
    """
    a---b---c---d
        |   |   |
        e---f---g
        |       |
        |       |
        |       |
        h-------i
    """,
    """
    ab     highway=residential
    bc     highway=residential oneway=yes
    cd     highway=residential
    ef     highway=primary
    cf     highway=steps
    fg     railway=platform
    behigd  highway=tertiary
    """,
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return engine_of(TOWN, CAR, BICYCLE, FOOT)


def route(engine: Engine, profile: str, path: str) -> tuple[float, list[str]]:
    """Metres, and how one travels, step by step."""
    found = engine.route([TOWN.position(letter) for letter in path], profile=profile)
    modes = [step.mode for leg in found.legs for step in leg.steps[:-1]]
    return found.distance_m, modes


def test_against_a_one_way_street(engine: Engine) -> None:
    """A driver goes round, a cyclist gets off and pushes, a walker does not care."""
    assert route(engine, "car", "da")[0] == pytest.approx(2400, rel=0.02)
    metres, modes = route(engine, "bicycle", "da")
    assert metres == pytest.approx(1200, rel=0.02)
    assert modes == ["cycling", "pushing bike", "cycling"]
    metres, modes = route(engine, "foot", "da")
    assert metres == pytest.approx(1200, rel=0.02)
    assert set(modes) == {"walking"}


def test_with_the_one_way_street(engine: Engine) -> None:
    """All three go the same way, drivers and cyclists without getting off."""
    for profile, mode in (("car", "driving"), ("bicycle", "cycling"), ("foot", "walking")):
        metres, modes = route(engine, profile, "ad")
        assert metres == pytest.approx(1200, rel=0.02)
        assert set(modes) == {mode}


def test_down_the_steps(engine: Engine) -> None:
    """A cyclist carries a bicycle down steps only where that pays."""
    assert "pushing bike" in route(engine, "bicycle", "cf")[1]
    metres, modes = route(engine, "bicycle", "bf")
    assert metres == pytest.approx(600, rel=0.02)
    assert set(modes) == {"cycling"}


def test_along_the_platform(engine: Engine) -> None:
    """A platform joins what it touches for walkers and cyclists; cars go round."""
    assert route(engine, "foot", "eg")[0] == pytest.approx(800, rel=0.02)
    metres, modes = route(engine, "bicycle", "fg")
    assert metres == pytest.approx(400, rel=0.02)
    assert modes == ["pushing bike"]
    assert route(engine, "car", "eg")[0] == pytest.approx(1600, rel=0.02)
