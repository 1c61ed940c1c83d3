"""Code blocks of the manual: Python runs, YAML fits the models, commands have the options that they use."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from pydantic import BaseModel, TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import DuplicateKeyError

import softdock
from softdock.campaign.model import CampaignFile, PresetFile
from softdock.cli import app
from softdock.model.surfaces import Surface
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import bundled_names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"(?:(?<=\n\n)|\A)((?:(?:    .*)?\n)+)", re.MULTILINE)
MODELS: list[type[BaseModel]] = [*(kind.model for kind in KINDS.values()), CampaignFile, PresetFile, Surface]
NAMES = {*bundled_names(), *(p.stem for p in (ROOT / "src/softdock/campaign").glob("*/*.yaml"))}
COMMAND = typer.main.get_command(app)
LOG = "timestamp;A1;A2;T1\n# a comment\n" + "".join(f"{10 * i};{i},5;{i};0,1\n" for i in range(20))


def blocks(page: Path) -> list[str]:
    """Return the indented blocks of a page, without indentation; lists have indented lines, too, but no blocks."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    found = [re.sub(r"^    ", "", block, flags=re.M).strip("\n") for block in INDENTED.findall(text)]
    return [block for block in found if block]


def commands(page: Path) -> list[str]:
    lines = "\n".join(blocks(page)).replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip().startswith("softdock ")]


def yaml_blocks(page: Path) -> list[Any]:
    texts = [
        text for language, text in FENCED.findall(page.read_text(encoding="utf-8")) if language == "yaml"
    ]
    parts = [re.split(r"\n(?=softdock )", block)[0] for block in blocks(page)]  # commands may follow
    texts += [part for part in parts if re.match(r"[a-z_]+:(?:\s|$)", part)]
    return [data for text in texts for data in parse(text)]


def parse(text: str) -> list[Any]:
    """Return the data of a text; a text that repeats a key shows alternatives, one per line."""
    try:
        return [YAML(typ="safe").load(text)]
    except DuplicateKeyError:
        return [YAML(typ="safe").load(line) for line in text.splitlines()]


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=lambda page: page.stem)
def test_commands_exist_with_their_options_and_names(page: Path) -> None:
    for line in commands(page):
        words = shlex.split(re.split(r"  +|\s#", line)[0].replace("...", ""), comments=True)[1:]
        command: Any = COMMAND
        while words and words[0] in getattr(command, "commands", {}):
            command, words = command.commands[words[0]], words[1:]
        assert not hasattr(command, "commands") or not words or words[0].startswith("-"), line
        options = {name for parameter in command.params for name in parameter.opts} | {"--help"}
        used = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert used <= options, f"{line}: {used - options}"
        if command.name in ("run", "show", "predict") and words and re.fullmatch(r"[a-z][\w-]*", words[0]):
            assert words[0] in NAMES, line


def fits(key: str, value: Any, model: type[BaseModel]) -> bool:
    """Return whether a value fits the field of a model; entries of a mapping may be incomplete, as with `base`."""
    annotation = model.model_fields[key].annotation
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        incomplete = {"missing", "union_tag_not_found"}
        return all(details["type"] in incomplete for details in error.errors())
    return True


@pytest.mark.parametrize("page", [p for p in PAGES if yaml_blocks(p)], ids=lambda page: page.stem)
def test_yaml_fits_the_models(page: Path) -> None:
    for data in yaml_blocks(page):
        if data.get("kind") == "recording":  # tested with the program that loads it
            continue
        if "base" in data:
            if page.stem != "docking":  # has its own test, with the CAD file that it names
                assert softdock.Scenario(data)
            continue
        keys = set(data)
        candidates = [model for model in MODELS if keys <= set(model.model_fields)]
        assert candidates, keys
        assert any(all(fits(key, data[key], model) for key in keys) for model in candidates), data


PROGRAMS = [p for p in PAGES if p.parent == DOCS and "```python" in p.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", [p for p in PROGRAMS if p.stem != "style"], ids=lambda page: page.stem)
def test_python_of_the_pages_runs(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.stem == "recordings":
        (tmp_path / "arm.yaml").write_text(
            re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[0], encoding="utf-8"
        )
        (tmp_path / "arm.csv").write_text(LOG, encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        subprocess.run([sys.executable, "-c", block], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


def test_the_variant_of_the_docking_is_a_scenario(tmp_path: Path) -> None:
    text = (DOCS / "tutorials" / "docking.md").read_text(encoding="utf-8")
    (variant,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "variant.yaml").write_text(variant, encoding="utf-8")
    (tmp_path / "parts").mkdir()
    base: Any = softdock.load("assist-soft-docking")
    shutil.copy(base.directory / base.surfaces["cavity"].file, tmp_path / "parts" / "our-drogue.step")
    loaded: Any = softdock.load(tmp_path / "variant.yaml")
    assert (loaded.springs["bumper-spring"].stiffness, loaded.approach.speed) == (300.0, 0.02)
    assert loaded.surfaces["cavity"].read(tmp_path)
