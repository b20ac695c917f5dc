"""Errors a user can meet. Each message is one line: what, where, got, expected."""


class EngineError(Exception):
    """Anything that Whimbrel reports in one line; the command line exits with status 2."""


class FormatError(EngineError):
    """A file is not what it claims to be: names the file and the place."""


class ResourceError(EngineError):
    """The machine lacks something: a worker died, no memory, no space."""


class DatasetError(EngineError):
    """A dataset is missing, of another version, or inconsistent."""


class ChecksumError(DatasetError):
    """An array of a dataset does not have the content that its manifest promises."""


class ProfileError(EngineError):
    """No such profile, or a profile that returns something impossible."""
