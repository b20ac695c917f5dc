"""A dataset looked at in a process of its own, before anybody answers from it.

Whatever is wrong with it, even what would end a process, harms nobody there.
"""

import contextlib
import json
import logging
import os
import signal
import time
import warnings
from collections.abc import Callable
from typing import NoReturn

from gis.errors import EngineError
from routing.engine import Engine
from server.processes.touch import touch
from server.state import EngineState

_log = logging.getLogger(__name__)

_PART_BYTES = 1 << 16


class DatasetCheck:
    """A check under way. ``pipe`` becomes readable as it goes on.

    ``prepare`` is called in the new process first. Raises ``OSError`` if there can be none.
    """

    def __init__(self, state: EngineState, prepare: Callable[[], None]) -> None:
        self.pipe, write = os.pipe()
        self.began = time.monotonic()
        self._said = b""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of NumPy's BLAS
                self._pid = os.fork()
        except OSError:
            os.close(self.pipe)
            os.close(write)
            raise
        if self._pid == 0:
            _run(state, write, prepare)
        os.close(write)

    def ended(self) -> bool:
        """Whether it is over; to be called when the pipe is readable."""
        part = os.read(self.pipe, _PART_BYTES)
        self._said += part
        return not part

    def kill(self) -> None:
        """End it, which makes the pipe readable."""
        os.kill(self._pid, signal.SIGKILL)

    def result(self) -> dict[str, str]:
        """``dataset`` that was found to be whole, or ``error``; to be called once it has ended."""
        os.close(self.pipe)
        _, status = os.waitpid(self._pid, 0)
        try:
            found: dict[str, str] = json.loads(self._said)
        except ValueError:
            code = os.waitstatus_to_exitcode(status)
            return {"error": f"the check of the dataset ended with status {code}"}
        return found


def _run(state: EngineState, write: int, prepare: Callable[[], None]) -> NoReturn:
    """Look at the dataset, in the new process, and say what was found."""
    found = {"error": "the check of the dataset failed"}
    try:
        prepare()
        engine = Engine.open(state.dataset)
        state.live.restore(engine)
        touch(engine)
        found = {"dataset": engine.data_id}
    except EngineError as error:
        found = {"error": str(error)}
    except BaseException:
        _log.exception("the check of %s failed", state.dataset)
    finally:
        with contextlib.suppress(OSError):
            os.write(write, json.dumps(found).encode())
        os._exit(0)
