"""The mutants of a source file: each changes one expression or leaves out one statement."""

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}  # fmt: skip
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any", "sin": "cos", "cos": "sin"}
KEY = re.compile(r"[a-z]\w*")
"""Texts that are keys or names, not sentences."""


@dataclass(frozen=True)
class Mutant:
    """A file of the package in which one node is replaced."""

    path: str
    line: int
    function: int
    """First line of the function that contains the node; 0 for code that runs at import."""
    span: tuple[int, int]
    """Bytes of the node."""
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        start, end = self.span
        return source[:start] + self.after.encode() + source[end:]

    def __str__(self) -> str:
        before, after = (text.partition("\n")[0] for text in (self.before, self.after))
        return f"{self.path}:{self.line}: {before} -> {after}"


def find_mutants(path: str, source: bytes, random: Random) -> list[Mutant]:
    """Return the mutants of a file, at most one of a node and kind of change; `random` chooses among keys."""
    tree = ast.parse(source)
    starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    keys = sorted({text for text in texts if isinstance(text, str) and KEY.fullmatch(text)})
    found = []
    for node, function in _nodes(tree, 0):
        place = node.test if isinstance(node, ast.If) else node
        for changed in _changes(node, keys, random):
            span = (
                starts[place.lineno - 1] + place.col_offset,
                starts[(place.end_lineno or 0) - 1] + (place.end_col_offset or 0),
            )
            after = ast.unparse(changed)
            after = f"({after})" if isinstance(changed, ast.expr) else after
            found.append(Mutant(path, node.lineno, function, span, ast.unparse(node), after))
    return found


def _nodes(parent: ast.AST, function: int) -> Iterator[tuple[ast.expr | ast.stmt, int]]:
    """Yield the nodes that may be changed, with the first line of their function."""
    for name, value in ast.iter_fields(parent):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom):
                continue  # Python 3.11 gives no positions of the values in texts
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue  # a docstring
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                continue
            if isinstance(node, ast.expr | ast.stmt):
                yield node, function
            inside = function
            if isinstance(node, ast.FunctionDef):
                inside = min(part.lineno for part in (node, *node.decorator_list))
            yield from _nodes(node, inside)


def _changes(node: ast.expr | ast.stmt, keys: list[str], random: Random) -> Iterator[ast.expr | ast.stmt]:
    """Yield what may replace a node."""
    changed = copy.deepcopy(node)
    match changed:
        case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
            changed.ops = [OPERATORS[type(operator)]()]  # type: ignore[list-item]
            yield changed
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in OPERATORS:
            changed.op = OPERATORS[type(operator)]()  # type: ignore[assignment]
            yield changed
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test=test, body=orelse, orelse=body)
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)) | ast.Constant(value=float(value)):
            yield ast.Constant(value + 1 if value != 1 else value - 1)
        case ast.Constant(value=str(value)) if value in keys and len(keys) > 1:
            yield ast.Constant(random.choice([key for key in keys if key != value]))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in FUNCTIONS:
            function = changed.func
            setattr(function, "id" if isinstance(function, ast.Name) else "attr", FUNCTIONS[name])
            yield changed
        case ast.If(test=test):
            yield ast.UnaryOp(op=ast.Not(), operand=test)
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]):
            yield ast.Pass()
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield ast.Return(ast.Constant(None))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
