"""Campaign files: accepted input, and messages with file, line and field about bad input."""

from pathlib import Path

import pytest
from tests.campaign.conftest import Write

from softdock.campaign.distributions import Uniform, Vector
from softdock.campaign.loading import bundled_campaigns, presets, read_campaign
from softdock.errors import InputError


@pytest.mark.parametrize("name", bundled_campaigns())
def test_bundled_campaigns_load(name: str) -> None:
    plan = read_campaign(name)
    for inputs in plan.inputs(0, 5):
        plan.template.build(inputs)


@pytest.mark.parametrize("name", presets())
def test_presets_disperse_an_approach(name: str, tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    text = f"softdock: 1\nkind: campaign\nscenario: assist-soft-docking\nruns: 3\npresets: [{name}]\n"
    path.write_text(text, encoding="utf-8")
    plan = read_campaign(path)
    for inputs in plan.inputs(0, 3):
        plan.template.build(inputs)


def test_quantities_of_dispersions_have_the_unit_of_their_field() -> None:
    dispersions = read_campaign("assist-table2").distributions
    tilt = dispersions["approach.tilt"]
    assert isinstance(tilt, Vector)
    assert tilt.size == 2
    assert tilt.magnitude == Uniform(0.0, pytest.approx(0.19722, rel=1e-4))
    assert dispersions["springs.gimbal-spring.stiffness"] == Uniform(0.1, 10.0, logarithmic=True)


def test_dispersions_of_the_file_replace_those_of_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        "softdock: 1\nkind: campaign\nscenario: assist-soft-docking\nruns: 3\npresets: [atv]\n"
        "dispersions: {approach.speed: {uniform: [0.01, 0.02]}}\n",
        encoding="utf-8",
    )
    assert read_campaign(path).distributions["approach.speed"] == Uniform(0.01, 0.02)


BAD_DISPERSIONS = {
    "speed: {uniform: [1 kg, 2 kg]}": "a mass",
    "speed: {uniform: [0.07, 0.05]}": "below the second",
    "speed: {uniform: [0.05, 0.05]}": "below the second",
    "speed: {uniform: [0.05]}": "entries",
    "speed: {uniform: [-0.05, 0.05]}": "above 0",
    "speed: {log_uniform: [0, 0.05]}": "above 0",
    "speed: {normal: {mean: 0.05, deviation: 0}}": "above 0",
    "speed: {normal: {mean: 0.05, deviation: 0.001, low: 0.06, high: 0.055}}": "above 'low'",
    "speed: {normal: {mean: 0.05, deviation: 0.001, low: 0.3}}": "probability within the limits",
    "speed: {normal: {mean: 0.05}}": "missing",
    "speed: {normal: {mean: null, deviation: 0.001}}": "a speed",
    "speed: {normal: {mean: 0.05, deviation: }}": "a speed",
    "speed: {uniform: [0.01, 0.02], choice: [0.01]}": "exactly one",
    "speed: {}": "exactly one",
    "speed: {gaussian: [0.01, 0.02]}": "not known",
    "sped: {uniform: [0.01, 0.02]}": "Did you mean 'speed'",
    "speed: {magnitude: {uniform: [0.01, 0.02]}}": "two or three components",
    "speed: {choice: [0.01, -0.02]}": "above 0",
    "speed: {choice: [0.01], weights: [1, 2]}": "one per choice",
    "speed: {choice: [0.01, 0.02], weights: [0, 0]}": "above 0",
    "title: {uniform: [1, 2]}": "text",
    "target.masses.7: {uniform: [1, 2]}": "no such field",
    "target.masses.0: {uniform: [-1 kg, 2 kg]}": "above 0 kg",
}


@pytest.mark.parametrize("line", BAD_DISPERSIONS)
def test_bad_dispersions_are_refused_before_the_first_run(line: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    text = f"softdock: 1\nkind: campaign\nscenario: impact-a\nruns: 4\ndispersions:\n  {line}\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    problem = caught.value.problems[0]
    assert BAD_DISPERSIONS[line] in str(problem)
    assert problem.file == str(path)
    assert problem.line in (5, 6)


@pytest.mark.parametrize(
    ("replaced", "added", "message"),
    [
        ({"runs": "0"}, (), "at least 1"),
        ({"scenario": "impact-q"}, (), "Did you mean 'impact-"),
        ({"scenario": "not-here.yaml"}, (), "no such file"),
        ({"set": "{sped: 1}"}, (), "Did you mean 'speed'"),
        ({"kind": "chain"}, (), "Must be 'campaign'"),
        ({}, ("stop: {half_width: 0.1}",), "name the outcomes"),
        ({}, ("success: [seperated]",), "Did you mean 'separated'"),
        ({}, ("presets: [iss]",), "no such preset"),
        ({}, ("presets: [idss]",), "the scenario has none"),
        ({}, ("springs: {pad: {metric: x, stroke: 5 kg}}",), "must be a length or an angle"),
        ({}, ("sampling: sobol", "predictions: 100"), "random sampling"),
        ({"scenario": "latch-paper"}, ("predictions: 100",), "two and two masses"),
        ({}, ("success: [separated]", "sampling: saltelli", "stop: {half_width: 0.1}"), "must be completed"),
        ({}, ("sampling: sobel",), "sobol"),
        ({}, ("histories: some",), "histories"),
        ({}, ("correlations: [{fields: [speed, gap], matrix: [[1, 0], [0, 1]]}]",), "Only dispersed fields"),
        ({}, ("correlations: [{fields: [speed, chaser.masses.0], matrix: [[1, 2], [2, 1]]}]",), "definite"),
        ({}, ("correlations: [{fields: [speed, chaser.masses.0], matrix: [[1, 0]]}]",), "2 rows of 2"),
        ({}, ("correlations: [{fields: [speed, chaser.masses.0], matrix: [[1, 0], [1, 1]]}]",), "symmetric"),
    ],
)
def test_bad_campaign_files_are_refused(
    write: Write, replaced: dict[str, str], added: tuple[str, ...], message: str
) -> None:
    path = write(*added, **replaced)
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(InputError, match="assist-table2"):
        read_campaign("assist-table")


def test_runs_and_seed_can_be_replaced(write: Write) -> None:
    plan = read_campaign(write(), runs=3, seed=99)
    assert (plan.runs, plan.campaign.seed) == (3, 99)
    assert plan.inputs(0, 3) != read_campaign(write()).inputs(0, 3)


def test_the_number_of_runs_is_rounded_up_to_a_complete_saltelli_design(write: Write) -> None:
    assert read_campaign(write("sampling: saltelli")).runs == 40  # 10 base points of 2 dispersions
    assert read_campaign(write("sampling: saltelli", runs="41")).runs == 44
