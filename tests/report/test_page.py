"""Layout of reports: print styles, page margins, escaped texts, imprint."""

import re
from itertools import pairwise

import pytest

from softdock.errors import InputError
from softdock.presentation.tables import Table
from softdock.report.imprint import Imprint, report_date
from softdock.report.page import collapsed, html_page, page_head, scrolling
from softdock.report.run import section_times
from softdock.result.digest import data_digest

NASTY = 'x</style><script>alert(1)</script> "; } body { display: none } /* \\ é €'
IMPRINT = Imprint(subject="scenario", digest="ab" * 32, date="2026-01-01", author="A. Engineer", revision="B")


def margin_texts(page: str) -> list[str]:
    """Return the texts in the margins of a page, as a browser reads the CSS strings."""
    texts = re.findall(r'content: "([^"]*)"', page)
    return [re.sub(r"\\([0-9a-f]+) ", lambda code: chr(int(code[1], 16)), text) for text in texts]


def test_title_author_digest_and_page_numbers_are_in_the_margins() -> None:
    texts = margin_texts(html_page("Docking (nominal)", [], "", IMPRINT))
    assert texts[0] == "Docking (nominal)"
    assert texts[1] == "A. Engineer, revision B, 2026-01-01"
    assert texts[2].endswith("scenario abababababababab")
    assert texts[3] == "Page "


def test_no_text_can_end_the_style_element() -> None:
    page = html_page(NASTY, page_head(NASTY, IMPRINT), "", IMPRINT)
    assert "<script" not in page
    assert page.count("</style>") == 1
    assert margin_texts(page)[0] == NASTY[:67] + "..."


@pytest.mark.parametrize(("paper", "size"), [("a4", "size: A4;"), ("letter", "size: letter;")])
def test_a_pdf_has_its_paper_and_open_details(paper: str, size: str) -> None:
    parts = [collapsed("more", "<p>hidden</p>")]
    printed = html_page("t", parts, "", IMPRINT, paper)
    assert size in printed
    assert "<details open>" in printed
    shown = html_page("t", parts, "", IMPRINT)
    assert "size:" not in shown.partition("@page")[2].partition("}")[0]
    assert "<details>" in shown


def test_tables_repeat_their_head_on_every_page_and_scroll_on_small_screens() -> None:
    text = scrolling(Table(header=("a", "b"), rows=[("1", "2")]))
    assert text.startswith('<div class="scroll"><table><thead>')


def test_the_date_is_reproducible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert report_date() == "1970-01-02 00:00 UTC"
    for wrong in ("yesterday", "9" * 40):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(InputError, match="SOURCE_DATE_EPOCH: Must be a number of seconds"):
            report_date()


def test_a_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert data_digest({"a": 1.0, "b": [2, 3]}) == data_digest({"b": [2, 3], "a": 1.0})
    assert data_digest({"a": 1.0}) != data_digest({"a": 1.0000000000000002})


def test_sections_are_at_start_end_and_events_and_spread_over_many_events() -> None:
    times = [float(t) for t in range(20)]
    assert section_times(times, {2.0, 7.0, 12.0, 15.0}) == [0.0, 2.0, 7.0, 12.0, 15.0, 19.0]
    assert section_times(times, {7.0}) == [0.0, 1.0, 2.0, 3.0, 7.0, 19.0]
    spread = section_times(times, times)
    assert (spread[0], spread[-1], len(set(spread))) == (0.0, 19.0, 6)
    assert max(b - a for a, b in pairwise(spread)) <= 4.0
    assert section_times([0.0, 1.0], ()) == [0.0, 1.0]
