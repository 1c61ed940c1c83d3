"""Selection of the kernel library, and errors without a usable one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from softdock import simulate, simulation
from softdock.assembly.assembler import assemble
from softdock.dynamics.entry_points import derivative
from softdock.dynamics.system_records import system_records
from softdock.lumped import entry_points as lumped
from softdock.lumped.chain import Chain, Pad
from softdock.lumped.chain_run import _workspace
from softdock.model.system import Body, System
from softdock.native import library, sources
from softdock.native.library import KernelError, usable_builds
from softdock.tree.kernels.tree import GROUP, GROUP_MOTION, records

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
    grouped = machine._replace(groups=records(9, GROUP), group_motions=records(9, GROUP_MOTION))
    with pytest.raises(TypeError, match="0 tiles and 1 inertias for 9 groups"):
        derivative(grouped, 0.0, assembly.y, assembly.y.copy())


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
    with pytest.raises(KernelError, match=r"build 'z80' .* does not exist.*one of: python, "):
        library._library.__wrapped__()


def builder_that_must_not_start(*arguments, **options):
    raise AssertionError("a build was started")


def test_a_build_for_another_kind_of_machine_is_refused_with_the_usable_names(monkeypatch):
    monkeypatch.setattr(library.subprocess, "run", builder_that_must_not_start)
    for machine, other in (("x86_64", "aarch64"), ("aarch64", "x86-64-v3")):
        monkeypatch.setattr(library.platform, "machine", lambda machine=machine: machine)
        monkeypatch.setenv(library.VARIABLE, other)
        with pytest.raises(KernelError) as caught:
            library._library.__wrapped__()
        assert (
            f"The build {other!r} of the compiled kernels is not for this kind of machine ({machine})."
            in str(caught.value)
        )
        assert other not in str(caught.value).partition("one of: ")[2]


@pytest.mark.skipif(
    "x86-64-v4" not in usable_builds(), reason="the processor must have AVX-512 to load this build"
)
def test_a_build_with_instructions_that_the_processor_lacks_is_refused(monkeypatch):
    """It would end with an illegal instruction."""
    monkeypatch.setattr(library, "processor_level", lambda loaded: 3)
    monkeypatch.setenv(library.VARIABLE, "x86-64-v4")
    with pytest.raises(
        KernelError, match=r"'x86-64-v4' .*processor does not have.*one of: python, x86-64-v3[^4]*$"
    ):
        library._library.__wrapped__()
    monkeypatch.setattr(library, "processor_level", lambda loaded: 2)
    monkeypatch.setenv(library.VARIABLE, "x86-64-v3")
    with pytest.raises(
        KernelError, match=r"'x86-64-v3' .*processor does not have.*one of: python; or unset it"
    ):
        library._library.__wrapped__()
    monkeypatch.delenv(library.VARIABLE)
    with pytest.raises(
        KernelError, match=r"This processor cannot run the compiled kernels.*SOFTDOCK_KERNELS=python"
    ):
        library._library.__wrapped__()


def test_unknown_build_in_an_installation_gives_a_message(tmp_path):
    installed = tmp_path / "site" / "softdock"
    shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    done = softdock("run", "latch-paper", PYTHONPATH=str(installed.parent), SOFTDOCK_KERNELS="z80")
    assert done.returncode == 1
    assert "The build 'z80' of the compiled kernels does not exist." in done.stderr
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
    with pytest.raises(KernelError, match=r"their sources changed\. Run `make kernels`"):
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
    assert capsys.readouterr().err.startswith(
        "Softdock: building the kernels, because their sources changed."
    )


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "was not built yet"), (b"", "is damaged"), (b"other bytes", "is damaged")]
)
def test_a_missing_or_damaged_library_of_a_checkout_is_rebuilt(
    monkeypatch, tmp_path, capsys, content, reason
):
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.delenv(library.VARIABLE, raising=False)
    first = library.library_path(library.default_builds()[0])
    if content is not None:
        first.write_bytes(content)
    failed = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(library.subprocess, "run", lambda command, **_: failed)
    with pytest.raises(KernelError, match="could not be built; see the messages above"):
        library._library.__wrapped__()
    assert f"building the kernels, because {first.name} {reason}." in capsys.readouterr().err


REPLACE = """
from softdock.native import library, sources
old = sources.source_digest().encode()
kernels = sources.PACKAGE / "tree" / "kernels" / "tree.py"
kernels.write_text(kernels.read_text(encoding="utf-8") + "# newer\\n", encoding="utf-8")
for build in library.default_builds():
    path = library.library_path(build)
    content = path.read_bytes()[: -len(library.footer(b""))].replace(old, sources.source_digest().encode())
    path.unlink()  # as the builder does: a process that has loaded the library keeps it
    path.write_bytes(content + library.footer(content))
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


def flipped(content, at):
    """Return the content of a file with one bit changed at a share of its length."""
    place = int(at * (len(content) - 1))
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:200_000],
        lambda content: content[:-10],
        lambda content: flipped(content, 0.1),
        lambda content: flipped(content, 0.7),
        lambda content: flipped(content, 1.0),
    ],
    ids=["empty", "cut", "without its end", "bit in code", "other bit in code", "last bit"],
)
def test_damaged_library_gives_a_message(tmp_path, damage):
    installed = tmp_path / "site" / "softdock"
    shutil.copytree(PACKAGE, installed, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (installed / "native").glob("softdock_kernels.*"):
        path.write_bytes(damage(path.read_bytes()))
    done = softdock("run", "latch-paper", PYTHONPATH=str(installed.parent))
    assert done.returncode == 1
    assert "The compiled kernels cannot be loaded" in done.stderr
    assert "is damaged. Install Softdock again." in done.stderr
    assert "Traceback" not in done.stderr


def test_the_time_of_a_build_is_not_the_time_of_a_run(monkeypatch):
    """A clock that only the build moves shows what is counted."""
    now, load = [0.0], library._library

    def build():
        now[0] = 80.0
        return load()

    monkeypatch.setattr(simulation.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(library, "runs_as_python", lambda: False)
    monkeypatch.setattr(library, "_library", build)
    assert simulate("impact-a").timing.wall_s == 0.0
    assert now == [80.0]
