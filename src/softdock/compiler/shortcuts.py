"""What Numba would find out again and again is remembered while kernels are compiled.

Numba asks for the type of the sum of two floats at every sum, and looks everywhere for the type of a field at every
access. All of this belongs to Numba's inside, so that it is replaced only meanwhile, and only in versions for which it
was tried.
"""

import contextlib
import types as python_types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llvmlite.ir
import numba.core.errors
from numba.core import base, event, interpreter, ir, lowering, postproc, ssa, transforms, typeinfer, types
from numba.core.compiler import CompilerBase
from numba.core.typing.context import BaseContext
from numba.core.typing.templates import signature

from softdock.compiler.by_address import Packer
from softdock.compiler.short_code import EXTREMES, one_of

_calls: dict[Any, Any] = {}
_attributes: dict[Any, Any] = {}
_values: dict[Any, Any] = {}
_sizes: dict[str, int] = {}
_locations: dict[Any, bool] = {}
_packers: dict[Any, Any] = {}
_mentioned: dict[Any, set[str]] = {}
_SEEN_AS_THEMSELVES = (
    python_types.FunctionType,
    python_types.BuiltinFunctionType,
    python_types.ModuleType,
    type,
)


def _call_type(function: Any, context: Any, args: Any, named: Any) -> Any:
    """Return the types of a call; that of the largest of some numbers without compiling anything."""
    if named:
        return _GET_CALL_TYPE(function, context, args, named)
    key = (function, tuple(args))
    if key not in _calls:
        kind = one_of(args) if getattr(function, "typing_key", None) in EXTREMES else None
        found = _GET_CALL_TYPE(function, context, args, named) if kind is None else signature(kind, *args)
        _calls[key] = found
    return _calls[key]


def _attribute(context: Any, kind: Any, name: str) -> Any:
    """Return the type of an attribute."""
    key = kind, name
    if key not in _attributes:
        _attributes[key] = _RESOLVE_GETATTR(context, kind, name)
    return _attributes[key]


def _value(context: Any, value: Any) -> Any:
    """Return the type of a function, an operator, a module."""
    if not isinstance(value, _SEEN_AS_THEMSELVES):
        return _RESOLVE_VALUE_TYPE(context, value)
    if value not in _values:
        _values[value] = _RESOLVE_VALUE_TYPE(context, value)
    return _values[value]


def _size_of(kind: Any, target: Any, context: Any = None) -> int:
    """Return the size of a type in memory; Numba has a small module parsed each time."""
    name = str(kind)
    if "%" in name:  # has a name of its own, which does not say what is in it
        return int(_GET_ABI_SIZE(kind, target, context))
    if name not in _sizes:
        _sizes[name] = _GET_ABI_SIZE(kind, target, context)
    return _sizes[name]


def _wants_location(function: Any) -> bool:
    """Tell whether a function that writes code takes a location."""
    code = getattr(function, "__code__", function)
    if code not in _locations:
        _locations[code] = _HAS_LOC(function)
    return _locations[code]


def _packer(context: Any, kinds: Any) -> Any:
    """Return what takes arguments apart into words and addresses."""
    key = tuple(kinds)
    if key not in _packers:
        _packers[key] = Packer(context.data_model_manager, key)
    return _packers[key]


def _declared(context: Any, module: Any, about: Any) -> Any:
    """Return a function in a module, which may have it."""
    known = module.globals.get(about.llvm_func_name)
    return _DECLARE_FUNCTION(context, module, about) if known is None else known


def _canonical(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Bring the blocks of a function into order; where variables die matters only to counts of references."""
    if emit_dels:
        _PROCESS(processor, emit_dels, extend_lifetimes)
        return
    blocks = transforms.canonicalize_cfg(processor.func_ir.blocks)
    processor.func_ir.blocks, processor.func_ir.variable_lifetime = blocks, postproc.VariableLifetime(blocks)


def _defined_often(blocks: Any, cfg: Any) -> Any:
    """Return the variables that are defined more than once; keeps in mind which blocks mention which."""
    _mentioned.clear()
    for label, block in blocks.items():
        _mentioned[label] = {variable.name for statement in block.body for variable in statement.list_vars()}
    return _FIND_DEFS_VIOLATORS(blocks, cfg)


def _rewritten(blocks: Any, states: Any, handler: Any) -> Any:
    """Give a variable new names; Numba looks for it everywhere."""
    name = states["varname"]
    theirs = {label: block for label, block in blocks.items() if name in _mentioned[label]}
    done = _RUN_BLOCK_REWRITE(theirs, states, handler)
    return {label: done[label] if label in done else _copied(block) for label, block in blocks.items()}


def _copied(block: Any) -> Any:
    copy = ir.Block(scope=block.scope, loc=block.loc)
    copy.body = list(block.body)
    return copy


def _variables(inst: Any, value: Any) -> list[Any]:
    """Return the variables in a part of a statement, most of which have none."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in _WITHOUT_VARIABLES:
        return []
    if kind not in (list, tuple, dict):
        return list(_REC_LIST_VARS(inst, value))
    found = []
    for part in value.values() if kind is dict else value:
        if type(part) not in _WITHOUT_VARIABLES:
            found += _variables(inst, part)
    return found


def _by_numba(compiler: Any) -> Any:
    """Let Numba compile with its own pieces what is no kernel: a function of Numba's or of others that one calls."""
    with as_numba_does():
        return COMPILE(compiler)


def _if_heard(tell: Callable[..., None]) -> Callable[..., None]:
    """Tell that a lock is taken, which happens at every turn, only where somebody listens."""

    def told(kind: str, *args: Any, **named: Any) -> None:
        if _EVENT._registered.get(kind):
            tell(kind, *args, **named)

    return told


def _as_it_is(code: Any) -> Any:
    """Leave out a search for what kernels do not have: `with`, and dictionaries."""
    return code


def _warnings(fixer: Any, filename: Any = None, lineno: Any = None) -> Any:
    """Do not collect warnings at every statement: kernels give none."""
    return _NOTHING


class _Context:
    """Says where an error happened; Numba prepares that for every statement."""

    def __init__(self, text: str, *args: Any, **named: Any) -> None:
        self._about = text, args, named

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, _ERRORS.NumbaError):
            text, args, named = self._about
            with _NEW_ERROR_CONTEXT(text, *args, **named):
                raise error


_NOTHING = contextlib.nullcontext()
_WITHOUT_VARIABLES = {
    str,
    int,
    float,
    bool,
    type(None),
    python_types.BuiltinFunctionType,
    ir.Loc,
    ir.Const,
    ir.Global,
}
_EVENT: Any = event
_COMPILER: Any = CompilerBase
_LL_TYPE: Any = llvmlite.ir.Type
_BASE: Any = base
_CONTEXT: Any = base.BaseContext
_TYPING: Any = BaseContext
_FUNCTION: Any = types.functions.BaseFunction
_PROCESSOR: Any = postproc.PostProcessor
_ERRORS: Any = numba.core.errors
_FIXER: Any = _ERRORS.WarningsFixer
COMPILE = _COMPILER._compile_core
"""What compiles a function, also while something else stands in its place."""
_GET_CALL_TYPE = _FUNCTION.get_call_type
_RESOLVE_GETATTR = _TYPING.resolve_getattr
_RESOLVE_VALUE_TYPE = _TYPING.resolve_value_type
_GET_ABI_SIZE = _LL_TYPE.get_abi_size
_HAS_LOC = _BASE._has_loc
_DECLARE_FUNCTION = _CONTEXT.declare_function
_PROCESS = _PROCESSOR.run
_SSA: Any = ssa
_FIND_DEFS_VIOLATORS = _SSA._find_defs_violators
_RUN_BLOCK_REWRITE = _SSA._run_block_rewrite
_INST: Any = ir.Inst
_REC_LIST_VARS = _INST._rec_list_vars
_NEW_ERROR_CONTEXT = _ERRORS.new_error_context
_REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (_COMPILER, "_compile_core", _by_numba),
    (_FUNCTION, "get_call_type", _call_type),
    (_TYPING, "resolve_getattr", _attribute),
    (_TYPING, "resolve_value_type", _value),
    (_LL_TYPE, "get_abi_size", _size_of),
    (_BASE, "_has_loc", _wants_location),
    (_CONTEXT, "get_arg_packer", _packer),
    (_CONTEXT, "declare_function", _declared),
    (_PROCESSOR, "run", _canonical),
    (_SSA, "_find_defs_violators", _defined_often),
    (_SSA, "_run_block_rewrite", _rewritten),
    (_INST, "_rec_list_vars", _variables),
    (_EVENT, "start_event", _if_heard(_EVENT.start_event)),
    (_EVENT, "end_event", _if_heard(_EVENT.end_event)),
    (interpreter, "peep_hole_delete_with_exit", _as_it_is),
    (interpreter, "peep_hole_fuse_dict_add_updates", _as_it_is),
    (_FIXER, "catch_warnings", _warnings),
    (lowering, "new_error_context", _Context),
    (typeinfer, "new_error_context", _Context),
)
"""What of Numba's is replaced while kernels are compiled."""


_theirs: list[tuple[Any, str, Any]] = []
"""What was there before."""


@contextlib.contextmanager
def remembering() -> Iterator[None]:
    """Compile with a memory, and without looking for what kernels do not have."""
    if _FUNCTION.get_call_type is _call_type:
        yield
        return
    _theirs[:] = [(place, name, getattr(place, name)) for place, name, _ in _REPLACED]
    with _replaced(_REPLACED, _theirs):
        yield


def as_numba_does() -> contextlib.AbstractContextManager[None]:
    """Do without all that meanwhile; only while kernels are compiled."""
    return _replaced(tuple(_theirs), _REPLACED)


@contextlib.contextmanager
def _replaced(new: Sequence[tuple[Any, str, Any]], old: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    try:
        for place, name, piece in new:
            setattr(place, name, piece)
        yield
    finally:
        for place, name, piece in old:
            setattr(place, name, piece)
