"""The command line. What a command needs it imports itself, so that help comes at once."""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from gis.errors import EngineError
from server.cli_courier import courier
from server.cli_options import (
    FAR_M,
    Algorithm,
    Answers,
    AsAnswer,
    AsGeoJson,
    ChunkRows,
    Columns,
    Dask,
    DatasetPath,
    DatasetUrl,
    DepartAt,
    DestinationColumns,
    Destinations,
    Direction,
    Distances,
    Exclude,
    ExtractOrSample,
    ExtractPath,
    Geometry,
    Grow,
    Json,
    Keep,
    Markdown,
    Meters,
    Minutes,
    Overwrite,
    Peers,
    PeersPython,
    Plot,
    Profile,
    Questions,
    Quick,
    Radius,
    Repeat,
    Resume,
    Seed,
    Steps,
    TaskName,
    What,
    WorkerNumbers,
    Workers,
    roads_of,
    split_lists,
)
from server.coordinates import parse_coordinate, shield_negative_numbers
from server.processes.process import drop_output, flush_output, make_streams_safe, terminate

app = typer.Typer(
    name="whimbrel",
    help="A parallel geographic routing engine: OpenStreetMap extracts in, routes out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FAILED = 2
INTERRUPTED = 130
DEBUG = "WHIMBREL_DEBUG"


def _version(wanted: bool) -> None:
    if wanted:
        from gis.version import installed_version

        typer.echo(f"whimbrel {installed_version()}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    """Common options."""


@app.command()
def build(
    extract: ExtractPath,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DATASET", help="Default: city.whimbrel beside it."),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,NAME...",
            help="Vehicles, such as car, bicycle, foot, or files of one's own such as "
            "./my_truck.py; may be repeated.  [default: car]",
        ),
    ] = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Turn an extract into a dataset."""
    from server.cli_build import build_and_report

    build_and_report(extract, output, split_lists(profile or ["car"]), workers, as_json)


@app.command()
def info(
    dataset: DatasetPath,
    verify: Annotated[bool, typer.Option("--verify", help="Check every checksum.")] = False,
    as_json: Json = False,
) -> None:
    """Say what is in a dataset, and from what it was made."""
    from server.cli_info import show_info

    show_info(dataset, verify, as_json)


@app.command()
def route(
    dataset: DatasetPath,
    coordinates: Annotated[
        list[str],
        typer.Argument(metavar="LON,LAT", help="Two points or more; -8.61,41.15 works as it is."),
    ],
    algorithm: Algorithm = "hierarchy",
    profile: Profile = None,
    depart_at: DepartAt = None,
    exclude: Exclude = None,
    as_geojson: AsGeoJson = False,
    as_json: AsAnswer = False,
    steps: Steps = False,
) -> None:
    """Find the fastest route over two points or more, with directions."""
    from server.cli_route import find_route

    if as_geojson and as_json:
        raise EngineError("--geojson and --json exclude each other")
    points = [parse_coordinate(text) for text in coordinates]
    form = "geojson" if as_geojson else "json" if as_json else "text"
    roads = roads_of(profile, depart_at, exclude)
    find_route(dataset, points, form, steps, algorithm=algorithm, **roads)


@app.command()
def serve(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATASET or EXTRACT]",
            help="An extract is built first if need be; by default the sample is served.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any.")] = 5000,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Processes; by default one per processor."),
    ] = None,
    any_profile: Annotated[
        bool, typer.Option("--any-profile", help="Unknown profiles mean the first one.")
    ] = False,
) -> None:
    """Answer OSRM's HTTP requests."""
    from server.cli_serve import serve_dataset

    serve_dataset(source, host, port, workers, any_profile)


@app.command()
def reload(
    url: Annotated[str, typer.Option(help="Address of the server.")] = "http://127.0.0.1:5000",
    token: Annotated[
        str, typer.Option(envvar="WHIMBREL_ADMIN_TOKEN", help="Token of the server.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Let a running server take the dataset that was built anew at its path."""
    from server.cli_reload import reload_dataset

    reload_dataset(url, token, as_json)


@app.command()
def batch(
    dataset: DatasetPath,
    source: Questions,
    output: Answers,
    task: TaskName = "route",
    geometry: Geometry = False,
    minutes: Minutes = None,
    meters: Meters = None,
    direction: Direction = "from",
    destinations: Destinations = None,
    distances: Distances = False,
    columns: Columns = None,
    destination_columns: DestinationColumns = None,
    keep: Keep = None,
    profile: Profile = None,
    depart_at: DepartAt = None,
    exclude: Exclude = None,
    radius: Radius = FAR_M,
    workers: Workers = None,
    chunk_rows: ChunkRows = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    dask: Dask = None,
    dataset_url: DatasetUrl = None,
    as_json: Json = False,
) -> None:
    """Answer every row of a file, in parallel; interrupted, it can go on."""
    from server.cli_batch import BatchOptions, Question, answer_rows

    question = Question(
        task,
        **roads_of(profile, depart_at, exclude),
        radius=radius,
        geometry=geometry,
        minutes=minutes,
        meters=meters,
        direction=direction,
        destinations=destinations,
        distances=distances,
    )
    options = BatchOptions(
        columns=columns,
        destination_columns=destination_columns,
        keep=keep,
        workers=workers,
        chunk_rows=chunk_rows,
        resume=resume,
        overwrite=overwrite,
        dask=dask,
        dataset_url=dataset_url,
        as_json=as_json,
    )
    answer_rows(dataset, source, output, question, options)


@app.command("table")
def travel_table(
    dataset: DatasetPath,
    sources: Annotated[Path, typer.Option(metavar="FILE", help="Points that routes begin at.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUTPUT", help=".npy, .parquet or .csv")
    ],
    destinations: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where they end; by default the sources.")
    ] = None,
    annotations: Annotated[
        str, typer.Option(metavar="NAME,NAME", help="duration, distance, or both if .parquet.")
    ] = "duration",
    columns: Columns = None,
    destination_columns: DestinationColumns = None,
    profile: Profile = None,
    depart_at: DepartAt = None,
    exclude: Exclude = None,
    radius: Radius = FAR_M,
    workers: Workers = None,
    chunk_rows: ChunkRows = None,
    resume: Resume = False,
    overwrite: Overwrite = False,
    dask: Dask = None,
    dataset_url: DatasetUrl = None,
    as_json: Json = False,
) -> None:
    """Write the durations or distances from each source to each destination, block by block."""
    from server.cli_batch import BatchOptions, Question, write_matrix

    options = BatchOptions(
        columns=columns,
        destination_columns=destination_columns,
        keep=None,
        workers=workers,
        chunk_rows=chunk_rows,
        resume=resume,
        overwrite=overwrite,
        dask=dask,
        dataset_url=dataset_url,
        as_json=as_json,
    )
    roads = roads_of(profile, depart_at, exclude)
    question = Question("table", radius=radius, **roads)
    write_matrix(dataset, (sources, destinations), output, annotations, question, options)


@app.command()
def bench(
    what: What = "all",
    extract: ExtractOrSample = None,
    peers: Peers = False,
    peers_python: PeersPython = None,
    grow: Grow = False,
    plot: Plot = None,
    workers: WorkerNumbers = None,
    repeat: Repeat = None,
    seed: Seed = 1,
    quick: Quick = False,
    as_json: Json = False,
    markdown: Markdown = False,
) -> None:
    """Measure on your own extract; answers are checked before their time is believed."""
    from server.cli_bench import BenchOptions, measure

    options = BenchOptions(
        workers=workers,
        repeat=repeat,
        seed=seed,
        peers=peers,
        peers_python=peers_python,
        grow=grow,
        quick=quick,
        as_json=as_json,
        markdown=markdown,
        plot=plot,
    )
    measure(what, extract, options)


app.command()(courier)


def main() -> NoReturn:
    """Run the command line: errors of ours and of the caller are one line and status 2."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # we use none, and they hinder forking
    signal.signal(signal.SIGTERM, terminate)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # not under nohup
        signal.signal(signal.SIGHUP, terminate)
    make_streams_safe()
    try:
        status = run(sys.argv[1:])
        if wrong := flush_output():
            status = _fail(wrong)
    except BrokenPipeError:  # whoever read our output has gone
        drop_output()
        status = 0
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    try:
        result = app(
            args=shield_negative_numbers(arguments), prog_name="whimbrel", standalone_mode=False
        )
        return result if isinstance(result, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except EngineError as error:
        return _fail(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        named = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _fail(flush_output() or named)
    except MemoryError:
        return _fail("not enough memory")
    except Exception as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            return INTERRUPTED  # while importing, which some libraries report as their own error
        message = getattr(error, "format_message", None)  # typer's word for a wrong call
        return _fail(_usage(message(), error) if message else _fault(error))


def _fault(error: Exception) -> str:
    """What is said of an error that is not the caller's."""
    what = f"internal error: {type(error).__name__}: {error}"
    if not os.environ.get(DEBUG):
        return f"{what}; set {DEBUG}=1 for details"
    from traceback import print_exc

    print_exc()
    return what


def _usage(message: str, error: Any) -> str:
    """What is wrong with a call; nothing if the help has been shown for want of a command."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "whimbrel"
    return message and f"{message.rstrip('.')}; see {command} --help"


def _fail(message: str) -> int:
    if message:
        typer.echo(f"whimbrel: {' '.join(message.split())}", err=True)
    return FAILED
