"""Shorter code for what kernels do most: arithmetic, items of arrays, fields of records, loops over ranges.

Numba writes some forty instructions for an item of an array and a hundred for a loop, and leaves it to the optimiser
to find out that five matter. They cost a quarter of the time to compile. What is not written here is left to Numba,
as are items of arrays when it is told to check bounds.
"""

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from numba.core import ir, types
from numba.core.cgutils import get_record_member
from numba.np.arrayobj import load_item, store_item

from softdock.compiler.by_address import is_by_address, part_of
from softdock.compiler.short_arrays import WHOLE, ArrayInCode, array_of
from softdock.compiler.short_loops import LowerLoops

FLOAT_ARITHMETIC = {
    operator.add: "fadd",
    operator.sub: "fsub",
    operator.mul: "fmul",
    operator.truediv: "fdiv",
}
WHOLE_ARITHMETIC = {operator.add: "add", operator.sub: "sub", operator.mul: "mul"}
COMPARISONS = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
EXTREMES = {max: operator.gt, min: operator.lt}


class ShortLower(LowerLoops):
    """Writes the code of a kernel."""

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Return the value of an expression."""
        write = _EXPRESSIONS.get(expr.op)
        value = None if write is None else write(self, resty, expr)
        return super().lower_expr(resty, expr) if value is None else value

    def lower_inst(self, inst: Any) -> None:
        """Write the code of a statement."""
        kind = type(inst)
        if kind is ir.Assign and self._assign_address(inst):
            return
        if kind in (ir.SetItem, ir.StaticSetItem):
            index = inst.index if kind is ir.SetItem else inst.index_var
            if self._set_item(inst, index, getattr(inst, "index", None)):
                return
        super().lower_inst(inst)

    def loadvar(self, name: str) -> Any:
        """Return the value of a variable."""
        address = self._addresses.get(name)
        return super().loadvar(name) if address is None else self.builder.load(address)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Give a variable a value; what it had before needs no look, nobody counts references."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars and not self._disable_sroa_like_opt:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    @functools.cached_property
    def _addresses(self) -> dict[str, Any]:
        """Variables of which the address is known: tuples that were passed by it, and tuples in them."""
        return {}

    def _assign_address(self, inst: Any) -> bool:
        """Keep the address of a tuple in mind instead of its value, where that is the same; tells whether it is."""
        name, value = inst.target.name, inst.value
        kind = self.typeof(name)
        if not is_by_address(kind):
            return False
        address = self._address(value)
        if address is None:
            return False
        given_once = len(self.func_ir._definitions.get(name, ())) == 1
        if given_once and address.type.pointee == self.context.get_value_type(kind):
            self._addresses[name] = address
        else:
            self.storevar(self.builder.load(address), name)
        return True

    def _address(self, value: Any) -> Any:
        """Return the address of a tuple: of an argument, of a variable that has one, or of a part of such."""
        if isinstance(value, ir.Arg):
            return self.fnargs[value.index]
        if isinstance(value, ir.Var):
            return self._addresses.get(value.name)
        if not isinstance(value, ir.Expr) or value.op not in ("getattr", "static_getitem"):
            return None
        whole = self._addresses.get(value.value.name)
        kind = self.typeof(value.value.name)
        index = _place_in(kind, value.attr if value.op == "getattr" else value.index)
        return None if whole is None or index is None else part_of(self.builder, whole, index)

    def _binary(self, resty: Any, expr: Any) -> Any:
        """Return a sum, a difference, a product, a quotient or a comparison of two floats or two whole numbers."""
        kind = one_of([self.typeof(side.name) for side in (expr.lhs, expr.rhs)])
        if kind is None:
            return None
        floats = kind == types.float64
        what = expr.immutable_fn if expr.op == "inplace_binop" else expr.fn
        name = (FLOAT_ARITHMETIC if floats else WHOLE_ARITHMETIC).get(what)
        if name is not None and resty == kind:
            return getattr(self.builder, name)(*self._sides(expr))
        if what in COMPARISONS and resty == types.boolean:
            compare = self.builder.icmp_signed
            if floats:
                compare = self.builder.fcmp_unordered if what is operator.ne else self.builder.fcmp_ordered
            return compare(COMPARISONS[what], *self._sides(expr))
        return None

    def _sides(self, expr: Any) -> list[Any]:
        return [self.loadvar(side.name) for side in (expr.lhs, expr.rhs)]

    def _item(self, resty: Any, expr: Any) -> Any:
        """Return an item of an array, or a row of it, or one of a tuple, or a field of a record by its name."""
        if expr.op == "static_getitem":
            if isinstance(expr.index, str):
                return self._field_named(expr.index, resty, expr.value)
            if isinstance(self.typeof(expr.value.name), types.BaseTuple):
                return self._part(expr.index, resty, expr.value)
        index = expr.index if expr.op == "getitem" else expr.index_var
        place = self._place(expr.value, index, getattr(expr, "index", None))
        if place is None:
            return None
        array, item, used = place
        if used == array.kind.ndim:
            return (
                None if resty != array.kind.dtype else load_item(self.context, self.builder, array.kind, item)
            )
        if not (isinstance(resty, types.Array) and resty.layout == "C" and array.kind.layout == "C"):
            return None
        return array_of(self.context, self.builder, resty, item, array.shape[used:])

    def _set_item(self, inst: Any, index: Any, known: Any) -> bool:
        """Write into an item of an array; tells whether that could be done."""
        place = self._place(inst.target, index, known)
        if place is None:
            return False
        array, item, used = place
        if used < array.kind.ndim:
            return False
        kind = self.typeof(inst.value.name)
        value = self.context.cast(self.builder, self.loadvar(inst.value.name), kind, array.kind.dtype)
        store_item(self.context, self.builder, array.kind, value, item)
        return True

    def _place(self, target: Any, index: Any, known: Any) -> tuple[ArrayInCode, Any, int] | None:
        """Return an array, the address of an item or a row of it, and of how many numbers its index consists."""
        kind = self.typeof(target.name)
        if not isinstance(kind, types.Array) or kind.layout not in "CA" or index is None:
            return None
        if self.context.enable_boundscheck:
            return None
        indices = self._indices(index, known)
        if not indices or len(indices) > kind.ndim:
            return None
        array = ArrayInCode(self.context, self.builder, kind, self.loadvar(target.name))
        return array, array.address(indices), len(indices)

    def _indices(self, index: Any, known: Any) -> list[Any] | None:
        """Return the numbers of an index, as such where they are known; None for slices and the like."""
        kind: Any = self.typeof(index.name)
        if isinstance(known, int) and not isinstance(known, bool):
            return [known]
        if isinstance(known, tuple) and all(type(number) is int for number in known):
            return list(known)
        if isinstance(kind, types.BaseTuple):
            kinds = list(kind.types)  # type: ignore[attr-defined]
            if not all(map(_is_whole, kinds)):
                return None
            whole = self.loadvar(index.name)
            values = [self.builder.extract_value(whole, i) for i in range(len(kinds))]
        elif _is_whole(kind):
            kinds, values = [kind], [self.loadvar(index.name)]
        else:
            return None
        return [one.literal_value if isinstance(one, types.IntegerLiteral) else value
                for one, value in zip(kinds, values, strict=True)]  # fmt: skip

    def _part(self, which: Any, resty: Any, value: Any) -> Any:
        """Return one of a tuple, by its number or its name."""
        kind = self.typeof(value.name)
        index = _place_in(kind, which)
        if index is None or list(kind)[index] != resty:
            return None
        whole = self._addresses.get(value.name)
        if whole is not None:
            return self.builder.load(part_of(self.builder, whole, index))
        return self.builder.extract_value(self.loadvar(value.name), index)

    def _field(self, resty: Any, expr: Any) -> Any:
        """Return a field of a record or of a tuple with names."""
        if isinstance(self.typeof(expr.value.name), types.BaseNamedTuple):
            return self._part(expr.attr, resty, expr.value)
        return self._field_named(expr.attr, resty, expr.value)

    def _field_named(self, name: str, resty: Any, value: Any) -> Any:
        """Return a field of a record; an array in it is known by its address."""
        kind = self.typeof(value.name)
        if not isinstance(kind, types.Record) or kind.typeof(name) != resty:
            return None
        nested = isinstance(resty, types.NestedArray)
        stored = self.context.get_data_type(resty.dtype if nested else resty)
        self.context.sentry_record_alignment(kind, name)
        address = get_record_member(self.builder, self.loadvar(value.name), kind.offset(name), stored)
        if nested:
            return array_of(self.context, self.builder, resty, address, [WHOLE(n) for n in resty.shape])
        return self.context.unpack_value(self.builder, resty, address, None if kind.aligned else 1)

    def _call(self, resty: Any, expr: Any) -> Any:
        """Return what a part of the kernel returns, a range that goes up one by one, or the largest of some numbers."""
        kind = self.typeof(expr.func.name)
        if self._is_foreign(kind, expr):
            return self._call_foreign(resty, expr)
        if isinstance(kind, types.Dispatcher):
            return self._call_part(kind, resty, expr)
        what = getattr(kind, "typing_key", None)
        if what not in (range, max, min) or expr.kws:
            return None
        kinds, values = self._arguments(expr)
        if what is range:
            return self.new_range(values) if len(kinds) < 3 and all(map(_is_whole, kinds)) else None
        return self._extreme(COMPARISONS[EXTREMES[what]], values, resty) if one_of(kinds) == resty else None

    def _arguments(self, expr: Any) -> tuple[list[Any], list[Any]]:
        """Return kinds and values of the arguments of a call, also of those that a tuple stands for."""
        kinds = [self.typeof(arg.name) for arg in expr.args]
        values = [self.loadvar(arg.name) for arg in expr.args]
        if expr.vararg:
            more = list(self.typeof(expr.vararg.name))
            whole = self.loadvar(expr.vararg.name)
            kinds += more
            values += [self.builder.extract_value(whole, i) for i in range(len(more))]
        return kinds, values

    def _is_foreign(self, kind: Any, expr: Any) -> bool:
        """Tell whether a function of others is called with tuples that a kernel would be passed by address."""
        signature = self.fndesc.calltypes[expr]
        if not any(map(is_by_address, signature.args)):
            return False
        if not isinstance(kind, types.Dispatcher):
            return isinstance(kind, types.Function)
        part = kind.dispatcher.overloads.get(tuple(signature.args))
        return part is not None and not getattr(part.library, "of_kernels", False)

    def _call_foreign(self, resty: Any, expr: Any) -> Any:
        from softdock.compiler.shortcuts import as_numba_does

        with as_numba_does():
            return super().lower_expr(resty, expr)

    def _call_part(self, kind: Any, resty: Any, expr: Any) -> Any:
        """Call a part; where it was stopped by an error, stop with the same."""
        signature = self.fndesc.calltypes[expr]
        part = kind.dispatcher.overloads.get(tuple(signature.args))
        if part is None or signature.return_type != resty or isinstance(resty, types.Optional):
            return None
        about, context, build = part.fndesc, self.context, self.builder
        if expr.vararg or expr.kws or len(expr.args) != len(signature.args):
            values = self.fold_call_args(kind, signature, expr.args, expr.vararg, expr.kws)
        else:
            values = [
                self._passed(arg, wanted) for arg, wanted in zip(expr.args, signature.args, strict=True)
            ]
        function = context.declare_function(build.module, about)
        with build.goto_entry_block():
            returned = build.alloca(function.args[0].type.pointee)
        words = context.get_arg_packer(about.argtypes).as_arguments(build, values)
        status = build.call(function, [returned, build.function.args[1], *words])
        with build.if_then(build.icmp_unsigned("!=", status, status.type(0)), likely=False):
            build.ret(status)
        context.add_linking_libs([part.library])
        if resty == types.none:
            return context.get_dummy_value()
        return context.get_returned_value(build, resty, build.load(returned))

    def _passed(self, arg: Any, wanted: Any) -> Any:
        """Return an argument as it is passed: its value, or its address."""
        address = self._addresses.get(arg.name)
        return self._cast_var(arg, wanted) if address is None or self.typeof(arg.name) != wanted else address

    def _extreme(self, sign: str, values: Sequence[Any], kind: Any) -> Any:
        """Return the largest or smallest as Python does: of equals, and beside what is no number, the first."""
        compare = self.builder.fcmp_ordered if kind == types.float64 else self.builder.icmp_signed
        best = values[0]
        for value in values[1:]:
            best = self.builder.select(compare(sign, value, best), value, best)
        return best


_EXPRESSIONS: dict[str, Callable[[ShortLower, Any, Any], Any]] = {
    "binop": ShortLower._binary,
    "inplace_binop": ShortLower._binary,
    "getitem": ShortLower._item,
    "static_getitem": ShortLower._item,
    "getattr": ShortLower._field,
    "call": ShortLower._call,
    "getiter": ShortLower.begin_loop,
    "iternext": ShortLower.next_round,
    "pair_first": ShortLower.half_of_round,
    "pair_second": ShortLower.half_of_round,
}


def _place_in(kind: Any, which: Any) -> int | None:
    """Return the place of a part in a tuple; None if that is not how it is found."""
    if isinstance(which, str):
        fields: Any = getattr(kind, "fields", ())
        return fields.index(which) if which in fields else None
    return which % len(kind) if type(which) is int and isinstance(kind, types.BaseTuple) else None


def _is_whole(kind: Any) -> bool:
    return bool(types.unliteral(kind) == types.int64)


def one_of(kinds: Sequence[Any]) -> Any:
    """Return the kind of some numbers, of which there are two or more; None if they are not of one kind."""
    plain = {types.unliteral(kind) for kind in kinds}
    kind = plain.pop() if len(plain) == 1 and len(kinds) > 1 else None
    return kind if kind in (types.float64, types.int64) else None
