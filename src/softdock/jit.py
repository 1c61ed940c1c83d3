"""The one kernel decorator: compiled functions, how they are called, and how to warm them."""

import contextlib
import functools
import gc
import hashlib
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from softdock.claims import claimed, is_claimed
from softdock.compiler import machine_code, second_process
from softdock.compiler.kernel_folders import cache_folder, numba_version

ROOMS_WITH_KERNELS = ("multibody", "lumped", "contact", "robot")
ROOMS_BESIDE = ("multibody", "contact", "robot", "lumped")
"""Rooms that a second process begins with."""


class _ToDo(threading.local):
    """What a thread has still to warm up; begun early where something else is made by another process."""

    def __init__(self) -> None:
        self.work: list[Callable[[], None]] = []


_to_do = _ToDo()
_CACHE_DIR_LOCK = threading.Lock()
_COMPILING = threading.RLock()


class Kernel:
    """A compiled function, in two forms: for calls from Python, and as a part of other kernels.

    The form for Python is kept on disk, one file for each kind of arguments. It holds the machine code of all its
    parts, which have none of their own.
    """

    def __init__(
        self, function: Callable[..., Any], *, separate: bool = False, large: bool = False, **options: Any
    ) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._separate = separate
        self._large = large
        self._options = options
        self._units: dict[Any, machine_code.Loaded | None] = {}
        self._always: machine_code.Loaded | None = None

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        unit, words = self._unit(args)
        return self._through_numba(*args) if unit is None else unit(unit.block(words))

    def alike(self, args: tuple[Any, ...]) -> Any:
        """Call it as `call_alike` says."""
        if self._always is None:
            self._always, _ = self._unit(args)
        unit = self._always
        return self._through_numba(*args) if unit is None else unit(unit.block(machine_code.words_of(args)))

    def bound(self, args: tuple[Any, ...]) -> Callable[[], Any]:
        """Return a call with these arguments."""
        unit, words = self._unit(args)
        return functools.partial(self._through_numba, *args) if unit is None else unit.bound(words, args)

    def _unit(self, args: tuple[Any, ...]) -> tuple[machine_code.Loaded | None, list[Any]]:
        """Return the machine code for these arguments, None if Numba has to pass them, and what it wants to know."""
        if not _without_numba():
            return None, []
        try:
            kinds, words = machine_code.lay_out(args)
        except machine_code.NotPlainError:
            return None, []
        try:
            return self._units[kinds], words
        except KeyError:
            with _COMPILING:
                if kinds not in self._units:
                    self._units[kinds] = self._load(kinds, args)
            return self._units[kinds], words

    def _load(self, kinds: tuple[Any, ...], args: tuple[Any, ...]) -> machine_code.Loaded | None:
        """Return the machine code for arguments like these; compiles what is not on disk."""
        folder = cache_folder(_room(self.__module__))
        path = None if folder is None else folder / self._file(kinds)

        def compiled() -> machine_code.Unit:
            from softdock.compiler.code_units import compile_unit
            from softdock.compiler.pipeline import type_of

            types = [type_of(value) for value in args]
            return cast(machine_code.Unit, compile_unit(self._part, types, self._large))

        try:
            unit = _kept_or_compiled(path, compiled)
        except BaseException:
            second_process.stop_all()
            raise
        assert unit is not None
        return machine_code.Loaded(unit, machine_code.places(kinds)) if unit.code else None

    def _file(self, kinds: tuple[Any, ...]) -> str:
        key = f"{machine_code.processor()} {machine_code.spelled(kinds)}"
        name = f"{self.__module__.removeprefix('softdock.')}.{self._function.__qualname__}"
        return f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.code"

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """How other kernels see it."""
        from softdock.compiler.pipeline import type_of_part

        return type_of_part(self._part)

    @functools.cached_property
    def _part(self) -> Any:
        """The form for other kernels: code that melts into theirs, or a declaration of code of its own."""
        if not (self._separate and _without_numba()):
            return self._body
        from softdock.compiler.code_units import declare_only

        part = self._new_part()
        declare_only(part, self._declared)
        return part

    @functools.cached_property
    def _body(self) -> Any:
        return self._new_part()

    def _new_part(self) -> Any:
        from softdock.compiler.pipeline import compilers, for_all_numbers

        part = _compile(
            self._function, pipeline_class=compilers()[1], no_cpython_wrapper=True, **self._options
        )
        return part if self._options else for_all_numbers(part)

    def _declared(self, name: str, args: tuple[Any, ...]) -> None:
        """Note that code of its own is needed; a second process may begin with it at once."""
        _declared[name] = self, args
        path = _place_of(name)
        if path is not None and not path.exists() and not second_process.is_at_work():
            where = self.__module__, self._function.__qualname__
            second_process.start(__name__, "compile_for_another", *where, args, name, str(path))

    def compile_body(self, args: tuple[Any, ...], name: str) -> machine_code.Unit:
        """Return machine code of its own, which other kernels call by a name."""
        from softdock.compiler.code_units import compile_body

        return cast(machine_code.Unit, compile_body(self._body, args, name))

    @functools.cached_property
    def _through_numba(self) -> Callable[..., Any]:
        """The form for arguments that only Numba can pass, and for places where machine code was not tried."""
        from softdock.compiler.pipeline import compilers

        compiler, _, cache = compilers()
        entry: Any = _compile(self._function, pipeline_class=compiler)
        folder = cache_folder(_room(self.__module__))
        if folder is not None:
            with _cache_in(folder):
                entry._cache = cache(self._function)
        return cast(Callable[..., Any], entry)

    def __reduce__(self) -> str:
        return self._function.__qualname__


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a plain function over floats, tuples and arrays; cached, without the GIL, without fastmath."""
    return function if _is_off() else Kernel(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for small functions that must melt into their caller."""
    return function if _is_off() else Kernel(function, forceinline=True)


def large(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for one with many parts that are called seldom: only those that must melt do so.

    It takes two thirds of the time to compile.
    """
    return function if _is_off() else Kernel(function, large=True)


def separate(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for a large function that returns nothing: compiled once for all that call it.

    Where there is a core to spare, another process may do so while this one compiles those that call it.
    """
    return function if _is_off() else Kernel(function, separate=True)


_declared: dict[str, tuple[Kernel, tuple[Any, ...]]] = {}
_published: set[str] = set()


def _provide(name: str) -> bool:
    """Load a kernel that others call by its name; False where it must be compiled and nobody has declared it."""
    if name in _published:
        return True

    def compiled() -> machine_code.Unit | None:
        if name not in _declared:
            return None
        kernel, args = _declared[name]
        return kernel.compile_body(args, name)

    unit = _kept_or_compiled(_place_of(name), compiled)
    if unit is None:
        return False
    machine_code.publish(unit)
    _published.add(name)
    return True


def _kept_or_compiled(
    path: Path | None, compiled: Callable[[], machine_code.Unit | None]
) -> machine_code.Unit | None:
    """Return a unit and load what it needs; compiles it where no file holds it, while other processes wait for that."""
    with _nothing_collected():
        unit = _only_once(path, compiled)
        if unit is not None and not _provide_all(unit.needs):
            unit = compiled()  # which declares what it needs
            if unit is not None:
                _provide_all(unit.needs)
    return unit


def _provide_all(names: Sequence[str]) -> bool:
    """Load kernels that others call, from the last to the first.

    What a second process has begun comes after all. Just before that, and after other work, comes what is likely to
    have parts in common with it, which that process has compiled.
    """
    places = {name: _place_of(name) for name in names if name not in _published}
    begun = {name for name, place in places.items() if place is not None and is_claimed(place)}
    rooms = {_room(name) for name in begun}
    late = list(names[::-1])
    late.sort(key=lambda name: (name in begun, _room(name) in rooms))
    for name in late:
        while _to_do.work and _room(name) in rooms and _is_missing(places.get(name)):
            _to_do.work.pop(0)()
        if not _provide(name):
            return False
    return True


def _is_missing(place: Path | None) -> bool:
    return place is not None and not place.exists()


def _only_once(
    path: Path | None, compiled: Callable[[], machine_code.Unit | None]
) -> machine_code.Unit | None:
    """Return the unit in a file, which is made if there is none."""
    if path is None:
        return compiled()
    unit = machine_code.read_unit(path)
    while unit is None and _to_do.work and is_claimed(path):
        _to_do.work.pop(0)()
        unit = machine_code.read_unit(path)
    if unit is None:
        with claimed(path):
            unit = machine_code.read_unit(path)
            if unit is None:
                unit = compiled()
                if unit is not None:
                    unit.save(path)
    return unit


def _place_of(name: str) -> Path | None:
    """Return the file of a kernel that others call by its name."""
    folder = cache_folder(_room(name))
    digest = hashlib.sha256(machine_code.processor().encode()).hexdigest()[:16]
    return None if folder is None else folder / f"{name}-{digest}.code"


def compile_for_another(module: str, function: str, args: tuple[Any, ...], name: str, path: str) -> None:
    """Compile a kernel for another process, which waits for the file."""
    kernel: Kernel = getattr(importlib.import_module(module), function)
    _only_once(Path(path), lambda: kernel.compile_body(args, name))


def call_alike(function: Callable[..., Any], *args: Any) -> Any:
    """Call a kernel with arguments that are of the same kinds every time, for which the caller answers.

    To find out their kinds takes longer than a short run.
    """
    return function.alike(args) if isinstance(function, Kernel) else function(*args)


def bind(function: Callable[..., Any], *args: Any) -> Callable[[], Any]:
    """Return a call of a kernel with these arguments, for many calls: what takes time to pass is passed once.

    What is written into the arrays meanwhile counts; arrays that take their place do not.
    """
    return function.bound(args) if isinstance(function, Kernel) else functools.partial(function, *args)


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    import numba

    njit: Any = numba.njit
    compiled: Callable[..., Any] = njit(
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        _nrt=False,  # kernels own no memory: without reference counting they are up to twice as fast
        **options,
    )(function)
    return compiled


@functools.cache
def _is_off() -> bool:
    """Tell whether Numba is told not to compile."""
    if not _is_set_up() and "numba" not in sys.modules:
        return False
    import numba

    return bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


@functools.cache
def _without_numba() -> bool:
    """Tell whether kernels can be called without Numba: where that was tried, and if nobody set anything."""
    return machine_code.runs_here() and not _is_set_up() and numba_version().startswith(machine_code.TRIED)


def _is_set_up() -> bool:
    """Tell whether somebody has set anything about Numba."""
    return any(name.startswith("NUMBA_") for name in os.environ) or Path(".numba_config.yaml").exists()


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Let Numba's caches that are made meanwhile lie in a folder of ours."""
    import numba

    config: Any = numba.config
    with _CACHE_DIR_LOCK:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def is_cold(room: str) -> bool:
    """Tell whether the kernels of a room still have to be compiled on this machine."""
    if _is_off():
        return False
    folder = cache_folder(room)
    return folder is None or not any(path.suffix in (".code", ".nbi") for path in folder.rglob("*"))


@contextlib.contextmanager
def _nothing_collected() -> Iterator[None]:
    """Do not look for objects that are no longer used: a compiler makes many, and keeps most."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def warm_up(*rooms: str) -> None:
    """Compile (or load) the kernels of the given rooms, of all rooms by default."""
    wanted = rooms or ROOMS_WITH_KERNELS
    cold = [room for room in wanted if is_cold(room) and cache_folder(room)]
    process = None
    if cold and _without_numba():
        process = second_process.start(__name__, "warm_up_beside", *cold)
    try:
        with _nothing_collected():
            _work_off([importlib.import_module(f"softdock.{room}").warm_up for room in wanted])
        if process is not None:
            process.wait()
    except BaseException:
        second_process.stop_all()
        raise


def warm_up_beside(*rooms: str) -> None:
    """Compile in a second process what the first will come to last."""
    modules = [importlib.import_module(f"softdock.{room}") for room in ROOMS_BESIDE if room in rooms]
    _work_off([getattr(module, "warm_up_beside", module.warm_up) for module in modules])


def _work_off(work: list[Callable[[], None]]) -> None:
    """Warm up all there is; whoever waits for another process begins with the next meanwhile."""
    before, _to_do.work = _to_do.work, work
    try:
        while work:
            work.pop(0)()
    finally:
        _to_do.work = before


def _room(module: str) -> str:
    """Return the room of a module: `lumped` for `softdock.lumped.kernels`."""
    return [*module.split("."), ""][1]
