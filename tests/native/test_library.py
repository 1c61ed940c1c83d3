"""Selection of the kernel library, and errors without a usable one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from softdock.assembly.assembler import assemble
from softdock.dynamics.entry_points import derivative
from softdock.dynamics.kernels.tree import GROUP, records
from softdock.dynamics.system_records import system_records
from softdock.lumped import entry_points as lumped
from softdock.lumped.chain import Chain, Pad
from softdock.lumped.chain_run import _workspace
from softdock.model.system import Body, System
from softdock.native import library, sources
from softdock.native.library import KernelError, usable_builds

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "softdock"
RUN = "from softdock.cli import main; main()"


def softdock(*args, **environment):
    """Run the command line with the kernels selected by the environment."""
    return subprocess.run(
        [sys.executable, "-c", RUN, *args],
        env={**os.environ, **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_package_does_not_import_a_compiler():
    for path in PACKAGE.rglob("*.py"):
        assert not any(
            line.split()[:2] in (["import", name], ["from", name])
            for line in path.read_text(encoding="utf-8").splitlines()
            for name in ("numba", "llvmlite")
        ), path


def test_sizes_that_do_not_fit_are_refused():
    arrays, law, work = _chain_arguments()
    for wrong in (work._replace(q=work.q[:2]), work._replace(totals=work.totals[:3])):
        with pytest.raises(TypeError, match=r"run: work\.(q|totals) has . rows"):
            lumped.run(arrays, law, wrong, 1.0, 1, 0.1, 100.0)
    with pytest.raises(TypeError, match=r"run: .*64 bits"):
        lumped.run(arrays, law, work, 1.0, 10**30, 0.1, 100.0)
    system = System(bodies={"ball": Body(mass=1.0, inertia=(1.0, 1.0, 1.0))})
    assembly = assemble(system)
    machine = system_records(assembly)
    with pytest.raises(TypeError, match="a state has 3 numbers, 15 are needed"):
        derivative(machine, 0.0, np.zeros(3), np.zeros(3))
    with pytest.raises(TypeError, match="1 tiles for 9 groups"):
        derivative(machine._replace(groups=records(9, GROUP)), 0.0, assembly.y, assembly.y.copy())


def _chain_arguments():
    chain = Chain(chaser_masses=(1.0,), target_masses=(1.0,), speed=1.0, pad=Pad(stiffness=1.0))
    return *chain.arrays, _workspace(2, rows=10)


@pytest.mark.parametrize("command", [["--help"], ["run", "latch-paper", "--json"], ["run", "assist-passive"]])
def test_no_command_loads_a_compiler(command):
    script = f"""
import sys
from softdock.cli import main
sys.argv[1:] = {command}
try:
    main()
finally:
    print([name for name in ("numba", "llvmlite") if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr.split("\n")[-2] == "[]"


def test_an_unknown_build_is_an_error_that_lists_the_others(monkeypatch):
    monkeypatch.setenv(library.VARIABLE, "z80")
    with pytest.raises(KernelError, match=r"no build 'z80'.*one of: python"):
        library._library.__wrapped__()


def test_unknown_build_in_an_installation_gives_a_message(tmp_path):
    installed = tmp_path / "site" / "softdock"
    shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    done = softdock("run", "latch-paper", PYTHONPATH=str(installed.parent), SOFTDOCK_KERNELS="z80")
    assert done.returncode == 1
    assert "There is no build 'z80' of the compiled kernels." in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_library_the_message_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sources, "BUILDER", Path("nowhere"))
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    with pytest.raises(KernelError, match=r"no compiled kernels for .*: install Softdock again"):
        library._library.__wrapped__()


def test_processor_without_avx_gets_a_message(monkeypatch):
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sources, "BUILDER", Path("nowhere"))
    monkeypatch.setattr(library, "usable_builds", lambda: ())
    with pytest.raises(KernelError, match=r"cannot run the compiled kernels.*SOFTDOCK_KERNELS=python"):
        library._library.__wrapped__()


def test_the_best_usable_build_comes_last():
    assert usable_builds() == library.default_builds()[: len(usable_builds())] != ()


def test_a_library_of_other_sources_is_never_used(monkeypatch):
    """Without the tools of the builder a library of other sources is an error."""
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sources, "DIGEST_AT_IMPORT", "f" * 64)
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(KernelError, match="older than their sources"):
        library._library.__wrapped__()


def test_a_library_of_other_sources_is_rebuilt(monkeypatch, capsys):
    asked = []
    monkeypatch.delenv(library.VARIABLE, raising=False)
    monkeypatch.setattr(sources, "DIGEST_AT_IMPORT", "f" * 64)
    monkeypatch.setattr(
        library.subprocess,
        "run",
        lambda command, **_: asked.append(command) or subprocess.CompletedProcess([], 0),
    )
    with pytest.raises(KernelError, match="sources of the kernels changed"):  # this builder replaced nothing
        library._library.__wrapped__()
    assert "kernel_builder" in asked[0]
    assert capsys.readouterr().err == "Softdock: building the kernels, because their sources changed.\n"


REPLACE = """
from softdock.native import library, sources
old = sources.source_digest().encode()
kernels = sources.PACKAGE / "dynamics" / "kernels" / "tree.py"
kernels.write_text(kernels.read_text(encoding="utf-8") + "# newer\\n", encoding="utf-8")
for build in library.default_builds():
    path = library.library_path(build)
    content = path.read_bytes().replace(old, sources.source_digest().encode())
    path.unlink()  # as the builder does: a process that has loaded the library keeps it
    path.write_bytes(content)
"""
"""Changes a kernel, and replaces the libraries as another process would that builds them for the new sources."""


@pytest.mark.parametrize(
    "before",
    ["import softdock.dynamics.entry_points", "import softdock; softdock.simulate('impact-a')"],
    ids=["kernels imported", "library in use"],
)
def test_a_process_calls_no_kernels_of_other_sources_than_it_has_imported(tmp_path, before):
    """They would read records with other layouts. `assist-passive` imports kernels that `impact-a` does not."""
    ignored = shutil.ignore_patterns("__pycache__", "tests")
    shutil.copytree(PACKAGE, tmp_path / "src" / "softdock", ignore=ignored)
    shutil.copytree(ROOT / "kernel_builder", tmp_path / "kernel_builder", ignore=ignored)
    script = f"import sys\n{before}\n{REPLACE}\nsys.argv[1:] = ['run', 'assist-passive']\n{RUN}"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(tmp_path / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == f"The run could not be completed: {library.CHANGED}\n"


def test_kernels_run_as_plain_python():
    plain, compiled = (
        json.loads(softdock("run", "impact-a", "--json", **environment).stdout)
        for environment in ({"SOFTDOCK_KERNELS": "python"}, {})
    )
    assert plain["outcome"] == compiled["outcome"] == "separated"
    for name, value in compiled["metrics"].items():
        assert np.allclose(plain["metrics"][name], value, rtol=1e-12, atol=0.0), name


@pytest.mark.parametrize("kept", [0, 200_000, -10])
def test_damaged_library_gives_a_message(tmp_path, kept):
    installed = tmp_path / "site" / "softdock"
    shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (installed / "native").glob("softdock_kernels.*"):
        path.write_bytes(path.read_bytes()[:kept])
    done = softdock("run", "latch-paper", PYTHONPATH=str(installed.parent))
    assert done.returncode == 1
    assert "The compiled kernels cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
