"""The public Python API: names of `softdock`, their examples, and typical programs of users."""

import doctest
import inspect
import pydoc
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from pydantic import BaseModel
from tests import public_stub

import softdock
from softdock import Action, Body, Campaign, Event, Free, Outcome, Scenario, Spring, Surface
from softdock.campaign.status import status_of
from softdock.quantities.fields import Quantity

NAMES = [name for name in dir(softdock) if not name.startswith("_")]
RUNNER = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)


def examples(name: str) -> Iterator[doctest.DocTest]:
    value = getattr(softdock, name)
    docstring = inspect.cleandoc(value.__doc__ or "")
    yield doctest.DocTestParser().get_doctest(docstring, {}, name, None, None)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_every_public_name_runs(name: str) -> None:
    for test in examples(name):
        assert test.examples, f"{name} has no example"
        report: list[str] = []
        assert RUNNER.run(test, out=report.append).failed == 0, "".join(report)


def units_of(annotation: Any, metadata: Any = ()) -> set[str]:
    """Return the units of the quantities in a type."""
    found = {one.unit for one in (*metadata, *get_args(annotation)) if isinstance(one, Quantity)}
    return found.union(*(units_of(one, getattr(one, "__metadata__", ())) for one in get_args(annotation)))


@pytest.mark.parametrize("name", NAMES)
def test_the_docstring_of_every_model_with_quantities_names_units(name: str) -> None:
    model = getattr(softdock, name)
    if not (inspect.isclass(model) and issubclass(model, BaseModel)):
        return
    units = set().union(
        *(units_of(field.annotation, field.metadata) for field in model.model_fields.values())
    )
    text = inspect.cleandoc(model.__doc__ or "").split(">>>")[0]
    assert not units - {"1"} or re.search(r"(?<!')\b(SI|units|m|kg|s|N|rad|Hz|Pa|J|W)\b", text), units


def test_help_is_readable_and_names_everything() -> None:
    text = pydoc.plain(pydoc.render_doc(softdock))
    assert len(text.splitlines()) < 120
    assert max(map(len, text.splitlines())) <= 130
    for name in NAMES:
        assert name in text, name


def test_a_star_import_gives_all_public_names_and_nothing_else() -> None:
    names: dict[str, Any] = {}
    exec("from softdock import *", names)
    assert set(names) - {"__builtins__"} == set(NAMES)
    assert names["Spring"] is Spring


def test_the_types_of_the_public_names_are_up_to_date() -> None:
    assert public_stub.PATH.read_text(encoding="utf-8") == public_stub.stub(), (
        "write them with: python -m tests.public_stub"
    )


CORRECT_PROGRAM = """
import softdock
from softdock import Body, Campaign, Contact, Curve, Free, Layer, Scenario, Spring, Surface

body = Body(mass="20 kg", inertia=(1, 1, "1 kg m^2"), joint=Free(velocity=(0, 0, "30 mm/s")))
mass: float = body.mass
surface = Surface(body="a", profile=((0, 0), Curve(arc_to=("2 cm", "2 cm"), radius="2 cm", turn="right")))
contact = Contact(a="s", b="t", layer=Layer(stiffness="1e9 N/m^3"))
scenario = Scenario(name="x", duration="1 s", bodies={"a": body}, contacts={"c": contact})
result = softdock.simulate(scenario, {"duration": "2 s"})
print(result.history["time"].max(), result.loads[0].peak_force, result.events[0].time)
campaign = Campaign(scenario=scenario, runs=10, dispersions={"approach.speed": {"uniform": [0, 1]}})
print(campaign.run(progress=False).probability().value, campaign.table().units)
"""
WRONG_PROGRAM = """
import softdock
softdock.Body(mas="20 kg")
softdock.Spring(stiffness="2 N/m")
"""


@pytest.mark.long
def test_programs_of_users_pass_a_strict_type_check(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(CORRECT_PROGRAM, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG_PROGRAM, encoding="utf-8")
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (tmp_path / "first_page.py").write_text(readme.split("```python\n")[1].split("```")[0], encoding="utf-8")
    files = ["user.py", "first_page.py", "wrong.py"]
    command = [sys.executable, "-m", "mypy", "--config-file=", "--strict", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(":")[:2] for line in lines] == [["wrong.py", "3"], ["wrong.py", "4"]], done.stdout


CHASER = Body(mass="20 kg", inertia=(1, 1, 1), joint=Free(velocity=("50 mm/s", 0, 0)))


def drift(**changes: Any) -> Any:
    return Scenario(name="drift", duration="4 s", bodies={"chaser": CHASER}, **changes)


def test_a_scenario_is_made_from_name_file_mapping_objects_and_scenario(tmp_path: Path) -> None:
    built = drift()
    built.save(tmp_path / "drift.yaml")
    plain = {"duration": "4 s", "bodies": {"chaser": {"mass": 20, "inertia": [1, 1, 1]}}}
    assert Scenario(tmp_path / "drift.yaml") == built
    assert Scenario(str(tmp_path / "drift.yaml")) == built
    assert Scenario(built) == built
    assert (
        Scenario(plain, {"bodies.chaser.joint.velocity": [0.05, 0, 0], "bodies.chaser.joint.type": "free"})
        == built
    )
    assert Scenario("latch-paper") == softdock.load("latch-paper")
    assert built.name == "drift"
    for kind in ("latch-paper", "assist-soft-docking", "power-tower-x", "peg-flat"):
        assert isinstance(softdock.load(kind), Scenario)
    assert not isinstance(CHASER, Scenario)


def test_a_mapping_may_contain_the_name() -> None:
    plain = {"name": "x", "duration": "4 s", "bodies": {"chaser": CHASER}}
    assert Scenario(plain).name == softdock.simulate(plain).scenario == "x"
    assert Scenario(plain, name="y").name == "y"
    assert "name" in plain
    with pytest.raises(softdock.InputError, match="name: Must be a text"):
        Scenario({**plain, "name": 3})


def test_arrays_and_paths_are_accepted() -> None:
    body = Body(mass=np.float64(20.0), inertia=np.ones(3), centre_of_mass=np.zeros(3))
    assert body.inertia == (1.0, 1.0, 1.0)
    assert Surface(body="a", file=Path("cone.step")).file == "cone.step"


def test_overrides_of_a_run_do_not_change_the_scenario() -> None:
    built = drift()
    moved = [
        softdock.simulate(built, {"bodies.chaser.joint.velocity.0": v}).history["chaser.x"][-1]
        for v in (1, "2 m/s")
    ]
    assert moved == pytest.approx([4.0, 8.0])
    assert softdock.simulate(built.to_data()).history["chaser.x"][-1] == pytest.approx(0.2)
    assert softdock.simulate({"bodies": {"chaser": CHASER}, "duration": 4}).outcome == "completed"


@pytest.mark.parametrize(
    ("make", "field", "given"),
    [
        (lambda: Body(mass="20 N"), "mass", "20 N"),
        (lambda: Body(mass=1, inertia=(1, 1, "1 m")), "inertia.2", "1 m"),
        (lambda: Spring(joint="a", stiffness="2 kg"), "stiffness", "2 kg"),
        (lambda: Spring(joint="a", stifness=2), "stifness", ""),
        (lambda: Spring(stiffness=2), "joint", ""),
        (lambda: drift(springs={"s": {"joint": "chaser", "stiffness": "4 kg"}}), "springs.s.stiffness", "4 kg"),
        (lambda: drift(springs={"s": Spring(joint="chsr")}), "springs.s.joint", "chsr"),
        (lambda: drift(overrides={"bodies.chaser.mass": "4 m"}), "bodies.chaser.mass", "4 m"),
        (lambda: softdock.simulate({"duration": 1}), "kind", ""),
        (lambda: softdock.simulate({"bodies": {}, "duration": 1}), "bodies", ""),
        (lambda: softdock.simulate("latch-paper", {"spee": 1}), "spee", ""),
        (lambda: softdock.simulate(drift(), {"bodies.chaser.mass": -1}), "bodies.chaser.mass", "-1"),
        (lambda: Campaign(scenario=drift(), runs=0, dispersions={"duration": {"uniform": [1, 2]}}), "runs", "0"),
        (lambda: Campaign(scenario=drift(), runs=3, dispersions={"duration": {"uniform": ["1 m", 2]}}),
         "dispersions.duration.uniform.0", "1 m"),
        (lambda: Campaign(scenario=drift(), runs=3), "dispersions", ""),
        (lambda: Campaign(scenario=5, runs=3), "scenario", "int"),  # type: ignore[arg-type]
        (lambda: Scenario("latch-paper", name=5), "name", "5"),  # type: ignore[arg-type]
        (lambda: Scenario(duration=1, bodys={"chaser": CHASER}), "bodys", ""),
        (lambda: Event(when="time > 1 s", then=Action(stop=True)), "then", "Action(stop=True)"),  # type: ignore[arg-type]
        (lambda: setattr(CHASER, "mass", 3), "mass", ""),
        (lambda: drift().with_overrides({"bodies.chaser.mass": "4 m"}), "bodies.chaser.mass", "4 m"),
        (lambda: softdock.load("latch-paper", {"speed": "4 m"}), "speed", "4 m"),
    ],
)  # fmt: skip
def test_bad_input_is_an_input_error_with_the_field(
    make: Callable[[], object], field: str, given: str
) -> None:
    with pytest.raises(softdock.InputError) as caught:
        make()
    assert (caught.value.problems[0].field, caught.value.problems[0].given) == (field, given)


@pytest.mark.parametrize("wrong", [3, None, [], 1.5, {1: 2}])
def test_arguments_that_are_not_scenarios_are_refused(wrong: Any) -> None:
    for use in (softdock.simulate, softdock.predict, Scenario):
        with pytest.raises(softdock.InputError):
            use(wrong)
    if not isinstance(wrong, dict):
        with pytest.raises(softdock.InputError):
            softdock.load(wrong)


@pytest.mark.parametrize("wrong", [3, "speed=1", {1: 2}, [("speed", 1)], [3]])
def test_overrides_of_another_form_are_refused(wrong: Any) -> None:
    for use in (softdock.simulate, softdock.load, Scenario):
        with pytest.raises(softdock.InputError, match="a mapping such as"):
            use("latch-paper", wrong)
    with pytest.raises(softdock.InputError, match="a mapping such as"):
        softdock.load("latch-paper").with_overrides(wrong)


@pytest.mark.parametrize("wrong", [3, [], drift()])
def test_arguments_that_are_not_campaigns_are_refused(wrong: Any) -> None:
    with pytest.raises(softdock.InputError, match="campaign"):
        Campaign(wrong, runs=3)


def test_messages_about_overrides_name_the_argument_not_the_command_line() -> None:
    for use in (softdock.simulate, softdock.load, Scenario):
        with pytest.raises(softdock.InputError) as caught:
            use("latch-paper", {"speed": "3 kg"})
        assert caught.value.problems[0].file == "overrides"


def test_the_message_about_a_missing_argument_names_its_object() -> None:
    with pytest.raises(softdock.InputError, match="missing in Spring"):
        Spring(stiffness=2)  # type: ignore[call-arg]
    with pytest.raises(softdock.InputError, match="missing at the top level of the campaign"):
        Campaign(runs=3)


def test_iterators_and_objects_in_overrides_are_kept() -> None:
    built = drift(outcomes=(Outcome(name=name, message="There.") for name in ("there",)))
    changed = built.with_overrides({"bodies.chaser": Body(mass=np.float64(3.0), inertia=np.ones(3))})
    assert [outcome.name for outcome in changed.outcomes] == ["there"]
    assert changed.bodies["chaser"].mass == 3.0
    assert changed.to_data()["bodies"]["chaser"]["mass"] == 3.0


def test_results_histories_and_tables_are_compared_by_their_numbers(tmp_path: Path) -> None:
    result = softdock.simulate("assist-soft-docking")
    again = softdock.simulate("assist-soft-docking")
    other = softdock.simulate("assist-soft-docking", {"approach.speed": "31 mm/s"})
    assert result == again
    assert result.history == again.history
    assert result.history != other.history
    assert result != other
    result.save(tmp_path)
    assert softdock.Result.load(tmp_path).history == result.history
    campaign = Campaign(scenario="latch-paper", runs=3, **DISPERSED).run(progress=False)
    assert campaign.table() == campaign.table()
    assert (
        campaign.table() != Campaign(scenario="latch-paper", runs=4, **DISPERSED).run(progress=False).table()
    )


def test_names_that_do_not_exist_have_a_suggestion() -> None:
    history = softdock.simulate("impact-a").history
    with pytest.raises(KeyError, match=r"Did you mean 'chaser\.velocity'"):
        history["chaser.velocty"]
    assert "chaser.velocty" not in history
    assert history.get("chaser.velocty") is None
    table = Campaign(scenario="latch-paper", runs=2, **DISPERSED).run(progress=False).table()
    with pytest.raises(KeyError, match="Did you mean 'speed'"):
        table["spede"]
    assert len(repr(table)) <= 300


def test_plots_take_one_channel_and_the_name_of_a_unit_system() -> None:
    result = softdock.simulate("impact-a")
    assert "mm/s" in result.plot(None, "chaser.velocity", "mm/deg").axes[0].get_ylabel()
    assert "[m/s]" in result.plot(None, ["chaser.velocity"], "SI").axes[0].get_ylabel()
    with pytest.raises(softdock.InputError, match="mm/deg"):
        result.plot(None, None, "cgs")


def test_a_scenario_without_a_name_leaves_no_gap_in_texts() -> None:
    result = softdock.simulate({"bodies": {"chaser": CHASER}, "duration": 4})
    assert result.summary().startswith("completed")
    assert "<b>completed.</b>" in result._repr_html_()
    assert not result.plot().get_suptitle().startswith(":")


def test_everything_public_has_a_short_repr() -> None:
    result = softdock.simulate("assist-soft-docking")
    for value in (
        result,
        result.history,
        softdock.load("assist-soft-docking"),
        *result.loads,
        *result.events,
        CHASER,
    ):
        assert len(repr(value)) < 350, repr(value)[:400]
    assert "captured" in repr(result)


def test_results_are_shown_in_notebooks_with_outcome_loads_and_picture() -> None:
    result = softdock.simulate("assist-soft-docking")
    shown = result._repr_html_()
    assert result.message in shown
    assert result.loads[0].name in shown
    assert "data:image/png;base64," in shown
    assert len(shown) < 300_000


def test_history_and_table_become_data_frames() -> None:
    frame = softdock.simulate("impact-a").history.to_pandas()
    assert frame.index.name == "time"
    assert frame.attrs["units"]["chaser.velocity"] == "m/s"
    assert frame["chaser.velocity"].iloc[0] == pytest.approx(0.05)


def test_without_pandas_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'softdock\[pandas\]'"):
        softdock.simulate("impact-a").history.to_pandas()


def test_a_result_writes_plot_report_and_replay_and_is_loaded_again(tmp_path: Path) -> None:
    result = softdock.simulate("assist-soft-docking")
    result.plot(tmp_path / "plot.png")
    result.report(tmp_path / "report.html")
    result.replay(tmp_path / "replay.html")
    result.replay(tmp_path / "replay.glb")
    result.save(tmp_path / "saved")
    assert softdock.Result.load(tmp_path / "saved").to_json() == result.to_json()
    for name in ("plot.png", "report.html", "replay.html", "replay.glb"):
        assert (tmp_path / name).stat().st_size > 10_000
    with pytest.raises(softdock.InputError, match=r"\.glb"):
        result.replay(tmp_path / "replay.mp4")


DISPERSED: dict[str, Any] = {
    "dispersions": {"speed": {"uniform": ["40 mm/s", "0.1 m/s"]}},
    "success": ["latched"],
}


def test_a_campaign_of_objects_can_be_resumed_and_read_by_the_commands(tmp_path: Path) -> None:
    campaign = Campaign(scenario=softdock.load("latch-paper"), runs=12, seed=3, **DISPERSED)
    campaign.run(tmp_path / "runs", progress=False)
    again = Campaign(scenario="latch-paper", runs=12, seed=3, **DISPERSED).run(progress=False)
    assert np.array_equal(campaign.table()["speed"], again.table()["speed"])
    assert list(campaign.table()["outcome"]) == list(again.table()["outcome"])
    opened = Campaign.open(tmp_path / "runs")
    assert opened.probability() == campaign.probability()
    assert "12 of 12 runs of latch-paper" in repr(opened.run(progress=False))
    campaign.report(tmp_path / "report.html")
    assert status_of(tmp_path / "runs")["scenario"] == "latch-paper"
    assert "<img" in campaign._repr_html_()


@pytest.mark.parametrize("own", [False, True], ids=["bundled scenario", "own scenario"])
def test_a_campaign_file_with_changes_finds_its_scenario(
    own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "own.yaml").write_text("softdock: 1\nbase: latch-paper\n")
    text = "softdock: 1\nkind: campaign\nscenario: {}\nruns: 5\ndispersions:\n  speed: {{uniform: [0.02, 0.1]}}\n"
    (tmp_path / "files" / "c.yaml").write_text(text.format("own.yaml" if own else "latch-paper"))
    monkeypatch.chdir(tmp_path)
    campaign = Campaign("files/c.yaml", runs=2).run(tmp_path / "out", progress=False)
    assert len(campaign.table()["run"]) == 2
    assert len(Campaign.open(tmp_path / "out").run(progress=False).table()["run"]) == 2


def test_metrics_with_the_name_of_another_column_have_a_prefix() -> None:
    body = {"mass": 1.0, "inertia": [1, 1, 1], "joint": {"type": "free", "velocity": [1, 0, 0]}}
    metrics = {"run": "max body.x", "duration": "max time"}
    scenario = {"kind": "multibody", "duration": 0.1, "bodies": {"body": body}, "metrics": metrics}
    campaign = Campaign(scenario=scenario, runs=2, dispersions={"duration": {"uniform": [0.05, 0.1]}})
    table = campaign.run(progress=False).table()
    assert list(table["run"]) == [0, 1]
    assert table["metric.run"].dtype == np.float64
    assert table["metric.duration"] == pytest.approx(table["duration"])


def test_the_probability_is_that_of_the_table() -> None:
    campaign = Campaign(scenario="latch-paper", runs=40, **DISPERSED)
    with pytest.raises(softdock.InputError, match="call its method `run`"):
        campaign.table()
    campaign.run(progress=False)
    share = float((campaign.table()["outcome"] == "latched").mean())
    found = campaign.probability()
    assert found.value == share
    assert found.low < share < found.high
    assert campaign.probability("latched", "not_latched").value == 1.0
    with pytest.raises(softdock.InputError, match="Did you mean 'latched'"):
        campaign.probability("latchd")
    with pytest.raises(softdock.InputError, match="below 1"):
        campaign.probability(confidence=95)
    frame = campaign.table().to_pandas()
    assert frame.attrs["units"]["speed"] == "m/s"
    assert len(frame) == 40


def test_a_campaign_that_cannot_run_says_why_and_keeps_its_repr(tmp_path: Path) -> None:
    campaign = Campaign(scenario="latch-paper", runs=3, **DISPERSED)
    for workers in (0, "two"):
        with pytest.raises(softdock.InputError) as caught:
            campaign.run(tmp_path / "runs", workers=workers)  # type: ignore[arg-type]
        assert caught.value.problems[0].field == "workers"
    (tmp_path / "file").write_text("")
    with pytest.raises(softdock.InputError, match="a file of that name is in the way"):
        campaign.run(tmp_path / "file", progress=False)
    assert repr(campaign) == "<Campaign: 0 of 3 runs of latch-paper>"
    with pytest.raises(softdock.InputError, match="call its method `run`"):
        campaign.table()


def test_another_campaign_in_the_folder_is_refused(tmp_path: Path) -> None:
    Campaign(scenario="latch-paper", runs=3, **DISPERSED).run(tmp_path, progress=False)
    with pytest.raises(softdock.InputError, match="another campaign"):
        Campaign(scenario="latch-paper", runs=4, **DISPERSED).run(tmp_path, progress=False)


def test_fields_of_a_bundled_campaign_are_replaced() -> None:
    campaign = Campaign("impact-masses", runs=5, seed=9).run(progress=False)
    assert len(campaign.table()["run"]) == 5


def test_every_part_of_a_scenario_can_be_a_typed_object() -> None:
    limits = softdock.CouplingLimits(lateral="2 mm", angle="2 deg")
    plug, socket = softdock.Anchor(body="plug"), softdock.Anchor(body="box")
    coupling = softdock.Coupling(
        plug=plug, socket=socket, stroke="10 mm", limits=limits,
        spring=softdock.CouplingSpring(stiffness="10 N/m"), end_stop=softdock.CouplingEndStop(stiffness="1 kN/mm"),
    )  # fmt: skip
    rail = softdock.Prismatic(axis="z", position="-5 mm", speed="50 mm/s")
    scenario = Scenario(
        duration="1 s",
        bodies={
            "box": Body(mass="10 kg", inertia=(1, 1, 1)),
            "plug": Body(mass="1 kg", inertia=(0.01, 0.01, 0.01), parent="box", joint=rail),
        },
        couplings={"fluid": coupling},
        phases=[softdock.Phase(name="enter", until="fluid.stroke > 4 mm", within="1 s", otherwise="slow")],
        metrics={
            "force": softdock.Metric(max="fluid.force", absolute=True, during="enter"),
            "entry_time": softdock.Metric(duration_of="enter"),
        },
        requirements={
            "R-1": softdock.Requirement(metric=softdock.Metric(max="fluid.stroke"), at_least="4 mm")
        },
        stiffness={"link": softdock.LinkStiffness(a=plug, b=socket)},
    )
    assert scenario.metrics["force"] == "max abs fluid.force during enter"
    assert scenario.requirements["R-1"].metric == "max fluid.stroke"
    result = softdock.simulate(scenario, {"metrics.mean_force": softdock.Metric(mean="fluid.force")})
    # The plug keeps its speed up to the socket and slows down against the spring: 9 mm at 50 mm/s or less.
    assert 0.18 < result.metrics["entry_time"] < 0.19
    assert result.metrics["force"] == pytest.approx(0.04, rel=1e-3)  # 10 N/m over 4 mm
    assert result.metrics["mean_force"] > 0.0
    assert Scenario(scenario.to_data()) == scenario


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: softdock.Metric(max="a.x", mean="a.x"), ""),
        (lambda: softdock.Metric(max="a.x +"), "max"),
        (lambda: softdock.Metric(max="a.x after b", before="c"), "max"),
        (lambda: softdock.Metric(max="a.x", after="b", before="c"), "before"),
        (lambda: softdock.Metric(time_of="b", during="c"), "during"),
        (lambda: softdock.Metric(max="a.x", within=("2 m", "b")), "within.0"),
        (lambda: softdock.Thruster(at=(0, 0, 0), direction=(0, 0, 0), thrust="1 N"), "direction"),
    ],
)
def test_the_error_of_an_invalid_metric_names_its_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(softdock.InputError) as caught:
        make()
    assert caught.value.problems[0].field == field


def test_signatures_of_models_show_fields_with_units_before_and_after_their_first_use() -> None:
    program = "import inspect, softdock; print(inspect.signature(softdock.Strut))"
    first = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    softdock.Strut(a={"body": "a"}, b={"body": "b"})
    assert first.strip() == str(inspect.signature(softdock.Strut))
    assert "stiffness: number [N/m] = 0.0" in first
    assert "stiffness: number [N/m or N*m/rad] = 0.0" in str(inspect.signature(Spring))


@pytest.mark.parametrize("function", [softdock.simulate, softdock.predict, softdock.Scenario])
def test_none_is_not_a_scenario(function: Any) -> None:
    with pytest.raises(softdock.InputError, match=r"bundled scenario or file\. Given: None"):
        function(None)


def test_a_history_cannot_be_changed(tmp_path: Path) -> None:
    """The arrays of a run and of a loaded file are read-only, so that no program changes the result that it reads."""
    result = softdock.simulate("impact-a")
    result.save(tmp_path / "saved")
    for history in (result.history, softdock.Result.load(tmp_path / "saved").history):
        before = history["chaser.velocity"].copy()
        with pytest.raises(ValueError, match="read-only"):
            history["chaser.velocity"][0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            history["time"] += 1.0
        with pytest.raises(softdock.InputError, match=r"cannot be changed\. Copy it: `dict\(history\)`"):
            history["chaser.velocity"] = before
        assert (history["chaser.velocity"] == before).all()
