"""What can go wrong with a cluster."""

from gis.errors import EngineError


class ClusterError(EngineError):
    """The scheduler, or a worker of it, cannot do the work; names which."""
