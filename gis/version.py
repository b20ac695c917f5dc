"""Which version of Whimbrel this is."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """The installed version, or "unknown" in a checkout that is not installed."""
    try:
        return version("whimbrel")
    except PackageNotFoundError:
        return "unknown"
