"""Settings from the environment."""

import pytest

from gis.errors import EngineError
from server.settings import Settings, settings_from_environment


def test_defaults() -> None:
    """An environment that says nothing changes nothing."""
    assert settings_from_environment({}) == Settings()
    assert settings_from_environment({"PATH": "x", "WHIMBREL_CACHE_DIR": "x"}) == Settings()


def test_values() -> None:
    """Each setting has its variable."""
    found = settings_from_environment(
        {"WHIMBREL_MAX_ROUTE_COORDINATES": "7", "WHIMBREL_ACCESS_LOG": "1"}
    )
    assert found == Settings(max_route_coordinates=7, access_log=True)


@pytest.mark.parametrize("text", ["", "-1", "x", "1.5", "1e3", "1234567890", "٣"])
def test_nonsense(text: str) -> None:
    """A value that is no number names its variable."""
    with pytest.raises(EngineError, match="WHIMBREL_MAX_BODY_BYTES"):
        settings_from_environment({"WHIMBREL_MAX_BODY_BYTES": text})


def test_nonsense_flag() -> None:
    """A flag is 0 or 1."""
    with pytest.raises(EngineError, match="WHIMBREL_ACCESS_LOG"):
        settings_from_environment({"WHIMBREL_ACCESS_LOG": "2"})


def test_token() -> None:
    """A token is one that a header can carry, and long enough."""
    name = "WHIMBREL_ADMIN_TOKEN"
    assert settings_from_environment({name: "0123456789abcdef=="}).admin_token
    for text in ("", "short", "0123456789abcde\n", "0123456789 abcdef", "=" * 20):
        with pytest.raises(EngineError, match=name):
            settings_from_environment({name: text})
