"""Options and arguments that several commands have."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

FAR_M = 10_000.0
"""A point farther than that from any road is off the map, unless one says otherwise."""

Workers = Annotated[
    int | None,
    typer.Option("--workers", "-j", min=1, help="Processes; by default as many as pay."),
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON object to standard output.")]
ExtractPath = Annotated[
    Path,
    typer.Argument(metavar="EXTRACT", help="OpenStreetMap file: .osm.pbf, .osm, .o5m, .opl ..."),
]
DatasetPath = Annotated[
    Path, typer.Argument(metavar="DATASET", help="Folder that `whimbrel build` made.")
]

Profile = Annotated[str | None, typer.Option(help="Vehicle; default: the dataset's.")]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="LON,LAT,...",
        help="Columns of the coordinates, or the one of shapes; by default by common names.",
    ),
]
Radius = Annotated[
    float, typer.Option(min=0, help="Metres that a point may be away from any road.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with what an interrupted run has left.")
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Throw away what an interrupted run has left.")
]
ChunkRows = Annotated[
    int | None,
    typer.Option(
        min=1, help="Rows answered, written and resumed as one; by default as the task has it."
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="tcp://HOST:PORT", help="Let the workers of a Dask scheduler answer."),
]
DatasetUrl = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where workers that lack the dataset fetch it (fsspec)."),
]

TaskName = Annotated[
    str, typer.Option("--task", help="What is asked: route, table, nearest or isochrone.")
]
Geometry = Annotated[
    bool, typer.Option("--geometry", help="Routes with their lines; GeoParquet if .parquet.")
]
Minutes = Annotated[
    str | None, typer.Option(metavar="N,N...", help="Limits of isochrones; or --meters.")
]
Meters = Annotated[
    str | None, typer.Option(metavar="N,N...", help="Limits of isochrones by distance.")
]
Direction = Annotated[
    str, typer.Option(metavar="from|to", help="Isochrones from the points, or to them.")
]
Destinations = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Points to which a table has columns.")
]
DestinationColumns = Annotated[
    str | None,
    typer.Option(metavar="LON,LAT", help="As --columns, of the file of destinations."),
]
Distances = Annotated[
    bool, typer.Option("--distances", help="A table's distances beside its durations.")
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...", help="Columns to carry over, '' for none; by default all of them."
    ),
]

Steps = Annotated[
    bool, typer.Option("--steps", help="All directions, however many; with --json, these too.")
]
Algorithm = Annotated[str, typer.Option(help="hierarchy, or astar or dijkstra to check it.")]
AsGeoJson = Annotated[bool, typer.Option("--geojson", help="Write a GeoJSON FeatureCollection.")]
AsAnswer = Annotated[bool, typer.Option("--json", help="Write what the HTTP service answers.")]
DepartAt = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="Begin then, such as 2026-11-30T08:15: what holds only at times does."
    ),
]
Exclude = Annotated[
    str | None,
    typer.Option(metavar="CLASS,CLASS...", help="Keep out of classes of roads, such as toll."),
]
Questions = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT", help=".csv, .tsv, .parquet, .arrow or .geojsonl: a row, a question."
    ),
]
Answers = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUTPUT", help=".csv, .tsv, .parquet, .geojsonl")
]
What = Annotated[
    str, typer.Argument(metavar="[WHAT]", help="parse, build, query, table, http or memory.")
]
ExtractOrSample = Annotated[
    Path | None, typer.Argument(metavar="[EXTRACT]", help="By default the sample.")
]
Peers = Annotated[bool, typer.Option("--peers", help="Beside OSRM and others that are installed.")]
PeersPython = Annotated[Path | None, typer.Option(metavar="PATH", help="The Python that has them.")]
Grow = Annotated[
    bool,
    typer.Option("--grow", help="Also on 1, 4 and 16 copies of it, joined by roads."),
]
Plot = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A picture, too: .svg, .png or .pdf.")
]
WorkerNumbers = Annotated[
    str | None, typer.Option("--workers", "-j", metavar="N,N...", help="Numbers of processes.")
]
Repeat = Annotated[int | None, typer.Option(min=1, max=1000, help="Runs of each; 5 by default.")]
Seed = Annotated[int, typer.Option(min=0, help="Of the random points.")]
Quick = Annotated[
    bool, typer.Option("--quick", help="Fewer points and runs: under a minute on the sample.")
]
Markdown = Annotated[
    bool, typer.Option("--markdown", help="Write tables as they stand in a README.")
]


def roads_of(profile: str | None, depart_at: str | None, exclude: str | None) -> dict[str, Any]:
    """The vehicle and its roads, as the engine's options."""
    classes = tuple(word.strip() for word in exclude.split(",")) if exclude else ()
    return {"profile": profile, "depart_at": depart_at, "exclude": classes}


def split_lists(lists: Sequence[str]) -> tuple[str, ...]:
    """What stands in lists separated by commas."""
    return tuple(name.strip() for text in lists for name in text.split(","))
