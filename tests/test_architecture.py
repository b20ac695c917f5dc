"""The rules of the house, checked by reading the sources."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("gis", "routing", "server")
FILES = sorted(path for layer in LAYERS for path in (ROOT / layer).rglob("*.py"))
BASE = {"gis.jit", "gis.arrays", "gis.errors", "gis.stage"}
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
MAX_KERNEL_PARAMETERS = 8
NUMBA_DECORATORS = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}
INNER_KERNELS = {"inner_kernel", "inlined_kernel"}
KERNELS = {"kernel", "plain_kernel", *INNER_KERNELS}
NOT_IN_KERNELS = {"print", "sort", "sorted", "argsort", "searchsorted", "unique"}


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def project_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            names = [node.module or ""]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in LAYERS)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(called_name(d) in KERNELS for d in function.decorator_list)


def called_name(node: ast.expr) -> str:
    """The last name of ``a``, ``b.a``, ``a(...)`` and ``b.a(...)``."""
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def compiler_uses(tree: ast.Module) -> list[str]:
    """Where a file names one of Numba's decorators, called, bare, or imported under any name."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.Name | ast.Attribute):
            names.append(called_name(node))
    return [name for name in names if name in NUMBA_DECORATORS]


def forbidden_in_kernels(tree: ast.Module) -> list[str]:
    """What kernels do that they must not: raise, print, or call what compiles for seconds."""
    found = []
    for function in functions(tree):
        if not is_kernel(function):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Raise | ast.Assert | ast.Try):
                found.append(f"{function.name}: {type(node).__name__}")
            if isinstance(node, ast.Call) and called_name(node) in NOT_IN_KERNELS:
                found.append(f"{function.name}: {called_name(node)}")
    return found


def inner_kernels() -> dict[str, set[str]]:
    """The kernels that have no way in from Python, by module."""
    return {
        module_of(path): {
            function.name
            for function in functions(parse(path))
            if INNER_KERNELS & set(map(called_name, function.decorator_list))
        }
        for path in FILES
    }


def names_outside_kernels(tree: ast.AST) -> Iterator[str]:
    """The plain names that code uses which is not that of a kernel."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Name):
            yield node.id
        if not (isinstance(node, ast.FunctionDef) and is_kernel(node)):
            yield from names_outside_kernels(node)


def test_inner_kernels_are_called_by_kernels_alone() -> None:
    """Called from Python, an inner kernel is a segmentation fault."""
    inner = inner_kernels()
    assert sum(map(len, inner.values())) > 20
    for path in [*FILES, *sorted((ROOT / "tests").rglob("*.py"))]:
        tree = parse(path)
        known = set(inner.get(module_of(path), ()))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in inner:
                known |= {a.asname or a.name for a in node.names if a.name in inner[node.module]}
        assert not known & set(names_outside_kernels(tree)), path


def test_there_are_files() -> None:
    """The other tests look at something."""
    assert len(FILES) > 40


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_layers_point_downwards(path: Path) -> None:
    """A file imports only its own layer and the ones below."""
    allowed = LAYERS[: LAYERS.index(module_of(path).split(".")[0]) + 1]
    for name in project_imports(parse(path)):
        assert name.split(".")[0] in allowed, f"{module_of(path)} imports {name}"


def test_no_cycles() -> None:
    """Imports of the project's files form no cycle, imports inside functions included."""
    graph = {module_of(path): set(project_imports(parse(path))) for path in FILES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module in done:
            return
        for name in sorted(graph.get(module, ())):
            visit(name, (*path, module))
        done.add(module)

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_sizes(path: Path) -> None:
    """Files, functions and kernels stay small enough to be one concept each."""
    text = path.read_text()
    assert text.count("\n") <= MAX_FILE_LINES
    for function in functions(ast.parse(text)):
        lines = (function.end_lineno or 0) - function.lineno + 1
        assert lines <= MAX_FUNCTION_LINES, f"{function.name} has {lines} lines"
        if is_kernel(function):
            assert len(function.args.args) <= MAX_KERNEL_PARAMETERS, function.name


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_kernels_only_through_the_decorator(path: Path) -> None:
    """Numba is used through the decorators of gis.jit alone, never with parallel or fastmath."""
    if module_of(path) != "gis.jit":
        assert compiler_uses(parse(path)) == []
    text = path.read_text()
    assert "parallel=True" not in text
    assert "fastmath" not in text


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_kernels_do_only_what_kernels_may(path: Path) -> None:
    """Kernels never raise or print, and call nothing that takes seconds to compile."""
    assert forbidden_in_kernels(parse(path)) == []


@pytest.mark.parametrize(
    "source",
    [
        "import numba\n@numba.njit\ndef f(): ...",
        "import numba\n@numba.njit(cache=True)\ndef f(): ...",
        "from numba import njit\n@njit\ndef f(): ...",
        "from numba import njit\nf = njit(cache=True)(g)",
        "from numba import jit as quick\n@quick\ndef f(): ...",
        "from numba.experimental import jitclass",
    ],
)
def test_uses_of_the_compiler_are_found(source: str) -> None:
    """In whatever way a decorator is imported and applied, it is noticed."""
    assert compiler_uses(ast.parse(source))
    assert not compiler_uses(ast.parse("from gis.jit import kernel\n@kernel\ndef f(): ..."))


@pytest.mark.parametrize("decorator", ["kernel", "plain_kernel", "jit.kernel"])
@pytest.mark.parametrize(
    "line",
    [
        *(
            "raise ValueError",
            "assert x",
            "print(x)",
            "np.sort(x)",
            "x.sort()",
            "y = np.argsort(x)",
        ),
        *("return np.searchsorted(x, 1)", "np.unique(x)", "if x:\n  for y in sorted(x): ..."),
    ],
)
def test_misdeeds_of_kernels_are_found(decorator: str, line: str) -> None:
    """Whatever a kernel must not do is noticed under each decorator, and nowhere else."""
    body = line.replace("\n", "\n ")
    assert len(forbidden_in_kernels(ast.parse(f"@{decorator}\ndef f(x):\n {body}"))) == 1
    assert forbidden_in_kernels(ast.parse(f"def f(x):\n {body}")) == []


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_print_only_at_the_command_line(path: Path) -> None:
    """Libraries log; only the command line prints."""
    if module_of(path).startswith("server.cli"):
        return
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_module_docstrings(path: Path) -> None:
    """Every module says in its first line what it is for; packages hold nothing else."""
    tree = parse(path)
    assert ast.get_docstring(tree)
    if path.name == "__init__.py":
        assert len(tree.body) == 1


def test_names_of_the_standard_library_are_not_shadowed() -> None:
    """No top-level name of ours hides a standard module from scripts in its folder."""
    import sys

    for path in FILES:
        assert path.stem == "__init__" or path.stem not in {"types", "queue", "profile", "platform"}
    assert not set(LAYERS) & set(sys.stdlib_module_names)
