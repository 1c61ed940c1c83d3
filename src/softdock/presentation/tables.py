"""Tables of text cells, and their form in a terminal, in HTML and in Markdown."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from softdock.errors import printable
from softdock.presentation.status import Status


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of text below a header, which is left out where all its cells are empty."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: Sequence[int] = (0,)
    """Columns of words, aligned left; all others hold numbers and are aligned right."""
    code: Sequence[int] = ()
    """Columns of commands, in a monospaced font in HTML."""
    statuses: Sequence[Status] = ()
    """Status of each row, shown as a mark in HTML; empty where rows have none."""

    def to_text(self) -> str:
        """Return aligned lines for a terminal."""
        shown = [*([self.header] if any(self.header) else []), *self.rows]
        rows = [[printable(cell) for cell in row] for row in shown]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(
                f"{cell:<{width}}" if i in self.left else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        )

    def to_html(self, css_class: str = "") -> str:
        """Return a table element; cells with numbers have the class `number`."""
        attribute = f' class="{css_class}"' if css_class else ""
        head = "".join(self._cell("th", i, cell) for i, cell in enumerate(self.header))
        rows = "".join(self._html_rows())
        if any(self.header):  # a head of its own is repeated on every printed page
            rows = f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        return f"<table{attribute}>{rows}</table>"

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        head, *rows = (f"| {' | '.join(row)} |" for row in (self.header, *self.rows))
        return "\n".join([head, f"{'|---' * len(self.header)}|", *rows])

    def _html_rows(self) -> Iterator[str]:
        for number, row in enumerate(self.rows):
            mark = status_mark(self.statuses[number]) if self.statuses else ""
            cells = (self._cell("td", i, cell, "" if i else mark) for i, cell in enumerate(row))
            yield f"<tr>{''.join(cells)}</tr>"

    def _cell(self, tag: str, column: int, text: str, mark: str = "") -> str:
        content = html.escape(text)
        if tag == "td" and column in self.code:
            content = f"<code>{content}</code>"
        attribute = "" if column in self.left else ' class="number"'
        return f"<{tag}{attribute}>{mark}{content}</{tag}>"


def status_mark(status: Status) -> str:
    """Return the coloured mark of a status as HTML."""
    return f'<span class="status {status.value}" aria-hidden="true"></span>'
