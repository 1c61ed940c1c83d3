"""Every view names the same kind of load for the same member of a scenario, and no input as a load of the result."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from softdock import simulate
from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign
from softdock.model.member_kinds import MEMBER_GROUPS, MEMBER_KINDS, reactions_of
from softdock.model.system import System
from softdock.presentation.labels import input_label
from softdock.presentation.reactions import largest_reaction_text
from softdock.presentation.unit_systems import AUTOMATIC
from softdock.report.panels import reaction_panels
from softdock.report.reaction_channels import history_reactions, phase_peaks
from softdock.report.timeline import _peak_reactions
from softdock.result import History, PeakReaction, Result
from softdock.scenario.loading import from_data
from softdock.studio.run_data import summarise_result

UNIT = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
BALL = [
    [-0.05, 0], {"arc_to": [0, 0.05], "radius": 0.05, "turn": "right"},
    {"arc_to": [0.05, 0], "radius": 0.05, "turn": "right"},
]  # fmt: skip
PLATE = [[0, 0.0], [0, 0.2]]
AXIAL = {"joint": "slide"}
KINDS = {
    "the-spring": "spring", "the-stop": "stop", "the-drive": "drive", "the-strut": "strut", "the-weld": "weld",
    "the-crushable": "crushable", "the-tether": "tether",
    "the-lock": "lock", "the-coupling": "interface", "the-contact": "contact", "the-interface": "interface",
    "base": "mount", "slide": "joint", "slide-frame": "joint", "base-frame": "mount",
}  # fmt: skip
"""Kind of the load of every member of `every_kind` that transmits one."""
INPUT = 5e4
"""[N] External force on a heavy free body, far above every load."""


def free(*position: float, **motion: list[float]) -> dict:
    return UNIT | {"joint": {"type": "free", "position": list(position)} | motion}


def between(a: str, b: str, **fields: object) -> dict:
    return {"a": {"body": a}, "b": {"body": b}} | fields


def every_kind(**record: object) -> dict:
    """Return a scenario with a loaded member of every kind; an external force is by far the largest of all forces."""
    return {
        "softdock": 1,
        "kind": "multibody",
        "duration": 0.5,
        "bodies": {
            "base": UNIT | {"joint": {"type": "fixed"}},
            "slide": UNIT | {"parent": "base", "joint": {"type": "prismatic", "speed": 0.2}},
            "a": free(1, 0, 0),
            "b": free(1, 0, 0.5),
            "c": free(2, 0, 0, velocity=[0, 0, 0.1]),
            "d": free(2, 0, 0.5),
            "e": free(2, 0.5, 0.5),
            "plug": free(0, 2, -0.01, velocity=[0, 0, 0.1]),
            "pins": free(0, 3, -0.015, velocity=[0.1, 0, 0]),
            "heavy": {"mass": 1e6, "inertia": [1e6, 1e6, 1e6]},
            "ball": free(0, 4, -0.0501, velocity=[0, 0, 0.1]),
        },
        "springs": {"the-spring": AXIAL | {"stiffness": 1e3}},
        "stops": {"the-stop": AXIAL | {"lower": -0.001, "upper": 0.001, "stiffness": 1e4}},
        "drives": {"the-drive": AXIAL | {"target": 0.0, "stiffness": 500.0, "damping": 1.0}},
        "struts": {"the-strut": between("a", "b", stiffness=500.0, length=0.501)},
        "crushables": {"the-crushable": AXIAL | {"upper": 0.0, "plateau": 5.0, "stroke": 0.1}},
        "tethers": {"the-tether": between("a", "b", stiffness=500.0, length=0.499)},
        "welds": {"the-weld": between("c", "d", stiffness=1e3, angular_stiffness=1e3, active=True)},
        "locks": {"the-lock": between("d", "e", active=True)},
        "couplings": {
            "the-coupling": {
                "plug": {"body": "plug"}, "socket": {"body": "world", "at": [0, 2, 0]}, "stroke": 0.012,
                "limits": {"lateral": 0.0015, "angle": 0.03}, "end_stop": {"stiffness": 1e4},
            }
        },
        "loads": {"the-input": {"body": "heavy", "force": [0, 0, INPUT], "torque": [INPUT, 0, 0]}},
        "surfaces": {
            "plate": {"body": "world", "at": [0, 4, 0], "profile": PLATE}, "sphere": {"body": "ball", "profile": BALL}
        },
        "contacts": {
            "the-contact": {"a": "plate", "b": "sphere", "layer": {"stiffness": 1e9}, "resolved_force": 0.1}
        },
        "interfaces": {
            "the-interface": {
                "pins": {"body": "pins"}, "holes": {"body": "world", "at": [0, 3, 0]}, "layout": {"places": [[0, 0]]},
                "pin": {"diameter": 0.035, "length": 0.06}, "hole": {"clearance": 0.001, "depth": 0.06},
                "contact": {"stiffness": 1e5},
            }
        },
        "reactions": {"slide-frame": {"body": "slide"}, "base-frame": {"body": "base"}},
        "record": record,
    }  # fmt: skip


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(from_data(every_kind()))


def kinds(loads: tuple[PeakReaction, ...]) -> dict[str, str]:
    return {load.name: load.kind for load in loads}


def test_every_member_that_transmits_a_reaction_has_one_of_its_kind(result):
    assert kinds(result.loads) == KINDS
    assert all(load.peak_force and load.peak_force > 0.0 for load in result.loads)
    assert set(KINDS.values()) == {
        *reactions_of("contact"),
        *reactions_of("element"),
        *reactions_of("reaction"),
    }


def test_the_recorded_rows_give_the_same_kinds_and_peaks_as_the_search(result):
    """So do stored results of versions without loads; every peak has a row, so the values are equal."""
    recorded = history_reactions(replace(result, loads=()))
    assert kinds(recorded) == KINDS
    assert {load.name: load.peak_force for load in recorded} == {
        load.name: load.peak_force for load in result.loads
    }
    assert {load.name: load.peak_moment for load in recorded if load.peak_moment} == {
        load.name: load.peak_moment for load in result.loads if load.peak_moment
    }


def test_a_kind_is_signed_if_and_only_if_its_force_becomes_negative(result):
    """All members with a sign are loaded in both directions here."""
    for kind in MEMBER_KINDS:
        for name in getattr(result.prepared.scenario, kind.group):
            if f"{name}.force" in result.history:
                assert kind.signed == (result.history[f"{name}.force"].min() < 0.0), name


@pytest.mark.parametrize("group", ["springs", "struts"])
@pytest.mark.parametrize("speed", [0.3, -0.3])
def test_the_peak_of_a_signed_load_is_its_largest_size_in_either_direction(group, speed):
    """A mass leaves the rest position of a damped oscillator: its first swing is the largest, pushed or pulled."""
    mass, stiffness, damping = 2.0, 200.0, 4.0
    law = {"stiffness": stiffness, "damping": damping}
    between_points = {"a": {"body": "world"}, "b": {"body": "slide", "at": [0, 0, 10]}, "length": 10.0}
    data = {
        "softdock": 1,
        "kind": "multibody",
        "duration": 2.0,
        "bodies": {"slide": UNIT | {"mass": mass, "joint": {"type": "prismatic", "speed": speed}}},
        group: {"one": law | (between_points if group == "struts" else AXIAL)},
    }
    (load,) = [found for found in simulate(from_data(data)).loads if found.name == "one"]
    decay = damping / (2.0 * mass)
    natural = math.sqrt(stiffness / mass)
    omega = math.sqrt(natural**2 - decay**2)
    t = np.linspace(0.0, math.pi / omega, 2_000_001)
    x = speed / omega * np.exp(-decay * t) * np.sin(omega * t)
    v = speed * np.exp(-decay * t) * (np.cos(omega * t) - decay / omega * np.sin(omega * t))
    force = np.abs(stiffness * x + damping * v)
    assert load.peak_force == pytest.approx(force.max(), rel=1e-6)
    assert load.t_peak_force == pytest.approx(t[force.argmax()], abs=1e-3)


@pytest.mark.parametrize("without_own", [False, True], ids=["loads", "recorded-rows"])
def test_no_view_reports_an_input_as_a_load_and_all_name_the_same_kind(result, without_own):
    result = replace(result, loads=()) if without_own else result
    loads = result.loads or history_reactions(result)
    first = loads[0]
    assert f"in {first.kind} {first.name} at" in largest_reaction_text(loads)
    summary = summarise_result(result)
    shown = summary["displays"]["SI"]
    assert f"in {first.kind} {first.name} at" in shown["headline"]
    assert {row[0]: row[1] for row in shown["loads"]["rows"]} == KINDS
    panels, silent = reaction_panels(result)
    drawn = {name: panel.title for panel in panels for name in panel.labels.values()}
    assert set(drawn) | set(silent) == set(KINDS)
    for name, title in drawn.items():
        assert f"{KINDS[name]}s" in title
    texts = [entry.text for entry in _peak_reactions(result, AUTOMATIC)]
    for name in ("the-contact", "the-interface", "the-coupling"):
        assert f"Peak {KINDS[name]} force of {name}." in texts
    views = json.dumps(shown) + json.dumps(drawn) + " ".join(texts) + json.dumps(list(result.metrics))
    assert "the-input" not in views
    assert "the_input" not in views


def test_the_largest_force_is_not_an_external_load_where_only_that_is_largest():
    """Two free bodies of 10 kg, locked, under 5 N on one of them: the lock transmits half of it."""
    data = {
        "softdock": 1,
        "kind": "multibody",
        "duration": 0.1,
        "bodies": {"one": free(0, 0, 0), "two": free(0, 0, 1)},
        "loads": {"thrust": {"body": "one", "force": [0, 0, 5]}},
        "locks": {"clamp": between("one", "two", active=True)},
        "phases": [{"name": "pushed", "until": "time > 1 s"}],
        "record": {"loads": False},
    }
    result = simulate(from_data(data))
    (load,) = history_reactions(result)
    assert result.loads == ()
    assert (load.name, load.kind) == ("clamp", "lock")
    assert load.peak_force == pytest.approx(2.5, rel=1e-9)
    (peak,) = phase_peaks(result)
    assert (peak.force, peak.force_name) == (load.peak_force, "clamp")


def test_fewer_loads_are_contacts_and_interfaces_only():
    result = simulate(from_data(every_kind(loads=False)))
    assert kinds(result.loads) == {"the-contact": "contact", "the-interface": "interface"}
    assert all(load.peak_moment is None for load in result.loads)


def test_recorded_parts_and_formulas_are_no_loads_and_unknown_forces_no_joints(result):
    also = ("the-contact/1.force", "the-strut.force + the-spring.force", "slide.joint_force")
    found = simulate(from_data(every_kind(loads=False, also=also)))
    assert kinds(history_reactions(replace(found, loads=()))) == {
        name: kind for name, kind in KINDS.items() if name != "base"
    }
    foreign = History(
        time=result.history.time, channels={"wrist.force": result.history.channels["the-strut.force"]}
    )
    recording = replace(result, loads=(), definition={"kind": "recording"}, history=foreign)
    assert kinds(history_reactions(recording)) == {"wrist": "channel"}
    assert "in channel wrist" in largest_reaction_text(history_reactions(recording))
    assert [panel.title for panel in reaction_panels(recording)[0]] == ["Forces of channels"]
    damaged = replace(result, loads=(), definition={"reactions": {"base": 3}, "bodies": [1], "record": 2})
    assert kinds(history_reactions(damaged))["base"] == "joint"


def test_every_member_group_of_a_scenario_is_declared_once():
    named = {name for name, field in System.model_fields.items() if "dict[" in str(field.annotation)}
    assert sorted(MEMBER_GROUPS) == sorted(named - {"gnc"})  # controllers have the names of their bodies


@pytest.mark.parametrize("group", MEMBER_GROUPS)
def test_labels_of_inputs_leave_out_the_group(group):
    assert input_label(f"{group}.clamp.stiffness") == "clamp stiffness"


def test_columns_of_a_campaign_are_the_loads_of_a_run(result, tmp_path):
    (tmp_path / "every.yaml").write_text(json.dumps(every_kind()), encoding="utf-8")
    (tmp_path / "campaign.yaml").write_text(
        "softdock: 1\nkind: campaign\nscenario: every.yaml\nruns: 1\n"
        "dispersions: {bodies.a.mass: {uniform: [0.999, 1.001]}}\n",
        encoding="utf-8",
    )
    plan = read_campaign(tmp_path / "campaign.yaml")
    row, _ = run_one(plan.template, HistoryPolicy("none", ()), 0, plan.inputs(0, 1)[0])
    columns = {name for name in json.loads(row.metrics) if name.startswith("peak_force_")}
    assert columns == {f"peak_force_{name.replace('-', '_')}" for name in KINDS}
