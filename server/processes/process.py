"""The streams of a command's process, and its end."""

import io
import os
import signal
import sys
from types import FrameType
from typing import NoReturn


def make_streams_safe() -> None:
    """Let any text be written: to nowhere if a stream is closed, marked where it has no code."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def flush_output() -> str:
    """Write what is left for standard output; what is wrong if it cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        return f"standard output: {error.strerror or error}"
    return ""


def drop_output() -> None:
    """Let what is left for standard output go nowhere, so that it does not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminate(signum: int, frame: FrameType | None) -> NoReturn:
    """End by an exception, so that whatever is under way cleans up, undisturbed."""
    signal.signal(signum, signal.SIG_IGN)
    raise SystemExit(128 + signum)
