"""Formulas as MathML, which browsers draw without scripts or network; labels give the numbers of equations."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.domains.math import MathDomain
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
# LaTeX that the converter draws properly only under another name.
ALIGNED = re.compile(r"\{(?:aligned|gathered)\}")
UPRIGHT = re.compile(r"\\(?:mathrm|operatorname)\{([^{}\\]*)\}")
TAG = re.compile(r"\\tag\{[^}]*\}")


class LabelledMath(MathDomain):
    """Numbers equations by their labels: `eq-R3` is Eq. (R3) on any page."""

    def note_equation(self, docname: str, labelid: str, location: Any = None) -> None:
        """Store the page of an equation under the number in its label."""
        super().note_equation(docname, labelid, location)
        self.equations[labelid] = (docname, labelid.removeprefix("eq-"))  # type: ignore[assignment]


def to_mathml(node: nodes.Element, display: str) -> str:
    """Return a formula as MathML; warn about commands that the converter does not know."""
    latex = TAG.sub("", node.astext()).strip()
    latex = UPRIGHT.sub(r"\\text{\1}", ALIGNED.sub("{split}", latex))
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    try:
        mathml: str = convert(latex, display=display)
    except Exception as error:  # the converter raises many kinds
        LOGGER.warning("formula cannot be drawn (%r): %s", error, latex, location=node)
        return ""
    if "\\" in mathml or "<mi>&</mi>" in mathml:
        LOGGER.warning("formula has a command that cannot be drawn: %s", latex, location=node)
    return mathml


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(f'<span class="math">{to_mathml(node, "inline")}</span>')
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on its own line, with its number beside it."""
    self.body.append(f'<div class="math-block">{to_mathml(node, "block")}')
    if node.get("number"):
        self.body.append(f'<span class="eqno">({node["number"]})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_domain(LabelledMath, override=True)
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
