"""Compiling the kernels when this version runs for the first time, and saying so."""

import time

from rich.live import Live
from rich.text import Text

from routing.warm import is_warm, warm_up
from server.console import err


def load_kernels() -> None:
    """Compile all kernels unless this version has done so before."""
    if is_warm():
        return
    started = time.monotonic()
    with Live(console=err, auto_refresh=False, transient=True) as live:

        def show(compiled: int) -> None:
            seconds = time.monotonic() - started
            line = f"compiling, once for this version: {compiled} kernels, {seconds:.0f} s"
            if err.is_terminal:
                live.update(Text(line), refresh=True)

        if not err.is_terminal:
            err.print("compiling the kernels, once for this version ...")
        compiled = warm_up(show)
    err.print(f"compiled {compiled} kernels in {time.monotonic() - started:.1f} s")
