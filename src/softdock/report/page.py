"""The frame of HTML reports: one file with its style, light or dark as the system, that loads nothing else."""

import html

from softdock.presentation.colours import STATUS_CSS, css_variables

_LIGHT = f"""--back: #f6f7f9; --panel: #fff; --ink: #1d2733; --soft: #5b6876; --line: #d5dbe2; --accent: #0b63a5;
  {css_variables()}; color-scheme: light"""
_DARK = f"""--back: #12161c; --panel: #1a2029; --ink: #e4e9ef; --soft: #98a5b3; --line: #35404d; --accent: #5cb0f0;
  {css_variables(dark=True)}; color-scheme: dark"""
STYLE = f"""
:root {{ {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
body {{ font: 15px/1.55 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1.2em;
  background: var(--back); color: var(--ink) }}
h1 {{ font-size: 1.55em; margin-bottom: 0.2em }} h2 {{ margin-top: 2em; font-size: 1.2em }}
.lead {{ font-size: 1.1em }} .soft {{ color: var(--soft) }}
table {{ border-collapse: collapse; margin: 0.8em 0; font-size: 14px }}
th, td {{ border-bottom: 1px solid var(--line); padding: 3px 14px 3px 0; text-align: left }}
th {{ color: var(--soft); font-weight: 600 }}
.number {{ text-align: right; font-variant-numeric: tabular-nums }}
img {{ max-width: 100% }} figure {{ margin: 0 }} figcaption {{ font-size: 13px; color: var(--soft) }}
pre, code {{ background: var(--panel); border: 1px solid var(--line); border-radius: 6px }} code {{ padding: 1px 4px }}
pre {{ padding: 0.8em; overflow-x: auto; font-size: 12.5px; line-height: 1.4 }}
{STATUS_CSS}"""
# The page may use its own styles and the images inside it, and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def html_page(title: str, parts: list[str], style: str = "") -> str:
    """Return a complete page with parts of its body and style rules in addition to the common ones."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{html.escape(title)}</title><style>{STYLE}{style}</style>"
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{"".join(parts)}</body></html>\n'
