"""The modelling guides: code runs, quoted messages exist, numbers come from runs."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from pydantic import TypeAdapter
from ruamel.yaml import YAML

import softdock
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.status import status_of
from softdock.report.campaign import write_report
from softdock.scenario.multibody import MultibodyScenario

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"
RUN_AS_ONE = ("contact-routine", "own-simulator")
"""Pages whose blocks build on each other: `test_simulator_guides` runs them."""
PAGES = sorted(page for page in GUIDES.glob("*.md") if page.stem not in RUN_AS_ONE)
SOURCE = " ".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "src" / "softdock").rglob("*.py"))
)
JOINED_SOURCE = re.sub(r"\s+", " ", re.sub(r'"\s*f?"', "", SOURCE))
"""All sources, with texts over several lines joined."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_runs_and_yaml_fits_the_models(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        subprocess.run([sys.executable, "-c", block], check=True)
    for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        for group, entries in YAML(typ="safe").load(block).items():
            annotation = MultibodyScenario.model_fields[group].annotation
            named = get_args(annotation)  # a mapping of names to models, or one model
            entry = TypeAdapter(named[1] if named else annotation)
            for one in entries.values() if named else [entries]:
                entry.validate_python(one)


REST_OF_THE_SCENARIO = """
softdock: 1
kind: multibody
duration: 1 s
bodies:
  chaser: {mass: 250 kg, inertia: [40, 40, 30]}
  plunger: {parent: chaser, joint: {type: prismatic, axis: -z, at: [0, 0, 1 m]}, mass: 1 kg, inertia: [0.1, 0.1, 0.1]}
  tip: {parent: plunger, joint: {type: fixed, at: [0, 0, 120 mm]}}
  target: {mass: 600 kg, inertia: [120, 120, 80]}
  port: {parent: target, joint: {type: fixed, at: [0, 0, -0.5 m]}}
springs: {damper: {joint: plunger, stiffness: 500 N/m, preload: 2 N, damping: 80 N*s/m}}
stops: {plunger-stop: {joint: plunger, lower: 0 mm, upper: 30 mm, stiffness: 2e5 N/m, damping: 300 N*s/m}}
surfaces:
  head: {body: tip, profile: [[-60 mm, 0], {at: [-60 mm, 6 mm], fillet: 2 mm}, {at: [-20 mm, 6 mm], fillet: 1 mm},
    {at: [-20 mm, 13 mm], fillet: 2 mm}, [-13 mm, 13 mm], {arc_to: [0, 0], radius: 13 mm, turn: right}]}
approach: {chaser: chaser, tip: {body: tip}, port: {body: port, at: [0, 0, 42 mm]}, speed: 80 mm/s}
"""


def test_the_pawls_of_the_latch_guide_open_and_close_behind_the_head() -> None:
    text = (GUIDES / "latches.md").read_text(encoding="utf-8")
    (block,) = [one for one in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL) if "pawl-1" in one]
    data, pawls = YAML(typ="safe").load(REST_OF_THE_SCENARIO), YAML(typ="safe").load(block)
    for key, entries in pawls.items():
        data[key] = {**data.get(key, {}), **entries}
    result = softdock.simulate(data)
    assert [event.name for event in result.events] == ["latched"]
    for name in ("pawl-1.joint", "pawl-2.joint"):
        angle = result.history[name]
        # The roller, 4 mm thick and 14 mm from the axis, must let the head of 13 mm pass: 3 mm at an arm of 20 mm.
        assert np.rad2deg(angle.max()) > np.rad2deg(3 / 24)
        assert abs(np.rad2deg(angle[-1])) < 2.0


def test_quoted_messages_are_those_of_the_program() -> None:
    text = (GUIDES / "troubleshooting.md").read_text(encoding="utf-8")
    headings = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert len(headings) > 10
    for heading in headings:
        for quoted in re.findall(r'"([^"]+)"', heading):
            for part in quoted.split(" … "):
                words = part.strip()
                assert words in JOINED_SOURCE or words.removeprefix("mm ") in JOINED_SOURCE, words


def test_sensitivities_to_contact_parameters_are_those_of_the_campaign(tmp_path: Path) -> None:
    runner.run(read_campaign(GUIDES / "contact-campaign.yaml"), tmp_path / "out")
    assert status_of(tmp_path / "out")["outcomes"] == {"captured": 40}
    _, summary = write_report(tmp_path / "out", tmp_path / "report.html", lambda *_: None)
    found = {
        (row["input"].split(".")[-1], row["metric"]): row["coefficient"]
        for row in summary["rank_correlations"]
    }
    text = (GUIDES / "contact-parameters.md").read_text(encoding="utf-8")
    for name, row in (
        ("stiffness", "stiffness of the layer"),
        ("damping", "damping"),
        ("coefficient", "friction"),
    ):
        values = [found[name, metric] for metric in ("cone_force", "latch_load", "angle")]
        (quoted,) = re.findall(rf"^\| {row} \| (\S+) \| (\S+) \| (\S+) \|$", text, re.MULTILINE)
        assert [float(one) for one in quoted] == pytest.approx(values, abs=0.006)
    force = summary["quantiles"]["cone_force"]
    assert f"from {force['smallest']:.0f} to {force['largest']:.0f} N" in text
