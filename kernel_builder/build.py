"""Builds the libraries: compiles the entry points that changed, in parallel, and links them.

Object files are kept in `build/kernels`, named by the digest of all that they are made of.
"""

import ast
import contextlib
import gc
import importlib.metadata
import multiprocessing
import os
import platform
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernel_builder import source_tree  # noqa: F401  first, also in processes that compile: softdock is imported from here
from kernel_builder.dependencies import digest_of, kernels_of
from kernel_builder.linker import ALLOWED, LinkError, find_driver, link, link_runtime, undefined_symbols
from kernel_builder.source_tree import ROOT, entry_points
from softdock.native.library import BOUNDSCHECK, FOLDER, SUFFIX, default_builds, footer, library_path
from softdock.native.model_file import RUNTIME, runtime_digest
from softdock.native.sources import BUILDER, DIGEST_AT_IMPORT, source_digest

OBJECTS = ROOT / "build" / "kernels"
COMPILER = ("argument_codegen", "frontend", "simd_types", "targets")
"""Modules of the builder on which the machine code depends."""
KEPT = 600  # object files: about ten builds back


class BuildError(Exception):
    """The kernels could not be compiled; the message says why."""


@dataclass(frozen=True)
class Task:
    """An entry point to compile."""

    symbol: str
    objects: dict[str, Path]
    """Object file to write for every build; all of them either check bounds or do not."""
    boundscheck: bool
    kernels: dict[str, int]
    """Sizes of the kernels that it contains: bytes of bytecode."""
    sources: str = DIGEST_AT_IMPORT
    """Digest of the sources with which the build began."""

    def size_without(self, others: set[str]) -> int:
        """Return the size of its kernels that are not among `others`, in bytes of bytecode."""
        return sum(size for name, size in self.kernels.items() if name not in others)


def build(builds: Sequence[str], jobs: int | None = None, folder: Path = FOLDER) -> list[Path]:
    """Build libraries into the package (or another folder), print what was done, and return their paths."""
    start = time.perf_counter()
    for name in builds:
        find_driver(_triple(name))  # before a minute of compilation
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with _locked(OBJECTS / "lock"):
        objects = {name: _objects_of(name) for name in builds}
        tasks = _tasks(objects)
        _compile(tasks, jobs or os.cpu_count() or 1)
        libraries = [folder / library_path(name).name for name in builds]
        check_sources(DIGEST_AT_IMPORT)
        for name, library in zip(builds, libraries, strict=True):
            _link(name, list(objects[name].values()), library)
        _remove_old_objects()
    total = sum(map(len, objects.values()))
    compiled = sum(len(task.objects) for task in tasks)
    seconds = time.perf_counter() - start
    print(f"Kernels for {', '.join(builds)}: {compiled} of {total} entry points compiled in {seconds:.1f} s.")
    return libraries


def build_runtime(folder: Path = FOLDER) -> Path:
    """Compile the programs in C for this machine into the package (or another folder); returns their library."""
    library = folder / f"softdock_fmu.{SUFFIX}"
    written = library.with_name(f"{library.name}.{os.getpid()}")
    link_runtime(RUNTIME, runtime_digest().decode(), written, _triple(default_builds()[0]))
    written.replace(library)
    return library


def _objects_of(build: str) -> dict[str, Path]:
    """Return the object file of every entry point for a build."""
    all_points = entry_points()
    about = _about_build(build)
    return {
        entry.symbol: OBJECTS / f"{entry.symbol}-{digest_of(entry, all_points, about)[:24]}.o"
        for entry in all_points
    }


def _about_build(build: str) -> str:
    """Return all that object files depend on beside the kernels: target, versions of the tools, the builder."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("numba", "llvmlite", "numpy")]
    builder = [ast.dump(ast.parse((BUILDER / f"{name}.py").read_bytes())) for name in COMPILER]
    return "\n".join([build, platform.machine(), platform.python_version(), *versions, *builder])


def _tasks(objects: dict[str, dict[str, Path]]) -> list[Task]:
    """Return what has to be compiled."""
    found = []
    for checked in (False, True):
        names = [name for name in objects if (name == BOUNDSCHECK) is checked]
        for entry in entry_points():
            symbol = entry.symbol
            missing = {name: objects[name][symbol] for name in names if not objects[name][symbol].exists()}
            if missing:
                kernels = kernels_of(entry, entry_points())
                sizes = {f"{f.__module__}.{f.__qualname__}": len(f.__code__.co_code) for f in kernels}
                found.append(Task(symbol, missing, checked, sizes))
    return found


class Worker:
    """A process that compiles one thing at a time."""

    def __init__(self, lowers: bool) -> None:
        # The compiler keeps most objects that it makes: collecting garbage takes a tenth of the time.
        spawn = multiprocessing.get_context("spawn")
        self.process = ProcessPoolExecutor(1, mp_context=spawn, initializer=gc.disable)
        self.lowers = lowers
        """Whether it mainly lowers entry points to bitcode; the others mainly make machine code of bitcode."""
        self.kernels: set[str] = set()
        """Kernels that it has lowered; it does not lower them again for other entry points."""

    def end(self) -> None:
        """End the process at once: it would take 5 s to free all that the compiler has made."""
        with contextlib.suppress(BrokenProcessPool):  # it was killed
            self.process.submit(os._exit, 0)
        self.process.shutdown()


def _compile(tasks: Sequence[Task], jobs: int) -> None:
    jobs = min(jobs, sum(len(task.objects) for task in tasks))
    if jobs <= 1:
        for task in tasks:
            bitcode = lower(task)
            for name in task.objects:
                write_object(task, name, bitcode)
    else:
        # Numba takes about as long as LLVM does for two instruction sets.
        workers = [Worker(lowers=n < jobs // 2) for n in range(jobs)]
        try:
            _distribute(tasks, workers)
        except BrokenProcessPool:
            raise BuildError("A process that compiled kernels was killed: build again.") from None
        finally:
            for worker in workers:
                worker.end()


def _distribute(tasks: Sequence[Task], workers: Sequence[Worker]) -> None:
    """Lower all entry points to bitcode, and make machine code of the bitcode as soon as a worker is idle."""
    to_lower = list(tasks)
    to_write: list[tuple[Task, str, bytes]] = []
    lowering: dict[Future[bytes], Task] = {}
    running: dict[Future[Any], Worker] = {}
    idle = list(workers)
    while to_lower or to_write or running:
        for worker in list(idle):
            if to_write and not (worker.lowers and to_lower):
                job = max(to_write, key=lambda job: len(job[2]))
                to_write.remove(job)
                future: Future[Any] = worker.process.submit(write_object, *job)
            elif to_lower:
                task = _choose(to_lower, worker, workers)
                to_lower.remove(task)
                worker.kernels |= task.kernels.keys()
                future = worker.process.submit(lower, task)
                lowering[future] = task
            else:
                break
            idle.remove(worker)
            running[future] = worker
        for done in wait(running, return_when=FIRST_COMPLETED).done:
            idle.append(running.pop(done))
            result = done.result()
            if done in lowering:
                task = lowering.pop(done)
                to_write += [(task, name, result) for name in task.objects]


def _choose(tasks: Sequence[Task], worker: Worker, workers: Sequence[Worker]) -> Task:
    """Return the task that a worker lowers next.

    Every worker lowers the kernels of its tasks, so a kernel in tasks of two workers is lowered twice. A worker that
    lowers takes the task with most code that no other worker has lowered; another one, which has no machine code to
    make at present, the task with least code that others need as well.
    """
    if worker.lowers:
        known = set().union(*(other.kernels for other in workers)) - worker.kernels
        return max(tasks, key=lambda task: task.size_without(known))

    def shared(task: Task) -> tuple[int, int]:
        others = set().union(
            *(other.kernels for other in workers), *(t.kernels for t in tasks if t is not task)
        )
        alone = task.size_without(others)
        return task.size_without(set()) - alone, -alone

    return min(tasks, key=shared)


def lower(task: Task) -> bytes:
    """Return the LLVM bitcode of an entry point."""
    from kernel_builder.frontend import compile_entry_point

    all_points = entry_points()
    check_sources(task.sources)
    entry = next(entry for entry in all_points if entry.symbol == task.symbol)
    return compile_entry_point(entry, all_points, task.boundscheck)


def write_object(task: Task, build: str, bitcode: bytes) -> None:
    """Optimise the bitcode of an entry point for a build and write its object file."""
    from kernel_builder.targets import find_target, machine_code

    check_sources(task.sources)
    _write(task.objects[build], machine_code(bitcode, find_target(build)))


def check_sources(digest: str) -> None:
    """Raise BuildError if the sources no longer have the digest with which a build began.

    A process that compiles calls it after its imports: they may be newer than the kernels that named the object files.
    """
    if source_digest() != digest:
        raise BuildError("The sources of the kernels changed while they were being built: build again.")


def _triple(build: str) -> str:
    """Return the target of a build for the linker: architecture and operating system."""
    from kernel_builder.targets import find_target

    return find_target(build).triple


def _link(build: str, objects: list[Path], library: Path) -> None:
    temporary = library.with_name(f".{library.name}.{os.getpid()}")
    try:
        link(objects, DIGEST_AT_IMPORT, temporary, _triple(build))
        unexpected = undefined_symbols(temporary) - ALLOWED
        if unexpected:
            raise LinkError(
                f"The kernels call functions that they must not: {', '.join(sorted(unexpected))}."
            )
        with temporary.open("ab") as file:
            file.write(footer(temporary.read_bytes()))
        temporary.replace(library)  # a new file: processes that have loaded the old one keep it
    finally:
        temporary.unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)


def _remove_old_objects() -> None:
    """Remove object files of earlier builds."""
    for path in sorted(OBJECTS.glob("*.o"), key=lambda path: -path.stat().st_mtime)[KEPT:]:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process build at a time, where the system has file locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
