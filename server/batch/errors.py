"""What can be wrong with the files of a batch."""

from gis.errors import EngineError


class InputError(EngineError):
    """A file of points that cannot be read as a whole; a bad row is none."""


class OutputError(EngineError):
    """A file that cannot be written, or cannot be gone on with."""
