"""From a kernel to a unit of machine code that is called by the address of its arguments.

A unit holds the code of all parts of a kernel. A large kernel can be a unit of its own, which others call by a name:
they are compiled against its declaration, while it is compiled elsewhere.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import llvmlite.binding as ll
from llvmlite import ir
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import cgutils, funcdesc, types
from numba.core.compiler import compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.environment import Environment
from numba.core.typing.templates import signature

from softdock.compiler.machine_code import (
    DATA_AT,
    NO_UNIT,
    OWN,
    SHAPE_AT,
    STRIDES_AT,
    Returned,
    Unit,
    called_from_outside,
    symbol_address,
)
from softdock.compiler.pipeline import DeclaredLibrary, KernelLibrary
from softdock.compiler.shortcuts import remembering


class UnitLibrary(KernelLibrary):
    """Code of a kernel that is called from Python by the address of its arguments, with that of all its parts."""

    code = b""
    large = False

    def _optimize_final_module(self) -> None:
        if self.large:
            for function in self._final_module.functions:
                if function.linkage == ll.Linkage.linkonce_odr and not _must_melt(function):
                    function.add_function_attribute("noinline")
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Make machine code; it is loaded by whoever calls it."""
        self.code = self._codegen._tm.emit_object(self._final_module)
        self._finalized = True


class BodyLibrary(UnitLibrary):
    """Code of a kernel that others call by a name."""

    kernel = ""
    """Name of the kernel before."""

    def _optimize_final_module(self) -> None:
        """Give the kernel its name; it stays as it is called, the parts do not."""
        function = self._final_module.get_function(self.kernel)
        function.name, function.linkage = self.name, ll.Linkage.external
        self._final_module.get_function(f"{self.name}.caller").linkage = ll.Linkage.internal
        super()._optimize_final_module()


def _must_melt(function: Any) -> bool:
    return any(b"alwaysinline" in attribute for attribute in function.attributes)


def _with_room(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a function so large a frame that those of all it calls lie in one piece.

    Python keeps frames in pieces of 16 KB and gives back those that are empty: a loop at the end of one would ask the
    system for memory at every call.
    """
    function.__code__ = function.__code__.replace(co_stacksize=FRAME)
    return function


FRAME = 100_000  # words; Python takes the next power of two in bytes, of which a quarter is left for others
_UNIT_LIBRARY: Any = UnitLibrary
_BODY_LIBRARY: Any = BodyLibrary


@global_compiler_lock  # type: ignore[untyped-decorator]
@_with_room
@remembering()
def compile_unit(part: Any, args: Sequence[Any], large: bool = False) -> Unit:
    """Return the machine code of a part for arguments of some types; none if it has to be called through Numba.

    The parts of a large one stay functions of their own, except those that must melt into their caller.
    """
    part.compile(tuple(args))
    compiled = part.overloads[tuple(args)]
    returned = _returned(compiled.signature.return_type)
    if returned is False:
        return NO_UNIT
    name = f"entry.{compiled.fndesc.llvm_func_name}"
    library: Any = _UNIT_LIBRARY(compiled.target_context.codegen(), name)
    library.large = large
    library.add_ir_module(_entry(compiled, name))
    return _unit(library, compiled, name, returned)


@global_compiler_lock  # type: ignore[untyped-decorator]
@_with_room
@remembering()
def compile_body(part: Any, args: Sequence[Any], name: str) -> Unit:
    """Return the machine code of a kernel that others call by a name."""
    part.compile(tuple(args))
    compiled = part.overloads[tuple(args)]
    context, about = compiled.target_context, compiled.fndesc
    module = context.create_module(name)
    kind = context.call_conv.get_function_type(about.restype, about.argtypes)
    caller = ir.Function(module, kind, f"{name}.caller")  # what nobody calls is not put into the unit
    builder = ir.IRBuilder(caller.append_basic_block("entry"))
    builder.ret(builder.call(ir.Function(module, kind, about.llvm_func_name), caller.args))
    library: Any = _BODY_LIBRARY(context.codegen(), name)
    library.kernel = about.llvm_func_name
    library.add_ir_module(module)
    return _unit(library, compiled, name, None)


def _unit(library: Any, compiled: Any, name: str, returned: Returned) -> Unit:
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
