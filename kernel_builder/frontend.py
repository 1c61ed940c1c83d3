"""From an entry point to LLVM code: Numba's type inference and lowering, without optimisation and machine code.

Numba usually optimises every function on its own, once more inside each of its callers, and wraps it for calls from
Python. Kernels need none of that: each is lowered once, and an entry point is optimised as a whole later.
"""

import functools
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import codegen, typed_passes, types, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model, typeof_impl

from kernel_builder import simd_types  # noqa: F401  registers the types and functions of SIMD vectors
from kernel_builder.argument_codegen import BLOCK, numba_type, read, words_of, write
from softdock.native.decorators import INLINE, MARK
from softdock.native.entry_point import EntryPoint

STATUS = ir.IntType(32)
OPTIONS = {
    "nogil": True,
    "error_model": "numpy",  # division by zero gives infinity, as everywhere in the kernels
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,  # kernels allocate nothing: no reference counting
}


class KernelLibrary(codegen.JITCodeLibrary):
    """LLVM code of one kernel, neither optimised nor loaded; the libraries of its callees are kept beside it."""

    def _optimize_functions(self, module: Any) -> None:
        """Leave all optimisation to the entry point."""

    def finalize(self) -> None:
        """Do not link callees; `link` does so once per entry point."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the null pointer: nothing is loaded."""
        return 0

    @property
    def codegen(self) -> Any:
        """Numba stores Python environments there; kernels use none."""
        return _NoEnvironments


class _NoEnvironments:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing."""


@register_pass(mutates_CFG=False, analysis_only=True)
class _ChooseLibrary(LoweringPass):
    _name = "choose_kernel_library"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Let the lowering write into a `KernelLibrary`."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.type_annotation = ""
        return True


class KernelCompiler(CompilerBase):
    """The passes of Numba that have something to do in kernels."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        manager = PassManager("kernel")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            _ChooseLibrary,
            typed_passes.NativeLowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(step, step._name)
        manager.finalize()
        return [manager]


class KernelType(types.Dispatcher):
    """Numba's type of a kernel; a number that is written in a call does not cause another compilation."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the types of a call."""
        plain = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_type(context, tuple(map(types.unliteral, args)), plain)


register_model(KernelType)(models.OpaqueModel)


class _Mode:
    """How kernels are compiled at present."""

    boundscheck = False


def compile_entry_point(entry: EntryPoint, others: Sequence[EntryPoint], boundscheck: bool = False) -> bytes:
    """Return the LLVM bitcode of an entry point with all kernels that it contains.

    `others` are all entry points that it may call; the code of the separate ones is in other object files.
    """
    for other in others:
        if other.separate:
            _declare(other)
    _Mode.boundscheck = boundscheck
    kinds = tuple(numba_type(argument) for argument in entry.signature.arguments.values())
    compiler = _dispatcher(entry.function, boundscheck)
    compiler.compile(kinds)
    compiled = compiler.overloads[kinds]
    _check_result(entry, compiled.signature.return_type)
    with compiled.target_context.push_code_library(compiled.library):
        module = llvm.parse_assembly(str(_wrapper(entry, compiled)))
    for library in _with_callees(compiled.library, {}):
        module.link_in(library._final_module, preserve=True)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in (entry.symbol, body_symbol(entry)):
            value.linkage = llvm.Linkage.internal
    if entry.separate:
        module.get_function(body_symbol(entry)).visibility = llvm.Visibility.hidden
    return bytes(module.as_bitcode())


@functools.cache
def _dispatcher(function: FunctionType, boundscheck: bool) -> Any:
    """Return Numba's dispatcher of a kernel."""
    options: dict[str, Any] = dict(OPTIONS, boundscheck=boundscheck, pipeline_class=KernelCompiler)
    if getattr(function, MARK) == INLINE:
        options["forceinline"] = True
    return numba.njit(**options)(function)


@functools.cache
def _kernel_type(function: FunctionType, boundscheck: bool) -> Any:
    kind = types.Dispatcher if getattr(function, MARK) == INLINE else KernelType
    return kind(_dispatcher(function, boundscheck))


_separate: set[Any] = set()
"""Kernels that others call as separate entry points."""


@typeof_impl.register(FunctionType)
def _type_of_function(function: FunctionType, context: Any) -> Any:
    """Return the type of a kernel that a kernel calls; None for other functions and for separate entry points."""
    if not hasattr(function, MARK) or function in _separate:
        return None
    return _kernel_type(function, _Mode.boundscheck)


def body_symbol(entry: EntryPoint) -> str:
    """Return the symbol by which other kernels call a separate entry point."""
    return f"{entry.symbol}_body"


def _check_result(entry: EntryPoint, found: Any) -> None:
    declared = types.none if entry.signature.returns is None else numba_type(entry.signature.returns)
    if found != declared:
        raise TypeError(f"{entry} returns {found}, but its entry point declares {declared}")


def _with_callees(library: Any, found: dict[Any, None]) -> dict[Any, None]:
    """Return a library and those of all kernels that it calls, each once."""
    if library not in found:
        found[library] = None
        for callee in library._linking_libraries:
            _with_callees(callee, found)
    return found


def _wrapper(entry: EntryPoint, compiled: Any) -> Any:
    """Return a module with the function that Python calls, and for a separate entry point the one for kernels."""
    context, about = compiled.target_context, compiled.fndesc
    module = context.create_module(entry.symbol)
    function = ir.Function(module, ir.FunctionType(STATUS, [BLOCK, BLOCK]), entry.symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    values, at = [], 0
    for argument in entry.signature.arguments.values():
        values.append(read(context, builder, argument, function.args[0], at))
        at += words_of(argument)
    callee = context.declare_function(module, about)
    status, value = context.call_conv.call_function(builder, callee, about.restype, about.argtypes, values)
    if entry.signature.returns is not None:
        write(builder, entry.signature.returns, value, function.args[1])
    builder.ret(status.code)
    if entry.separate:
        kind = context.call_conv.get_function_type(about.restype, about.argtypes)
        body = ir.Function(module, kind, body_symbol(entry))
        builder = ir.IRBuilder(body.append_basic_block("entry"))
        builder.ret(builder.call(callee, body.args))
    return module


def _declare(entry: EntryPoint) -> None:
    """Let kernels call a separate entry point, whose code is in another object file."""
    if entry.function in _separate:
        return
    _separate.add(entry.function)
    kinds = tuple(numba_type(argument) for argument in entry.signature.arguments.values())
    returned = types.none if entry.signature.returns is None else numba_type(entry.signature.returns)

    @infer_global(entry.function)
    class _Call(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) != len(kinds) or kws:
                return None
            return signature(returned, *map(_argument_type, args, kinds))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = context.call_conv.get_function_type(returned, kinds)
        module = builder.module
        function = module.globals.get(body_symbol(entry)) or ir.Function(module, kind, body_symbol(entry))
        status, value = context.call_conv.call_function(builder, function, returned, kinds, args)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value() if returned == types.none else value

    lower_builtin(entry.function, types.VarArg(types.Any))(lower)


def _argument_type(given: Any, declared: Any) -> Any:
    """Return the type that an argument is converted to: as declared, but an array in a record has the same layout."""
    nested = isinstance(given, types.NestedArray) and isinstance(declared, types.Array)
    return given if nested and (given.dtype, given.ndim) == (declared.dtype, declared.ndim) else declared
