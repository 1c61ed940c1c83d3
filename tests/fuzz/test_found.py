"""Inputs that the fuzzer found to cause tracebacks, warnings or unreadable messages; each gives a message now."""

import asyncio
import dataclasses
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.campaign.conftest import CHEAP
from tests.flexible.test_imported_modes import lumped_modes
from tests.fuzz.corpus import SEEDS
from tests.fuzz.formats.table import SEQUENCE

from softdock import Campaign
from softdock.campaign import runner
from softdock.campaign.loading import _trusted_origin, read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.status import status_of
from softdock.campaign.store import TABLE_FILE
from softdock.campaign.summary import _same_values, summarise
from softdock.campaign.table import read_table
from softdock.campaign.workers import Backend
from softdock.cli.console import output_folders, print_json, print_result, report
from softdock.errors import CONTROL_CHARACTERS, InputError, Problem
from softdock.flexible import read_modes
from softdock.geometry.chain import ChainSegment, _start_at_lowest_rim
from softdock.geometry.profile import Line
from softdock.model.surfaces import Surface
from softdock.presentation.unit_systems import SYSTEMS
from softdock.recording.loading import load_run
from softdock.replay.scene_builder import scene
from softdock.report.campaign import write_report
from softdock.report.run import run_report
from softdock.result import Result
from softdock.robot.urdf import parse_urdf, read_urdf
from softdock.scenario.loading import load
from softdock.scenario.source import LARGEST_FILE, read_file
from softdock.simulation import prepare, simulate
from softdock.spatial.vectors import unit_vector
from softdock.studio import tasks
from softdock.studio.campaign_process import PROGRESS
from softdock.studio.campaigns import _read_progress
from softdock.studio.folder import LARGEST_SCENARIO, Folder
from softdock.theory.latch import latch_time


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_values_are_shown_in_short_and_without_control_characters() -> None:
    text = str(
        Problem(message="Must be a number.", given="\x1b[31m\u202e" + "A" * 10_000, file="a\0b", line=3)
    )
    assert text.startswith(r"a\x00b:3: Must be a number. Given: \x1b[31m\u202eAAA")
    assert "(10,006 characters)" in text
    assert len(text) < 400


ODD = "a\x1b[31m\x9b2J\u202e\u2028b\nc"
SHOWN = r"a\x1b[31m\x9b2J\u202e\u2028b"


def test_names_of_a_received_result_have_no_control_characters_in_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = simulate("impact-a")
    forged = dataclasses.replace(
        result, scenario=ODD, message=ODD, metrics={ODD: 1.0}, units={ODD: "1"}, loads=()
    )
    print_result(forged)
    print_json({"name": ODD})
    printed = capsys.readouterr().out
    assert CONTROL_CHARACTERS.search(printed.replace("\n", "")) is None
    assert printed.count(SHOWN) >= 3
    assert json.loads(printed[printed.index("{") :]) == {"name": ODD}


def test_a_base_that_is_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    (tmp_path / "case.yaml").write_text("softdock: 1\nbase: a.yaml\n")
    with pytest.raises(InputError, match=r"case.yaml:2: base: The file cannot be read"):
        load(tmp_path / "case.yaml")


def test_a_long_chain_of_bases(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.yaml").write_text(f"softdock: 1\nbase: {number + 1}.yaml\n")
    (tmp_path / "60.yaml").write_text("softdock: 1\nbase: impact-a\n")
    assert load(tmp_path / "45.yaml").kind == "chain"
    with pytest.raises(InputError, match=r"20.yaml:2: base: There are more than 20 scenarios"):
        load(tmp_path / "0.yaml")


def test_named_pipe_as_a_robot_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "robot.urdf")
    with pytest.raises(InputError, match=r"robot.urdf: The path is a named pipe"):
        read_urdf(tmp_path / "robot.urdf")


@pytest.mark.parametrize("name", ["pipe", "nested"])
def test_received_files_do_not_stop_the_studio(tmp_path: Path, name: str) -> None:
    run, campaign = tmp_path / "runs" / "a", tmp_path / "campaigns" / "b"
    for path in (run / "result.json", run / "replay.scene", campaign / PROGRESS):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path) if name == "pipe" else path.write_text("[" * 100_000)
    assert tasks.read_run_headers(Folder(tmp_path), lambda stage: None, runs=["a"]) == {}
    assert not tasks._is_scene(run / "replay.scene")
    assert _read_progress(campaign) == {}


def test_pipes_and_loops_of_links_in_the_folder_of_the_studio(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in (tmp_path / "loop.yaml", tmp_path / "runs" / "a"):
        path.symlink_to(path.name)
    (tmp_path / "case.yaml").write_text("softdock: 1\nbase: impact-a\n")
    folder = Folder(tmp_path)
    assert LARGEST_SCENARIO == LARGEST_FILE
    assert [name for name, _ in folder.files()] == ["case.yaml"]
    assert folder.runs() == []
    for number in range(1000):
        (tmp_path / f"{number}.yaml").write_text(f"softdock: 1\nbase: {number + 1}.yaml\n")
    folder.check_source(read_file(tmp_path / "0.yaml"))


@pytest.mark.parametrize("origin", ["a\0b", "loop/many.yaml"])
def test_origin_that_is_not_a_path_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="names a file outside its folder"):
        _trusted_origin({"origin": origin}, tmp_path / "out")


def test_a_pipe_has_no_thumbnail(tmp_path: Path) -> None:
    pytest.importorskip("nicegui")
    from softdock.studio import file_routes
    from softdock.studio.server import Studio

    os.mkfifo(tmp_path / "case.yaml")
    assert "svg" in asyncio.run(file_routes._thumbnail(Studio.at(tmp_path), "case.yaml"))


def test_long_file_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "é" * 300
    for changes in ({"arm.file": f"{long}.urdf"}, {"title": "a", "arm.file": long}):
        with pytest.raises(InputError, match=r"arm.file.*name.*too long"):
            load("assist-arm-berthing", changes)
    for path in (long, f"{long}.yaml"):
        with pytest.raises(InputError, match="too long"):
            load_run(path)
    with pytest.raises(InputError, match="too long"):
        Surface(body="box", file=f"{long}.stl", side="outside").read(tmp_path)
    with pytest.raises(OSError, match="too long") as found:
        status_of(tmp_path / long)
    assert report(found.value) == 2
    assert "the name is too long" in capsys.readouterr().err


def test_a_long_name_of_the_output_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot make it"), output_folders(tmp_path / ("a" * 300)):
        pass


def test_a_table_that_is_a_view_without_end(tmp_path: Path) -> None:
    numbers = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS key, x AS value FROM c"
    )
    with closing(sqlite3.connect(tmp_path / TABLE_FILE)) as database:
        database.execute(f"CREATE VIEW manifest AS {numbers}")
    with pytest.raises(InputError, match="views or triggers"):
        status_of(tmp_path)


def test_axis_of_a_robot_is_normalised_without_overflow() -> None:
    robot = """<robot name="a"><link name="b"/><link name="c"/><joint name="j" type="revolute"><parent link="b"/>
    <child link="c"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
    <axis xyz="1e200 1e308 {}"/></joint></robot>"""
    np.testing.assert_allclose(parse_urdf(robot.format(0)).joints["j"].axis, (1e-108, 1.0, 0.0))
    with pytest.raises(InputError, match="infinitely long"):
        parse_urdf(robot.format("1.79e308").replace("1e308", "1.79e308"))


def test_modes_with_an_infinite_inertia_are_refused(tmp_path: Path) -> None:
    given = lumped_modes()
    given["mass"] = np.where(given["mass"] == 50.0, 1e308, given["mass"])
    np.savez(tmp_path / "modes.npz", **given)
    with pytest.raises(InputError, match="no inertia"):
        read_modes(tmp_path / "modes.npz", base="base")


def test_metrics_whose_squares_overflow_are_compared() -> None:
    large = np.array([1e200, -1.7e308, np.nan])
    assert _same_values(large, large)
    assert not _same_values(large, np.array([1e200, 1.7e308, np.nan]))
    assert not _same_values(large, np.array([1e200, -1.7e308, 1.0]))
    assert _same_values(np.zeros(3), np.zeros(3))


def test_flat_closed_meridian_keeps_its_start() -> None:
    links = [ChainSegment(segment=Line(start=(0.0, r), end=(0.0, r + 1.0)), piece=0) for r in (0.0, 1.0)]
    assert _start_at_lowest_rim(links, 1e-6) == links


def test_approach_that_overflows_is_refused() -> None:
    with pytest.raises(InputError, match=r"approach: .*overflows"):
        prepare(load("pins-1", {"bodies.port.inertia": [1e-310, 800.0, 800.0]}))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    simulate("impact-a").save(folder)
    return folder


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("units", [1], "units is not usable"),
        ("valid", {"a": 1}, "valid is not usable"),
        ("audit", 5, "audit is not usable"),
        ("timing", {"simulated_s": [], "wall_s": 0, "steps": 1, "evaluations": 1}, r"timing\.simulated_s"),
        ("metrics", 1.5, "metrics is not usable"),
        ("message", "\x1b[2J", "control characters"),
        ("events", [{"time": float("inf"), "name": "a"}], "times of the events"),
        ("definition", "x", "definition is not usable"),
    ],
)
def test_forged_results_are_refused(
    saved: Path, tmp_path: Path, field: str, value: Any, message: str
) -> None:
    document = json.loads((saved / "result.json").read_text(encoding="utf-8"))
    (tmp_path / "result.json").write_text(json.dumps({**document, field: value}), encoding="utf-8")
    (tmp_path / "history.parquet").write_bytes((saved / "history.parquet").read_bytes())
    with pytest.raises(InputError, match=message):
        Result.load(tmp_path)


def test_a_result_with_a_huge_integer_is_shown(saved: Path, tmp_path: Path) -> None:
    document = json.loads((saved / "result.json").read_text(encoding="utf-8"))
    document["metrics"]["a"] = 10**400
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "history.parquet").write_bytes((saved / "history.parquet").read_bytes())
    assert Result.load(tmp_path).summary()


def test_replay_with_the_history_of_another_scenario_is_refused(saved: Path, tmp_path: Path) -> None:
    document = json.loads((saved / "result.json").read_text(encoding="utf-8"))
    chaser = document["definition"]["chaser"]
    chaser["masses"] = [*chaser["masses"], 5.0]
    chaser["stiffness"] = [1000.0, 1000.0]
    (tmp_path / "result.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "history.parquet").write_bytes((saved / "history.parquet").read_bytes())
    with pytest.raises(InputError, match=r"does not belong to its scenario|cannot be read again"):
        scene(Result.load(tmp_path))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE manifest SET value = '[]' WHERE key = 'manifest'", "manifest is not usable"),
        ("UPDATE manifest SET value = 'x' WHERE key = 'units'", "not JSON"),
        ("UPDATE manifest SET value = '{\"stopped_at\": {}}' WHERE key = 'state'", "state is not usable"),
        ("DELETE FROM manifest WHERE key = 'manifest'", "has no manifest"),
        ("UPDATE manifest SET value = '{}' WHERE key = 'format'", "version of its format"),
        ("UPDATE runs SET wall_s = 'x' WHERE run = 1", "has the wall_s 'x'"),
        ("UPDATE runs SET inputs = '5' WHERE run = 1", "have no names"),
        ("UPDATE runs SET warnings = '{}' WHERE run = 1", "warnings of a run"),
        ("UPDATE runs SET outcome = NULL WHERE run = 1", "has the outcome"),
    ],
)
def test_forged_campaign_tables_are_refused(tmp_path: Path, change: str, message: str) -> None:
    (tmp_path / "many.yaml").write_text(CHEAP)
    runner.run(
        read_campaign(tmp_path / "many.yaml", runs=3), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1)
    )
    database = sqlite3.connect(tmp_path / "out" / TABLE_FILE)
    database.execute(change)
    database.commit()
    database.close()
    use = read_table if "runs SET" in change or "units" in change else status_of
    with pytest.raises(InputError, match=f"damaged: .*{message}"):
        use(tmp_path / "out")


@pytest.mark.parametrize("key", ["stop", "description"])
def test_campaign_table_without_an_optional_key_is_read(tmp_path: Path, key: str) -> None:
    (tmp_path / "many.yaml").write_text(CHEAP)
    runner.run(
        read_campaign(tmp_path / "many.yaml", runs=3), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1)
    )
    database = sqlite3.connect(tmp_path / "out" / TABLE_FILE)
    database.execute(
        f"UPDATE manifest SET value = json_remove(value, '$.campaign.{key}') WHERE key = 'manifest'"
    )
    database.commit()
    database.close()
    assert status_of(tmp_path / "out")["done"] == 3
    write_report(tmp_path / "out", tmp_path / "report.html", lambda *_: None)


def test_message_shows_an_unknown_key_with_a_backslash(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(CHEAP + "su\\ccess: [a]\n")
    with pytest.raises(InputError, match=r"su\\ccess"):
        read_campaign(tmp_path / "many.yaml")


def test_a_worker_of_a_killed_studio_prints_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "softdock.studio.worker", str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()  # as after SIGKILL of the studio
    process.stdin.write(
        json.dumps({"id": 1, "task": "check_text", "with": {"text": "", "name": "a"}}).encode() + b"\n"
    )
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", ["{joint: nowhere}", "{joint: waist}", "{joint: bumper, axis: 2}"])
def test_spring_on_a_joint_that_does_not_exist_is_refused(wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(
        f"softdock: 1\nkind: multibody\nbase: assist-soft-docking\nsprings: {{gimbal-spring: {wrong}}}\n"
    )
    with pytest.raises(InputError, match=r"springs\.gimbal-spring"):
        load(file)


def test_latch_time_of_a_speed_near_underflow_is_not_a_number() -> None:
    assert np.isnan(latch_time(1e-308, 1e10, 1.0))


@pytest.fixture(scope="module")
def sequence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a saved run with phases, couplings, a controller and requirements."""
    folder = tmp_path_factory.mktemp("sequence")
    simulate(SEEDS / "sequence.yaml").save(folder)
    return folder


MARKUP = "<img src=x onerror=alert({})>"
WORDS = (
    "mating",
    "coupling_jammed",
    "servicer",
    "plug-1",
    "link",
    "R-1",
    "plus-x-1",
    "bolts",
    "The coupling",
)
"""Names and texts of a phase, an outcome, bodies, elements, a requirement, a thruster, and a message."""


def test_markup_in_any_name_is_shown_as_text(sequence: Path, tmp_path: Path) -> None:
    pytest.importorskip("nicegui")
    from softdock.report.control_charts import control_figures
    from softdock.studio.pages import run_summary
    from softdock.studio.run_data import summarise_result

    text = (sequence / "result.json").read_text(encoding="utf-8")
    table = pq.read_table(sequence / "history.parquet")
    names = table.column_names
    for i, word in enumerate(WORDS):
        text = text.replace(word, MARKUP.format(i))
        names = [name.replace(word, MARKUP.format(i)) for name in names]
    pq.write_table(table.rename_columns(names), tmp_path / "history.parquet")
    digest = hashlib.sha256((tmp_path / "history.parquet").read_bytes()).hexdigest()
    (tmp_path / "result.json").write_text(json.dumps({**json.loads(text), "history_sha256": digest}))
    result = Result.load(tmp_path)
    summary = summarise_result(result)
    show = run_summary
    pages = [run_report(result), result._repr_html_(), *control_figures(result, SYSTEMS["SI"])]
    pages += [show.verdict_html(summary), show.phase_bars(summary), show.events_html(summary)]
    pages += [show.headline_html(summary, "SI"), show.requirement_tiles_html(summary, "SI")]
    pages += [show.reactions_html(summary, "SI"), show.phases_html(summary, "SI")]
    pages.append(show.metrics_html(summary, summary, "SI"))
    assert not [page for page in pages if "<img src=x" in page]
    assert all("&lt;img src=x" in page for page in pages[:2])
    assert sum("&lt;img src=x" in page for page in pages[2:]) > 4


def _changed(folder: Path, to: Path, change: Callable[[dict[str, Any]], object]) -> Result:
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    change(document)
    (to / "result.json").write_text(json.dumps(document))
    (to / "history.parquet").write_bytes((folder / "history.parquet").read_bytes())
    return Result.load(to)


def test_a_requirement_whose_stored_unit_is_another_one(sequence: Path, tmp_path: Path) -> None:
    result = _changed(sequence, tmp_path, lambda document: document["units"].update(mean_force="m"))
    assert result.requirements == ()  # verdicts are computed again when a result is read
    for text in (run_report(result), result._repr_html_(), result.summary()):
        assert "Its requirements are damaged" in text


def test_a_damaged_scenario_in_a_result(sequence: Path, tmp_path: Path) -> None:
    result = _changed(sequence, tmp_path, lambda document: document["definition"]["approach"].pop("port"))
    with pytest.raises(InputError, match="scenario or the history in this result is damaged"):
        result.plot()
    assert "<img" not in result._repr_html_()


def test_an_event_far_outside_the_recorded_time_is_not_drawn(sequence: Path) -> None:
    result = Result.load(sequence)
    far = dataclasses.replace(result.events[0], time=1e300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "<img" in dataclasses.replace(result, events=(*result.events, far))._repr_html_()


def test_dollar_signs_in_texts_are_drawn() -> None:
    result = dataclasses.replace(simulate("impact-a"), message=r"It costs $\frac{$ and 5 $.", scenario="$a_$")
    assert "<img" in result._repr_html_()
    assert result.plot()._suptitle.get_text().count("$") == 5


@pytest.mark.parametrize("path", ["a\0b.html", 5, None, b"x"])
def test_paths_of_another_type_or_with_a_null_character(path: Any) -> None:
    result = simulate("impact-a")
    calls: list[Callable[[Any], Any]] = [
        result.save, Result.load, result.report, result.replay, load("impact-a").save, Campaign.open,
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(InputError):
            call(path)
    if path is not None:  # a campaign without a folder is run in a temporary one
        with pytest.raises(InputError):
            Campaign("impact-masses").run(path)
        with pytest.raises(InputError, match="scenario"):
            Campaign({"scenario": path, "runs": 3})


def test_very_short_and_very_long_directions_are_normalised() -> None:
    scenario = load("assist-approach", {"gnc.servicer.thrusters.plus-y-2.direction": [0, 5e-324, 0]})
    prepare(scenario)
    np.testing.assert_array_equal(
        unit_vector([0.0, -1e308, 1e308]), np.array([0.0, -1.0, 1.0]) / np.sqrt(2.0)
    )


def test_forged_phases_of_a_campaign_are_refused(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(SEQUENCE)
    out = tmp_path / "out"
    runner.run(read_campaign(tmp_path / "many.yaml", runs=1), out, ExecutionOptions(Backend.THREADS, 1))
    assert [share.name for share in summarise(read_table(out)).phases] == ["closing", "mating"]
    with closing(sqlite3.connect(out / TABLE_FILE)) as database, database:
        database.execute("UPDATE manifest SET value = replace(value, 'mating', '<img src=x>')")
    with pytest.raises(InputError, match="the phases of its scenario are not usable"):
        write_report(out, tmp_path / "report.html", lambda what, share: None)
