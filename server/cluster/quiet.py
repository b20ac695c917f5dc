"""Keeping the log of Dask from standard error: what concerns a user is said in one line."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_PACKAGES = ("distributed", "tornado", "asyncio")


@contextmanager
def quiet_logs() -> Iterator[None]:
    """Let the loggers of Dask and of its event loop say nothing within.

    The package must have been imported: it sets up its loggers then.
    """
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _PACKAGES]
    loggers = [logging.getLogger(name) for name in {*names, *_PACKAGES}]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
