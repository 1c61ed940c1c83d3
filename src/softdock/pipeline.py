"""Numba's compiler without what kernels do not need: half the time to compile.

Kernels are plain functions over numbers, tuples and arrays. They make no objects, raise nothing and hold no closures,
so that many passes of the compiler find nothing to do. Parts of kernels need no machine code of their own: they are
optimised once, inside the kernel that is called from Python. What this relies on is no public interface of Numba:
with a version for which it was not tried, Numba's own compiler does the work.
"""

import contextlib
import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import llvmlite.binding as ll
import numba
from llvmlite import ir
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import (
    caching,
    cgutils,
    codegen,
    funcdesc,
    postproc,
    transforms,
    typed_passes,
    types,
    untyped_passes,
)
from numba.core.compiler import Compiler, CompilerBase, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import Environment
from numba.core.runtime import rtsys  # type: ignore[attr-defined]
from numba.core.typing.templates import signature

from softdock.machine_code import (
    DATA_AT,
    NO_UNIT,
    OWN,
    SHAPE_AT,
    STRIDES_AT,
    TRIED,
    KernelError,
    Returned,
    Unit,
    called_from_outside,
    symbol_address,
)

type_of: Any = numba.typeof


def type_of_part(part: Any) -> Any:
    """Return how other kernels see a part."""
    return types.Dispatcher(part)


def compilers() -> tuple[Any, Any, Any]:
    """Return the compilers of kernels and of their parts, and the cache of kernels on disk."""
    if numba.__version__.startswith(TRIED):
        return KernelCompiler, PartCompiler, KernelCache
    return Compiler, Compiler, caching.FunctionCache


class KernelLibrary(codegen.JITCodeLibrary):
    """Code of a kernel that is called from Python, with that of all its parts."""

    def finalize(self) -> None:
        """Put the code of all parts together, each once."""
        parts: dict[Any, None] = {}
        for library in self._linking_libraries:
            _with_parts(library, parts)
        self._linking_libraries = list(parts)
        super().finalize()  # type: ignore[no-untyped-call]

    def _optimize_functions(self, module: Any) -> None:
        """Leave it to the optimisation of the whole; Numba simplifies every function before that, too."""
        module.data_layout = self._codegen._data_layout

    def _finalize_final_module(self) -> None:
        """Refuse what cannot be loaded: units know what they need, Numba's cache does not."""
        if any(
            function.name.startswith(OWN) and function.is_declaration
            for function in self._final_module.functions
        ):
            raise KernelError(
                f"The kernel {self.name} needs plain arguments: numbers, arrays and tuples of such."
            )
        super()._finalize_final_module()  # type: ignore[no-untyped-call]

    def _optimize_final_module(self) -> None:
        """Optimise once; Numba does it twice, to find counts of references, of which kernels have none."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return machine code and the names in it; Numba adds what it needs to link it, which nobody asks for."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        names = "".join(
            f'define void @"{function.name}"() {{ ret void }}\n'
            for function in self._final_module.functions
            if not function.is_declaration
        )
        code: bytes = self._get_compiled_object()  # type: ignore[no-untyped-call]
        return self.name, "object", (code, ll.parse_assembly(names).as_bitcode())


class KernelCache(caching.FunctionCache):
    """Kernels on disk, loaded without a look at all that could be compiled: that look takes longer than a short run."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was compiled for a signature, or None."""
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)  # type: ignore[no-untyped-call]


class _NotLoaded:
    """What stands for the running machine code of a part, which has none."""

    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: only code that meets Python objects looks at its environment."""


class PartLibrary(KernelLibrary):
    """Code of a part of kernels: handed on, neither optimised nor loaded."""

    codegen = _NotLoaded

    def add_linking_library(self, library: Any) -> None:
        """Leave the library that counts references to the kernel, whose wrapper needs it."""
        if library is not rtsys.library:
            super().add_linking_library(library)  # type: ignore[no-untyped-call]

    def finalize(self) -> None:
        """Leave what it calls, and all optimisation of the whole, to the kernel."""
        self._raise_if_finalized()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the null pointer: there is nothing to call."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0


class DeclaredLibrary(PartLibrary):
    """No code at all: what stands for a kernel that is compiled on its own."""


def _with_parts(library: Any, found: dict[Any, None]) -> None:
    """Add a library and those of all parts that it calls."""
    if library not in found and not isinstance(library, DeclaredLibrary):
        found[library] = None
        if isinstance(library, PartLibrary):
            for part in library._linking_libraries:
                _with_parts(part, found)


class UnitLibrary(KernelLibrary):
    """Code of a kernel that is called from Python by the address of its arguments, with that of all its parts."""

    code = b""

    def _finalize_final_module(self) -> None:
        """Make machine code; it is loaded by whoever calls it."""
        self.code = self._codegen._tm.emit_object(self._final_module)
        self._finalized = True


_UNIT_LIBRARY: Any = UnitLibrary


@global_compiler_lock  # type: ignore[untyped-decorator]
def compile_unit(part: Any, args: Sequence[Any]) -> Unit:
    """Return the machine code of a part for arguments of some types; none if it has to be called through Numba."""
    part.compile(tuple(args))
    compiled = part.overloads[tuple(args)]
    returned = _returned(compiled.signature.return_type)
    if returned is False:
        return NO_UNIT
    name = f"entry.{compiled.fndesc.llvm_func_name}"
    return _unit(compiled, _entry(compiled, name), name, returned)


@global_compiler_lock  # type: ignore[untyped-decorator]
def compile_body(part: Any, args: Sequence[Any], name: str) -> Unit:
    """Return the machine code of a kernel that others call by a name."""
    part.compile(tuple(args))
    compiled = part.overloads[tuple(args)]
    context, about = compiled.target_context, compiled.fndesc
    module = context.create_module(name)
    kind = context.call_conv.get_function_type(about.restype, about.argtypes)
    kernel = ir.Function(module, kind, about.llvm_func_name)
    body = ir.Function(module, kind, name)
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    builder.ret(builder.call(kernel, body.args))
    return _unit(compiled, module, name, None)


def _unit(compiled: Any, module: Any, name: str, returned: Returned) -> Unit:
    library: Any = _UNIT_LIBRARY(compiled.target_context.codegen(), name)
    library.add_ir_module(module)
    library.add_linking_library(compiled.library)
    library.finalize()
    outside = called_from_outside(library.code)
    symbols = tuple(symbol for symbol in outside if not symbol.startswith(OWN))
    if any(symbol_address(symbol) is None for symbol in symbols):
        return NO_UNIT
    needs = tuple(symbol for symbol in outside if symbol.startswith(OWN))
    return Unit(code=library.code, name=name, returned=returned, symbols=symbols, needs=needs)


class _Declares(_FunctionCompiler):  # type: ignore[misc]
    """Declares a kernel that returns nothing, so that others can call it before it is compiled."""

    announce: Any
    """Told the name and the types of the arguments of every declaration."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        context = self.targetdescr.target_context
        function = self.py_func
        digest = hashlib.sha256(repr(args).encode()).hexdigest()[:16]
        name = f"{OWN}{function.__module__.removeprefix('softdock.')}.{function.__qualname__}.{digest}"
        about = funcdesc.PythonFunctionDescriptor(
            True, function.__module__, function.__qualname__, name, "", None, types.none, None,
            tuple(self.pysig.parameters), (), mangler=lambda *_, **__: name, argtypes=tuple(args),
        )  # fmt: skip
        environment = Environment.from_fndesc(about)
        place = _dynfunc.make_function(about.lookup_module(), function.__name__, "", 0, environment, ())
        library = _DECLARED_LIBRARY(context.codegen(), name)
        library.finalize()
        context.insert_user_function(place, about, [library])
        self.announce(name, tuple(args))
        return compile_result(
            typing_context=self.targetdescr.typing_context, target_context=context, entry_point=place,
            library=library, signature=signature(types.none, *args), objectmode=False, lifted=(),
            fndesc=about, environment=environment, metadata={}, reload_init=[],
        )  # fmt: skip


_DECLARED_LIBRARY: Any = DeclaredLibrary


def declare_only(part: Any, announce: Callable[[str, tuple[Any, ...]], None]) -> None:
    """Let a part be declared where others call it, and tell of it, instead of compiled."""
    old = part._compiler
    part._compiler = _Declares(
        old.py_func, old.targetdescr, old.targetoptions, old.locals, old.pipeline_class
    )
    part._compiler.announce = announce


def _entry(compiled: Any, name: str) -> Any:
    """Return the function that reads arguments from memory, calls the kernel and writes what it returns."""
    context, about = compiled.target_context, compiled.fndesc
    module = context.create_module(name)
    kernel = ir.Function(
        module, context.call_conv.get_function_type(about.restype, about.argtypes), about.llvm_func_name
    )
    byte = ir.IntType(8).as_pointer()
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [byte, byte]), name)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    reader = _Reader(context, builder, entry.args[0])
    values = [reader.read(kind) for kind in about.argtypes]
    status, value = context.call_conv.call_function(builder, kernel, about.restype, about.argtypes, values)
    _Writer(builder, entry.args[1]).write(about.restype, value)
    builder.ret(status.code)
    return module


class _Places:
    """Places in memory, one after the other."""

    def __init__(self, builder: Any, start: Any) -> None:
        self.builder, self._start, self._at = builder, start, 0

    def next(self, kind: Any) -> Any:
        """Return the address of the next value."""
        address = self.builder.gep(self._start, [ir.IntType(64)(self._at)])
        self._at += 8
        return self.builder.bitcast(address, kind.as_pointer())


class _Reader(_Places):
    def __init__(self, context: Any, builder: Any, start: Any) -> None:
        super().__init__(builder, start)
        self._context = context

    def read(self, kind: Any) -> Any:
        """Return the next argument as Numba's code wants it."""
        if isinstance(kind, types.BaseTuple):
            return self._context.make_tuple(self.builder, kind, [self.read(part) for part in kind])  # type: ignore[attr-defined]
        if isinstance(kind, types.Boolean):
            return self.builder.trunc(self.builder.load(self.next(ir.IntType(64))), ir.IntType(1))
        if isinstance(kind, types.Array):
            return self._array(kind, self.builder.load(self.next(ir.IntType(8).as_pointer())))
        return self.builder.load(self.next(self._context.get_value_type(kind)))

    def _array(self, kind: Any, address: Any) -> Any:
        """Return an array as Numba's code wants it from where NumPy has it."""
        whole, byte = ir.IntType(64), ir.IntType(8).as_pointer()

        def at(place: int, entry: Any) -> Any:
            where = self.builder.gep(address, [whole(place)])
            return self.builder.load(self.builder.bitcast(where, entry.as_pointer()))

        lengths = [at(place, whole.as_pointer()) for place in (SHAPE_AT, STRIDES_AT)]
        shape, strides = (
            [self.builder.load(self.builder.gep(start, [whole(i)])) for i in range(kind.ndim)]
            for start in lengths
        )
        size = whole(1)
        for count in shape:
            size = self.builder.mul(size, count)
        made = self._context.make_array(kind)(self._context, self.builder)
        made.meminfo = made.parent = ir.Constant(byte, None)  # nobody counts references
        made.nitems, made.itemsize = (
            size,
            whole(self._context.get_abi_sizeof(self._context.get_data_type(kind.dtype))),
        )
        made.data = self.builder.bitcast(
            at(DATA_AT, byte), self._context.get_data_type(kind.dtype).as_pointer()
        )
        made.shape, made.strides = (
            cgutils.pack_array(self.builder, numbers, ty=whole) for numbers in (shape, strides)
        )
        return made._getvalue()


class _Writer(_Places):
    def write(self, kind: Any, value: Any) -> None:
        """Write what a kernel returned."""
        if isinstance(kind, types.BaseTuple):
            for i, part in enumerate(kind):  # type: ignore[arg-type, var-annotated]
                self.write(part, self.builder.extract_value(value, i))
        elif kind != types.none:
            if isinstance(kind, types.Boolean):
                value = self.builder.zext(value, ir.IntType(64))
            self.builder.store(value, self.next(value.type))


def _returned(kind: Any) -> Returned | Literal[False]:
    """Return what a kernel returns; False for what only Numba can return."""
    if kind == types.none:
        return None
    if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
        parts = [_returned(part) for part in kind]  # type: ignore[attr-defined]
        return False if False in parts or None in parts else parts  # type: ignore[return-value]
    return {types.float64: "d", types.int64: "q", types.boolean: "?"}.get(kind, False)


@register_pass(mutates_CFG=False, analysis_only=True)
class _KernelCode(LoweringPass):
    """Where the code goes."""

    _name = "kernel_code"
    library: Any = KernelLibrary

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Choose the library; no listing of types is made, it would be stored with the code."""
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.type_annotation = ""
        return True


@register_pass(mutates_CFG=False, analysis_only=True)
class _PartCode(_KernelCode):
    """Where the code of a part goes."""

    _name = "part_code"
    library = PartLibrary


class KernelCompiler(CompilerBase):
    """Passes for kernels that are called from Python."""

    code: Any = _KernelCode

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline: those of Numba's passes that have something to do in kernels."""
        manager = PassManager("kernel")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            self.code,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(step, step._name)
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        context = self.state.targetctx  # a copy for this function
        context.refresh = lambda: None  # Numba looks for news after every vain search; there are none by now
        context.mangler = _short_name
        with _memory_of_calls():
            return super()._compile_core()  # type: ignore[no-untyped-call]


class PartCompiler(KernelCompiler):
    """Passes for parts of kernels."""

    code = _PartCode


def _short_name(name: str, args: Any, **options: Any) -> str:
    """Return the name of a function in machine code; Numba spells out every field of every record in it."""
    digest = hashlib.sha256(repr(args).encode()).hexdigest()[:16]
    return str(funcdesc.default_mangler(f"{name}_{digest}", (), **options))


_calls: dict[Any, Any] = {}


def _remembered(function: Any, context: Any, args: Any, named: Any) -> Any:
    """Type a call once: what Numba finds out about the sum of two floats it would find out ever again."""
    if named:
        return _GET_CALL_TYPE(function, context, args, named)
    key = (function, tuple(args))
    if key not in _calls:
        _calls[key] = _GET_CALL_TYPE(function, context, args, named)
    return _calls[key]


def _canonical(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Bring the blocks of a function into order; where variables die matters only to counts of references."""
    if emit_dels:
        _PROCESS(processor, emit_dels, extend_lifetimes)
        return
    blocks = transforms.canonicalize_cfg(processor.func_ir.blocks)
    processor.func_ir.blocks, processor.func_ir.variable_lifetime = blocks, postproc.VariableLifetime(blocks)


_FUNCTION: Any = types.functions.BaseFunction
_GET_CALL_TYPE = _FUNCTION.get_call_type
_PROCESSOR: Any = postproc.PostProcessor
_PROCESS = _PROCESSOR.run


@contextlib.contextmanager
def _memory_of_calls() -> Iterator[None]:
    """Compile with a memory of typed calls, and without looking for what is no longer used: variables, objects."""
    if _FUNCTION.get_call_type is _remembered:
        yield
        return
    collecting = gc.isenabled()
    gc.disable()
    _FUNCTION.get_call_type = _remembered
    _PROCESSOR.run = _canonical
    try:
        yield
    finally:
        _FUNCTION.get_call_type = _GET_CALL_TYPE
        _PROCESSOR.run = _PROCESS
        if collecting:
            gc.enable()
