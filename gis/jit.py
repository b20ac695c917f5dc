"""The one kernel decorator, and where compiled kernels are kept between runs.

Numba's own on-disk cache does not notice an edit in a callee that lives in another file, so
the cache folder is named by a hash of all sources that can hold kernels: another version, or
an edited checkout, compiles into a fresh folder and never meets stale machine code.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, SupportsInt, TypeVar

import numba
import numpy as np
import platformdirs

F = TypeVar("F", bound=Callable[..., object])
P = ParamSpec("P")
R = TypeVar("R")

_PACKAGES = ("gis", "routing")


def source_hash() -> str:
    """Hash of every source file that can hold a kernel (12 hex digits)."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(numba.__version__.encode())
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _find_cache_folder() -> Path:
    """The folder of this version's compiled kernels, created; in the temp folder at worst.

    It is touched, so that its age tells since when nobody has used it.
    """
    wanted = os.environ.get("WHIMBREL_CACHE_DIR")
    base = Path(wanted) if wanted else platformdirs.user_cache_path("whimbrel")
    in_temp = Path(tempfile.gettempdir()) / f"whimbrel-{os.getuid()}"
    name = f"kernels-{source_hash()}"
    for parent in (base, in_temp):
        folder = parent / name
        try:
            if parent == in_temp:
                _make_private(parent)
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="whimbrel-kernels-"))


def _make_private(folder: Path) -> None:
    """Make a folder where everybody may, or raise ``OSError``: it may be a trap.

    Its name can be guessed, and what lies in it is loaded as machine code.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    others_may_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or others_may_write:
        raise PermissionError(f"{folder}: not a folder of this user alone")


CACHE_FOLDER = _find_cache_folder()
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]


if TYPE_CHECKING:

    def int64(value: SupportsInt) -> int:
        """Give a signed number of 64 bits: what index arithmetic in kernels is done in."""

else:
    int64 = np.int64  # mypy does not take NumPy's scalars for numbers

_njit: Any = numba.njit  # its own types do not know all options
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "no_cfunc_wrapper": True,  # nothing calls kernels from C; a tenth less to compile
}


def _once(dispatcher: Any) -> Any:
    """A dispatcher that knows no constants: kernels that pass some share one compilation.

    Numba would compile another one for each: for 0, for 1 and for a number that is not known yet.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return dispatcher
    of_dispatcher = dispatcher.get_call_template

    def template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return of_dispatcher(tuple(map(numba.types.unliteral, args)), kws)

    dispatcher.get_call_template = template
    return dispatcher


def kernel(function: F) -> F:
    """Compile a function of numbers and arrays on first call; cached on disk, GIL released.

    A kernel never raises, prints or allocates more than scratch: the Python function beside it
    validates, allocates and raises. Typed as the identity, so that mypy still sees the function.
    """
    return _once(_njit(**_OPTIONS)(function))  # type: ignore[no-any-return]


def plain_kernel(function: F) -> F:
    """A kernel that allocates nothing and returns numbers only: without reference counting.

    Counting costs two atomic operations for each array that is passed to an inner function,
    however it travels: up to half the time of kernels that walk over small records.
    """
    return _once(_njit(**_OPTIONS, _nrt=False)(function))  # type: ignore[no-any-return]


def inner_kernel(function: F) -> F:
    """A `plain_kernel` that only kernels call: compiled without the way in from Python.

    That way checks and unpacks every array of the arguments: without it the kernels of a route
    between two points took a third less to compile.
    """
    return _once(_njit(**_OPTIONS, _nrt=False, no_cpython_wrapper=True)(function))  # type: ignore[no-any-return]


def inlined_kernel(function: F) -> F:
    """An `inner_kernel` that becomes part of its callers, however large: for innermost loops.

    A call costs as much as a loop over a dozen entries, since each array takes seven words of it.
    """
    return _once(_njit(**_OPTIONS, _nrt=False, no_cpython_wrapper=True, forceinline=True)(function))  # type: ignore[no-any-return]


def machine_code(function: F, *like: object) -> F:
    """A kernel as compiled for arguments like these, to be called with no others.

    Spares Numba the look at the types of all arguments, which takes longer than many a search:
    measured 7 of 9 microseconds for 46 arrays. Nothing else looks at them either: the caller has
    to know that dtypes, dimensions and layout are the same.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    dispatcher: Any = function
    typeof: Callable[[object], object] = numba.typeof
    signature = tuple(typeof(argument) for argument in like)
    dispatcher.compile(signature)
    return dispatcher.overloads[signature].entry_point  # type: ignore[no-any-return]


class Settled(Generic[P, R]):
    """A kernel that is always called with arguments of the same types: those of its first call.

    It spares what `machine_code` does, on the same terms.
    """

    __slots__ = ("_code", "_kernel")

    def __init__(self, kernel: Callable[P, R]) -> None:
        self._kernel = kernel
        self._code: Callable[P, R] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the kernel returns."""
        code = self._code
        if code is None:
            code = self._code = machine_code(self._kernel, *args)
        return code(*args, **kwargs)
