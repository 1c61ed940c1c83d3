"""What the workers of the studio do. Nothing here knows of the web server; answers are plain data."""

import json
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.errors import InputError, Problem
from softdock.result import Array, Result, plain_data
from softdock.scenario import ScenarioBase
from softdock.scenario.loading import bundled_text, load_text, written
from softdock.scenario.source import check_head, parse, read_file
from softdock.studio import limits
from softdock.studio.folder import Folder, is_bundled
from softdock.studio.form import form_of
from softdock.studio.run_files import FILES, make
from softdock.studio.scenario_edits import changes, with_value
from softdock.studio.thumbnail_cache import digest
from softdock.studio.thumbnails import thumbnail

if TYPE_CHECKING:
    from softdock.campaign.plan import Plan
    from softdock.scenario.source import Source

POINTS = 1500  # of a curve; beyond it smallest and largest of every share are drawn
MOST_CURVES = 24
Say = Callable[[str], None]


def opened(folder: Folder, say: Say, *, name: str) -> dict[str, Any]:
    """Return the text of a bundled scenario or of a file below the folder."""
    if is_bundled(name):
        return {"text": bundled_text(name)[0], "bundled": name}
    path = folder.inside(name)
    read_file(path)  # size, coding and head are judged there
    text = path.read_text(encoding="utf-8-sig")
    base = parse(text).data.get("base", "")
    return {"text": text, "bundled": base if isinstance(base, str) and is_bundled(base) else ""}


def checked(folder: Folder, say: Say, *, text: str, name: str) -> dict[str, Any]:
    """Return problems, form and differences from the bundled scenario of a text."""
    answer: dict[str, Any] = {"problems": [], "form": None, "changes": []}
    stem, directory = origin(folder, name)
    try:
        source = _judged(folder, text, stem, directory)
        answer["form"] = form_of(source.data)
        base = name if is_bundled(name) else parse(text).data.get("base")
        if isinstance(base, str) and is_bundled(base):
            before = written(bundled_text(base)[0], base, bundled_text(base)[1])
            answer["changes"] = [one for one in changes(before.data, source.data) if one[0] not in ("base",)]
        limits.check_data(source.data)
        limits.check(load_text(text, stem, directory))
    except InputError as error:
        answer["problems"] = [limits.told(problem) for problem in error.problems]
    return answer


def changed(folder: Folder, say: Say, *, text: str, name: str, path: str, value: str) -> dict[str, Any]:
    """Return a text with one value replaced, and its check; a value of the base is written over."""
    new = with_value(_with_list(folder, text, name, path), path, value)
    return {"text": new, **checked(folder, say, text=new, name=name)}


def ran(folder: Folder, say: Say, *, text: str, name: str, run: str) -> dict[str, Any]:
    """Run a scenario's text and keep the result as a run of the folder."""
    from softdock.simulate import simulate

    stem, directory = origin(folder, name)
    scenario = _loaded(folder, text, stem, directory)
    say("simulating")
    result = simulate(scenario)
    say("saving")
    place = folder.run(run)
    result.save(place)
    (place / "scenario.yaml").write_text(text, encoding="utf-8")
    say("drawing the replay")
    make("scene", result, place / FILES["scene"])
    return _summary(result)


def looked_at(folder: Folder, say: Say, *, run: str) -> dict[str, Any]:
    """Return what is known of a kept run, without its curves."""
    return _summary(Result.load(Path(kept(folder, say, run=run)["path"])))


def heads(folder: Folder, say: Say, *, runs: Sequence[str]) -> dict[str, Any]:
    """Return scenario, outcome and sentence of kept runs; one that cannot be read is left out."""
    found = {}
    for run in runs:
        try:
            document = json.loads((folder.run(run) / "result.json").read_bytes())
            found[run] = {key: str(document[key]) for key in ("scenario", "outcome", "message")}
        except (OSError, ValueError, KeyError, TypeError, InputError):
            continue
    return found


def curves(folder: Folder, say: Say, *, run: str, names: Sequence[str]) -> dict[str, Any]:
    """Return chosen channels of a run, thinned so that no peak is lost."""
    history = Result.load(_place(folder, run)).history
    found = {}
    for name in names[:MOST_CURVES]:
        if name in history.channels:
            channel = history.channels[name]
            time_, values = thinned(history.time, channel.values)
            found[name] = {"unit": channel.unit, "points": plain_data(np.column_stack((time_, values)))}
    return found


def thinned(time_: Array, values: Array, points: int = POINTS) -> tuple[Array, Array]:
    """Return a curve with fewer points: of every share of rows the smallest and the largest, in their order."""
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


def artefact(folder: Folder, say: Say, *, run: str, kind: str) -> dict[str, Any]:
    """Make a file of a kept run, unless it is there, and return its path: figure, scene, glb or report."""
    place = _place(folder, run)
    path = place / FILES[kind]
    made_from = place / "result.json"
    if not path.is_file() or path.stat().st_mtime < made_from.stat().st_mtime:
        make(kind, Result.load(place), path)
    return {"path": str(path)}


def kept(folder: Folder, say: Say, *, run: str) -> dict[str, Any]:
    """Return the folder of a kept run."""
    place = _place(folder, run)
    if not (place / "result.json").is_file():
        raise InputError(Problem(message="There is no such run.", given=run[:100]))
    return {"path": str(place)}


def drawn(folder: Folder, say: Say, *, names: Sequence[str]) -> dict[str, str]:
    """Return the thumbnails of scenarios as SVG; one that cannot be drawn is left out."""
    found = {}
    for name in names:
        try:
            text = opened(folder, say, name=name)["text"]
            stem, directory = origin(folder, name)
            found[name] = thumbnail(_loaded(folder, text, stem, directory), digest(text))
        except Exception:  # a picture is never worth an error: another stands in its place
            continue
    return found


def reran(folder: Folder, say: Say, *, campaign: str, number: int) -> dict[str, Any]:
    """Repeat one run of a campaign with its history, unless that is kept, and return what is known of it."""
    from softdock.campaign import runner

    run = f"{campaign}/{number}"
    place = _place(folder, run)
    if not (place / "result.json").is_file():
        say("simulating")
        result, row, _ = runner.rerun(folder.campaign(campaign), number)
        if result is None:
            raise InputError(Problem(message=row.message or "This run has no result."))
    return {"run": run, **_summary(Result.load(place))}


def reported(folder: Folder, say: Say, *, campaign: str) -> dict[str, Any]:
    """Write the report of a campaign and return its path."""
    from softdock.report.campaign import write_report

    place = folder.campaign(campaign)
    path, _ = write_report(place, place / "report.html", lambda what, fraction: say(what))
    return {"path": str(path)}


def planned(folder: Folder, say: Say, *, name: str, runs: int | None, seed: int | None) -> dict[str, Any]:
    """Check a campaign before it is started."""
    from softdock.campaign.loading import load

    plan = load(campaign_source(folder, name), runs=runs, seed=seed)
    check_plan(plan)
    return {"runs": plan.runs, "name": plan.name, "scenario": plan.template.name}


def check_plan(plan: "Plan") -> None:
    """Refuse a campaign that is too much for the page."""
    if plan.runs > limits.LARGEST_CAMPAIGN:
        message = f"The studio starts campaigns of at most {limits.LARGEST_CAMPAIGN:,} runs."
        raise InputError(Problem(message=message, field="runs", given=str(plan.runs)))
    limits.check(load_data(plan.template.data, plan.template.name, Path(plan.template.directory)))


def campaign_source(folder: Folder, name: str) -> str | Path:
    """Return what a campaign is loaded from: its bundled name or its file, judged."""
    from softdock.campaign.loading import bundled_campaigns

    if name in bundled_campaigns():
        return name
    path = folder.inside(name)
    check_campaign(folder, read_file(path))
    return path


def check_campaign(folder: Folder, source: "Source") -> None:
    """Refuse a campaign that names files outside the folder, itself or through its scenario."""
    folder.check_source(source)
    scenario = source.data.get("scenario")
    if isinstance(scenario, str) and not is_bundled(scenario):
        folder.check_source(read_file(source.directory / scenario))


def load_data(data: Mapping[str, Any], name: str, directory: Path) -> ScenarioBase:
    """Return the scenario of plain data."""
    from softdock.scenario import from_data

    return from_data(data, name, directory)


def rehearsed(folder: Folder, say: Say, *, name: str) -> dict[str, Any]:
    """Run a bundled scenario and draw its replay, so that all that runs need is imported before the first request."""
    from softdock.simulate import simulate

    scenario = load_text(*_named_text(name))
    result = simulate(scenario)
    with tempfile.TemporaryDirectory() as place:
        result.save(place)
        make("scene", result, Path(place) / FILES["scene"])
    return {"time": time.time()}


ALL: tuple[Callable[..., Any], ...] = (
    opened, checked, changed, ran, looked_at, heads, curves, artefact, kept, drawn, reran, reported, planned, rehearsed,
)  # fmt: skip


def _named_text(name: str) -> tuple[str, str, Path]:
    text, directory = bundled_text(name)
    return text, name, directory


def origin(folder: Folder, name: str) -> tuple[str, Path]:
    """Return the plain name of a scenario and the folder its relative paths start from."""
    if is_bundled(name):
        return name, bundled_text(name)[1]
    path = folder.inside(name)
    return path.stem, path.parent


def _judged(folder: Folder, text: str, stem: str, directory: Path) -> Any:
    """Return a text with its base as it was written; refused where it names files outside the folder."""
    if len(text) > 1_000_000:
        raise InputError("The text is larger than 1 MB; no scenario needs that.")
    source = parse(text, file=f"{stem}.yaml", directory=directory)
    check_head(source)
    folder.check_source(source)
    return written(text, stem, directory)


def _loaded(folder: Folder, text: str, stem: str, directory: Path) -> ScenarioBase:
    limits.check_data(_judged(folder, text, stem, directory).data)
    scenario = load_text(text, stem, directory)
    limits.check(scenario)
    return scenario


def _with_list(folder: Folder, text: str, name: str, path: str) -> str:
    """Write a list of the base into the text before one of its entries is changed: lists are replaced whole."""
    stem, directory = origin(folder, name)
    whole, own = written(text, stem, directory).data, parse(text).data
    keys = path.split(".")
    for i, key in enumerate(keys[:-1]):
        if isinstance(whole, list):
            return text
        whole = whole.get(key) if isinstance(whole, dict) else None
        own = own.get(key) if isinstance(own, dict) else None
        if isinstance(whole, list) and own is None:
            return with_value(text, ".".join(keys[: i + 1]), json.dumps(whole))
    return text


def _place(folder: Folder, run: str) -> Path:
    """Return the folder of a run; `campaign/number` is a run of a campaign."""
    campaign, slash, number = run.partition("/")
    if not slash:
        return folder.run(run)
    from softdock.campaign.runner import history_folder

    if not number.isdecimal():
        raise InputError(Problem(message="There is no such run.", given=run[:100]))
    return folder.without_links_out(history_folder(folder.campaign(campaign), int(number[:12])))


def _summary(result: Result) -> dict[str, Any]:
    channels = {name: channel.unit for name, channel in result.history.channels.items()}
    listed = result.definition.get("outcomes") or ()
    outcomes = [one["name"] for one in listed if isinstance(one, Mapping) and "name" in one]
    return {
        **result.to_json(), "channels": channels, "rows": int(result.history.time.size), "outcomes": outcomes,
    }  # fmt: skip
