"""The whole build: dependencies of the libraries, versions of tools, and errors of compiler and linker."""

import dataclasses
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import llvmlite
import pytest

from kernel_builder import build, linker, targets
from kernel_builder.linker import ALLOWED, LinkError, link, undefined_symbols, wheel_platform
from kernel_builder.source_tree import PACKAGE, ROOT, entry_points
from softdock.native.library import default_builds, footer, library_path, runs_as_python
from softdock.native.sources import source_digest, source_files

LIBRARIES = [library_path(build) for build in default_builds() if library_path(build).is_file()]
TRIPLE = linker.llvm.get_process_triple()

pytestmark = pytest.mark.skipif(runs_as_python(), reason="about compiled kernels")


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda path: path.name)
def test_libraries_depend_on_the_mathematical_library_only(library):
    assert undefined_symbols(library) <= ALLOWED
    assert source_digest().encode() in library.read_bytes()
    assert library.stat().st_size < 3_000_000


def test_entry_points_have_unique_symbols():
    symbols = [entry.symbol for entry in entry_points()]
    assert len(set(symbols)) == len(symbols) >= 25


def test_the_builder_works_before_softdock_is_installed():
    """Without `site` no editable installation is on the path, as at the first installation."""
    folder = Path(llvmlite.__file__).parents[1]
    script = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(folder)!r}]; import kernel_builder.build as b; "
    )
    script += "print(len(b.entry_points()))"
    done = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(len(entry_points())), done.stderr


def test_pinned_versions_of_the_tools_are_consistent():
    required = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"][
        "requires"
    ]
    listed = (Path(linker.__file__).parent / "requirements.txt").read_text(encoding="utf-8")
    for name in ("numba", "llvmlite"):
        pins = re.findall(rf"{name}==[\d.]+", " ".join(required) + listed)
        assert len(pins) == 2, name
        assert len(set(pins)) == 1, name


def test_modules_that_kernels_import_count_as_their_sources():
    found = set(source_files())
    for path in found:
        if path.is_relative_to(PACKAGE):
            for module in re.findall(
                r"^from (softdock[\w.]*) import", path.read_text(encoding="utf-8"), re.M
            ):
                file = ROOT / "src" / Path(*module.split("."))
                known = {file.with_suffix(".py"), file / "__init__.py"} & found
                assert known or file.is_dir() or module == "softdock.errors", f"{path}: {module}"


def test_change_of_sources_during_a_build_ends_it(monkeypatch, tmp_path):
    """The object file would be named by the old sources, and a library labelled with the new ones."""
    monkeypatch.setattr(targets, "machine_code", lambda bitcode, target: b"")
    name = default_builds()[0]
    task = build.Task("entry_point", {name: tmp_path / "entry_point.o"}, False, {}, sources="f" * 64)
    with pytest.raises(build.BuildError, match="changed while they were being built"):
        build.write_object(task, name, b"")
    assert not list(tmp_path.iterdir())
    build.write_object(dataclasses.replace(task, sources=source_digest()), name, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["entry_point.o"]


@pytest.fixture
def no_compiler(monkeypatch):
    """A machine without compilers, which has no ziglang either."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(linker.shutil, "which", lambda name: None)
    monkeypatch.setattr(linker.importlib.util, "find_spec", lambda name: None)
    linker.find_driver.cache_clear()
    yield
    linker.find_driver.cache_clear()


@pytest.fixture
def compiler_named(monkeypatch):
    """A function that selects compilers by name: those found on the path, or the one of `CC`."""

    def select(*found, CC=None):
        monkeypatch.delenv("CC", raising=False)
        if CC is not None:
            monkeypatch.setenv("CC", CC)
        monkeypatch.setattr(linker, "COMPILERS", found)
        linker.find_driver.cache_clear()

    yield select
    linker.find_driver.cache_clear()


def test_without_a_compiler_the_message_says_what_to_install(no_compiler, tmp_path):
    with pytest.raises(LinkError, match=r"No C compiler was found.*apt install gcc.*ziglang"):
        link([], "digest", tmp_path / "library.so", "x86_64-unknown-linux-gnu")


def test_without_a_compiler_nothing_is_compiled(no_compiler, monkeypatch, tmp_path):
    """The linker is looked for first: compiling takes a minute."""
    monkeypatch.setattr(build, "OBJECTS", tmp_path / "objects")
    monkeypatch.setattr(build, "_compile", lambda *arguments: pytest.fail("kernels were compiled"))
    with pytest.raises(LinkError, match="No C compiler was found"):
        build.build(default_builds(), folder=tmp_path)


def fake_compiler(folder, script):
    """Return a compiler in a folder with a space in its name that behaves as a shell script says."""
    (folder / "a folder").mkdir(exist_ok=True)
    path = folder / "a folder" / "compiler"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_the_build_takes_a_linker_from_pypi_only_where_there_is_no_compiler(
    compiler_named, monkeypatch, tmp_path
):
    compiler_named(fake_compiler(tmp_path, "exit 0"))
    assert linker.requirements() == []
    monkeypatch.setattr(linker.importlib.util, "find_spec", lambda name: None)
    compiler_named()
    assert linker.requirements() == [linker.ZIGLANG]
    compiler_named(fake_compiler(tmp_path, "exit 1"))
    assert linker.requirements() == [linker.ZIGLANG]
    compiler_named(CC="my-compiler")  # the user's choice is not replaced
    assert linker.requirements() == []


def test_a_compiler_that_cannot_link_is_passed_over(compiler_named, tmp_path):
    """Such as gcc without the files of the C library."""
    driver = linker.find_driver(TRIPLE)
    broken = fake_compiler(tmp_path, "echo cannot find crti.o >&2; exit 1")
    compiler_named(broken, *linker.COMPILERS)
    assert linker.find_driver(TRIPLE) == driver
    compiler_named(CC=shlex.quote(broken))
    with pytest.raises(LinkError, match=r"compiler' cannot be used: cannot find crti\.o"):
        linker.find_driver(TRIPLE)
    compiler_named(CC="no-such-compiler")
    with pytest.raises(LinkError, match=r"no-such-compiler cannot be used: .*No such file"):
        linker.find_driver(TRIPLE)


def test_the_backend_asks_for_the_linker(monkeypatch):
    """Hatchling installs what `dependencies` returns into the environment of the build."""
    from kernel_builder.hatch_build import KernelBuildHook

    hook = KernelBuildHook(str(ROOT), {}, None, None, "", "wheel")
    assert hook.dependencies() == linker.requirements()


def test_a_rebuilt_library_is_a_new_file(tmp_path, monkeypatch):
    """A process that has loaded the old one keeps its bytes: written in place, it would crash."""
    name = default_builds()[0]
    library = tmp_path / library_path(name).name
    library.write_bytes(b"old")
    (tmp_path / "in use").hardlink_to(library)
    monkeypatch.setattr(build, "link", lambda objects, digest, path, triple: path.write_bytes(b"new"))
    monkeypatch.setattr(build, "undefined_symbols", lambda path: set())
    build._link(name, [], library)
    assert library.read_bytes() == b"new" + footer(b"new")
    assert (tmp_path / "in use").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["in use", library.name])


def test_message_quotes_a_failing_linker(tmp_path):
    missing = tmp_path / "missing.o"
    with pytest.raises(LinkError, match=r"missing\.o"):
        link([missing], "digest", tmp_path / "library.so", TRIPLE)


@pytest.mark.skipif(not LIBRARIES, reason="no libraries here")
def test_the_platform_of_a_wheel_names_the_version_of_glibc():
    assert re.fullmatch(r"(manylinux_2_\d+|linux|macosx|win)\w*", wheel_platform(LIBRARIES))
