"""What a driver is told on drawn maps, in one line each."""

from collections.abc import Callable
from typing import NamedTuple

from engines import engine_of
from world import World

from gis.profiles.registry import PROFILES
from routing.engine import Engine
from routing.guidance.steps import Step


class Scene(NamedTuple):
    """A map, and what is expected of routes over its letters."""

    title: str
    metres: float
    drawing: str
    ways: str
    routes: dict[str, str]
    relations: str = ""
    nodes: str = ""

    @property
    def world(self) -> World:
        """The map."""
        return World(self.drawing, self.ways, self.nodes, self.relations, self.metres)

    def found(self, spell: Callable[[list[Step]], str]) -> dict[str, str]:
        """What the steps of each route are, in the words of a function."""
        world = self.world
        engine = car_engine(world)
        return {route: spell(steps_of(engine, world, route)) for route in self.routes}

    def __str__(self) -> str:
        return self.title.replace(" ", "-")


def car_engine(world: World) -> Engine:
    """An engine for cars."""
    return engine_of(world, PROFILES["car"])


def steps_of(engine: Engine, world: World, route: str) -> list[Step]:
    """The steps of a route over letters: ``ad`` leads from a to d."""
    return list(engine.route([world.position(letter) for letter in route]).legs[0].steps)


def told(steps: list[Step]) -> str:
    """The maneuvers between departure and arrival with the names they lead to."""
    return ", ".join(
        " ".join(filter(None, (step.maneuver.type, step.maneuver.modifier, f"[{step.name}]")))
        for step in steps[1:-1]
    )


def lanes_along(steps: list[Step]) -> str:
    """The lanes before each crossing that has any, those to use with a star: ``left* right``."""
    return " / ".join(
        " ".join(",".join(lane.indications) + "*" * lane.valid for lane in crossing.lanes)
        for step in steps
        for crossing in step.intersections
        if crossing.lanes
    )
