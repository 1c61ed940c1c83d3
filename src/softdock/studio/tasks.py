"""Tasks of the worker processes. They do not depend on the web server; results are plain data."""

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.errors import InputError
from softdock.files.atomic import write_atomic
from softdock.files.regular_file import read_regular_file
from softdock.result import Array, Result, plain_data
from softdock.result.damaged_results import damaged_result_errors
from softdock.result.digest import digest_discrepancy
from softdock.scenario.base import ScenarioBase
from softdock.scenario.loading import (
    build_scenario,
    bundled_text,
    merge_with_base,
    parse_with_base,
    read_scenario_text,
)
from softdock.scenario.source import Source, check_head, read_file
from softdock.studio import limits
from softdock.studio.folder import Folder, is_bundled
from softdock.studio.form import build_form
from softdock.studio.run_data import summarise_result
from softdock.studio.run_files import FILES, write_run_file
from softdock.studio.scenario_edits import Document, differences, parse_document
from softdock.studio.thumbnail_cache import thumbnail_key
from softdock.studio.thumbnails import thumbnail

if TYPE_CHECKING:
    from softdock.campaign.plan import Plan

MAX_POINTS = 1500  # of a drawn curve; a longer one is reduced to minima and maxima
MAX_CURVES = 24
LARGEST_RESULT = 50_000_000  # bytes of a result.json in the list of runs
LARGEST_SCENE = 500_000_000  # bytes of a replay that is not drawn again
StageCallback = Callable[[str], None]


def read_text(folder: Folder, report_stage: StageCallback, *, name: str) -> dict[str, Any]:
    """Return the text of a bundled scenario or of a file below the folder."""
    if is_bundled(name):
        return {"text": bundled_text(name)[0]}
    path = folder.inside(name)
    read_file(path)  # checks size, encoding and header
    return {"text": path.read_text(encoding="utf-8-sig")}


def check_text(folder: Folder, report_stage: StageCallback, *, text: str, name: str) -> dict[str, Any]:
    """Return problems and form of a scenario's text, and its differences from its bundled base."""
    checked: dict[str, Any] = {"problems": [], "form": None, "changes": []}
    try:
        document, source = _parse_checked(folder, text, name)
        checked["form"] = build_form(source.data)
        base = name if is_bundled(name) else document.source.data.get("base")
        if isinstance(base, str) and is_bundled(base):
            before = parse_with_base(bundled_text(base)[0], base, bundled_text(base)[1])
            checked["changes"] = [
                change for change in differences(before.data, source.data) if change[0] != "base"
            ]
        _build_checked(source)
    except InputError as error:
        checked["problems"] = [limits.problem_data(problem) for problem in error.problems]
    return checked


def change_value(
    folder: Folder, report_stage: StageCallback, *, text: str, name: str, path: str, value: str
) -> dict[str, Any]:
    """Return a text with one value replaced or overriding that of the base, and its check."""
    document, source = _parse_checked(folder, text, name)
    new = document.with_value(path, value, source.data)
    return {"text": new, **check_text(folder, report_stage, text=new, name=name)}


def run_scenario(
    folder: Folder, report_stage: StageCallback, *, text: str, name: str, run: str
) -> dict[str, Any]:
    """Run a scenario's text and store the result as a run of the folder."""
    from softdock.simulation import simulate

    scenario = read_checked(folder, text, name)
    report_stage("simulating")
    result = simulate(scenario)
    report_stage("saving")
    run_folder = folder.run(run)
    result.save(run_folder)
    write_atomic(run_folder / "scenario.yaml", text)
    report_stage("drawing the replay")
    write_run_file("scene", result, run_folder / FILES["scene"])
    return summarise_result(result)


def summarise_run(folder: Folder, report_stage: StageCallback, *, run: str) -> dict[str, Any]:
    """Return everything about a stored run except its curves."""
    return summarise_result(Result.load(Path(find_run(folder, report_stage, run=run)["path"])))


def read_run_headers(folder: Folder, report_stage: StageCallback, *, runs: Sequence[str]) -> dict[str, Any]:
    """Return scenario, outcome, message and digest mark of stored runs; unreadable ones are omitted.

    Histories are not read, so that a list of many runs appears soon: the page of a run checks its history.
    """
    headers = {}
    for run in runs:
        try:
            document = json.loads(read_regular_file(folder.run(run) / "result.json", largest=LARGEST_RESULT))
            headers[run] = {key: str(document[key]) for key in ("scenario", "outcome", "message")}
            discrepancies = [*document.get("discrepancies", []), digest_discrepancy(document)]
            headers[run]["digest"] = " ".join(map(str, filter(None, discrepancies))) or "agrees"
        except (OSError, ValueError, KeyError, TypeError, RecursionError, InputError):
            continue
    return headers


def read_curves(
    folder: Folder, report_stage: StageCallback, *, run: str, names: Sequence[str]
) -> dict[str, Any]:
    """Return channels of a run, reduced to at most `MAX_POINTS` points without losing peaks."""
    history = Result.load(_run_folder(folder, run)).history
    curves = {}
    for name in names[:MAX_CURVES]:
        if name in history.channels:
            channel = history.channels[name]
            time_, values = thin_curve(history.time, channel.values)
            curves[name] = {"unit": channel.unit, "points": plain_data(np.column_stack((time_, values)))}
    return curves


def draw_controllers(folder: Folder, report_stage: StageCallback, *, run: str, units: str) -> str:
    """Return the figures of the controllers of a run as HTML with its style, in a unit system."""
    from softdock.presentation import chart_svg
    from softdock.presentation.unit_systems import SYSTEMS
    from softdock.report import control_charts

    result = Result.load(_run_folder(folder, run))
    with damaged_result_errors(result):
        figures = control_charts.control_figures(result, SYSTEMS[units])
    style = f"{chart_svg.STYLE}{control_charts.STYLE}"
    return f'<style>{style}</style><div class="charts">{"".join(figures)}</div>' if figures else ""


def thin_curve(time_: Array, values: Array, points: int = MAX_POINTS) -> tuple[Array, Array]:
    """Return the minimum and maximum of each of `points / 2` intervals of a curve, in order of time."""
    if values.size <= points:
        return time_, values
    edges = np.linspace(0, values.size, points // 2 + 1).astype(int)
    keep = {0, values.size - 1}
    for start, stop in pairwise(edges):
        part = values[start:stop]
        if part.size and not np.isnan(part).all():
            keep |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
    rows = np.array(sorted(keep))
    return time_[rows], values[rows]


def make_run_file(folder: Folder, report_stage: StageCallback, *, run: str, kind: str) -> dict[str, Any]:
    """Return the path of a file of a stored run (figure, scene, glb or report); write it if missing or outdated."""
    run_folder = _run_folder(folder, run)
    path = run_folder / FILES[kind]
    made_from = run_folder / "result.json"
    outdated = not path.is_file() or path.stat().st_mtime < made_from.stat().st_mtime
    if outdated or (kind == "scene" and not _is_scene(path)):
        result = Result.load(run_folder)
        folder.check_definition(result.definition, result.directory)
        write_run_file(kind, result, path)
    return {"path": str(path)}


def _is_scene(path: Path) -> bool:
    """Return whether a file holds nothing but the data of a replay."""
    from softdock.replay.page import is_player_scene

    try:
        return is_player_scene(read_regular_file(path, largest=LARGEST_SCENE).decode())
    except (InputError, UnicodeDecodeError):
        return False


def find_run(folder: Folder, report_stage: StageCallback, *, run: str) -> dict[str, Any]:
    """Return the folder of a stored run."""
    run_folder = _run_folder(folder, run)
    if not (run_folder / "result.json").is_file():
        raise InputError("There is no such run.", given=run[:100])
    return {"path": str(run_folder)}


def draw_thumbnails(folder: Folder, report_stage: StageCallback, *, names: Sequence[str]) -> dict[str, str]:
    """Return the thumbnails of scenarios as SVG; those that cannot be drawn are omitted."""
    thumbnails = {}
    for name in names:
        try:
            text = read_text(folder, report_stage, name=name)["text"]
            thumbnails[name] = thumbnail(read_checked(folder, text, name), thumbnail_key(text))
        except Exception:  # the page shows a placeholder instead
            continue
    return thumbnails


def rerun(folder: Folder, report_stage: StageCallback, *, campaign: str, number: int) -> dict[str, Any]:
    """Return everything about one run of a campaign; simulate it again where its history is not stored."""
    from softdock.campaign import runner

    run = f"{campaign}/{number}"
    run_folder = _run_folder(folder, run)
    if not (run_folder / "result.json").is_file():
        report_stage("simulating")
        origin = check_origin(folder, folder.campaign(campaign))
        result, row, _ = runner.rerun(folder.campaign(campaign), number, origin)
        if result is None:
            raise InputError(row.message or "This run has no result.")
    return {"run": run, **summarise_result(Result.load(run_folder))}


def summarise_campaign(folder: Folder, report_stage: StageCallback, *, campaign: str) -> dict[str, Any]:
    """Return success rate, remaining runs and requirements of a campaign."""
    from softdock.studio.campaign_data import summarise_folder

    return summarise_folder(folder.campaign(campaign))


def write_campaign_report(folder: Folder, report_stage: StageCallback, *, campaign: str) -> dict[str, Any]:
    """Write the report of a campaign and return its path."""
    from softdock.report.campaign import write_report

    campaign_folder = folder.campaign(campaign)
    origin = check_origin(folder, campaign_folder)
    path, _ = write_report(
        campaign_folder,
        campaign_folder / "report.html",
        lambda what, fraction: report_stage(what),
        campaign=origin,
    )
    return {"path": str(path)}


def check_campaign(
    folder: Folder, report_stage: StageCallback, *, name: str, runs: int | None, seed: int | None
) -> dict[str, Any]:
    """Check a campaign and return its number of runs, name and scenario."""
    from softdock.campaign.loading import read_campaign

    plan = read_campaign(campaign_source(folder, name), runs=runs, seed=seed)
    check_campaign_size(plan)
    return {"runs": plan.runs, "name": plan.name, "scenario": plan.template.name}


def check_campaign_size(plan: "Plan") -> None:
    """Raise InputError where a campaign exceeds the limits of the studio."""
    from softdock.scenario.loading import from_data

    if plan.runs > limits.LARGEST_CAMPAIGN:
        message = f"The studio starts campaigns of at most {limits.LARGEST_CAMPAIGN:,} runs."
        raise InputError(message, field="runs", given=str(plan.runs))
    limits.check(from_data(plan.template.data, plan.template.name, Path(plan.template.directory)))


def campaign_source(folder: Folder, name: str) -> str | Path:
    """Return the bundled name or the checked file of a campaign."""
    from softdock.campaign.loading import campaign_names

    if name in campaign_names():
        return name
    path = folder.inside(name)
    check_campaign_files(folder, read_file(path))
    return path


def check_origin(folder: Folder, campaign_folder: Path) -> Path | None:
    """Return the file that a stored campaign was started from; None for a bundled campaign.

    Raises InputError where it is outside the studio's folder.

    A received campaign must not choose which files the studio reads.
    """
    from softdock.campaign import store
    from softdock.campaign.loading import campaign_names

    with store.open_readonly(campaign_folder) as database:
        manifest = store.read_entry(database, "manifest")
    origin = manifest.get("origin") if isinstance(manifest, dict) else None
    if isinstance(origin, str) and origin in campaign_names():
        return None
    try:
        path = folder.inside(str(origin))
        check_campaign_files(folder, read_file(path))
    except InputError as error:
        raise InputError(
            f"The file that this campaign was started from is not used. {error.problems[0].message}",
            file=str(campaign_folder),
            given=str(origin)[:100],
            hint="Copy campaign file and scenario to the studio's folder and start a new campaign, or use "
            "`softdock campaign` if you trust this folder.",
        ) from error
    return path


def check_campaign_files(folder: Folder, source: "Source") -> None:
    """Raise InputError where a campaign or its scenario names files outside the folder."""
    folder.check_source(source)
    scenario = source.data.get("scenario")
    if isinstance(scenario, str) and not is_bundled(scenario):
        folder.check_source(read_file(source.directory / scenario))


def warm_up(folder: Folder, report_stage: StageCallback, *, name: str) -> dict[str, Any]:
    """Run a bundled scenario and draw its replay, so that later runs need no imports."""
    from softdock.simulation import simulate

    text, directory = bundled_text(name)
    scenario = read_scenario_text(text, name, directory)
    result = simulate(scenario)
    with tempfile.TemporaryDirectory() as temporary:
        result.save(temporary)
        write_run_file("scene", result, Path(temporary) / FILES["scene"])
    return {"time": time.time()}


TASKS: tuple[Callable[..., Any], ...] = (
    read_text, check_text, change_value, run_scenario, summarise_run, read_run_headers, read_curves, make_run_file,
    draw_controllers, find_run, draw_thumbnails, rerun, summarise_campaign, write_campaign_report, check_campaign,
    warm_up,
)  # fmt: skip


def read_checked(folder: Folder, text: str, name: str) -> ScenarioBase:
    """Return the scenario of a text; raises InputError where it exceeds the limits of the studio."""
    return _build_checked(_parse_checked(folder, text, name)[1])


def _parse_checked(folder: Folder, text: str, name: str) -> tuple[Document, Source]:
    """Return a parsed text and its data merged with its base; refuse files outside the folder."""
    path = bundled_text(name)[1] / f"{name}.yaml" if is_bundled(name) else folder.inside(name)
    document = parse_document(text, f"{path.stem}.yaml", path.parent)
    check_head(document.source)
    folder.check_source(document.source)
    return document, merge_with_base(document.source)


def _build_checked(source: Source) -> ScenarioBase:
    limits.check_data(source.data)
    scenario = build_scenario(source, Path(source.file).stem)
    limits.check(scenario)
    return scenario


def _run_folder(folder: Folder, run: str) -> Path:
    """Return the folder of a run; `campaign/number` is a run of a campaign."""
    campaign, slash, number = run.partition("/")
    if not slash:
        return folder.run(run)
    from softdock.campaign.runner import history_folder

    if not number.isdecimal():
        raise InputError("There is no such run.", given=run[:100])
    return folder.without_links_out(history_folder(folder.campaign(campaign), int(number[:12])))
