"""Where a server keeps what must survive its restart."""

from pathlib import Path

from gis.errors import ResourceError
from server.settings import Settings

SUFFIX = ".state"


def state_folder(dataset: Path, settings: Settings) -> Path:
    """The folder, made if need be: ``city.whimbrel.state`` beside the dataset unless set.

    Raises ``ResourceError`` if it cannot be made.
    """
    folder = Path(settings.state_dir) if settings.state_dir else beside(dataset)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(
            f"{folder}: cannot make this folder ({error.strerror}); set WHIMBREL_STATE_DIR"
        ) from None
    return folder


def beside(dataset: Path) -> Path:
    """The folder that belongs to a dataset."""
    return dataset.with_name(dataset.name + SUFFIX)
