"""PDF files through an installed browser: missing, failing and hanging browsers, and printed pages."""

import os
import re
import shlex
import sys
import time
from pathlib import Path

import pytest
from tests.replay import runs

from softdock.errors import InputError, RunError
from softdock.report import pdf
from softdock.report.run import ReportOptions, write_run_report
from softdock.report.writing import check_report_name, find_paper

A4, LETTER = (595.0, 842.0), (612.0, 792.0)  # points


def fake_browser(folder: Path, script: str) -> str:
    """Return an executable that behaves as the Python script says; its path may have spaces and quotes."""
    path, program = folder / "browser", folder / "browser.py"
    program.write_text(f"import sys, time, os\n{script}\n")
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(program))} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_browser", lambda: None)


def test_without_a_browser_the_message_says_what_to_install(no_browser: None, tmp_path: Path) -> None:
    path = tmp_path / "r.pdf"
    with pytest.raises(InputError, match=r"--report: A PDF is printed by a browser.*apt-get install.*HTML"):
        check_report_name(path)
    check_report_name(tmp_path / "r.html")
    with pytest.raises(InputError):
        write_run_report(runs.run("impact-a"), path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["r.docx", "r", "r.pdf.txt"])
def test_other_suffixes_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"must end in .html, .htm or .pdf"):
        check_report_name(Path(name))


def test_paper_sizes_are_found_by_name() -> None:
    assert (find_paper(None), find_paper("Letter"), find_paper("A4")) == ("a4", "letter", "a4")
    with pytest.raises(InputError, match=r"--paper: Must be a4 or letter. Given: A3"):
        find_paper("A3")


@pytest.mark.skipif(os.name != "posix", reason="the fake browsers are scripts")
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('no display', file=sys.stderr); sys.exit(3)", r"wrote no PDF \(no display\)"),
        ("target = [a for a in sys.argv if 'print-to-pdf=' in a][0].split('=')[1]; open(target, 'w').write('x')",
         "wrote no PDF"),
        ("time.sleep(60)", "did not finish the PDF within 0.5 s"),
    ],
    ids=["failing", "writing nonsense", "hanging"],
)  # fmt: skip
def test_a_browser_that_fails_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str
) -> None:
    monkeypatch.setenv(pdf.VARIABLE, fake_browser(tmp_path, script))
    monkeypatch.setattr(pdf, "TIMEOUT", 0.5)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "r.pdf").write_text("earlier")
    begin = time.monotonic()
    with pytest.raises(RunError, match=message):
        write_run_report(runs.run("impact-a"), tmp_path / "out" / "r.pdf")
    assert time.monotonic() - begin < 20.0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["r.pdf"]
    assert (tmp_path / "out" / "r.pdf").read_text() == "earlier"


@pytest.mark.skipif(os.name != "posix", reason="about permissions and scripts")
@pytest.mark.parametrize("content", ["no program", "#!/no/such/interpreter\n"])
def test_a_browser_that_cannot_start_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str
) -> None:
    """The report is not at fault: it could be written."""
    browser = tmp_path / "browser"
    browser.write_text(content)
    browser.chmod(0o755)
    monkeypatch.setenv(pdf.VARIABLE, str(browser))
    with pytest.raises(
        InputError, match=r"The browser .*browser cannot be started \(.*\)\. Install Chromium"
    ) as found:
        write_run_report(runs.run("impact-a"), tmp_path / "r.pdf")
    assert "Cannot write" not in str(found.value)
    assert [path.name for path in tmp_path.iterdir()] == ["browser"]


@pytest.mark.skipif(os.name != "posix", reason="the fake browser is a script")
def test_the_browser_has_a_private_profile_and_no_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = (
        f"open({str(tmp_path / 'arguments')!r}, 'w').write('\\n'.join(sys.argv))\n"
        "target = [a for a in sys.argv if 'print-to-pdf=' in a][0].split('=')[1]\n"
        "open(target, 'w').write('%PDF-1.4')"
    )
    monkeypatch.setenv(pdf.VARIABLE, fake_browser(tmp_path, script))
    printed = pdf.print_to_pdf("<p>page</p>")
    arguments = (tmp_path / "arguments").read_text().split("\n")
    profile = next(a for a in arguments if a.startswith("--user-data-dir=")).partition("=")[2]
    assert not Path(profile).parent.exists()  # removed with everything in it
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in arguments
    assert printed == b"%PDF-1.4"


@pytest.mark.skipif(pdf.find_browser() is None, reason="no browser that prints PDF is installed")
@pytest.mark.parametrize(("paper", "size"), [("a4", A4), ("letter", LETTER)])
def test_the_pdf_has_the_paper_and_several_pages(
    paper: str, size: tuple[float, float], tmp_path: Path
) -> None:
    write_run_report(runs.run("impact-a"), tmp_path / "r.pdf", ReportOptions(paper=paper))
    data = (tmp_path / "r.pdf").read_bytes()
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", data)
    assert len(boxes) >= 2
    for width, height in boxes:
        assert (float(width), float(height)) == pytest.approx(size, abs=1.0)
