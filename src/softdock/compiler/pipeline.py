"""Numba's compiler without what kernels do not need: half the time to compile.

Kernels are plain functions over numbers, tuples and arrays. They make no objects, raise nothing and hold no closures,
so that many passes of the compiler find nothing to do. Parts of kernels need no machine code of their own: they are
optimised once, inside the kernel that is called from Python. What this relies on is no public interface of Numba:
with a version for which it was not tried, Numba's own compiler does the work.
"""

import hashlib
from typing import Any

import llvmlite.binding as ll
import numba
from numba.core import (
    caching,
    codegen,
    funcdesc,
    typed_passes,
    types,
    untyped_passes,
)
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import LoweringPass, PassManager, register_pass
from numba.core.runtime import rtsys  # type: ignore[attr-defined]

from softdock.compiler import compiled_lanes  # noqa: F401  kernels use its type
from softdock.compiler.machine_code import OWN, TRIED, KernelError
from softdock.compiler.short_code import ShortLower
from softdock.compiler.shortcuts import COMPILE, remembering

type_of: Any = numba.typeof


def type_of_part(part: Any) -> Any:
    """Return how other kernels see a part."""
    return types.Dispatcher(part)


def for_all_numbers(part: Any) -> Any:
    """Let a part be compiled once for a kind of number; Numba compiles it again for every number written in a call."""
    template = part.get_call_template

    def once(args: Any, named: Any) -> Any:
        return template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in named.items()}
        )

    part.get_call_template = once
    return part


def compilers() -> tuple[Any, Any, Any]:
    """Return the compilers of kernels and of their parts, and the cache of kernels on disk."""
    if numba.__version__.startswith(TRIED):
        return KernelCompiler, PartCompiler, KernelCache
    return Compiler, Compiler, caching.FunctionCache


class KernelLibrary(codegen.JITCodeLibrary):
    """Code of a kernel that is called from Python, with that of all its parts."""

    of_kernels = True

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
        """Optimise once, at the second level, which finds all that the third does here.

        Numba does it twice, to find counts of references, of which kernels have none.

        Parts are nobody else's: the compiler may leave out arguments that they do not read, which most words of an
        array are.
        """
        for function in self._final_module.functions:
            if function.linkage == ll.Linkage.linkonce_odr:
                function.linkage = ll.Linkage.internal
        passes, builder = self._codegen._module_pass_manager(opt=2)
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


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.BaseNativeLowering):
    """Write the code."""

    _name: Any = "short_lowering"
    lowering_class: Any = ShortLower


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
            _Lowering,
            typed_passes.NoPythonBackend,
        ):
            manager.add_pass(step, step._name)
        manager.finalize()
        return [manager]

    def _compile_core(self) -> Any:
        context = self.state.targetctx  # a copy for this function
        context.refresh = lambda: None  # Numba looks for news after every vain search; there are none by now
        context.mangler = _short_name
        with remembering():
            return COMPILE(self)


class PartCompiler(KernelCompiler):
    """Passes for parts of kernels."""

    code = _PartCode


def _short_name(name: str, args: Any, **options: Any) -> str:
    """Return the name of a function in machine code; Numba spells out every field of every record in it."""
    digest = hashlib.sha256(repr(args).encode()).hexdigest()[:16]
    return str(funcdesc.default_mangler(f"{name}_{digest}", (), **options))
