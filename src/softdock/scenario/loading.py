"""Loading, validation and listing of scenarios."""

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from softdock.errors import InputError, Problem
from softdock.files.regular_file import path_argument, path_exists
from softdock.scenario.base import ScenarioBase
from softdock.scenario.independent_problems import hidden_problems
from softdock.scenario.inheritance import BASE, merge
from softdock.scenario.kinds import KINDS
from softdock.scenario.messages import did_you_mean, in_order_of_lines, named_groups, problems_of
from softdock.scenario.overrides import (
    Defaults,
    Overrides,
    apply_overrides,
    hints_of_new_entries,
    refuse_unknown_entries,
)
from softdock.scenario.provenance import applicable_sources
from softdock.scenario.source import VERSION, FieldPath, Location, Source, check_head, parse, read_file

_SUFFIXES = (".yaml", ".yml", ".json")
MOST_BASES = 20
"""Largest number of scenarios in a row, each one the base of the one before."""


@dataclass(frozen=True)
class Bundled:
    """Name, kind and title of a bundled scenario."""

    name: str
    kind: str
    title: str


OTHER_KINDS = {
    "campaign": "A campaign is run by: softdock campaign run FILE.",
    "recording": "A recording is compared by: softdock compare RUN FILE.",
}
"""Kinds of files that are not scenarios, with the command that uses them."""


def load(name_or_path: str | os.PathLike[str], overrides: Overrides = ()) -> ScenarioBase:
    """Load a bundled scenario by its name, or a scenario file by its path.

    `overrides` replaces fields before validation: `{"chaser.mass": "7 kg"}` or `["chaser.mass=7 kg"]`. Numbers are SI.
    Raises InputError with every problem found.

    >>> from softdock import load
    >>> load("assist-soft-docking", {"approach.speed": "50 mm/s"}).approach.speed
    0.05
    """
    source, name = _find(name_or_path)
    return build_scenario(merge_with_base(source), name, overrides)


def read_scenario_text(
    text: str, name: str = "", directory: Path | None = None, overrides: Overrides = ()
) -> ScenarioBase:
    """Load a scenario from the text of a file; `directory` is the folder of its relative paths."""
    return build_scenario(merge_with_base(_parse_checked(text, name, directory)), name, overrides)


def parse_with_base(text: str, name: str = "", directory: Path | None = None) -> Source:
    """Return the data of a scenario's text merged with its base, not validated."""
    return merge_with_base(_parse_checked(text, name, directory))


def merge_with_base(source: Source, above: tuple[str, ...] = ()) -> Source:
    """Return the source merged with its base, recursively; unchanged where it has no base.

    `above` has the names or paths of the bases that led to it.
    """
    if BASE not in source.data:
        return source
    try:
        base, identity = _find_base(source, above)
    except InputError as error:
        where, message = source.where((BASE,)), error.problems[0].message
        raise InputError(
            Problem(message=message, field=BASE, file=where.file, line=where.line, given=where.text)
        ) from None
    return merge(merge_with_base(base, (*above, identity)), source)


def build_scenario(source: Source, name: str, overrides: Overrides = ()) -> ScenarioBase:
    """Validate data merged with their base; problems of entries that overrides add have a hint at similar names."""
    if not overrides:
        return _build(source, name)
    model = KINDS[_kind(source)].model
    refuse_unknown_entries(source, overrides, named_groups(model))
    changed = apply_overrides(source, overrides, _defaults(source, name))
    try:
        return _build(changed, name)
    except InputError as error:
        hints = hints_of_new_entries(source, overrides)
        raise InputError(*(_add_hint(problem, hints) for problem in error.problems)) from None


def bundled_text(name: str) -> tuple[str, Path]:
    """Return the text of a bundled scenario and the folder of its relative paths."""
    file = _bundled_files()[name]
    return file.read_text(encoding="utf-8"), Path(str(file)).parent


def override(scenario: ScenarioBase, overrides: Overrides) -> ScenarioBase:
    """Return a scenario with values replaced by dotted path; raises InputError."""
    if not overrides:
        return scenario
    source = scenario.source
    if source is None:
        data = {"softdock": VERSION, **scenario.to_data()}
        source = Source(data, {(): Location(scenario.name)}, scenario.name, scenario.directory)
    return build_scenario(source, scenario.name, overrides)


def check(name_or_path: str | os.PathLike[str], overrides: Overrides = ()) -> list[Problem]:
    """Return all problems of a scenario; an empty list if it is valid."""
    try:
        load(name_or_path, overrides)
    except InputError as error:
        return list(error.problems)
    return []


def from_data(
    data: Mapping[str, Any], name: str = "", directory: Path | None = None, overrides: Overrides = ()
) -> ScenarioBase:
    """Build a scenario from plain data, such as that of `ScenarioBase.to_data`."""
    source = Source({"softdock": VERSION, **data}, {(): Location(name)}, name, directory or Path())
    check_head(source)
    return build_scenario(merge_with_base(source), name, overrides)


def bundled() -> list[Bundled]:
    """Return name, kind and title of the bundled scenarios, sorted by name.

    >>> from softdock import bundled
    >>> "latch-paper" in [scenario.name for scenario in bundled()]
    True
    """
    return [_summary(name, file) for name, file in sorted(_bundled_files().items())]


def bundled_names() -> list[str]:
    """Return the names of the bundled scenarios, sorted, without reading the files."""
    return sorted(_bundled_files())


def templates() -> dict[str, str]:
    """Return the texts of the templates of new files, by name."""
    folder = resources.files("softdock.scenario") / "templates"
    files = (file for file in folder.iterdir() if file.name.endswith(".yaml"))
    return {file.name.removesuffix(".yaml"): file.read_text(encoding="utf-8") for file in files}


def _bundled_files() -> dict[str, Traversable]:
    folder = resources.files("softdock.scenario") / "bundled"
    if not folder.is_dir():
        return {}
    return {file.name.removesuffix(".yaml"): file for file in folder.iterdir() if file.name.endswith(".yaml")}


def _parse_checked(text: str, name: str, directory: Path | None) -> Source:
    source = parse(text, file=f"{name}.yaml" if name else "", directory=directory)
    check_head(source)
    return source


def _read_bundled(name: str, file: Traversable) -> Source:
    return _parse_checked(file.read_text(encoding="utf-8"), name, Path(str(file)).parent)


def _summary(name: str, file: Traversable) -> Bundled:
    data = merge_with_base(_read_bundled(name, file)).data
    return Bundled(name, str(data.get("kind", "")), str(data.get("title", "")))


def _find(name_or_path: str | os.PathLike[str]) -> tuple[Source, str]:
    """Return source and name of a scenario; a bundled name takes precedence over a file."""
    if not isinstance(name_or_path, str | os.PathLike):
        message = "Must be the name of a bundled scenario or the path of a scenario file."
        raise InputError(message, given=repr(name_or_path))
    is_name = isinstance(name_or_path, str)
    text = name_or_path if isinstance(name_or_path, str) else str(path_argument("", name_or_path))
    files = _bundled_files() if is_name else {}
    if text in files:
        return _read_bundled(text, files[text]), text
    path = Path(text)
    looks_like_file = path.suffix in _SUFFIXES or os.sep in text or not is_name
    if not looks_like_file and not path_exists(path):
        hint, match = did_you_mean(text, files)
        known = f" Bundled scenarios: {', '.join(sorted(files))}." if match else ""
        message = f"'{text}' is neither a bundled scenario nor a file."
        raise InputError(message, hint=hint.replace("Allowed", "Bundled scenarios") + known)
    return read_file(path), path.stem


def _merge_with_base(source: Source, above: tuple[str, ...] = ()) -> Source:
    """Return the source merged with its base, recursively; unchanged where it has no base.

    `above` has the names or paths of the bases that led to it.
    """
    if BASE not in source.data:
        return source
    try:
        base, identity = _find_base(source, above)
    except InputError as error:
        raise source.refusal((BASE,), error.problems[0].message) from None
    return merge(_merge_with_base(base, (*above, identity)), source)


def _find_base(source: Source, above: tuple[str, ...]) -> tuple[Source, str]:
    """Return the base of a source and its bundled name or path; raises InputError."""
    given = source.data[BASE]
    if not isinstance(given, str) or not given:
        raise InputError("Must be the name of a bundled scenario or a scenario file.")
    is_bundled = given in _bundled_files()
    identity = given if is_bundled else _resolved(source.directory / given)
    if identity in above:
        raise InputError("The scenario is its own base.")
    if len(above) >= MOST_BASES:
        raise InputError(f"There are more than {MOST_BASES} scenarios, each one the base of another.")
    return _find(given if is_bundled else source.directory / given)[0], identity


def _resolved(path: Path) -> str:
    """Return a path without links; unchanged if it cannot be resolved, for which opening it raises an error."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links or a null character
        return str(path)


def _defaults(source: Source, name: str) -> Defaults:
    """Return a function for values that the source leaves out: those of the complete scenario."""

    @functools.cache
    def complete() -> dict[str, Any]:
        return _build(source, name).to_data()

    def default(path: FieldPath) -> Any:
        try:
            value: Any = complete()
            for key in path:
                value = value[key]
        except (
            InputError,
            LookupError,
            TypeError,
        ):  # only complete with the overrides, or without this field
            return None
        return value

    return default


def _add_hint(problem: Problem, hints: Mapping[str, str]) -> Problem:
    for path, hint in hints.items():
        if problem.field == path or problem.field.startswith(f"{path}."):
            return replace(problem, hint=f"{problem.hint} {hint}".strip())
    return problem


def _build(source: Source, name: str) -> ScenarioBase:
    """Validate the data with the model of its kind."""
    model = KINDS[_kind(source)].model
    context = {"directory": source.directory, "name": name}
    try:
        scenario = model.model_validate(source.data, context=context)
    except ValidationError as error:
        problems = [*problems_of(error, model, source), *hidden_problems(error, model, source, context)]
        raise InputError(*in_order_of_lines(problems)) from None
    if scenario.sources:
        scenario = scenario.model_copy(update={"sources": applicable_sources(scenario, source)})
    return scenario.with_origin(name, source.directory, source)


def _kind(source: Source) -> str:
    kind = source.data.get("kind")
    if isinstance(kind, str) and kind in KINDS:
        return kind
    present, where = "kind" in source.data, source.where(("kind",))
    keys = [key for key in source.data if isinstance(key, str) and key != "title"]
    misspelt = "" if present else did_you_mean("kind", keys)[1]
    if misspelt:
        where = source.where((misspelt,))
        message, hint = f"The key '{misspelt}' is not known here.", "Did you mean 'kind'?"
    elif not present:
        message, hint = "The key 'kind' is missing.", ""
    else:
        message, hint = "There is no such kind of scenario.", did_you_mean(str(kind), KINDS)[0]
        hint = OTHER_KINDS.get(str(kind), hint)
    allowed = f"Kinds: {', '.join(KINDS)}."
    raise InputError(
        message,
        field=misspelt or "kind",
        file=where.file,
        line=where.line,
        given=where.text if present else "",
        hint=allowed if hint.startswith("Allowed") else f"{hint} {allowed}".strip(),
    )
