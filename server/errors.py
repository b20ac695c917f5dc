"""Which code and HTTP status an error leaves by."""

from gis.errors import (
    ChecksumError,
    DatasetError,
    EngineError,
    FormatError,
    ProfileError,
    ResourceError,
)
from routing.errors import (
    InvalidCoordinate,
    InvalidInput,
    InvalidValue,
    NoMatch,
    NoRoadNear,
    NoRoute,
    NoSegment,
    NotInstalled,
    NoTrips,
    QueryError,
    TooBig,
)


class InvalidUrl(QueryError):
    """A path that names no service, version and profile."""

    code = "InvalidUrl"


class InvalidService(QueryError):
    """A path that is well formed, for a service that does not exist."""

    code = "InvalidService"


class InvalidVersion(QueryError):
    """A version of the interface other than 1."""

    code = "InvalidVersion"


class InvalidQuery(QueryError):
    """Coordinates, options or a body that cannot be read."""

    code = "InvalidQuery"


class Unsupported(QueryError):
    """A request that is right, for something that this version does not do."""

    code = "NotImplemented"


class InvalidMethod(QueryError):
    """An HTTP method other than GET, HEAD, POST and OPTIONS."""

    code = "InvalidMethod"


class InvalidContentType(QueryError):
    """A body that does not say it is JSON."""

    code = "InvalidContentType"


class UrlTooLong(QueryError):
    """A request line beyond the limit."""

    code = "InvalidUrl"


class HeadersTooLarge(QueryError):
    """Request headers beyond the limit."""

    code = "InvalidQuery"


class BodyTooLarge(QueryError):
    """A body beyond the limit."""

    code = "TooBig"


class TooSlow(QueryError):
    """A request that does not come in."""

    code = "TooSlow"


class Busy(QueryError):
    """More requests at once than the server lets wait."""

    code = "Busy"


class TooManyRuns(QueryError):
    """More problems at once than the server solves."""

    code = "Busy"


class SolverFailed(QueryError):
    """The process that solved a problem was ended, or came to no end."""

    code = "SolverFailed"


class Conflict(QueryError):
    """Something of which there is only one at a time goes on already."""

    code = "Busy"


class DatasetRefused(QueryError):
    """A dataset that cannot be served; the one before it stays."""

    code = "DatasetRefused"


class Unauthorized(QueryError):
    """An administrative request without the server's token."""

    code = "Unauthorized"


STATUS: dict[type[EngineError], int] = {
    QueryError: 400,
    InvalidInput: 400,
    InvalidCoordinate: 400,
    NoSegment: 400,
    NoRoute: 400,
    NoMatch: 400,
    NoRoadNear: 400,
    NoTrips: 400,
    TooBig: 400,
    InvalidUrl: 400,
    InvalidService: 400,
    InvalidVersion: 400,
    InvalidQuery: 400,
    InvalidValue: 400,
    Unsupported: 400,
    InvalidMethod: 405,
    InvalidContentType: 415,
    UrlTooLong: 414,
    HeadersTooLarge: 431,
    BodyTooLarge: 413,
    TooSlow: 408,
    Busy: 503,
    TooManyRuns: 429,
    SolverFailed: 503,
    Conflict: 409,
    DatasetRefused: 409,
    Unauthorized: 401,
    EngineError: 500,
    FormatError: 500,
    ProfileError: 500,
    ResourceError: 500,
    DatasetError: 500,
    ChecksumError: 500,
    NotInstalled: 500,
}
"""The HTTP status of every error: a new one is entered here, or a test fails."""

INTERNAL_ERROR = (500, "InternalError", "Internal Server Error")


def status_code_message(error: BaseException) -> tuple[int, str, str]:
    """HTTP status, code and message of an error; what is not the asker's stays inside."""
    if isinstance(error, QueryError):
        return STATUS[type(error)], error.code, str(error)
    return INTERNAL_ERROR
