"""Loading of campaigns: find, read and validate campaign files, presets and the scenario.

A received folder of a stored campaign must not choose which files are read. Its file is loaded again where it is
bundled, lies in the folder, is given by the user, or where this user has started this campaign from it. The last is
noted in the user's cache by the digest of the manifest.
"""

import json
import os
import shlex
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from softdock.campaign.model import CampaignFile, Dispersion, PresetFile
from softdock.campaign.plan import Plan, absolute, make_plan
from softdock.campaign.sizing import find_spring, size_spring
from softdock.campaign.template import Template
from softdock.errors import InputError, Problem, collected
from softdock.files.cache import Cache, content_key
from softdock.files.regular_file import path_argument
from softdock.scenario.base import ScenarioBase
from softdock.scenario.chain import ChainScenario
from softdock.scenario.independent_problems import remaining
from softdock.scenario.loading import bundled_names, from_data
from softdock.scenario.loading import load as read_scenario
from softdock.scenario.messages import did_you_mean, in_order_of_lines, problems_of
from softdock.scenario.overrides import apply_overrides
from softdock.scenario.source import FieldPath, Location, Source, check_head, parse, read_file

_SUFFIXES = (".yaml", ".yml", ".json")


def read_campaign(
    name_or_path: str | os.PathLike[str], *, runs: int | None = None, seed: int | None = None
) -> Plan:
    """Return the plan of a bundled campaign or a campaign file; raises InputError with every problem.

    `runs` and `seed` override those of the file.
    """
    source, name, origin = find(name_or_path)
    replaced = {key: value for key, value in (("runs", runs), ("seed", seed)) if value is not None}
    changed = apply_overrides(source, replaced)
    for key, value in replaced.items():
        changed.locations[(key,)] = Location(f"--{key}", None, str(value))
    return plan_of_source(changed, name, origin)


def read_campaign_text(text: str, path: Path) -> Plan:
    """Return the plan of a campaign from its text, as if it were read from the file `path`."""
    source = parse(text, file=path.name, directory=path.parent)
    check_head(source)
    return plan_of_source(source, path.stem, str(path))


def plan_of_source(source: Source, name: str, origin: str, scenario: ScenarioBase | None = None) -> Plan:
    """Return the plan of the data of a campaign, of the scenario that it names or of a given one; raises InputError."""
    try:
        campaign = CampaignFile.model_validate(source.data)
    except ValidationError as error:
        whole = "at the top level of the campaign"
        problems = problems_of(error, CampaignFile, source, whole)
        rest, left_out = remaining(error, CampaignFile, source)
        if rest is not None:
            problems += left_out.independent(_problems_of_plan(rest, source, name, origin, scenario))
        raise InputError(*in_order_of_lines(problems)) from None
    return _plan_of_campaign(campaign, source, name, origin, scenario)


def _problems_of_plan(*arguments: Any) -> tuple[Problem, ...]:
    try:
        _plan_of_campaign(*arguments)
    except InputError as error:
        return error.problems
    return ()


def _plan_of_campaign(
    campaign: CampaignFile, source: Source, name: str, origin: str, scenario: ScenarioBase | None
) -> Plan:
    """Return the plan of a campaign; raises InputError with the problems of all its parts."""
    campaign, source = _add_presets(campaign, source)
    nominal = _read_scenario(campaign, source) if scenario is None else _override(scenario, campaign, source)
    problems: list[Problem] = []
    with collected(problems):
        nominal = _add_requirements(nominal, campaign, source)
    for check in (_check_presets, _check_success, _check_report):
        with collected(problems):
            check(campaign, nominal, source)
    template = Template(nominal.name, nominal.to_data(), absolute(nominal.directory))
    with collected(problems):
        plan = make_plan(campaign, source, template, name, origin)
    if problems:
        raise InputError(*in_order_of_lines(problems))
    return plan


def campaign_names() -> list[str]:
    """Return the names of the bundled campaigns, whose files are not parsed."""
    return sorted(_files("bundled"))


def bundled_campaigns() -> dict[str, str]:
    """Return the titles of the bundled campaigns by name."""
    return {name: _title(file) for name, file in sorted(_files("bundled").items())}


def presets() -> dict[str, str]:
    """Return the titles of the presets by name."""
    return {name: _title(file) for name, file in sorted(_files("presets").items())}


def campaign_text(name: str) -> tuple[str, Path]:
    """Return the text of a bundled campaign, or else of a preset, and its path."""
    file = _files("bundled").get(name) or _files("presets")[name]
    return file.read_text(encoding="utf-8"), Path(str(file))


def preset_texts() -> dict[str, str]:
    """Return the files of the presets as text, by name."""
    return {name: file.read_text(encoding="utf-8") for name, file in sorted(_files("presets").items())}


def _files(folder: str) -> dict[str, Traversable]:
    inside = resources.files("softdock.campaign") / folder
    return {file.name.removesuffix(".yaml"): file for file in inside.iterdir() if file.name.endswith(".yaml")}


def _title(file: Traversable) -> str:
    return str(parse(file.read_text(encoding="utf-8")).data.get("title", ""))


def find(name_or_path: str | os.PathLike[str]) -> tuple[Source, str, str]:
    """Return source, name and origin of a campaign; a bundled name takes precedence over a file."""
    files = _files("bundled")
    text = name_or_path if isinstance(name_or_path, str) else str(path_argument("", name_or_path))
    if isinstance(name_or_path, str) and text in files:
        source = parse(files[text].read_text(encoding="utf-8"), file=f"{text}.yaml", directory=Path())
        return source, text, text
    path = Path(text)
    if isinstance(name_or_path, str) and path.suffix not in _SUFFIXES and os.sep not in text:
        hint = did_you_mean(text, files)[0].replace("Allowed", "Bundled campaigns")
        raise InputError(f"'{text}' is neither a bundled campaign nor a file.", hint=hint)
    source = read_file(path)
    check_head(source)
    kind = source.data.get("kind")
    if kind != "campaign":
        raise source.refusal(("kind",), "Must be 'campaign'.", "A scenario is run by: softdock run FILE.")
    return source, path.stem, str(path.resolve())


def _add_presets(campaign: CampaignFile, source: Source) -> tuple[CampaignFile, Source]:
    """Return the campaign with the dispersions of its presets; its own dispersions take precedence."""
    dispersions: dict[str, Dispersion] = {}
    locations: dict[FieldPath, Location] = dict(source.locations)
    files = _files("presets")
    for i, name in enumerate(campaign.presets):
        if name not in files:
            raise source.refusal(("presets", i), "There is no such preset.", did_you_mean(name, files)[0])
        written = parse(files[name].read_text(encoding="utf-8"), file=f"{name}.yaml")
        dispersions |= PresetFile.model_validate(written.data).dispersions
        for field_path, location in written.locations.items():
            locations.setdefault(field_path, location)
    dispersions |= campaign.dispersions
    merged = campaign.model_copy(update={"dispersions": dispersions})
    return merged, Source(source.data, locations, source.file, source.directory)


def _read_scenario(campaign: CampaignFile, source: Source) -> ScenarioBase:
    name = campaign.scenario
    chosen: str | Path = name if name in bundled_names() else source.directory / name
    try:
        scenario = read_scenario(chosen)
    except InputError as error:
        if any(problem.field for problem in error.problems):  # of the scenario, with its file and lines
            raise
        is_name = "." not in name and os.sep not in name
        message = "There is no such bundled scenario or file." if is_name else str(error.problems[0])
        hint = did_you_mean(name, bundled_names())[0] if is_name else ""
        raise source.refusal(("scenario",), message, hint) from None
    return _override(scenario, campaign, source)


def _override(scenario: ScenarioBase, campaign: CampaignFile, source: Source) -> ScenarioBase:
    """Return the scenario with the fields that the campaign sets in all runs."""
    try:
        return scenario.with_overrides(campaign.set)
    except InputError as error:
        problems = (source.problem(("set", p.field), p.message, p.hint) for p in error.problems)
        raise InputError(*problems) from None


def _add_requirements(scenario: ScenarioBase, campaign: CampaignFile, source: Source) -> ScenarioBase:
    """Return the scenario with the requirements of the campaign; raises InputError with their fields."""
    if not campaign.requirements:
        return scenario
    requirements = dict(scenario.requirements)
    for key, requirement in campaign.requirements.items():
        if requirement is not None:
            requirements[key] = requirement
        elif requirements.pop(key, None) is None:
            hint = did_you_mean(key, scenario.requirements)[0]
            raise source.refusal(
                ("requirements", key), "The scenario has no such requirement to remove.", hint
            )
    plain = {
        key: requirement.model_dump(mode="json", exclude_defaults=True)
        for key, requirement in requirements.items()
    }
    try:
        return from_data({**scenario.to_data(), "requirements": plain}, scenario.name, scenario.directory)
    except InputError as error:
        problems: list[Problem] = []
        for problem in error.problems:
            path = tuple(int(part) if part.isdecimal() else part for part in problem.field.split("."))
            problems.append(source.problem(path, problem.message, problem.hint))
        raise InputError(*problems) from None


def _check_presets(campaign: CampaignFile, scenario: ScenarioBase, source: Source) -> None:
    if campaign.presets and getattr(scenario, "approach", None) is None:
        hint = "Give the scenario an `approach`, or write dispersions of its own fields."
        raise source.refusal(("presets",), "Presets disperse the approach, and the scenario has none.", hint)


def _check_success(campaign: CampaignFile, scenario: ScenarioBase, source: Source) -> None:
    known = scenario.possible_outcomes()
    problems: list[Problem] = []
    for i, outcome in enumerate(campaign.success):
        if outcome not in known:
            hint = did_you_mean(outcome, known)[0]
            problems.append(source.problem(("success", i), "The scenario has no such outcome.", hint))
    if problems:
        raise InputError(*problems)


def _check_report(campaign: CampaignFile, scenario: ScenarioBase, source: Source) -> None:
    """Raise InputError before the runs for what the report could not evaluate after them."""
    for name, spring in campaign.springs.items():
        try:
            sized = find_spring(scenario.to_data(), spring.metric)
            size_spring(name, spring.stroke, [], [], sized.turning if sized else None)
        except ValueError as error:
            raise source.refusal(("springs", name, "stroke"), f"The stroke {error}.") from None
    two_and_two = isinstance(scenario, ChainScenario) and (
        len(scenario.chaser.masses) == len(scenario.target.masses) == 2
    )
    if campaign.predictions is not None and not two_and_two:
        message = "Only chains of two and two masses can be predicted in bulk."
        raise source.refusal(("predictions",), message)
    moves = isinstance(scenario, ChainScenario) and scenario.has_internal_motion()
    if campaign.predictions is not None and moves:
        message = (
            "Impacts of chains that start with `velocities` or `deflections` cannot be predicted in bulk."
        )
        raise source.refusal(("predictions",), message)


STARTED = Cache("campaign-origins", "")
"""Empty entries for manifests of campaigns that this user has started."""


def remember_origin(manifest: dict[str, Any]) -> None:
    """Note that this user starts a campaign with this manifest."""
    STARTED.write(_key(manifest), b"")


def read_origin(manifest: dict[str, Any], folder: Path, given: Path | None = None) -> Plan:
    """Return the plan of a stored campaign; `given` is the campaign file that the user names."""
    campaign, origin = manifest["campaign"], given or _trusted_origin(manifest, folder)
    try:
        return read_campaign(origin, runs=campaign["runs"], seed=campaign["seed"])
    except InputError as error:
        hint = f"It was started from {manifest['origin']}, which must be there unchanged."
        if given is None:
            hint += " If that file was moved, name it with --campaign FILE."
        message = f"The campaign cannot be loaded again: {error.problems[0]}"
        raise InputError(message, file=str(folder), hint=hint) from error


def _trusted_origin(manifest: dict[str, Any], folder: Path) -> str | Path:
    origin = str(manifest["origin"])
    if origin in campaign_names():
        return origin
    try:
        inside = Path(origin).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links or a null character
        inside = False
    if not inside and STARTED.read(_key(manifest), bool) is None:
        raise InputError(
            "The campaign names a file outside its folder, and this user has not started it from there.",
            file=str(folder),
            given=origin,
            hint=f"If you trust the folder, add the option: --campaign {shlex.quote(origin)}",
        )
    return Path(origin)


def _key(manifest: dict[str, Any]) -> str:
    return content_key(json.dumps(manifest, sort_keys=True))
