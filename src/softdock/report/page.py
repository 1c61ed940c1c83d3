"""The frame of HTML reports: one file with its style for screen and print, that loads nothing else."""

import html
import re
from collections.abc import Sequence

from softdock.presentation.colours import STATUS_CSS, css_variables
from softdock.presentation.tables import Table
from softdock.report.imprint import Imprint

_LIGHT = f"""--back: #f6f7f9; --panel: #fff; --ink: #1d2733; --soft: #55616e; --line: #d5dbe2; --accent: #0b63a5;
  {css_variables()}; color-scheme: light"""
_DARK = f"""--back: #12161c; --panel: #1a2029; --ink: #e4e9ef; --soft: #98a5b3; --line: #35404d; --accent: #5cb0f0;
  {css_variables(dark=True)}; color-scheme: dark"""
STYLE = f"""
:root {{ {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
body {{ font: 15px/1.55 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1.2em;
  background: var(--back); color: var(--ink); overflow-wrap: break-word }}
h1 {{ font-size: 1.55em; line-height: 1.25; margin-bottom: 0.2em }} h2 {{ margin-top: 2em; font-size: 1.2em }}
h3 {{ margin: 1.4em 0 0.3em; font-size: 1em }}
.lead {{ font-size: 1.1em }} .soft {{ color: var(--soft) }} .imprint {{ color: var(--soft); font-size: 13px }}
.headline {{ border-left: 4px solid var(--accent); padding: 0.2em 0 0.2em 0.9em; font-size: 1.1em }}
table {{ border-collapse: collapse; margin: 0.8em 0; font-size: 14px }}
th, td {{ border-bottom: 1px solid var(--line); padding: 3px 14px 3px 0; text-align: left; vertical-align: top }}
th {{ color: var(--soft); font-weight: 600; vertical-align: bottom }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }}
th.number {{ white-space: normal }} .matrix td:nth-child(2) {{ min-width: 10em }}
.scroll {{ overflow-x: auto }} .small table {{ font-size: 12.5px }}
img {{ max-width: 100%; height: auto; background: #fff; border-radius: 6px }}
figure {{ margin: 0 }} figcaption {{ font-size: 13px; color: var(--soft) }}
pre, code {{ background: var(--panel); border: 1px solid var(--line); border-radius: 6px }}
code {{ padding: 1px 4px; font-size: 0.92em; overflow-wrap: anywhere }}
pre {{ padding: 0.8em; overflow-x: auto; font-size: 12.5px; line-height: 1.4 }}
summary {{ cursor: pointer; color: var(--accent) }}
@media (max-width: 600px) {{
  body {{ margin: 1em auto; padding: 0 0.8em }} h1 {{ font-size: 1.3em }} .scroll.small table {{ min-width: 640px }} }}
@media print {{
  body {{ max-width: none; margin: 0; padding: 0; background: #fff; font-size: 9.5pt; line-height: 1.4 }}
  table {{ font-size: 8.5pt }} .small table {{ font-size: 7.5pt }} th, td {{ padding: 2px 8px 2px 0 }}
  h2 {{ margin-top: 1.4em }} h1, h2, h3, summary, .keep {{ break-after: avoid }}
  tr, figure, img, .chart, .section, .headline, li {{ break-inside: avoid }}
  .scroll {{ overflow: visible }} .annex {{ break-before: page }}
  pre {{ white-space: pre-wrap; overflow: visible; font-size: 7pt; border: 0; padding: 0 }}
  .matrix td:nth-child(7) {{ white-space: normal }}
  figcaption, .imprint {{ font-size: 8pt }} summary {{ list-style: none; color: inherit }}
  details::details-content {{ content-visibility: visible; block-size: auto }}
}}
{STATUS_CSS}"""
_MARGINS = """@page {{ {size}margin: 19mm 15mm 17mm;
  @top-left {{ content: {title}; {font} }} @top-right {{ content: {about}; {font} }}
  @bottom-left {{ content: {digest}; {font} }}
  @bottom-right {{ content: "Page " counter(page) " of " counter(pages); {font} }} }}"""
_MARGIN_FONT = "font: 8pt system-ui, sans-serif; color: #55616e; vertical-align: middle; padding: 0"
# The page may use its own styles and the images inside it, and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
PAPERS = {"a4": "A4", "letter": "letter"}
"""Paper of a PDF by its name on the command line, as CSS names it."""
LONGEST_MARGIN_TEXT = 70  # characters beside another text of the same margin


def html_page(title: str, parts: Sequence[str], style: str, imprint: Imprint, paper: str = "") -> str:
    """Return a complete page with parts of its body and style rules in addition to the common ones.

    With a paper (a key of `PAPERS`) the page is made for a PDF: its size is fixed and all details are open. Without
    one the browser chooses the paper.
    """
    margins = _MARGINS.format(
        size=f"size: {PAPERS[paper]}; " if paper else "",
        title=_css_text(_shorten(title)),
        about=_css_text(_shorten(imprint.line())),
        digest=_css_text(f"Softdock {imprint.version}, {imprint.subject} {imprint.digest[:16]}"),
        font=_MARGIN_FONT,
    )
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{html.escape(title)}</title><style>{STYLE}{margins}{style}</style>"
    )
    body = "".join(parts)
    if paper:
        body = body.replace("<details>", "<details open>")
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def page_head(title: str, imprint: Imprint) -> list[str]:
    """Return the title of a report and the line below it: author, revision, date."""
    return [f"<h1>{html.escape(title)}</h1>", f'<p class="imprint">{html.escape(imprint.line())}</p>']


def scrolling(table: Table, small: bool = False, css_class: str = "") -> str:
    """Return a table that scrolls inside the page where it is too wide for the screen."""
    return f'<div class="scroll{" small" if small else ""}">{table.to_html(css_class)}</div>'


def paragraph(text: str, css_class: str = "") -> str:
    """Return a paragraph of plain text."""
    attribute = f' class="{css_class}"' if css_class else ""
    return f"<p{attribute}>{html.escape(text)}</p>"


def collapsed(summary: str, content: str) -> str:
    """Return content that is hidden on screen until it is opened, and always printed."""
    return f"<details><summary>{html.escape(summary)}</summary>{content}</details>"


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_MARGIN_TEXT else text[: LONGEST_MARGIN_TEXT - 3] + "..."


def _css_text(text: str) -> str:
    """Return a CSS string; all but letters, digits and blanks is escaped, so that no text can end it."""
    return '"' + re.sub(r"[^A-Za-z0-9 ]", lambda match: f"\\{ord(match[0]):x} ", text) + '"'
