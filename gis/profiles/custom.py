"""Profiles of one's own: Python files that define ``PROFILE``."""

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from gis.errors import ProfileError
from gis.profiles.registry import PROFILES, get_profile
from gis.profiles.rules import MAX_CLASSES, Profile, is_way_to_travel

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""Names of profiles stand in URLs and in names of files."""

_CLASS = re.compile(r"[A-Za-z0-9_-]+")
"""Classes stand in URLs, several of them between commas."""

_KEYS = ("way_keys", "node_keys", "relation_keys", "classes")
_FUNCTIONS = ("way", "node", "turn", "restriction")


def find_profiles(chosen: Iterable[str | Profile]) -> list[Profile]:
    """Profiles by their names, by the paths of files ending in ``.py``, or as they are; each once.

    ``ProfileError`` with one line that names the file and what is wrong with it.
    """
    found: dict[str, Profile] = {}
    known: dict[str, Profile] = {}  # what is named twice is loaded once
    for choice in chosen:
        if isinstance(choice, Profile):
            profile = choice
            if profile is not PROFILES.get(profile.name):
                _check(profile, f"profile {profile.name!r}")
        else:
            profile = known[choice] = known.get(choice) or _find(choice)
        if found.setdefault(profile.name, profile) is not profile:
            raise ProfileError(f"two profiles are called {profile.name!r}")
    return list(found.values())


def _find(choice: str) -> Profile:
    return load_profile(Path(choice)) if choice.endswith(".py") else get_profile(choice)


def load_profile(path: Path) -> Profile:
    """The ``PROFILE`` of a file; ``ProfileError`` with one line that names it if there is none."""
    profile = getattr(_run(path), "PROFILE", None)
    if profile is None:
        raise ProfileError(f"{path} defines no PROFILE")
    if not isinstance(profile, Profile):
        raise ProfileError(f"PROFILE of {path} is a {type(profile).__name__}, not a Profile")
    _check(profile, f"PROFILE of {path}")
    return profile


def _run(path: Path) -> ModuleType:
    """The module of a file, always made anew and without leaving compiled files beside it."""
    name = f"whimbrel_profile_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    try:
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise ProfileError(f"{path} cannot be read: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f", line {line}" if line else ""
        raise ProfileError(f"{path}{where}: {getattr(error, 'msg', error)}") from error
    if spec is None:
        raise ProfileError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses look their module up by its name
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        raise ProfileError(f"{path}{_line(error, path)}: {_one_line(error)}") from error
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before
    return module


def _line(error: BaseException, path: Path) -> str:
    """Where in the file an error arose: the last of its lines that was reached."""
    line, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _check(profile: Profile, what: str) -> None:
    """Refuse what would fail later and say less; ``apply_profile`` checks what functions return."""
    name = profile.name
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        raise ProfileError(f"{what}: the name {name!r} is not of the form {NAME.pattern}")
    if name in PROFILES:
        raise ProfileError(f"{what} is called {name!r}, as a vehicle of Whimbrel's own is")
    problem = next(_problems(profile), None)
    if problem is not None:
        raise ProfileError(f"{what}: {problem}")


def _problems(profile: Profile) -> Iterator[str]:
    yield from (f"{f} is no function" for f in _FUNCTIONS if not callable(getattr(profile, f)))
    yield from (f"{f} is no tuple of strings" for f in _KEYS if not _are_words(getattr(profile, f)))
    if not profile.way_keys:
        yield "way_keys is empty"
    if not _are_road_tags(profile.road_tags):
        yield "road_tags are no pairs of a key and a tuple of values or None"
    if not _are_dimensions(profile.dimensions):
        yield "dimensions is no tuple of pairs of a name and a number"
    if not is_way_to_travel(profile.mode):
        yield f"mode is {profile.mode!r}, no way to travel"
    if not _are_words((profile.weight_name,)):
        yield "weight_name is no string"
    yield from _problems_of_classes(profile)


def _problems_of_classes(profile: Profile) -> Iterator[str]:
    if len(profile.classes) > MAX_CLASSES or len(set(profile.classes)) < len(profile.classes):
        yield f"there are more than {MAX_CLASSES} classes, or one twice"
    if not all(_CLASS.fullmatch(word) for word in profile.classes):
        yield f"not all classes are of the form {_CLASS.pattern}"
    if not _is_tuple_of(profile.excludable, (frozenset, set)):
        yield "excludable is no tuple of sets"
        return
    for combination in profile.excludable:
        if not combination <= set(profile.classes):
            yield f"excludable names {sorted(combination - set(profile.classes))}, no classes"


def _is_tuple_of(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, tuple) and all(isinstance(part, kind) for part in value)


def _are_words(value: object) -> bool:
    return _is_tuple_of(value, str)


def _are_road_tags(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and (pair[1] is None or _are_words(pair[1]))
        for pair in value
    )


def _are_dimensions(value: object) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and isinstance(pair[1], (int, float))
        for pair in value
    )
