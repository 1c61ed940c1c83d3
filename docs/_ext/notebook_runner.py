"""Executes the code cells of a notebook in order and collects what they print and show.

The notebooks are plain Python without magic commands, so that no Jupyter kernel is needed for tests and pages.
"""

import ast
import contextlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class ExecutedCell:
    """A cell with its output."""

    kind: str
    """`markdown` or `code`."""
    source: str
    printed: str = ""
    html: str = ""
    """The value of the last expression as HTML, if it has such a form."""


def execute(path: Path, folder: Path) -> Iterator[ExecutedCell]:
    """Yield all cells of a notebook; code is executed in a folder, and errors are raised."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            yield ExecutedCell("markdown", source)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), _inside(folder):
            value = _run(source, names, path.name)
            html = "" if value is None else getattr(value, "_repr_html_", lambda: "")()
            if value is not None and not html:
                print(repr(value))
        yield ExecutedCell("code", source, printed.getvalue(), html)


def _run(source: str, names: dict[str, Any], file: str) -> Any:
    """Execute code and return the value of its last expression; None if it ends with another statement."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, file, "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), file, "eval"), names)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
