"""Campaigns composed on a page: fields that can be dispersed, and the text of the campaign file."""

import io
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from softdock.errors import InputError
from softdock.scenario.loading import load_text
from softdock.scenario.source import VERSION, check_head, parse, resolve
from softdock.studio import limits, tasks
from softdock.studio.folder import Folder, is_bundled
from softdock.studio.form import Node

PAIRS = ("uniform", "log_uniform")
# A quantity whose unit depends on other fields.
NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?(\s*[A-Za-z].*)?")
DRAFT = "campaign.yaml"  # file name in messages until the draft has a name


def list_dispersible_fields(
    folder: Folder, report_stage: tasks.StageCallback, *, name: str
) -> dict[str, Any]:
    """Return the fields of a scenario that can be dispersed, with unit and value, and its possible outcomes."""
    from softdock.campaign.loading import presets

    text = tasks.read_text(folder, report_stage, name=name)["text"]
    answer = tasks.check_text(folder, report_stage, text=text, name=name)
    if answer["problems"]:
        raise InputError(f"The scenario itself has a problem: {answer['problems'][0]['text']}")
    scenario = load_text(text, *tasks.scenario_origin(folder, name))
    return {
        "fields": dict(_fields(answer["form"])),
        "outcomes": scenario.possible_outcomes(),
        "presets": presets(),
    }


def compose_campaign(
    folder: Folder, report_stage: tasks.StageCallback, *, draft: Mapping[str, Any], name: str
) -> dict[str, Any]:
    """Return the text of a campaign, its problems and its number of runs."""
    from softdock.campaign import loading

    path = folder.inside(name or DRAFT)
    inside = PurePosixPath(path.relative_to(folder.root).as_posix()).parent
    answer: dict[str, Any] = {"text": campaign_text(draft, inside), "problems": [], "runs": 0}
    try:
        _check_rows(draft)
        source = parse(answer["text"], file=path.name, directory=path.parent)
        check_head(source)
        tasks.check_campaign_files(folder, source)
        plan = loading.load_text(answer["text"], path)
        tasks.check_campaign_size(plan)
        answer["runs"] = plan.runs
    except InputError as error:
        answer["problems"] = [limits.problem_data(problem) for problem in error.problems]
    return answer


TASKS: tuple[Callable[..., Any], ...] = (list_dispersible_fields, compose_campaign)


def campaign_text(draft: Mapping[str, Any], inside: PurePosixPath) -> str:
    """Return the text of the campaign file of a draft, to be stored in this folder; empty fields are omitted."""
    scenario = str(draft["scenario"])
    if not is_bundled(scenario):
        scenario = posixpath.relpath(scenario, inside.as_posix())
    dispersions = CommentedMap()
    for row in draft["dispersions"]:
        if row["field"]:
            dispersions[row["field"]] = _flow_style(_dispersion(row["kind"], row["values"]))
    data: dict[str, Any] = {
        "softdock": VERSION, "kind": "campaign", "title": draft["title"].strip(), "scenario": scenario,
        "runs": resolve(draft["runs"].strip()), "seed": resolve(draft["seed"].strip()), "sampling": draft["sampling"],
        "presets": _flow_style(list(draft["presets"])), "dispersions": dispersions,
        "success": _flow_style(list(draft["success"])),
    }  # fmt: skip
    yaml = YAML()
    yaml.width = 110
    out = io.StringIO()
    yaml.dump({key: value for key, value in data.items() if value not in ("", None, [], {})}, out)
    return out.getvalue()


def _dispersion(kind: str, given: list[str]) -> dict[str, Any]:
    values = [resolve(text.strip()) for text in given]
    if kind in PAIRS:
        return {kind: values[:2]}
    if kind == "normal":
        return {"normal": dict(zip(("mean", "deviation"), values))}
    if kind == "magnitude":
        return {"magnitude": {"uniform": values[:2]}}
    return {"choice": [resolve(one.strip()) for one in given[0].split(",") if one.strip()]}


def _check_rows(draft: Mapping[str, Any]) -> None:
    """Raise InputError for a field that is listed twice and for values without a field."""
    seen = set()
    for row in draft["dispersions"]:
        if not row["field"] and any(value.strip() for value in row["values"]):
            message = "Choose the field that these values are for, or take the line away."
            raise InputError(message, field="dispersions.")
        if row["field"] in seen:
            message = "The field is listed twice; take one away."
            raise InputError(message, field=f"dispersions.{row['field']}")
        if row["field"]:
            seen.add(row["field"])


def _flow_style(value: Any) -> Any:
    """Return lists and mappings in flow style, which is written on one line."""
    if isinstance(value, dict):
        mapping = CommentedMap({key: _flow_style(one) for key, one in value.items()})
        mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        sequence = CommentedSeq([_flow_style(one) for one in value])
        sequence.fa.set_flow_style()
        return sequence
    return value


def _fields(form: list[Node]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and description of every quantity and every vector of two or three components."""
    for node in form:
        children = node.get("children")
        if children is None:
            value = str(node.get("value") or node.get("default") or "")
            if value and (node["kind"] == "quantity" or NUMBER.fullmatch(value)):
                yield node["path"], {"unit": node["unit"], "value": value, "size": 1}
            continue
        if node.get("vector") and len(children) in (2, 3) and all(c["kind"] == "quantity" for c in children):
            size, unit = len(children), children[0]["unit"]
            yield node["path"], {"unit": unit, "value": ", ".join(c["value"] for c in children), "size": size}
        yield from _fields(children)
