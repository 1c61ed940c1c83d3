"""Directive that puts an executed notebook on a page: `{notebook} first-docking.ipynb`."""

import tempfile
from pathlib import Path

from docutils import nodes
from notebook_runner import ExecutedCell, execute
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def page_text(path: Path) -> str:
    """Return an executed notebook as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(_cell_text(cell) for cell in execute(path, Path(folder)))


def _cell_text(cell: ExecutedCell) -> str:
    if cell.kind == "markdown":
        return (
            cell.source.removeprefix("# ").partition("\n")[2]
            if cell.source.startswith("# ")
            else cell.source + "\n"
        )
    parts = ["```python", cell.source, "```", ""]
    if cell.printed:
        parts += ["```text", cell.printed.rstrip(), "```", ""]
    if cell.html:
        parts += ["````{raw} html", f'<div class="output">{cell.html}</div>', "````", ""]
    return "\n".join(parts)


class NotebookDirective(SphinxDirective):
    """Shows a notebook of the same folder with the output of its cells."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the parsed nodes."""
        path = Path(self.env.doc2path(self.env.docname)).parent / self.arguments[0]
        self.env.note_dependency(str(path))
        return list(self.parse_text_to_nodes(page_text(path), allow_section_headings=True))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("notebook", NotebookDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
