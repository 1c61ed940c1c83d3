"""Rules of the repository: fast import, one version, names, import rules, no paths of a single machine."""

import ast
import importlib
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import softdock

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "softdock").rglob("*.py"))


def run_python(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_import_loads_no_heavy_package() -> None:
    heavy = "{'numba', 'scipy', 'matplotlib', 'pydantic', 'pint', 'pyarrow', 'trimesh', 'rich'}"
    assert run_python(f"import sys, softdock; print(sorted({heavy} & set(sys.modules)))") == "[]"


@pytest.mark.parametrize("name", dir(softdock))
def test_every_public_name_exists(name: str) -> None:
    assert getattr(softdock, name) is not None


@pytest.mark.parametrize("name", dir(softdock))
def test_no_public_name_is_also_a_module(name: str) -> None:
    assert importlib.util.find_spec(f"softdock.{name}") is None


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        softdock.simulat  # noqa: B018


def test_citation_and_package_have_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", citation, re.M).group(1) == softdock.__version__  # type: ignore[union-attr]


def test_no_module_has_a_meaningless_name() -> None:
    assert not {path.stem for path in SOURCES} & {"utils", "helpers", "common", "misc", "manager"}


def test_figures_do_not_take_their_layout_from_settings_of_other_packages() -> None:
    """Importing Basilisk, for example, changes matplotlib's default to a layout that moves frames placed by hand."""
    without = [
        (path.name, node.lineno)
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "Figure"
        and "layout" not in {keyword.arg for keyword in node.keywords}
    ]
    assert not without


FILE_WRITERS = {
    "os.open", "os.link", "os.mkfifo", "os.mknod", "os.rename", "os.replace", "os.symlink", "os.truncate",
    "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "sqlite3.connect",
    "tempfile.NamedTemporaryFile", "tempfile.TemporaryFile", "tempfile.mkstemp",
}  # fmt: skip
"""Functions that open, create or rename files."""
FILE_METHODS = {
    "hardlink_to", "rename", "symlink_to", "to_csv", "to_parquet", "tofile", "touch", "write_bytes",
    "write_html", "write_text",
}  # fmt: skip
HANDLE_WRITERS = {
    "ParquetWriter": 0, "save": 0, "savetxt": 0, "savez": 0, "savez_compressed": 0, "savefig": 0, "write_table": 1,
}  # fmt: skip
"""Functions of libraries that accept names and open files, with the number of that argument."""
HANDLES = {"buffer", "file"}
"""Names of open files, which these functions accept too."""


def _opens_for_writing(call: ast.Call) -> bool:
    """Return whether a call may open a file for writing; names of methods that have other uses need a mode."""
    function = ast.unparse(call.func)
    owner, _, name = function.rpartition(".")
    if function in FILE_WRITERS or (owner and name in FILE_METHODS):
        return True
    if name in HANDLE_WRITERS and owner in ("np", "numpy", "pq", "figure", "plt"):
        return ast.unparse(call.args[HANDLE_WRITERS[name]]) not in HANDLES
    if name != "open":
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    modes = [str(one.value) for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return any(re.fullmatch(r"[rwaxbtU+]+", mode) and set(mode) & set("wax+") for mode in modes)


def test_only_the_package_files_opens_files_for_writing() -> None:
    """It follows no links in received folders, replaces files atomically and leaves nothing in part."""
    package = ROOT / "src" / "softdock"
    found = {
        f"{path.relative_to(package).as_posix()}: {ast.unparse(node)}"
        for path in SOURCES
        if path.parent != package / "files"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _opens_for_writing(node)
    }
    assert found == {"cli/console.py: os.open(os.devnull, os.O_WRONLY)"}


@pytest.mark.parametrize(
    ("call", "writes"),
    [
        ("path.open('w')", True), ("open(path, 'ab')", True), ("path.open(mode='r+')", True),
        ("path.open('rb')", False),
        ("open(path)", False), ("np.savez(path, a=1)", True), ("np.savez(buffer, a=1)", False),
        ("figure.savefig('a.png')", True), ("sqlite3.connect(path)", True), ("path.touch()", True),
        ("view.open(run)", False),
    ],
)  # fmt: skip
def test_the_search_for_writers_recognises(call: str, writes: bool) -> None:
    (statement,) = ast.parse(call).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    assert _opens_for_writing(statement.value) == writes


LONGEST_FUNCTION = 60  # lines


def test_functions_are_short_enough_to_read() -> None:
    long = {
        node.name
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    }
    assert not long


def test_kernels_import_only_kernels() -> None:
    """Kernels import math, enum, numpy, the kernel decorators, SIMD vectors and other kernels."""
    allowed = re.compile(
        r"(math|enum|numpy(\.\w+)*|typing|collections|importlib|softdock\.(native\.decorators|native\.simd|elements\.kinds|(\w+\.)+kernels)(\.\w+)*)$"
    )
    for path in SOURCES:
        if "kernels" in path.with_suffix("").parts:
            source = path.read_text(encoding="utf-8")
            for module in re.findall(r"^\s*(?:from|import) ([\w.]+)", source, re.M):
                assert allowed.match(module), f"{path.relative_to(ROOT)} imports {module}"


def _bound_names(tree: ast.AST) -> set[str]:
    """Return the names that a module defines itself, without those that it imports."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    named = {node.name for node in ast.walk(tree) if isinstance(node, functions)}
    return named | {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def test_modules_import_names_from_the_module_that_defines_them() -> None:
    """One import path per name: packages re-export names for users only."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    bound = {path: _bound_names(tree) for path, tree in trees.items()}
    others = []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if not module.startswith("softdock") or path.name == "__init__.py":
                continue
            source = ROOT.joinpath("src", *module.split("."))
            if source.is_dir():
                modules = {found.stem for found in source.iterdir()}
                known = bound[source / "__init__.py"] | modules
            else:
                known = bound[source.with_suffix(".py")]
            others += [f"{path.name}: {module}.{name.name}" for name in node.names if name.name not in known]
    assert not others


RE_EXPORTING = {"contact", "recording"}
"""Building blocks whose names users import from the package, not from its modules."""


def test_packages_do_not_re_export_names() -> None:
    """Users import public names from `softdock` or from a building block, so that every name has one import path."""
    for path in (ROOT / "src" / "softdock").glob("*/__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            name.asname or name.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("softdock")
            for name in node.names
            if not (path.parent / f"{name.name}.py").exists()
        }
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert path.parent.name in RE_EXPORTING or imported <= used, f"{path.parent.name}: {imported - used}"


def test_no_file_contains_paths_of_a_single_machine() -> None:
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs a Git checkout of the repository and the command git")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    read = []
    suffixes = {".py", ".md", ".toml", ".yaml", ".yml", ".cff", ".css", ""}
    for name in tracked.split("\n"):
        path = ROOT / name
        if name and path.is_file() and path.suffix in suffixes and path != Path(__file__):
            found = re.search(r"(?<![\w.])/(home|root|work|Users)/\w+", path.read_text(encoding="utf-8"))
            assert not found, f"{name}: {found and found.group()}"
            read.append(name)
    assert {"pyproject.toml", "README.md", "src/softdock/__init__.py"} <= set(read)


def test_fields_of_records_are_reachable_by_name_without_compilation() -> None:
    """As plain Python, `record.size` is an attribute of NumPy and not the field of that name."""
    modules = [
        importlib.import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts))
        for path in SOURCES
        if "kernels" in path.parts and path.name != "__init__.py"
    ]
    taken = set(dir(np.record))
    found = {
        f"{module.__name__}.{name}: {field}"
        for module in modules
        for name, dtype in vars(module).items()
        if isinstance(dtype, np.dtype)
        for field in dtype.names or ()
        if field in taken
    }
    assert not found


def _class_names(tree: ast.AST) -> Iterator[str]:
    """Yield the names of the classes of a module, named tuples by `namedtuple` included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "namedtuple",
            "NamedTuple",
            "create_model",
        ):
            yield ast.literal_eval(node.args[0])


def test_no_two_classes_have_the_same_name() -> None:
    """A name leads to one class: two ideas have two names, and one idea has one class."""
    modules: dict[str, set[str]] = {}
    for path in SOURCES:
        for name in _class_names(ast.parse(path.read_text(encoding="utf-8"))):
            modules.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


def test_no_comparison_depends_on_the_order_of_enum_members() -> None:
    order = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    enums = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base) in ("Enum", "IntEnum") for base in node.bases)
    }
    compared = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and any(isinstance(operator, order) for operator in node.ops)
        for operand in (node.left, *node.comparators)
        if isinstance(operand, ast.Attribute) and ast.unparse(operand.value).rpartition(".")[2] in enums
    ]
    assert compared == []
