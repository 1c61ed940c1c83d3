"""Documentation and code agree: equations, commands, links, paths, names, packages."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import typer
from markdown_it import MarkdownIt

from softdock.cli import app
from softdock.dynamics.kernels.recording.run_data import RunData

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
THEORY = sorted(page for folder in ("theory", "elements") for page in (DOCS / folder).glob("*.md"))
"""Pages with numbered equations."""
CITED = re.compile(r"Eqs?\.\s*(\([^)]*\)(?:\s*(?:,|and|to|-)\s*\([^)]*\))*)")
LABEL = re.compile(r"\b[A-Z]\d+[a-z]?\b")
TAG = re.compile(r"\\tag\{([^}]*)\}")
BLOCK = re.compile(r"^\$\$\n(.*?)^\$\$(?:[ ]\((.*?)\))?$", re.DOTALL | re.MULTILINE)


def tags(page: Path) -> list[str]:
    return TAG.findall(page.read_text(encoding="utf-8"))


def test_every_cited_equation_exists() -> None:
    known = {tag for page in THEORY for tag in tags(page)}
    missing = {
        f"{path.relative_to(ROOT)}: Eq. ({label})"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for citation in CITED.findall(path.read_text(encoding="utf-8"))
        for label in LABEL.findall(citation)
        if label not in known
    }
    assert not missing


def test_every_equation_number_is_unique() -> None:
    counted = Counter(tag for page in THEORY for tag in tags(page))
    assert not [tag for tag, times in counted.items() if times > 1]


@pytest.mark.parametrize("page", THEORY, ids=lambda page: page.stem)
def test_label_and_number_of_an_equation_agree(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    for formula, label in blocks:
        numbers = TAG.findall(formula)
        assert label == (f"eq-{numbers[0]}" if numbers else ""), formula
    assert len(tags(page)) == sum("\\tag" in formula for formula, _ in blocks), "one tag in each block"


def test_every_equation_mentioned_on_a_page_exists() -> None:
    known = {tag for page in THEORY for tag in tags(page)}
    for page in DOCS.rglob("*.md"):
        mentioned = re.findall(r"\{eq\}`eq-(\w+)`", page.read_text(encoding="utf-8"))
        assert set(mentioned) <= known, page


def test_the_manual_names_every_command_and_option() -> None:
    manual = (DOCS / "command-line.md").read_text(encoding="utf-8")
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        assert f"softdock {name}" in manual
        row = " ".join(line for line in manual.splitlines() if f"softdock {name}" in line)
        for parameter in command.params:
            for option in parameter.opts:
                assert not option.startswith("--") or option in row or option == "--help", f"{name} {option}"


@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda page: page.stem)
def test_tutorials_run_as_pasted(page: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    if page.with_suffix("").is_dir():  # files of the tutorial
        shutil.copytree(page.with_suffix(""), tmp_path, dirs_exist_ok=True)
    if blocks:
        subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, check=True)


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")], ids=str)
def test_links_to_files_have_a_target(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


BUILDING_BLOCKS = {"theory", "geometry", "recording", "robot", "contact", "simulation", "spatial"}
"""Packages that pages for users may import from; all else is imported from `softdock` itself."""


@pytest.mark.parametrize(
    "page", [p for p in [ROOT / "README.md", *DOCS.rglob("*.md")] if "_build" not in p.parts], ids=str
)
def test_pages_for_users_import_public_names(page: Path) -> None:
    imported = re.findall(r"^\s*(?:from|import) softdock\.(\w+)", page.read_text(encoding="utf-8"), re.M)
    assert set(imported) <= BUILDING_BLOCKS


PACKAGE = ROOT / "src" / "softdock"
PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w.-]+\.\w+)?)`")
"""A path in backticks: folders, and a file with an ending; `a/b` alone may be something else."""
MAINTENANCE = [DOCS / "architecture.md", DOCS / "style.md", DOCS / "glossary.md", ROOT / "CONTRIBUTING.md"]


@pytest.mark.parametrize("page", MAINTENANCE, ids=lambda page: page.stem)
def test_paths_in_pages_for_maintainers_exist(page: Path) -> None:
    paths = PATH.findall(page.read_text(encoding="utf-8"))
    assert paths
    assert not [path for path in paths if not (ROOT / path).exists() and not (PACKAGE / path).exists()]


@pytest.mark.parametrize(
    "page", [DOCS / "architecture.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem
)
def test_every_package_is_named(page: Path) -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages <= set(re.findall(r"\w+", page.read_text(encoding="utf-8")))


def test_the_page_describes_every_field_of_the_memory_of_a_run() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = page.split("| field of `RunData` |")[1].split("\n\n")[0]
    described = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert sorted(described) == sorted(RunData._fields)


def test_names_in_the_glossary_are_defined_where_it_says() -> None:
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r"`([^`]+)` in `([^`]+)`", glossary)
    assert len(entries) >= 60
    missing = [
        f"{name} in {path}"
        for name, path in entries
        if not re.search(rf"\b{re.escape(name)}\b", (PACKAGE / path).read_text(encoding="utf-8"))
    ]
    assert not missing


def test_import_rules_agree_with_the_checked_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    checked = [re.findall(r"softdock\.(\w+)", layer) for layer in layers]
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    block = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[0]
    assert [re.findall(r"\w+", line) for line in block.splitlines()] == checked


def test_no_page_has_a_placeholder() -> None:
    for page in (*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"):
        if "_build" not in page.parts:
            assert not re.findall(r"@[A-Z]{3,}@", page.read_text(encoding="utf-8")), page


MARKDOWN = [
    *ROOT.glob("*.md"),
    *(page for folder in ("docs", "kernel_builder", "mechanism") for page in (ROOT / folder).rglob("*.md")),
]
COLUMNS = 110
EQUATION = re.compile(r"^\$\$\n.*?^\$\$", re.DOTALL | re.MULTILINE)
UNBREAKABLE = re.compile(r"`[^`]*`|\$[^$]*\$|!\[[^]]*\]|\s+%")
"""Code, formulas and pictures; a `%` at the start of a line would begin a comment."""


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped(page: Path) -> None:
    """Paragraphs, also of lists; not tables, code and what has no place to break it."""
    text = EQUATION.sub("", page.read_text(encoding="utf-8"))
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    parts = [token.map for token in tokens if token.type == "paragraph_open" and token.map]
    prose = [line for begin, end in parts for line in text.splitlines()[begin:end]]
    breakable = [line for line in prose if " " in UNBREAKABLE.sub("-", line).lstrip("-*: ").rstrip()]
    assert not [line for line in breakable if len(line) > COLUMNS]


def test_the_page_on_architecture_has_at_most_250_lines() -> None:
    assert len((DOCS / "architecture.md").read_text(encoding="utf-8").splitlines()) <= 250


VERSIONS = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.split("]")[0])
def test_a_version_of_the_change_log_has_at_most_40_lines(version: str) -> None:
    assert version.startswith("[Unreleased]") or len(version.splitlines()) <= 40
