"""Messages about references to missing names suggest similar names."""

import pytest

import softdock
from softdock import InputError
from softdock.errors import no_such

DOCKING = {
    "name": "references",
    "duration": "1 s",
    "bodies": {
        "chaser": {"mass": "20 kg", "inertia": [1, 1, 1]},
        "probe": {
            "parent": "chaser",
            "mass": "1 kg",
            "joint": {"type": "prismatic", "axis": "z", "at": [0, 0, "1 m"]},
        },
        "target": {
            "mass": "50 kg",
            "inertia": [1, 1, 1],
            "joint": {"type": "free", "position": [0, 0, "3 m"]},
        },
    },
    "springs": {"bumper": {"joint": "probe", "stiffness": "100 N/m"}},
    "drives": {
        "rail": {
            "joint": "probe",
            "target": "1 mm",
            "stiffness": "1e4 N/m",
            "max_force": "1 N",
            "active": False,
        }
    },
    "welds": {
        "latch": {
            "a": {"body": "target"},
            "b": {"body": "probe"},
            "stiffness": "1e4 N/m",
            "angular_stiffness": 1,
        }
    },
    "surfaces": {
        "head": {"body": "probe", "profile": [["0 mm", "0 mm"], ["0 mm", "20 mm"]]},
        "plate": {"body": "target", "profile": [["0 mm", "50 mm"], ["0 mm", "0 mm"]]},
    },
    "contacts": {"landing": {"a": "plate", "b": "head", "layer": {"stiffness": "1e9 N/m^3"}}},
    "approach": {
        "chaser": "chaser",
        "tip": {"body": "probe"},
        "port": {"body": "target"},
        "distance": "1 m",
        "speed": "10 mm/s",
    },
    "events": {
        "seated": {
            "when": "landing.force > 1 N",
            "then": [{"enable": "latch"}, {"arm": "late"}, {"drive": "rail", "target": "0 mm"}],
        },
        "late": {"when": "time > 0.5 s after seated", "armed": False},
    },
    "outcomes": [
        {"name": "captured", "happened": ["seated"], "message": "Held."},
        {"name": "missed", "message": "Not held."},
    ],
    "metrics": {"load": "max latch.force"},
    "requirements": {
        "R-1": {"outcome": "captured"},
        "R-2": {"metric": "load", "at_most": "5 N"},
    },
    "record": {"also": ["latch.force"]},
}


@pytest.mark.parametrize(
    ("path", "given", "meant"),
    [
        ("bodies.probe.parent", "chasser", "chaser"),
        ("springs.bumper.joint", "prob", "probe"),
        ("drives.rail.joint", "prope", "probe"),
        ("welds.latch.a.body", "taget", "target"),
        ("surfaces.head.body", "porbe", "probe"),
        ("contacts.landing.a", "plat", "plate"),
        ("contacts.landing.b", "haed", "head"),
        ("approach.chaser", "chaseur", "chaser"),
        ("approach.tip.body", "probee", "probe"),
        ("approach.port.body", "targett", "target"),
        ("events.seated.when", "landin.force > 1 N", "landing"),
        ("events.seated.when", "landing.forc > 1 N", "force"),
        ("events.seated.then.0.enable", "latc", "latch"),
        ("events.seated.then.1.arm", "latee", "late"),
        ("events.seated.then.2.drive", "rial", "rail"),
        ("events.late.when", "time > 0.5 s after saeted", "seated"),
        ("outcomes.0.happened.0", "seatet", "seated"),
        ("metrics.load", "max lacth.force", "latch"),
        ("metrics.load", "max latch.force after seatted", "seated"),
        ("requirements.R-1.outcome", "capture", "captured"),
        ("requirements.R-2.metric", "laod", "load"),
        ("record.also.0", "latch.froce", "force"),
    ],
)
def test_a_misspelt_name_is_suggested(path: str, given: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        softdock.Scenario(DOCKING, overrides={path: given})
    assert f"did you mean '{meant}'?" in str(caught.value)
    assert caught.value.problems[0].field.startswith(path)


def test_the_message_about_a_name_without_a_similar_one_lists_all_names() -> None:
    with pytest.raises(InputError, match=r"no body called 'xyz'; there are: world, chaser, probe, target\."):
        softdock.Scenario(DOCKING, overrides={"surfaces.head.body": "xyz"})


def test_a_message_lists_only_some_of_many_names() -> None:
    names = [f"node-{i}" for i in range(1000)]
    message = no_such("node", "node-x", names)
    assert message.endswith("node-28, node-29 and 970 more")
    assert len(message) < 500


def test_a_misspelt_parent_hides_no_other_reference_and_causes_no_further_messages() -> None:
    with pytest.raises(InputError) as caught:
        softdock.Scenario(
            DOCKING, overrides={"bodies.probe.parent": "chasser", "springs.bumper.joint": "prob"}
        )
    assert {problem.field for problem in caught.value.problems} == {
        "bodies.probe.parent",
        "springs.bumper.joint",
    }


def test_a_wrong_element_hides_no_wrong_requirement_and_a_wrong_tip_no_wrong_port() -> None:
    with pytest.raises(InputError) as caught:
        softdock.Scenario(
            DOCKING,
            overrides={
                "springs.bumper.joint": "prob",
                "requirements.R-1.outcome": "capture",
                "approach.tip.body": "target",
                "approach.port.body": "taget",
            },
        )
    assert {problem.field for problem in caught.value.problems} == {
        "springs.bumper.joint",
        "requirements.R-1.outcome.0",
        "approach.port.body",
    }


def test_an_outcome_with_a_wrong_event_hides_no_wrong_requirement() -> None:
    with pytest.raises(InputError) as caught:
        softdock.Scenario(
            DOCKING, overrides={"outcomes.0.happened.0": "seatet", "requirements.R-1.outcome": "capture"}
        )
    assert [problem.field for problem in caught.value.problems] == [
        "outcomes.0.happened.0",
        "requirements.R-1.outcome.0",
    ]


def test_a_tip_of_the_wrong_body_is_named_with_its_carrier() -> None:
    message = "must be 'target' or a body that it carries; 'probe' is carried by 'chaser'"
    with pytest.raises(InputError, match=message[5:]):
        softdock.Scenario(DOCKING, overrides={"approach.chaser": "target", "approach.port.body": "chaser"})


def test_a_normal_distribution_in_place_of_a_dispersion_is_advised() -> None:
    speed = softdock.Normal(mean="40 mm/s", deviation="3 mm/s")
    with pytest.raises(InputError, match="Write it below `normal`"):
        softdock.Campaign(scenario="impact-a", runs=2, dispersions={"speed": speed})


def test_a_body_at_fault_hides_no_wrong_port_and_requirement() -> None:
    """Entries that refer to the body, directly or through other entries, are not checked."""
    with pytest.raises(InputError) as caught:
        softdock.Scenario(
            DOCKING,
            overrides={
                "bodies.boom": {"parent": "chaser", "mass": "1 kg", "joint": {"type": "gimbal"}},
                "bodies.mast": {"parent": "boom", "mass": "1 kg", "joint": {"type": "prismatic"}},
                "springs.on-boom": {"joint": "boom", "stiffness": "1 N*m/rad"},
                "approach.port.body": "taget",
                "requirements.R-1.outcome": "capture",
            },
        )
    assert {problem.field for problem in caught.value.problems} == {
        "bodies.boom.joint.type",
        "approach.port.body",
        "requirements.R-1.outcome.0",
    }


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        (
            {"stops.end": {"joint": "probe", "lower": "1 N", "upper": "2 mm", "stiffness": "1e4 N/m"}},
            "stops.end.lower",
        ),
        (
            {
                "contacts.landing.b": "haed",
                "requirements.R-3": {"metric": "peak_contact_force_landing", "at_most": "5 N"},
            },
            "contacts.landing.b",
        ),
    ],
    ids=["number", "metric"],
)
def test_what_replaces_a_value_at_fault_causes_no_message(changes: dict[str, object], field: str) -> None:
    """The stop would end above its upper end, and the run without the contact would have no such metric."""
    with pytest.raises(InputError) as caught:
        softdock.Scenario(DOCKING, overrides={**changes, "outcomes.0.happened.0": "seatet"})
    assert {problem.field for problem in caught.value.problems} == {field, "outcomes.0.happened.0"}
