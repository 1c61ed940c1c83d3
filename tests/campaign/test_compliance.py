"""Requirements of campaigns: verdicts, bounds, failed runs, exit codes, stop rule."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.campaign.conftest import Command, Write

from softdock.campaign import runner
from softdock.campaign.compliance import RequirementData, assess_campaign, read_requirement_data
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.statistics import (
    clopper_pearson,
    fewest_runs,
    lower_bound,
    stop_rule_state,
    tolerance_bound,
    upper_bound,
)
from softdock.campaign.status import status_of
from softdock.campaign.summary import chosen_metrics, dispersed_inputs, summarise
from softdock.campaign.table import CampaignTable, read_table
from softdock.errors import InputError
from softdock.presentation.requirements import campaign_notes
from softdock.result.requirements import CampaignVerdict, compare


def assess(
    requirement: dict[str, Any],
    values: Sequence[float | None],
    *,
    failed: int = 0,
    sampling: str = "random",
    planned: int = 0,
    method: str = "monte-carlo",
) -> CampaignVerdict:
    """Assess a limit on a metric of a campaign with these values and this number of failed runs."""
    low, high = requirement.get("at_least"), requirement.get("at_most")
    found = [compare(value, low, high, requirement.get("factor", 1.0)) for value in values]
    runs = [{"R": {"verdict": one.verdict, "value": one.value, "margin": one.margin}} for one in found]
    data = RequirementData(
        manifest={
            "campaign": {"sampling": sampling, "method": method, "subset": {"level_runs": 100}},
            "scenario": {"data": {"requirements": {"R": {"metric": "load", **requirement}}}},
        },
        units={},
        planned=planned or len(values) + failed,
        run=range(len(values) + failed),
        status=["done"] * len(runs) + ["failed"] * failed,
        verdicts=[*runs, *[{"R": {"verdict": "undecided", "value": None, "margin": None}}] * failed],
    )
    (verdict,) = assess_campaign(data)
    return verdict


def values(complying: int, violating: int) -> list[float]:
    return [1.0] * complying + [9.0] * violating


@pytest.mark.parametrize(
    ("complying", "violating", "verdict"),
    [(299, 0, "met"), (298, 0, "undecided"), (473, 1, "met"), (495, 5, "undecided"), (470, 30, "violated")],
)
def test_the_verdict_on_a_demanded_probability_follows_from_its_bounds(
    complying: int, violating: int, verdict: str
) -> None:
    found = assess({"at_most": 2.0, "probability": 0.99}, values(complying, violating))
    runs = complying + violating
    assert found.verdict == verdict
    assert found.fraction == found.value == complying / runs
    assert found.limit == 0.99
    assert found.interval == clopper_pearson(complying, runs, 0.95)
    assert (found.lower, found.upper) == (
        lower_bound(complying, runs, 0.95),
        upper_bound(complying, runs, 0.95),
    )
    assert (found.additional_runs is None) == (verdict != "undecided" or complying / runs == 0.99)


def test_the_estimated_additional_runs_decide() -> None:
    found = assess({"at_most": 2.0, "probability": 0.99}, values(100, 0))
    assert found.additional_runs == fewest_runs(0.99, 0.95) - 100
    assert "299 runs" in " ".join(found.notes)
    assert assess({"at_most": 2.0, "probability": 0.99}, values(299, 0)).verdict == "met"


def test_without_a_probability_all_runs_must_comply() -> None:
    demand = {"at_most": 2.0}
    assert assess(demand, values(5, 0)).verdict == "met"
    assert assess(demand, values(500, 1)).verdict == "violated"
    assert assess(demand, values(5, 0), failed=1).verdict == "violated"
    assert assess(demand, [1.0, None]).verdict == "undecided"
    half = assess(demand, values(5, 0), planned=9)
    assert (half.verdict, half.additional_runs) == ("undecided", 4)
    assert assess(demand, [], planned=9).verdict == "undecided"


def test_failed_runs_do_not_comply() -> None:
    demand = {"at_most": 2.0, "probability": 0.9}
    found = assess(demand, values(60, 0), failed=40)
    assert (found.verdict, found.complying, found.runs, found.bound) == ("violated", 60, 100, None)


def test_runs_without_a_value_neither_comply_nor_violate() -> None:
    demand = {"at_most": 2.0, "probability": 0.9}
    found = assess(demand, [1.0] * 60 + [None] * 40)
    assert (found.verdict, found.undecided_runs, found.additional_runs) == ("undecided", 40, None)
    assert found.upper == 1.0
    assert found.bound is None


@given(
    data=st.lists(st.floats(-100.0, 100.0), min_size=1, max_size=120),
    limit=st.floats(-100.0, 100.0).filter(lambda x: abs(x) > 1e-3),
    probability=st.floats(0.5, 0.99),
    factor=st.floats(1.0, 2.0),
    least=st.booleans(),
)
@settings(deadline=None, max_examples=50)
def test_the_bound_is_that_of_wilks_and_complies_where_the_requirement_is_met(
    data: list[float], limit: float, probability: float, factor: float, least: bool
) -> None:
    key, sign = ("at_least", -1.0) if least else ("at_most", 1.0)
    found = assess({key: limit, "probability": probability, "factor": factor}, data)
    wilks = tolerance_bound(sign * np.array(data), probability)
    assert found.bound == (None if wilks is None else sign * wilks)
    if found.bound is None:
        assert found.verdict != "met"
        return
    low, high = (limit, None) if least else (None, limit)
    bound = compare(found.bound, low, high, factor)
    assert (bound.verdict == "met") == (found.verdict == "met")
    assert found.margin == bound.margin


def test_a_range_is_bounded_on_its_worse_side() -> None:
    found = assess({"at_least": 0.0, "at_most": 10.0}, [5.0, 9.0, -2.0, 10.5])
    assert found.bound == -2.0
    found = assess({"at_least": 0.0, "at_most": 10.0}, [5.0, 9.0, 1.5])
    assert found.bound == 9.0


@pytest.mark.parametrize("sampling", ["latin-hypercube", "sobol"])
def test_even_sampling_has_bounds_with_a_note(sampling: str) -> None:
    found = assess({"at_most": 2.0, "probability": 0.9}, values(50, 0), sampling=sampling)
    assert found.verdict == "met"
    assert "conservative" in " ".join(found.notes)


def test_a_saltelli_design_has_no_bounds() -> None:
    found = assess({"at_most": 2.0, "probability": 0.9}, values(50, 0), sampling="saltelli")
    assert (found.verdict, found.fraction, found.interval, found.bound) == ("undecided", 1.0, None, None)
    assert "Saltelli" in " ".join(found.notes)
    assert assess({"at_most": 2.0}, values(50, 0), sampling="saltelli").verdict == "met"


def test_runs_that_are_chosen_near_failure_are_not_a_random_sample() -> None:
    """Only the first level of a subset simulation is random; all runs count where all must comply."""
    demand = {"at_most": 2.0, "probability": 0.95}
    found = assess(demand, values(100, 300), method="subset")
    assert (found.verdict, found.runs, found.complying) == ("met", 100, 100)
    assert "first level" in " ".join(found.notes)
    assert assess({"at_most": 2.0}, values(100, 300), method="subset").verdict == "violated"
    found = assess(demand, values(100, 0), method="boundary")
    assert (found.verdict, found.runs, found.interval) == ("undecided", 0, None)
    assert "boundary" in " ".join(found.notes)


def test_the_lower_bound_is_wrong_at_most_as_often_as_stated() -> None:
    """Of campaigns with exactly the demanded probability, at most 5 % are found to meet it."""
    demand, runs = {"at_most": 2.0, "probability": 0.95}, 200
    met = [k for k in range(180, runs + 1) if assess(demand, values(k, runs - k)).verdict == "met"]
    assert 0.0 < stats.binom.pmf(met, runs, 0.95).sum() <= 0.05
    assert met == list(range(met[0], runs + 1))


REQUIREMENTS = """\
requirements:
  R-1: {text: Force, metric: peak_contact_force, at_most: 20 N, factor: 1.25}
  R-2: {outcome: [separated], probability: 0.9, confidence: 0.9}
"""


def test_rows_export_and_summary_of_requirements_agree(write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"
    runner.run(read_campaign(write(REQUIREMENTS)), out)
    table = read_table(out)
    data = read_requirement_data(out)
    assert data.verdicts == table.verdicts
    forces = table.metrics["peak_contact_force"]
    for one, force in zip(table.verdicts, forces, strict=True):
        assert one["R-1"]["value"] == force
        assert one["R-1"]["margin"] == 20.0 / (1.25 * force) - 1.0
    first, second = assess_campaign(data)
    assert (first.bound, first.margin) == (forces.max(), 20.0 / (1.25 * forces.max()) - 1.0)
    assert (second.verdict, second.lower) == ("met", pytest.approx(0.1 ** (1 / 40)))
    assert summarise(table).requirements == [first, second]
    exported = pq.read_table(export(out))
    assert exported["requirement.R-1.verdict"].to_pylist() == ["met"] * 40
    assert exported.schema.field("requirement.R-1.value").metadata == {b"unit": b"N"}
    bounds = summarise(table).to_json()["quantiles"]["peak_contact_force"]["tolerance_bounds"]
    assert bounds == {"q95": None, "q99": None}


def test_metrics_with_requirements_are_drawn_first() -> None:
    metrics = {f"m{i}": np.arange(9.0) + i for i in range(9)}
    data = {"requirements": {"R": {"metric": "m8", "at_most": 5.0}}, "metrics": {}}
    manifest = {"campaign": {"metrics": []}, "scenario": {"data": data}}
    table = cast(CampaignTable, SimpleNamespace(metrics=metrics, manifest=manifest))
    assert chosen_metrics(table) == ["m8", "m0", "m1", "m2", "m3", "m4"]


def test_metrics_that_repeat_another_are_not_drawn() -> None:
    """The joint behind the only contact has its load, up to the inertia between them."""
    force = np.arange(9.0)
    metrics = {"force": force, "copy": force.copy(), "joint": 1.001 * force, "moment": force[::-1]}
    manifest = {"campaign": {"metrics": []}, "scenario": {"data": {}}}
    table = cast(CampaignTable, SimpleNamespace(metrics=metrics, manifest=manifest))
    assert chosen_metrics(table) == ["force", "moment"]
    manifest["campaign"]["metrics"] = ["copy", "joint"]
    assert chosen_metrics(table) == ["copy", "joint"]


def test_requirements_of_a_campaign_add_replace_and_remove(write: Write, tmp_path: Path) -> None:
    scenario = tmp_path / "base.yaml"
    scenario.write_text(
        "softdock: 1\nbase: impact-a\nrequirements:\n  A: {metric: impulse, at_most: 1}\n"
        "  B: {outcome: [separated]}\n  C: {metric: impulse, at_least: 0}\n",
        encoding="utf-8",
    )
    path = write(
        "requirements: {A: null, B: {metric: impulse, at_most: 9 N*s}, D: {outcome: resting}}",
        scenario="base.yaml",
    )
    data = read_campaign(path).template.data["requirements"]
    assert list(data) == ["B", "C", "D"]
    assert data["B"]["metric"] == "impulse"
    assert data["B"]["outcome"] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("requirements: {A: null}", "no such requirement to remove"),
        ("requirements: {A: {metric: impuls, at_most: 1}}", "did you mean 'impulse'"),
        ("requirements: {A: {metric: impulse, at_most: 1 kg}}", "an impulse is needed"),
        ("requirements: {A: {outcome: [gone]}}", "no outcome called 'gone'"),
        ("requirements: {A: {metric: impulse}}", "needs a limit"),
        ("requirements: {A: 5}", "mapping"),
    ],
)
def test_a_bad_requirement_is_named_in_the_campaign_file(write: Write, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_campaign(write(text))
    (problem,) = error.value.problems
    assert message in str(problem).replace("Did", "did").replace("Needs", "needs").replace(
        "No such", "no such"
    )
    assert "cheap.yaml:10" in str(problem)
    assert problem.field.startswith("requirements.A")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("R-1: {outcome: [separated]}", 0),
        ("R-1: {outcome: [separated], probability: 0.999}", 4),
        ("R-1: {outcome: [latched]}, R-2: {outcome: [separated], probability: 0.999}", 3),
    ],
)
def test_the_exit_code_of_a_campaign(
    campaign: Command, write: Write, tmp_path: Path, text: str, code: int
) -> None:
    out = tmp_path / "out"
    ended, printed, err = campaign(
        "run", write(f"requirements: {{{text}}}"), "--out", out, "--check", "--json"
    )
    assert ended == code
    found = json.loads(printed)["requirements"]
    keys = {"id", "verdict", "value", "limit", "margin", "fraction", "interval", "bound", "additional_runs"}
    assert keys <= set(found[0])
    assert ("R-" in err) == (code != 0)
    assert campaign("status", out, "--check")[0] == code
    assert campaign("status", out)[0] == 0
    ended, printed, _ = campaign("resume", out, "--check")
    assert ended == code
    assert "complying" in printed


def test_a_check_without_requirements_is_refused(campaign: Command, write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert campaign("run", write(), "--out", out, "--check")[0] == 2
    assert not out.exists()
    assert campaign("run", write(), "--out", out)[0] == 0
    for command in ("status", "report", "resume"):
        assert campaign(command, out, "--check")[0] == 2


def test_a_campaign_without_success_and_requirements_says_so(
    campaign: Command, write: Write, tmp_path: Path
) -> None:
    hint = "states neither `success` nor `requirements`"
    assert hint in campaign("run", write(), "--out", tmp_path / "neither")[1]
    assert hint not in campaign("run", write("success: [separated]"), "--out", tmp_path / "success")[1]
    required = write("requirements: {R-1: {outcome: [separated]}}")
    assert hint not in campaign("run", required, "--out", tmp_path / "required")[1]


@pytest.mark.parametrize(
    ("requirement", "outcomes", "hints"),
    [
        ({"metric": "load", "at_most": 5.0}, ("captured", "missed"), 1),
        ({"metric": "load", "at_most": 5.0}, ("captured",), 0),
        ({"outcome": ["captured"]}, ("captured", "missed"), 0),
    ],
)
def test_requirements_without_an_outcome_have_a_hint(
    requirement: dict[str, object], outcomes: tuple[str, ...], hints: int
) -> None:
    definition = {"requirements": {"R-1": requirement}, "outcomes": [{"name": name} for name in outcomes]}
    for success, example in (([], "captured"), (["missed"], "missed")):
        notes = campaign_notes([], {"scenario": {"data": definition}, "campaign": {"success": success}})
        assert len(notes) == hints
        assert all(f"`{{outcome: [{example}]}}`" in note for note in notes)


def test_notes_that_requirements_share_are_stated_once() -> None:
    demands = [{"at_most": 2.0, "probability": share} for share in (0.9, 0.99)]
    found = [assess(demand, values(10, 0), sampling="sobol") for demand in demands]
    notes = campaign_notes(found, {"scenario": {"data": {}}, "campaign": {}})
    assert ["Sobol" in note for note in notes] == [True, False, False]


def test_a_stop_rule_that_is_not_reached_says_so(campaign: Command, write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"
    rule = "stop: {half_width: 0.01, minimum: 10, every: 10}"
    code, printed, _ = campaign("run", write("success: [separated]", rule), "--out", out)
    assert code == 0
    assert "The stop rule was not reached" in printed
    assert "about 190 runs are needed" in printed
    state = status_of(out)["stop_rule"]
    assert (state["reached"], state["runs_needed"], state["half_width"]) == (False, 190, 0.01)
    assert any("stop rule was not reached" in one for one in summarise(read_table(out)).sentences)


def test_the_estimated_number_of_runs_reaches_the_stop_rule(write: Write, tmp_path: Path) -> None:
    rule = "stop: {half_width: 0.05, minimum: 10, every: 10}"
    state = stop_rule_state(
        {"half_width": 0.05, "confidence": 0.95, "minimum": 10, "every": 10}, 20, 20, False
    )
    out = tmp_path / "out"
    progress = runner.run(read_campaign(write("success: [separated]", rule), runs=200), out)
    assert progress.stopped_at == state["runs_needed"]
    assert status_of(out)["stop_rule"]["reached"]


def test_failed_runs_are_not_successes_of_the_stop_rule(write: Write) -> None:
    plan = read_campaign(write("success: [separated]", "stop: {half_width: 0.2, minimum: 5, every: 5}"))
    good, bad = runner._StopCondition(plan), runner._StopCondition(plan)
    for number in range(20):
        good.add(number, "separated", "done")
        bad.add(number, "separated", "done" if number % 2 else "failed")
    assert good.met_at == 10
    assert bad.met_at is None or bad.met_at > 10


IDSS = "softdock: 1\nkind: campaign\nscenario: pins-1\nruns: 400\nseed: 5\nsampling: {}\npresets: [idss]\n"


@pytest.mark.parametrize("sampling", ["random", "latin-hypercube", "sobol"])
def test_the_preset_of_the_standard_limits_vector_sums(tmp_path: Path, sampling: str) -> None:
    path = tmp_path / "idss.yaml"
    path.write_text(IDSS.format(sampling), encoding="utf-8")
    columns, limit = read_campaign(path).columns(0, 400), math.radians(0.2)
    rate = columns["approach.rate"]
    across, about = np.hypot(rate[:, 0], rate[:, 1]), rate[:, 2]
    assert across.max() <= limit
    assert np.abs(about).max() <= limit
    assert across.max() > 0.97 * limit
    assert np.abs(about).max() > 0.97 * limit
    assert np.hypot(across, about).max() > limit  # roll is limited by itself
    assert abs(np.mean(across) / limit - 0.5) < 0.05
    assert abs(np.mean(np.cos(2.0 * np.arctan2(rate[:, 1], rate[:, 0])))) < 0.15


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("approach.rate: {lateral: {uniform: [0, 1]}}", "Needs 'axial' beside it"),
        ("approach.rate: {axial: {uniform: [0, 1]}}", "exactly one of"),
        ("approach.offset: {lateral: {uniform: [0, 1]}, axial: {uniform: [0, 1]}}", "three components"),
        ("approach.rate: {lateral: {uniform: [-1, 1]}, axial: {uniform: [0, 1]}}", "at least 0"),
        (
            "approach.rate: {lateral: {uniform: [0, 1]}, axial: {uniform: [0 m, 1 m]}}",
            "an angular rate is needed",
        ),
    ],
)
def test_bad_lateral_dispersions_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        f"softdock: 1\nkind: campaign\nscenario: pins-1\nruns: 4\ndispersions:\n  {text}\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match=message):
        read_campaign(path)


def test_a_lateral_magnitude_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "idss.yaml"
    path.write_text(IDSS.format("random").replace("runs: 400", "runs: 3"), encoding="utf-8")
    runner.run(read_campaign(path), tmp_path / "out")
    table = read_table(tmp_path / "out")
    names = dispersed_inputs(table)
    assert {"approach.rate.lateral", "approach.rate.2", "approach.offset.norm"} <= set(names)
    assert not {"approach.rate.0", "approach.rate.1", "approach.offset.0"} & set(names)
    assert table.unit("approach.rate.lateral") == "rad/s"
