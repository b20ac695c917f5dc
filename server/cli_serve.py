"""The command that answers HTTP requests."""

import logging
from dataclasses import replace
from pathlib import Path

from gis.errors import DatasetError
from gis.workers import available_cpus
from routing.engine import Engine
from server.cli_build import build
from server.console import err, out
from server.environment import unknown_variables
from server.kernels import load_kernels
from server.locations import dataset_of, is_dataset, sample_dataset, sample_extract, why_build
from server.metrics import Metrics
from server.processes.listening import bind
from server.processes.reloading import Reloader
from server.processes.supervisor import Supervisor
from server.processes.touch import FAR_S, touch
from server.processes.worker import Worker
from server.settings import settings_from_environment
from server.state import EngineState


def serve_dataset(
    source: Path | None, host: str, port: int, workers: int | None, any_profile: bool = False
) -> None:
    """Build if need be, then serve until told to stop."""
    settings = settings_from_environment()
    for line in unknown_variables():
        err.print(line)
    if any_profile:
        settings = replace(settings, any_profile=True)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.WARNING)
    logging.getLogger("uvicorn.access").setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # its warnings any client can cause
    logging.getLogger("routing.changes").setLevel(logging.ERROR)
    bind(host, port).close()  # rather now than after a long build
    engine, dataset = open_engine(source)
    n_workers = workers or available_cpus()
    state = EngineState(engine, dataset, settings, metrics=Metrics(n_workers))
    load_kernels()
    touch(engine, FAR_S)
    try:
        state.live.restore(engine, thorough=True)
        del engine  # another may take its place
        sock = bind(host, port)
        url = f"http://{f'[{host}]' if ':' in host else host}:{sock.getsockname()[1]}/"
        supervisor = Supervisor(
            Worker(state).run,
            sock,
            n_workers,
            settings.stop_delay_s + settings.drain_s,
            coordinator=Reloader(state),
            replaced=state.metrics.worker_replaced,
        )
        supervisor.run(
            lambda: out.print(
                f"{dataset.name} is served at {url} (workers: {n_workers}; Ctrl-C ends it)"
            )
        )
    finally:
        state.live.close()


def open_engine(source: Path | None) -> tuple[Engine, Path]:
    """The dataset to serve, built from its extract where it is missing, old or damaged."""
    if source is not None and is_dataset(source):
        return Engine.open(source), source
    extract = source or sample_extract()
    dataset = dataset_of(extract) if source else sample_dataset(extract)
    reason = why_build(extract, dataset)
    if not reason:
        try:
            return Engine.open(dataset), dataset
        except DatasetError as error:
            reason = str(error)
    load_kernels()
    err.print(f"building {dataset} from {extract}: {reason}")
    build(extract, dataset)
    return Engine.open(dataset), dataset
