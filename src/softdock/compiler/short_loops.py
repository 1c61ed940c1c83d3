"""Loops over ranges in the code of kernels."""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir as ll
from numba.core import types
from numba.core.lowering import Lower

from softdock.compiler.short_arrays import WHOLE

AT, STEP, LEFT = 0, 2, 3
"""Places in Numba's structure of a loop over a range: address of the next value, step, address of how many are left."""
_LOWER: Any = Lower


class LowerLoops(_LOWER):  # type: ignore[misc]
    """Writes the code of loops."""

    def new_range(self, values: Sequence[Any]) -> Any:
        """Return a range that goes up one by one."""
        made = ll.Constant(
            self.context.get_value_type(types.range_state64_type), [WHOLE(n) for n in (0, 0, 1)]
        )
        for place, value in enumerate(values, start=2 - len(values)):
            made = self.builder.insert_value(made, value, place)
        return made

    def begin_loop(self, resty: Any, expr: Any) -> Any:
        """Return a loop over a range that goes up one by one."""
        if self.typeof(expr.value.name) != types.range_state64_type or not self._goes_one_by_one(expr.value):
            return None
        state = self.loadvar(expr.value.name)
        start, stop = (self.builder.extract_value(state, i) for i in range(2))
        at, left = (self.alloca(name, types.int64) for name in ("$at", "$left"))
        self.builder.store(start, at)
        self.builder.store(self.builder.sub(stop, start, flags=["nsw"]), left)
        made = ll.Constant(self.context.get_value_type(resty), ll.Undefined)
        for value, place in ((at, AT), (WHOLE(1), STEP), (left, LEFT)):
            made = self.builder.insert_value(made, value, place)
        return made

    def _goes_one_by_one(self, variable: Any) -> bool:
        made = self.func_ir._definitions.get(variable.name, [])
        if len(made) != 1 or getattr(made[0], "op", "") != "call":
            return False
        call = made[0]
        of_range = getattr(self.typeof(call.func.name), "typing_key", None) is range
        return of_range and not call.vararg and len(call.args) < 3

    def next_round(self, resty: Any, expr: Any) -> Any:
        """Return the next value of a loop over a range, and whether there is one."""
        if self.typeof(expr.value.name) != types.range_iter64_type:
            return None
        loop = self.loadvar(expr.value.name)
        at, step, left = (self.builder.extract_value(loop, i) for i in (AT, STEP, LEFT))
        value, count = self.builder.load(at), self.builder.load(left)
        self.builder.store(self.builder.add(value, step, flags=["nsw"]), at)
        self.builder.store(self.builder.sub(count, WHOLE(1), flags=["nsw"]), left)
        goes_on = self.builder.icmp_signed(">", count, WHOLE(0))
        pair = self.builder.insert_value(
            ll.Constant(self.context.get_value_type(resty), ll.Undefined), value, 0
        )
        return self.builder.insert_value(pair, goes_on, 1)

    def half_of_round(self, resty: Any, expr: Any) -> Any:
        """Return the value of a loop, or whether there is one."""
        kind: Any = self.typeof(expr.value.name)
        first = expr.op == "pair_first"
        if resty not in (types.int64, types.boolean) or resty != (
            kind.first_type if first else kind.second_type
        ):
            return None
        return self.builder.extract_value(self.loadvar(expr.value.name), 0 if first else 1)
