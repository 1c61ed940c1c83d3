"""Campaigns of multibody and robot scenarios: components of vectors, choices of files, manifests, failed builds."""

import re
from pathlib import Path
from typing import Any

import pytest

from softdock.campaign import manifest, runner
from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign
from softdock.campaign.manifest import differences, manifest_of
from softdock.campaign.plan import Plan
from softdock.campaign.template import Template
from softdock.errors import InputError

SWING = """\
softdock: 1
kind: multibody
duration: 0.5 s
bodies:
  ball: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], joint: {type: free, velocity: [0.1, 0, 0]}}
  frame: {mass: 50 kg, inertia: [5, 5, 5]}
struts: {rope: {a: {body: ball}, b: {body: frame, at: [0, 1, 0]}, stiffness: 5, length: 0.9}}
surfaces:
  nose: {body: ball, profile: [[0, 50 mm], [50 mm, 20 mm]]}
"""


def load_campaign(folder: Path, *lines: str, scenario: str = "swing.yaml", more: str = "") -> Plan:
    (folder / "swing.yaml").write_text(SWING, encoding="utf-8")
    head = f"softdock: 1\nkind: campaign\nscenario: {scenario}\nruns: 4\ndispersions:\n"
    path = folder / "campaign.yaml"
    path.write_text(head + "".join(f"  {line}\n" for line in lines) + more, encoding="utf-8")
    return read_campaign(path)


@pytest.mark.parametrize("histories", ["none", "failures", "all", 2])
def test_a_repeated_run_is_the_same_for_every_history_policy(tmp_path: Path, histories: Any) -> None:
    """Samples between steps cost evaluations, and a row contains their number."""
    more = f"histories: {histories}\nsuccess: [completed]"
    plan = load_campaign(tmp_path, "bodies.ball.mass: {uniform: [1 kg, 2 kg]}", more=more)
    runner.run(plan, tmp_path / "out")
    for number in (0, 1):
        result, _, same = runner.rerun(tmp_path / "out", number)
        assert same
        assert result is not None
        assert result.history.time.size > 40


def test_a_part_of_a_dispersed_field_is_refused(tmp_path: Path) -> None:
    lines = (
        "bodies.ball.joint.velocity: {magnitude: {uniform: [0, 1]}}",
        "bodies.ball.mass: {uniform: [1, 2]}",
    )
    part = "bodies.ball.joint.velocity.0: {uniform: [0, 1]}"
    for order in ((*lines, part), (part, *lines)):
        with pytest.raises(InputError, match="dispersed as a whole") as info:
            load_campaign(tmp_path, *order)
        assert info.value.problems[0].line == 6 + order.index(part)
    load_campaign(
        tmp_path,
        "bodies.ball.inertia.0: {uniform: [0.1, 0.11]}",
        "bodies.ball.inertia.1: {uniform: [0.1, 0.11]}",
    )


def test_success_may_be_completion_or_an_event_that_stops_the_run(tmp_path: Path) -> None:
    """A run without a matching outcome of the scenario is `completed`, or named after the event that stopped it."""
    mass = "bodies.ball.mass: {uniform: [1, 2]}"
    named = (
        "set: {events: {Far-off: {when: ball.distance > 1 m, then: [{stop: true}]}, near: {when: ball.x > 1 mm}}, "
        "outcomes: [{name: moved, message: It moved., happened: [near]}]}\n"
    )
    plan = load_campaign(tmp_path, mass, more=f"{named}success: [moved, completed, far_off]")
    assert plan.campaign.success == ("moved", "completed", "far_off")
    with pytest.raises(InputError, match="no such outcome"):
        load_campaign(tmp_path, mass, more=f"{named}success: [near]")


def test_messages_about_bad_options_name_the_option(tmp_path: Path) -> None:
    load_campaign(tmp_path, "bodies.ball.mass: {uniform: [1, 2]}")
    with pytest.raises(InputError) as info:
        read_campaign(tmp_path / "campaign.yaml", runs=0)
    assert str(info.value) == "--runs: runs: Must be at least 1. Given: 0."


def test_negative_indices_of_components_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such field"):
        load_campaign(tmp_path, "bodies.ball.joint.velocity.-1: {uniform: [0.1, 0.2]}")


def test_the_manifest_contains_the_description_of_a_robot(tmp_path: Path) -> None:
    plan = load_campaign(tmp_path, "bodies.pin.mass: {uniform: [0.5 kg, 0.6 kg]}", scenario="peg-flat")
    assert list(manifest_of(plan)["files"]) == ["lwr4plus"]


def test_a_changed_file_of_the_scenario_or_of_a_choice_changes_the_manifest(tmp_path: Path) -> None:
    files = {"file": "a.npz", "nastran": {"bulk": "b.bdf", "eigenvectors": "b.pch"}}
    data = {"structures": {"boom": files}, "surfaces": [{"file": "tables"}]}
    for name in ("a.npz", "b.bdf", "b.pch", "c.step", "tables/one.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    plan = load_campaign(tmp_path, "bodies.ball.mass: {uniform: [1, 2]}")
    plan = Plan(
        plan.name, plan.origin, plan.campaign, Template("", data, str(tmp_path)),
        {"surfaces.0.file": manifest.Choice(("tables", "c.step"))}, plan.sampler,
    )  # fmt: skip
    before = manifest_of(plan)
    assert list(before["files"]) == ["a.npz", "b.bdf", "b.pch", "c.step", "tables"]
    for name in ("a.npz", "b.pch", "c.step", "tables/one.csv"):
        (tmp_path / name).write_text("changed", encoding="utf-8")
        (line,) = differences(before, manifest_of(plan))
        assert line.startswith(f"files.{name.partition('/')[0]}: ")
        (tmp_path / name).write_text(name, encoding="utf-8")


def test_the_digest_of_the_sources_covers_all_packages_that_runs_import() -> None:
    root = Path(manifest.__file__).parents[1]
    for package in manifest.SOURCES:
        for path in (root / package).rglob("*.py"):
            for name in re.findall(r"from softdock\.(\w+)", path.read_text(encoding="utf-8")):
                assert name in (*manifest.SOURCES, "result", "presentation") or not (root / name).is_dir(), (
                    path
                )


def test_an_error_while_a_scenario_is_built_becomes_a_failed_row(tmp_path: Path) -> None:
    class Broken(Template):
        def build(self, inputs: Any, *, with_history: bool = True) -> Any:
            raise OverflowError("out of range")

    row, result = run_one(Broken("", {}, str(tmp_path)), HistoryPolicy("none", ()), 3, {"x": 1.0})
    assert result is None
    assert (row.run, row.status, row.message) == (3, "failed", "Internal error: OverflowError: out of range")
