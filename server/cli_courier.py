"""The command that plans for couriers, as it is called."""

from pathlib import Path
from typing import Annotated

import typer

from routing.courier.schedule import MOST_SECONDS, MOST_SEED, MOST_WORKERS
from server.cli_options import DatasetPath, DepartAt, Exclude, Json, Profile, roads_of
from server.courier.limits import MOST_ITERATIONS, expected_seconds


def _seconds(value: float | None) -> float | None:
    if value is not None and not 0 < value <= MOST_SECONDS:
        raise typer.BadParameter(f"{value:.12g}, expected {expected_seconds(MOST_SECONDS)}")
    return value


def courier(
    dataset: DatasetPath,
    problem: Annotated[
        Path,
        typer.Argument(
            metavar="PROBLEM", help="JSON as VROOM has it: vehicles, jobs, shipments; - reads it."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PLAN", help="Default: standard output."),
    ] = None,
    geojson: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The routes as lines and points, too."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            callback=_seconds,
            help=f"How long to search, {expected_seconds(MOST_SECONDS)}; 10 by default.",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="Search for so many instead: the same plan every time.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=MOST_SEED, help="Of the search.")] = None,
    profile: Profile = None,
    depart_at: DepartAt = None,
    exclude: Exclude = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-j",
            min=1,
            max=MOST_WORKERS,
            help="Threads; by default one per processor.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find good routes for couriers: pick-ups, deliveries, visits. Ctrl-C takes the best so far."""
    from server.courier.command import Search, plan_for_couriers

    search = Search(seconds, iterations, seed, workers)
    roads = roads_of(profile, depart_at, exclude)
    plan_for_couriers(dataset, problem, (output, geojson), search, roads, as_json)
