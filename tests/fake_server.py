"""Serves a fake engine from several processes: ``python fake_server.py WORKERS [SETTINGS]``.

Settings are a JSON object.
"""

import json
import sys
from dataclasses import replace

from fake_engine import fake_state

from server.metrics import Metrics
from server.processes.listening import bind
from server.processes.supervisor import Supervisor
from server.processes.worker import Worker
from server.settings import Settings


def main() -> None:
    """Say the port once requests are answered."""
    wanted = json.loads(sys.argv[2]) if len(sys.argv) > 2 else {}
    settings = replace(Settings(drain_s=3, keep_alive_s=2), **wanted)
    workers = int(sys.argv[1])
    state = fake_state(settings)
    state.metrics = Metrics(workers)
    sock = bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    supervisor = Supervisor(
        Worker(state).run,
        sock,
        workers,
        drain_s=settings.stop_delay_s + settings.drain_s,
        replaced=state.metrics.worker_replaced,
    )
    supervisor.run(lambda: print(port, flush=True))


if __name__ == "__main__":
    main()
