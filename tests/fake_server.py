"""Serves a fake engine from several processes: ``python fake_server.py WORKERS``."""

import sys

from fake_engine import fake_state

from server.settings import Settings
from server.supervisor import Supervisor, bind
from server.worker import Worker


def main() -> None:
    """Say the port once requests are answered."""
    state = fake_state(Settings(drain_s=3, keep_alive_s=2))
    sock = bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    supervisor = Supervisor(Worker(state).run, sock, int(sys.argv[1]), drain_s=3)
    supervisor.run(lambda: print(port, flush=True))


if __name__ == "__main__":
    main()
