"""Conversion of formulas to nodes for the kernels."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np

from softdock.dynamics.kernels.channels.formulas import NODE, NodeKind
from softdock.model.formulas import Constant, Formula, Operation, Quantity
from softdock.model.observations import Observation
from softdock.tree.kernels.tree import records

Node = tuple[int, int, int, int, float]
"""Kind, up to three operands, value of a constant."""
_BINARY = {
    "+": NodeKind.ADD,
    "-": NodeKind.SUBTRACT,
    "*": NodeKind.MULTIPLY,
    "/": NodeKind.DIVIDE,
    ">": NodeKind.EXCEEDS,
}
_REPEATED = {
    "min": NodeKind.LEAST,
    "max": NodeKind.LARGEST_OF,
    "and": NodeKind.LEAST,
    "or": NodeKind.LARGEST_OF,
}
_UNARY = {
    "sqrt": NodeKind.SQUARE_ROOT,
    "abs": NodeKind.ABSOLUTE,
    "negate": NodeKind.NEGATIVE,
    "not": NodeKind.NEGATION,
}


def formula_nodes(quantities: Sequence[Quantity]) -> tuple[np.recarray, list[tuple[int, int]]]:
    """Return the nodes of all formulas among the quantities, and the range of nodes of each quantity.

    Quantities are channels in this order; the observations of a formula must stand before it.
    """
    index: dict[Quantity, int] = {}
    for i, quantity in enumerate(quantities):
        index.setdefault(quantity, i)
    programs = [_program(what, index) if isinstance(what, Operation) else [] for what in quantities]
    ends = list(accumulate(map(len, programs)))
    out = records(ends[-1] if ends else 0, NODE)
    plain = out.view(np.ndarray)
    for record, node in zip(plain, (node for program in programs for node in program)):
        record["kind"], record["a"], record["b"], record["c"], record["constant"] = node
    return out, [(end - len(program), end) for end, program in zip(ends, programs)]


def _program(formula: Formula, index: Mapping[Quantity, int]) -> list[Node]:
    nodes: list[Node] = []
    _add(formula, index, nodes)
    return nodes


def _add(formula: Formula, index: Mapping[Quantity, int], nodes: list[Node]) -> int:
    """Add the nodes of a formula; returns the index of its last one."""

    def put(kind: int, a: int = 0, b: int = 0, c: int = -1, value: float = 0.0) -> int:
        nodes.append((kind, a, b, c, value))
        return len(nodes) - 1

    if isinstance(formula, Observation):
        return put(NodeKind.CHANNEL_VALUE, index[formula])
    if isinstance(formula, Constant):
        return put(NodeKind.CONSTANT, value=formula.value)
    name, parts = formula.name, [_add(operand, index, nodes) for operand in formula.operands]
    if name == "<":
        return put(NodeKind.EXCEEDS, parts[1], parts[0])
    if name in _BINARY:
        return put(_BINARY[name], *parts)
    if name in _UNARY:
        return put(_UNARY[name], *parts)
    if name == "norm":
        return put(NodeKind.NORM, *parts)
    if name == "^":
        power = abs(formula.exponent)
        if power > 1:
            last = put(NodeKind.POWER, parts[0], power)
        else:
            last = parts[0] if power else put(NodeKind.CONSTANT, value=1.0)
        return put(NodeKind.DIVIDE, put(NodeKind.CONSTANT, value=1.0), last) if formula.exponent < 0 else last
    last = parts[0]
    for part in parts[1:]:
        last = put(_REPEATED[name], last, part)
    return last
