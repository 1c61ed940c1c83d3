"""Loading of scenario files: problems with file, line and field, and round trips through data."""

import pickle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_scenario import HEAD, VALID, Side, ToyScenario

from softdock.errors import InputError
from softdock.quantities.units import LARGEST
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import bundled, check, from_data, load


def only_problem(path, *overrides):
    (problem,) = check(path, overrides)
    return problem


def test_a_valid_file_is_loaded_in_si(write):
    scenario = load(write(VALID))
    assert isinstance(scenario, ToyScenario)
    assert scenario.chaser.masses == (5.0, 2 * 0.45359237)
    assert scenario.chaser.speed == 0.05


def test_a_scenario_has_its_name_and_directory(write):
    path = write(VALID, "my-case.yaml")
    scenario = load(path)
    assert (scenario.name, scenario.directory) == ("my-case", path.parent)
    assert "name" not in scenario.to_data()
    assert scenario == load(write(VALID, "other.yaml"))
    assert pickle.loads(pickle.dumps(scenario)).name == "my-case"
    assert scenario.model_copy(update={"title": "B"}).directory == path.parent


def test_a_dumped_scenario_loads_to_an_equal_one(write):
    text = (
        VALID + "joints:\n- {type: slider, slider: 3 kN/m, p_AB: [1 mm, 0, 0]}\nspares: {a: {masses: [1]}}\n"
    )
    scenario = load(write(text))
    again = from_data(scenario.to_data(), name="again")
    assert again == scenario
    assert again.to_data() == scenario.to_data()


def test_a_scenario_cannot_be_changed(write):
    with pytest.raises(InputError, match="title: It cannot be changed"):
        load(write(VALID)).title = "other"


def test_all_problems_are_found_in_the_order_of_lines(write):
    path = write(
        HEAD
        + """title: 5
chaser:
  mases: [5, 6]
  speed: 5 kg
joints:
  - {type: hinge, stiffness: 5 N}
  - {type: slider, slider: 0, p_AB: [1, 2]}
  - {type: hing}
  - {stiffness: 2}
  - 7
spares:
  a:
    masses: [-1 kg, .nan, true, abc, 0, .inf, 1e999]
    zzz: 3
  b:
    speed: 3
target: 5
cuont: 4
restitution: 1.5
damped: no
"""
    )
    found = [(p.line, p.field, p.given) for p in check(path)]
    assert found == [
        (3, "title", "5"),
        (5, "chaser.mases", ""),
        (6, "chaser.speed", "5 kg"),
        (8, "joints.0.stiffness", "5 N"),
        (9, "joints.1.slider", "0"),
        (9, "joints.1.p_AB", ""),
        (10, "joints.2.type", "hing"),
        (11, "joints.3", ""),
        (12, "joints.4", "7"),
        (15, "spares.a.masses.0", "-1 kg"),
        (15, "spares.a.masses.1", ".nan"),
        (15, "spares.a.masses.2", "true"),
        (15, "spares.a.masses.3", "abc"),
        (15, "spares.a.masses.4", "0"),
        (15, "spares.a.masses.5", ".inf"),
        (15, "spares.a.masses.6", "1e999"),
        (16, "spares.a.zzz", ""),
        (17, "spares.b.masses", ""),
        (19, "target", "5"),
        (20, "cuont", ""),
        (21, "restitution", "1.5"),
        (22, "damped", "no"),
    ]
    assert all(p.file == str(path) and p.message.endswith(".") for p in check(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chaser: {mases: [1]}", "chaser.mases: The key 'mases' is not known here. Did you mean 'masses'?"),
        (
            "chaser: {Masses: [1]}",
            "chaser.Masses: The key 'Masses' is not known here. Did you mean 'masses'?",
        ),
        ("chaser: {masses: [1], zzz: 1}", "not known here. Allowed: masses, preload, speed."),
        ("chaser: {speed: 1}", "chaser.masses: The key 'masses' is missing in 'chaser'."),
        ("title: A", ":1: chaser: The key 'chaser' is missing at the top level of the scenario."),
        ("chaser: {masses: 5}", "chaser.masses: Must be a list. Given: 5."),
        ("chaser: {masses: []}", "chaser.masses: Needs at least 1 entries and has 0."),
        ("chaser: {masses: [5 m]}", "Is a length [m], but a mass is needed, for example '5 kg'. Given: 5 m."),
        (
            "chaser: 5",
            "chaser: Must be a mapping of keys to values, with keys such as masses, speed, preload.",
        ),
        ("chaser:", "chaser: Must be a mapping of keys"),
        ("chaser: {masses: [1], preload: x}", "for example '0.3'; or: must be 'auto'. Given: x."),
        (
            "chaser: {masses: [1]}\njoints: [{type: slidr}]",
            ":4: joints.0.type: Must be one of hinge, slider. Given: slidr. Did you mean 'slider'?",
        ),
        (
            "chaser: {masses: [1]}\njoints: [{type: slider, slider: 1, hing: 1}]",
            "joints.0.hing: The key 'hing' is not known here. Allowed: p_AB, slider, type.",
        ),
        (
            "chaser: {masses: [1]}\njoints: [{type: slider}]",
            "joints.0.slider: The key 'slider' is missing in 'joints.0'.",
        ),
        (
            "chaser:\n  masses: [1]\n  speed: 3\ncount: 6\ndamped: true",
            ":5: chaser.speed: Must be given with more than 5 damped parts. Given: 3.",
        ),
        ("chaser: {masses: [1]}\ncount: 2.5", "count: Must be a whole number. Given: 2.5."),
    ],
)
def test_messages_name_field_and_allowed_values(write, text, message):
    assert message in str(only_problem(write(HEAD + text + "\n")))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("softdock: 1\nkind: tyo\n", 2, "Did you mean 'toy'?"),
        ("softdock: 1\nkind: quantum\n", 2, "Kinds: chain"),
        ("softdock: 1\nkind: [toy]\n", 2, "no such kind"),
        ("softdock: 1\nknd: toy\n", 2, "Did you mean 'kind'?"),
        ("softdock: 1\n", 1, "'kind' is missing"),
    ],
)
def test_an_unknown_kind_is_refused_with_its_line(write, text, line, words):
    problem = only_problem(write(text))
    assert words in str(problem)
    assert problem.line == line


@pytest.mark.parametrize("end", range(len("softdock: 1"), len(VALID) - 1))
def test_a_truncated_file_gives_problems_or_a_scenario(write, end):
    path = write(VALID[:end])
    for problem in check(path):
        assert problem.file == str(path)


def test_the_message_about_an_unknown_name_lists_bundled_scenarios():
    problem = only_problem("no-such-scenario")
    assert "neither a bundled scenario nor a file" in problem.message
    for scenario in bundled():
        assert scenario.name in problem.hint


@pytest.mark.parametrize("name", ["", "\0", "x" * 5000, "a/b", "*"])
def test_odd_names_are_refused(name):
    assert check(name)


def test_a_path_is_never_taken_for_a_bundled_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for scenario in bundled():
        assert only_problem(Path(scenario.name)).message == "There is no such file."


@pytest.mark.parametrize("name", [scenario.name for scenario in bundled()])
def test_bundled_scenarios_survive_a_round_trip_through_data(name):
    scenario = load(name)
    assert scenario.name == name
    assert scenario.title
    assert from_data(scenario.to_data(), directory=scenario.directory) == scenario


@pytest.mark.parametrize("name", [scenario.name for scenario in bundled()])
def test_a_misspelt_name_suggests_the_bundled_one(name):
    assert only_problem(name + "x").hint.startswith(f"Did you mean '{name}'? ")


def test_the_model_of_every_kind_has_its_name():
    for kind in KINDS:
        assert KINDS[kind].model.model_fields["kind"].default == kind


POSITIVE = st.floats(min_value=0, exclude_min=True, max_value=LARGEST)


@given(
    st.builds(
        Side,
        masses=st.lists(POSITIVE, min_size=1, max_size=4).map(tuple),
        speed=st.floats(-LARGEST, LARGEST),
    ),
    st.text(max_size=20),
)
def test_any_scenario_survives_a_round_trip_through_data(side, title):
    scenario = ToyScenario(chaser=side, title=title)
    assert from_data(scenario.to_data()) == scenario


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
KEYS = st.sampled_from([*ToyScenario.model_fields, *Side.model_fields, "type", "slider", "x"])


@settings(suppress_health_check=[HealthCheck.too_slow])  # data may be generated slowly on a busy machine
@given(
    st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES) | st.lists(st.dictionaries(KEYS, VALUES)))
)
def test_any_data_gives_a_scenario_or_problems(data):
    try:
        scenario = from_data({**data, "softdock": 1, "kind": "toy"})
    except InputError:
        return
    assert from_data(scenario.to_data()) == scenario


FRAGMENTS = st.sampled_from(
    ["softdock: 1\n", "kind: toy\n", "chaser:\n", "  masses: [", "5 kg", "]", "\n", "  ", "- ", "&a ", "*a",
     "{", "}", ": ", ", ", "? ", "| ", "> ", "!!int ", "'", '"', "# ", "%YAML 1.2\n", "---\n", "...\n",
     "<<: ", "\t", "\\x", "é", "\u2028", "\x85", "@", "`"]
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.binary(max_size=200) | st.text(max_size=100) | st.lists(FRAGMENTS, max_size=30).map("".join))
def test_any_file_gives_a_scenario_or_problems(write, content):
    for head in ("", HEAD):
        content_bytes = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        path = write(head.encode() + content_bytes)
        assert all(problem.file == str(path) for problem in check(path))
