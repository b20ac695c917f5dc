"""Query errors, named by the codes of OSRM's API."""

from gis.errors import EngineError


class QueryError(EngineError):
    """A question that has no answer, or is none. ``code`` is the API's."""

    code = "InvalidQuery"


class InvalidInput(QueryError):
    """An option that is out of range or of the wrong length."""

    code = "InvalidOptions"


class InvalidValue(InvalidInput):
    """A value that is well formed, but not possible for this dataset or this question."""

    code = "InvalidValue"


class InvalidCoordinate(QueryError):
    """A coordinate that is not on the globe."""

    code = "InvalidValue"


class NoSegment(QueryError):
    """No road within the radius of a point, the ``index``-th of the request."""

    code = "NoSegment"

    def __init__(self, index: int) -> None:
        super().__init__(f"Could not find a matching segment for coordinate {index}")
        self.index = index


class NoRoute(QueryError):
    """The points exist, but no way leads from one to the next."""

    code = "NoRoute"


class NoTrips(QueryError):
    """No order leads over all stops: some cannot be reached from some others."""

    code = "NoTrips"


class NoMatch(QueryError):
    """A trace that no way along the roads fits."""

    code = "NoMatch"


class NoRoadNear(QueryError):
    """No road within the radius of any point."""

    code = "NoSegment"


class TooBig(QueryError):
    """More points than the limit allows."""

    code = "TooBig"


class NotInstalled(EngineError):
    """An answer needs a package that is not there."""
