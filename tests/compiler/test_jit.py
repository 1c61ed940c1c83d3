"""The kernel cache: never stale, never in a folder of somebody else, never in the way."""

import os
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from softdock import jit
from softdock.compiler import machine_code

KERNEL = """
    from softdock.jit import kernel
    from softdock.lumped.helper import twice
    from softdock.lumped.constants import (
        OFFSET,
    )


    @kernel
    def answer(x):
        return twice(x) + OFFSET


    def warm_up():
        answer(1.0)
"""
HELPER = """
    from softdock.jit import inlined


    @inlined
    def twice(x):
        return 2.0 * x
"""
ASK = """
    import sys
    from softdock import jit
    cold = jit.is_cold("lumped")
    from softdock.lumped import answer
    print(cold, answer(10.0), jit.is_cold("lumped"), jit.cache_folder("lumped"))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package named softdock with this decorator and one kernel made of three files."""
    root = tmp_path / "softdock"
    (root / "lumped").mkdir(parents=True)
    (root / "__init__.py").touch()
    ours = Path(jit.__file__).parent
    for name in ("jit.py", "caches.py", "claims.py", "lanes.py"):
        shutil.copy(ours / name, root)
    shutil.copytree(ours / "compiler", root / "compiler", ignore=shutil.ignore_patterns("__pycache__"))
    write(root / "lumped" / "__init__.py", KERNEL)
    write(root / "lumped" / "helper.py", HELPER)
    write(root / "lumped" / "constants.py", "OFFSET = 0.5\n")
    return root


def write(path: Path, source: str) -> None:
    path.write_text(textwrap.dedent(source), encoding="utf-8")


def ask(package: Path, script: str = ASK, **environment: str) -> list[str]:
    home = package.parent / "home"
    home.mkdir(exist_ok=True)
    known = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    # Python itself does not notice an edit within a second to the same length.
    known["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=known | {"PYTHONPATH": str(package.parent), "HOME": str(home)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("file", "old", "new", "answer"),
    [("helper.py", "2.0", "3.0", "30.5"), ("constants.py", "0.5", "7.0", "27.0")],
)
def test_an_edit_in_another_file_changes_the_answer(
    package: Path, file: str, old: str, new: str, answer: str
) -> None:
    cold, first, still_cold, folder = ask(package)
    assert (cold, first, still_cold) == ("True", "20.5", "False")
    assert ask(package) == ["False", "20.5", "False", folder]
    path = package / "lumped" / file
    path.write_text(path.read_text().replace(old, new))
    cold, second, _, other_folder = ask(package)
    assert (cold, second) == ("True", answer)
    assert other_folder != folder


def test_an_edit_in_another_room_keeps_the_kernels(package: Path) -> None:
    first = ask(package)
    (package / "contact").mkdir()
    write(package / "contact" / "__init__.py", HELPER)
    assert ask(package) == ["False", *first[1:]]


def test_parts_of_kernels_can_be_called_from_python_too(package: Path) -> None:
    script = """
        import pickle
        from softdock.lumped import answer, twice
        print(twice(4.0), answer(1.0), twice(5.0), pickle.loads(pickle.dumps(twice)) is twice)
    """
    assert ask(package, script) == ["8.0", "2.5", "10.0", "True"]
    assert ask(package, script) == ["8.0", "2.5", "10.0", "True"]


def test_only_kernels_called_from_python_are_kept(package: Path) -> None:
    *_, folder = ask(package)
    assert [path.name.split("-")[0] for path in Path(folder).iterdir()] == ["lumped.answer"]


def test_a_kept_kernel_needs_no_compiler(package: Path) -> None:
    script = """
        import sys
        from softdock.lumped import answer
        print(answer(10.0), "numba" in sys.modules)
    """
    ask(package)
    assert ask(package, script) == ["20.5", "False"]


def test_without_machine_code_a_kept_kernel_is_loaded_by_numba(package: Path) -> None:
    script = """
        from numba.core import compiler_machinery
        def refuse(*_):
            raise AssertionError("compiled")
        compiler_machinery.PassManager.run = refuse
        from softdock.lumped import answer
        print(answer(10.0))
    """
    elsewhere = {"NUMBA_DEBUG_CACHE": "0"}  # whatever is set: the compiler must hear of it
    ask(package, **elsewhere)
    assert ask(package, script, **elsewhere) == ["20.5"]


@pytest.mark.parametrize("harm", ["cut", "changed", "emptied"])
def test_a_damaged_file_is_compiled_again(package: Path, harm: str) -> None:
    *_, folder = ask(package)
    (path,) = Path(folder).iterdir()
    good = path.read_bytes()
    flipped = good[:-9] + bytes([good[-9] ^ 1]) + good[-8:]
    path.write_bytes({"cut": good[:-100], "changed": flipped, "emptied": b""}[harm])
    assert ask(package)[1] == "20.5"
    assert path.read_bytes() == good


PASSED = """
    import numpy as np
    from typing import NamedTuple
    from softdock.jit import kernel

    class Both(NamedTuple):
        table: np.ndarray
        rows: np.recarray

    @kernel
    def add(both, more, scale, twice, k):
        total = 0.0
        for i in range(both.table.shape[0]):
            for j in range(both.table.shape[1]):
                total += both.table[i, j] * (1 + i + 10 * j)
        both.rows[0].force[1] = total
        return (total * scale, k + both.rows.shape[0]), twice and more[1] > 0.0

    @kernel
    def nothing(x):
        x[0] = 7.0

    def warm_up():
        pass
"""


def test_all_kinds_of_arguments_arrive_as_numba_passes_them(package: Path) -> None:
    write(package / "lumped" / "__init__.py", PASSED)
    script = """
        import sys
        import numpy as np
        from softdock.jit import bind
        from softdock.lumped import Both, add, nothing
        rows = np.zeros(2, np.dtype([("at", "i8"), ("force", "f8", (3,))], align=True)).view(np.recarray)
        whole = np.arange(24.0).reshape(4, 6)
        frozen = whole.copy()
        frozen.flags.writeable = False
        for table in (whole, whole.T, whole[::2, 1::3], whole[:0], whole[:1], np.asfortranarray(whole), frozen):
            (x, k), yes = add(Both(table, rows), (1.0, -2.0), 0.5, True, 3)
            print(float(x), int(k), type(k) is int, bool(yes), rows[0].force[1])
        (x, k), yes = add(Both(whole, rows[1:]), (1.0, np.float64(2.0)), 2.0, np.bool_(True), np.int64(4))
        print(float(x), int(k), bool(yes))
        x = np.zeros(1)
        print(nothing(x), x[0])
        again = bind(nothing, x)
        x[0] = 0.0
        del rows, whole
        print(again(), x[0])
    """
    plain = ask(package, script, NUMBA_DISABLE_JIT="1")
    for environment in ({}, {}, {"NUMBA_DEBUG_CACHE": "0"}):
        assert ask(package, script, **environment) == plain


SEPARATE = """
    from softdock.jit import kernel, separate
    from softdock.lumped.helper import twice

    @separate
    def inner(x, out):
        out[0] = twice(x) + 0.25

    @separate
    def double(x, out):
        inner(x, out)
        out[0] += 0.25

    @kernel
    def answer(x, out):
        double(x, out)
        return out[0]

    def warm_up():
        pass
"""
ASK_SEPARATE = """
    import sys
    import numpy as np
    from softdock import jit
    from softdock.lumped import answer, double
    out = np.zeros(1)
    print(answer(10.0, out), "numba" in sys.modules)
    double(1.0, out)
    print(out[0], jit.cache_folder("lumped"))
"""


@pytest.mark.parametrize("cores", [1, 2])
def test_separate_kernels_are_compiled_once_and_kept(package: Path, cores: int) -> None:
    write(package / "lumped" / "__init__.py", SEPARATE)
    script = (
        f"from softdock.compiler import second_process as s\ns._cores = lambda: {cores}\n"
        + textwrap.dedent(ASK_SEPARATE)
    )
    *said, folder = ask(package, script)
    assert said == ["20.5", "True", "2.5"]
    assert ask(package, script) == ["20.5", "False", "2.5", folder]
    bodies = sorted(path.name for path in Path(folder).iterdir() if path.name.startswith("softdock."))
    assert [name.split(".")[2] for name in bodies] == ["double", "inner"]
    (Path(folder) / bodies[1]).unlink()
    assert ask(package, script) == ["20.5", "True", "2.5", folder]


@pytest.mark.parametrize("accident", ["sys.executable = '/bin/false'", "sys.executable = '/nowhere'"])
def test_without_the_second_process_the_first_compiles_all(package: Path, accident: str) -> None:
    write(package / "lumped" / "__init__.py", SEPARATE)
    script = f"import sys\n{accident}\n" + textwrap.dedent(ASK_SEPARATE)
    assert ask(package, script)[:3] == ["20.5", "True", "2.5"]


def test_the_second_process_ends_with_the_first(package: Path) -> None:
    script = """
        import time
        from softdock.compiler import second_process
        second_process._cores = lambda: 2
        process = second_process.start("time", "sleep", 600.0)
        print(process._process.pid, flush=True)
    """
    (pid,) = ask(package, script)
    deadline = time.monotonic() + 30.0
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_second_process_ends_in_peace_wherever_it_starts(package: Path) -> None:
    """Neither by an abort, nor in a module of the user that is named like one of Python's."""
    folder = package.parent / "scripts"
    folder.mkdir()
    write(folder / "pickle.py", "raise SystemExit('a script of the user')")
    script = f"""
        import os, pickle
        from softdock.compiler import second_process
        os.chdir({str(folder)!r})
        second_process._cores = lambda: 2
        process = second_process.start("time", "sleep", 0.0)
        process.wait()
        print(process._process.returncode, second_process._running)
    """
    assert ask(package, script) == ["0", "[]"]


def test_an_interrupted_kernel_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        machine_code.NO_UNIT.save(tmp_path / "answer.code")
    assert not list(tmp_path.iterdir())


def test_a_failed_compilation_leaves_no_process(package: Path) -> None:
    write(package / "lumped" / "__init__.py", SEPARATE.replace("return out[0]", "return out[0] + 'one'"))
    script = """
        import numpy as np
        from softdock.compiler import second_process
        from softdock.lumped import answer
        second_process._cores = lambda: 2
        try:
            answer(1.0, np.zeros(1))
        except Exception as error:
            print(type(error).__name__, second_process._running)
    """
    assert ask(package, script) == ["TypingError", "[]"]


def test_without_any_folder_separate_kernels_still_run(package: Path) -> None:
    write(package / "lumped" / "__init__.py", SEPARATE)
    script = (
        "from softdock.compiler import kernel_folders\nkernel_folders.cache_bases = lambda: []\n"
        + textwrap.dedent(ASK_SEPARATE)
    )
    assert ask(package, script) == ["20.5", "True", "2.5", "None"]


def test_through_numba_separate_kernels_are_parts(package: Path) -> None:
    write(package / "lumped" / "__init__.py", SEPARATE)
    for _ in range(2):
        assert ask(package, ASK_SEPARATE, NUMBA_DEBUG_CACHE="0")[:3] == ["20.5", "True", "2.5"]


def test_what_is_not_plain_goes_through_numba(package: Path) -> None:
    script = """
        import numpy as np
        from softdock.lumped import answer, same
        print(answer(np.float32(10.0)), answer(1j), same(np.arange(2.0))[1])
    """
    more = """
        @kernel
        def same(x):
            return x
    """
    write(package / "lumped" / "__init__.py", textwrap.dedent(KERNEL) + textwrap.dedent(more))
    for _ in range(2):
        assert ask(package, script) == ["20.5", "(0.5+2j)", "1.0"]


def test_a_part_beyond_its_array_raises_where_bounds_are_checked(package: Path) -> None:
    write(package / "lumped" / "helper.py", HELPER.replace("2.0 * x", "x[7]"))
    write(package / "lumped" / "__init__.py", KERNEL.replace("answer(1.0)", "pass"))
    script = """
        import numpy as np
        from softdock.lumped import answer
        for _ in range(2):
            try:
                answer(np.zeros(3))
            except IndexError as error:
                print(error.args[0].replace(" ", "_"))
    """
    for _ in range(2):  # compiled, then from the cache
        assert ask(package, script, NUMBA_BOUNDSCHECK="1") == 2 * ["index_is_out_of_bounds"]


def test_compilers_of_others_are_left_as_they_were(package: Path) -> None:
    script = """
        import gc
        from softdock.compiler import shortcuts
        from softdock.lumped import answer
        before = [getattr(place, name) for place, name, _ in shortcuts._REPLACED]
        answer(1.0)
        try:
            answer("one")
        except Exception as error:
            print(type(error).__name__)
        after = [getattr(place, name) for place, name, _ in shortcuts._REPLACED]
        print(all(a is b for a, b in zip(before, after, strict=True)), gc.isenabled())
    """
    assert ask(package, script) == ["TypingError", "True", "True"]


def test_another_numba_compiles_in_its_own_way(package: Path) -> None:
    script = "import numba\nnumba.__version__ = '0.99.0'\n" + textwrap.dedent(ASK)
    assert ask(package, script)[:3] == ["True", "20.5", "False"]
    assert ask(package, script)[:3] == ["False", "20.5", "False"]


def test_warm_up_compiles(package: Path) -> None:
    script = 'from softdock import jit\njit.warm_up("lumped")\nprint(jit.is_cold("lumped"))'
    assert ask(package, script) == ["False"]


def test_without_jit_kernels_are_plain_python(package: Path) -> None:
    assert ask(package, NUMBA_DISABLE_JIT="1")[:3] == ["False", "20.5", "False"]


def test_without_jit_by_a_setting_of_numba_kernels_are_plain_python(package: Path) -> None:
    script = "import numba\nnumba.config.DISABLE_JIT = True\n" + textwrap.dedent(ASK)
    assert ask(package, script)[:2] == ["False", "20.5"]


def test_a_chosen_folder_is_used(package: Path, tmp_path: Path) -> None:
    *_, folder = ask(package, SOFTDOCK_CACHE_DIR=str(tmp_path / "mine"))
    assert Path(folder).parent == tmp_path / "mine"
    assert any(Path(folder).iterdir())


@pytest.mark.parametrize("unusable", ["chosen", "home"])
def test_a_folder_that_cannot_be_written_is_passed_over(package: Path, tmp_path: Path, unusable: str) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    variables = {"chosen": "SOFTDOCK_CACHE_DIR", "home": "XDG_CACHE_HOME"}
    fallback = {"chosen": package.parent / "home" / ".cache", "home": temporary}[unusable]
    _, answer, _, folder = ask(
        package, TMPDIR=str(temporary), **{variables[unusable]: str(blocked / "below")}
    )
    assert answer == "20.5"
    assert fallback in Path(folder).parents


def test_without_any_folder_kernels_still_run(package: Path) -> None:
    script = (
        "from softdock.compiler import kernel_folders\nkernel_folders.cache_bases = lambda: []\n"
        + textwrap.dedent(ASK)
    )
    assert ask(package, script) == ["True", "20.5", "True", "None"]


def test_threads_that_warm_up_leave_each_other_their_work():
    done: list[str] = []

    def first() -> None:
        other = threading.Thread(target=jit._work_off, args=([lambda: done.append("of another")],))
        other.start()
        other.join()
        jit._work_off([lambda: done.append("within")])
        done.append("first")

    jit._work_off([first, lambda: done.append("second")])
    assert done == ["of another", "within", "first", "second"]
