"""Directions through drawn worlds, in one line: what a table of cases is made of.

Ways are as in `world.World`, but a way without a ``highway`` is a residential street, and one
without a name is called by its letters; ``name=`` leaves it unnamed. A route is ``a>c``: from one
letter to another, or from the middle of two (``ab>cd``). Its steps are written

    depart ab, turn left bc, roundabout-2 right de, exit roundabout-2 right de, arrive de

with type, number of the exit, modifier and name or number of the road; the sides of the departure
and the arrival are left out, an unnamed road is ``-``.
"""

import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from engines import engine_of
from world import World

from gis.profiles.registry import PROFILES
from routing.engine import Engine
from routing.guidance.drafts import ARRIVE, DEPART
from routing.guidance.steps import Step
from routing.route import Leg


class Case(NamedTuple):
    """A drawn world and its routes, a line each: ``a>c: depart ab, turn left bc, arrive bc``."""

    drawing: str
    ways: str
    routes: str
    nodes: str = ""
    metres: float = 100.0
    origin: tuple[float, float] = (24.9, 60.2)
    profile: str = "car"
    relations: str = ""

    def world(self) -> World:
        """The world with the names and classes that are left out."""
        lines = []
        for line in self.ways.strip().splitlines():
            letters, *tags = shlex.split(line)
            if not any(tag.startswith(("highway=", "route=")) for tag in tags):
                tags.append("highway=residential")
            if not any(tag.startswith("name=") for tag in tags):
                tags.append(f"name={letters}")
            lines.append(shlex.join([letters, *(tag for tag in tags if tag != "name=")]))
        ways = "\n".join(lines)
        return World(self.drawing, ways, self.nodes, self.relations, self.metres, self.origin)

    def expected(self) -> dict[str, str]:
        """The steps of each route."""
        found: dict[str, str] = {}
        for line in self.routes.strip().splitlines():
            start, colon, rest = line.strip().partition(":")
            if colon and ">" in start:
                route, found[start] = start, rest.strip()
            else:  # a long line goes on
                found[route] = f"{found[route]} {line.strip()}"
        return found


def routes_of(cases: Mapping[str, Case]) -> list[tuple[str, str]]:
    """The routes of a table with the names of their cases."""
    return [(name, route) for name, case in cases.items() for route in case.expected()]


def place(world: World, letters: str) -> tuple[float, float]:
    """A node's place, or the middle of two."""
    places = [world.position(letter) for letter in letters]
    lon, lat = (sum(column) / len(places) for column in zip(*places, strict=True))
    return lon, lat


@lru_cache(256)
def engine_for(case: Case) -> tuple[World, Engine]:
    """A world and its engine."""
    world = case.world()
    return world, engine_of(world, PROFILES[case.profile])


def drive(case: Case, route: str) -> Leg:
    """The leg of a route, over silent vias if it has more than two places."""
    world, engine = engine_for(case)
    points = [place(world, letters) for letters in route.split(">")]
    (leg,) = engine.route(points, waypoints=[0, len(points) - 1]).legs
    return leg


def spell_step(step: Step) -> str:
    """A step in a few words."""
    maneuver = step.maneuver
    words = [maneuver.type]
    if maneuver.exit is not None:
        words[0] += f"-{maneuver.exit}"
    if maneuver.type not in (DEPART, ARRIVE) and maneuver.modifier:
        words.append(maneuver.modifier)
    return " ".join([*words, step.name or step.ref or "-"])


def spell_steps(leg: Leg) -> str:
    """All steps of a leg in a line."""
    return ", ".join(spell_step(step) for step in leg.steps)
