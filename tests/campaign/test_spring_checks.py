"""Sized springs: a mass m at speed v on a spring needs k = m v²/s² whatever a stop took; verified by repeated runs."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.campaign.conftest import Command

from softdock import Campaign
from softdock.campaign import spring_checks
from softdock.campaign.sizing import SizedSpring, SpringSize, find_spring
from softdock.campaign.spring_checks import TOLERANCE, Repeated, search_stiffness, search_with_others
from softdock.campaign.summary import CampaignSummary, summarise
from softdock.campaign.table import CampaignTable, read_table
from softdock.scenario.loading import from_data

MASS, STROKE, RUNS = 4.0, 0.01, 8
END = {"joint": "slide", "lower": 0.0, "upper": STROKE, "stiffness": 2e5, "damping": 200.0}
SPEED = "bodies.slide.joint.speed"
BAND = 2.5 * TOLERANCE
"""The result exceeds the needed stiffness by at most twice the tolerance; the rest is the error of integration."""


def scenario(
    spring: Mapping[str, Any], stop: Mapping[str, Any], joint: Mapping[str, Any] | None = None, **others: Any
) -> dict[str, Any]:
    """Return a mass on a slide, or another joint, with a spring and a stop."""
    slide = {
        "mass": MASS,
        "inertia": [MASS, MASS, MASS],
        "joint": joint or {"type": "prismatic", "speed": 0.1},
    }
    return {
        "softdock": 1, "kind": "multibody", "duration": 1.0, "bodies": {"slide": slide},
        "springs": {"buffer": {"joint": "slide", "stiffness": 500.0} | spring}, "stops": {"end": END | stop}, **others,
    }  # fmt: skip


def summary_of(
    data: dict[str, Any], dispersions: dict[str, Any], stroke: str = "10 mm"
) -> tuple[CampaignTable, CampaignSummary]:
    campaign = Campaign(
        scenario=data,
        runs=RUNS,
        seed=3,
        dispersions=dispersions,
        springs={"buffer": {"metric": "spring_energy_max_buffer", "stroke": stroke}},
    )
    table = read_table(campaign.run(progress=False).folder)
    return table, summarise(table)


def largest(table: CampaignTable, path: str) -> float:
    return float(np.abs(table.inputs[path]).max())


FAST, BACK = {SPEED: {"uniform": [0.05, 0.3]}}, {SPEED: {"uniform": [-0.3, -0.05]}}
TURN = {"bodies.slide.joint.rate": {"uniform": [0.05, 0.3]}}
MANY = FAST | {"springs.buffer.stiffness": {"log_uniform": [100.0, 2000.0]}}
CASES = {
    "damped stop": (scenario({}, {}), FAST, lambda v: MASS * v**2 / STROKE**2),
    "undamped stop": (scenario({}, {"damping": 0.0}), FAST, lambda v: MASS * v**2 / STROKE**2),
    "dispersed stiffness": (scenario({}, {}), MANY, lambda v: MASS * v**2 / STROKE**2),
    # m v² / 2 = k s² / 2 + P s
    "preload": (scenario({"preload": 5.0}, {}), FAST, lambda v: (MASS * v**2 - 2.0 * 5.0 * STROKE) / STROKE**2),
    "exponential spring": (
        scenario({"exponential": {"reference": 0.004, "exponent": 2.0}}, {}), FAST, lambda v: MASS * v**2 / STROKE**2,
    ),
    "other direction": (
        scenario({}, {"lower": -STROKE, "upper": 0.0}, {"type": "prismatic", "speed": -0.1}), BACK,
        lambda v: MASS * v**2 / STROKE**2,
    ),
    "stop before the end of the stroke": (scenario({}, {"upper": 0.008}), FAST, lambda v: MASS * v**2 / 0.008**2),
    "stop beyond the stroke": (scenario({}, {"upper": 1.0}), FAST, lambda v: MASS * v**2 / STROKE**2),
    "torsion": (
        scenario({"stiffness": 2.0}, {"upper": 0.1, "stiffness": 2e3}, {"type": "revolute", "rate": 0.1}), TURN,
        lambda w: MASS * w**2 / 0.1**2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_stiffness_is_that_of_the_closed_form_and_holds_in_the_repeated_runs(case: str) -> None:
    data, dispersions, exact = CASES[case]
    table, summary = summary_of(data, dispersions, "0.1 rad" if case == "torsion" else "10 mm")
    check, (size,) = summary.spring_checks["buffer"], summary.springs
    needed = exact(largest(table, next(iter(dispersions))))
    assert check.verified
    assert check.stiffness == pytest.approx(needed * (1.0 + TOLERANCE), rel=BAND)
    assert {one.run for one in check.repeated} == set(range(RUNS))
    assert all(one.deflection <= one.available for one in check.repeated)
    assert check.repeated[0].deflection == pytest.approx(check.available, rel=BAND)
    assert size.by_quantile()[-1]["stiffness"] == pytest.approx(check.stiffness)
    assert [row["verified"] for row in size.by_quantile()] == [False, False, False, False, True]


def test_a_spring_that_a_constant_force_presses_needs_the_force_over_the_stroke() -> None:
    """Where not energy decides, the search still ends at the smallest stiffness: k = F / s."""
    push = {"loads": {"push": {"body": "slide", "force": [0, 0, 60.0]}}}
    data = scenario({"damping": 400.0}, {}, {"type": "prismatic"}, **push)
    _, summary = summary_of(data, {"bodies.slide.mass": {"uniform": [3.0, 4.0]}})
    check = summary.spring_checks["buffer"]
    assert check.verified
    assert check.stiffness == pytest.approx(60.0 / STROKE, rel=BAND)


def test_damping_and_friction_of_the_spring_stay_and_reduce_the_stiffness() -> None:
    _, free = summary_of(scenario({}, {}), FAST)
    _, damped = summary_of(scenario({"damping": 60.0, "friction": 1.0}, {}), FAST)
    assert damped.spring_checks["buffer"].verified
    assert damped.spring_checks["buffer"].stiffness < 0.8 * free.spring_checks["buffer"].stiffness


def test_the_report_says_in_every_form_what_was_verified_and_what_was_not(
    campaign: Command, tmp_path: Path
) -> None:
    (tmp_path / "slide.yaml").write_text(json.dumps(scenario({}, {})), encoding="utf-8")
    path = tmp_path / "sizing.yaml"
    path.write_text(
        f"softdock: 1\nkind: campaign\nscenario: slide.yaml\nruns: {RUNS}\nunits: SI\n"
        f"dispersions: {{{SPEED}: {{uniform: [0.05, 0.3]}}}}\n"
        "springs: {buffer: {metric: spring_energy_max_buffer, stroke: 10 mm}}\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    assert campaign("run", path, "--out", out)[0] == 0
    code, printed, _ = campaign("report", out)
    assert code == 0
    sentence = f"Verified: {RUNS} runs, those that need most and any that failed, were repeated with it"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert sentence in printed
    assert sentence in page
    assert "largest deflection" in page

    (tmp_path / "slide.yaml").rename(tmp_path / "moved.yaml")
    code, printed, errors = campaign("report", out, "--json")
    assert (code, errors) == (0, "")
    found = json.loads(printed)
    text = "NOT VERIFIED by repeating runs with it: The campaign cannot be loaded again"
    assert text in " ".join(found["sentences"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert text in page
    assert sentence not in page
    check = found["spring_checks"]["buffer"]
    assert (check["verified"], check["stiffness"], check["repetitions"]) == (False, None, 0)
    assert check["at_stop"] > 0
    assert not any(row["verified"] for row in found["springs"]["buffer"])
    # What the damped stop took is counted with its upper bound, so the estimate is on the safe side.
    needed = MASS * largest(read_table(out), SPEED) ** 2 / STROKE**2
    assert needed <= found["springs"]["buffer"][-1]["stiffness"] <= 2.0 * needed


def test_a_run_that_fails_with_the_spring_is_named_and_nothing_is_verified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = spring_checks._Repeater._read

    def fail(self: Any, run: int, stiffness: float, metrics: Any, problem: str) -> Repeated:
        return real(self, run, stiffness, metrics, "It fell apart." if run == 3 else problem)

    monkeypatch.setattr(spring_checks._Repeater, "_read", fail)
    _, summary = summary_of(scenario({}, {}), FAST)
    check = summary.spring_checks["buffer"]
    assert not check.verified
    assert "Run 3: It fell apart." in check.reason
    assert "NOT VERIFIED" in " ".join(summary.sentences)


def law(
    deflection: Callable[[float, int], float], need: Callable[[float, int], float], count: list[int]
) -> Any:
    def repeat(stiffness: float, runs: Sequence[int]) -> dict[int, Repeated]:
        count.append(len(runs))
        return {
            run: Repeated(
                run=run, deflection=deflection(stiffness, run), available=1.0, needed=need(stiffness, run)
            )
            for run in runs
        }

    return repeat


def test_the_search_finds_the_smallest_stiffness_and_repeats_a_bounded_number_of_runs() -> None:
    """Run i needs the stiffness 1 + i/1000; its deflection falls with a power of the stiffness."""
    estimates = {run: 3.0 - 0.001 * run for run in range(1000)}
    for power in (0.3, 0.5, 1.0, 2.0):

        def deflection(stiffness: float, run: int, power: float = power) -> float:
            return ((1.0 + run / 1000.0) / stiffness) ** power

        def need(stiffness: float, run: int) -> float:
            return (1.0 + run / 1000.0) ** 2 / stiffness

        count: list[int] = []
        found = search_stiffness(law(deflection, need, count), dict(list(estimates.items())[:256]))
        assert found.verified
        assert found.stiffness is not None
        assert 1.255 <= found.stiffness <= 1.255 * (1.0 + 3.0 * TOLERANCE)
        assert found.repetitions == sum(count) <= 6 * 256
        assert len(found.repeated) == 256  # all estimates exceed the result


def test_a_deflection_that_no_spring_limits_is_not_verified() -> None:
    found = search_stiffness(law(lambda k, run: 2.0, lambda k, run: 1.5 * k, []), {0: 1.0, 1: 0.5})
    assert not found.verified
    assert found.stiffness is None
    assert "No stiffness was found" in found.reason


def test_a_metric_of_the_scenario_that_is_the_energy_of_a_spring_names_it() -> None:
    plain = scenario({}, {}) | {"metrics": {"stored": "max buffer.energy", "speed": "max slide.joint_rate"}}
    definition = from_data(plain).to_data()
    assert [getattr(find_spring(definition, name), "name", None) for name in ("stored", "speed", "none")] == [
        "buffer", None, None,
    ]  # fmt: skip
    spring = find_spring(definition, "spring_energy_max_buffer")
    assert spring is not None
    assert list(spring.stops) == ["end"]
    assert spring.ends(STROKE) == {1.0: STROKE}
    assert spring.available(0.012) == STROKE
    assert find_spring(definition | {"stops": {"end": 3}}, "spring_energy_max_buffer") is None


def spring_of(preload: float, stops: dict[str, Any]) -> SizedSpring:
    data = scenario({"preload": preload}, {}) | {"stops": {name: END | one for name, one in stops.items()}}
    found = find_spring(from_data(data).to_data(), "spring_energy_max_buffer")
    assert found is not None
    return found


def size_of(energies: list[float]) -> SpringSize:
    runs = np.arange(len(energies))
    return SpringSize(name="buffer", stroke=0.1, turning=False, energies=np.array(energies), runs=runs)


def test_a_seat_stays_a_seat_where_a_stop_shortens_the_stroke() -> None:
    """8 mm are below a tenth of the stroke of 100 mm, and not below a tenth of the 50 mm that the stop leaves."""
    spring = spring_of(5.0, {"end": {"lower": -0.008, "upper": 0.05}})
    assert spring.available(0.1) == 0.05
    assert spring.stored(0.1) == pytest.approx(500.0 * 0.05**2 / 2.0 + 5.0 * 0.05)
    assert spring.needed(1.0, 0.1) == pytest.approx(2.0 * (1.0 - 5.0 * 0.05) / 0.05**2)


def test_dispersed_preload_rest_and_stops_count_with_their_values_in_each_run() -> None:
    varied = {
        "springs.buffer.preload": [5.0, -2.0, 5.0],
        "springs.buffer.rest": [0.0, 0.001, 0.0],
        "stops.end.upper": [0.04, 0.05, 0.2],
        "stops.end.stiffness": [1e5, 2e5, 1e5],
        "stops.end.damping": [0.0, 10.0, 10.0],
    }
    columns = {f"input {path}": np.array(values) for path, values in varied.items()}
    columns["peak_force_end"] = np.array([1000.0, 2000.0, 3000.0])
    size = spring_of(1.0, {"end": {}}).count_stops(size_of([2.0, 2.0, 2.0]), columns.get)
    first = 2.0 * (2.0 + 1000.0**2 / (2.0 * 1e5) - 5.0 * 0.04) / 0.04**2
    second = 2.0 * (2.0 + 2000.0**2 / 2e5 + 2.0 * 0.049) / 0.049**2
    third = 2.0 * (2.0 - 5.0 * 0.1) / 0.1**2  # its stop, beyond the stroke, leaves 0.1 m; 3 J end the stroke
    assert size.stroke == pytest.approx(0.04)
    assert size.stiffnesses == pytest.approx([first, second, third])
    assert size.at_stop == 2


def test_a_stop_without_a_peak_does_not_hide_the_work_of_another() -> None:
    spring = spring_of(0.0, {"end": {"damping": 0.0}, "other": {}})
    work = spring.stop_work({"end": np.array([1000.0, np.nan]), "other": np.array([np.nan, np.nan])})
    assert work == pytest.approx([1000.0**2 / (2.0 * 2e5), 0.0])


def test_a_process_that_the_system_ends_leaves_the_spring_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*_: Any) -> Any:
        raise BrokenExecutor("A process was terminated abruptly.")

    monkeypatch.setattr(spring_checks._Repeater, "repeat", end)
    _, summary = summary_of(scenario({}, {}), FAST)
    assert not summary.spring_checks["buffer"].verified
    assert "The system ended a process" in summary.spring_checks["buffer"].reason


@pytest.mark.long
def test_the_sized_springs_of_the_paper_hold_in_the_runs_that_need_most() -> None:
    """Without what the stop took, 21956 N/m would follow for the bumper, with which three runs exceed the stroke."""
    campaign = Campaign("assist-table2", runs=100).run(progress=False)
    summary = summarise(read_table(campaign.folder))
    check = summary.spring_checks["bumper"]
    assert check.verified
    assert check.stiffness is not None
    assert check.stiffness > 1.1 * 21956.0
    assert len(check.repeated) == 64
    assert all(one.verified for one in summary.spring_checks.values())
    assert math.isclose(check.repeated[0].available, 0.0127)
    assert re.search(r"reached a stop in \d+ runs", " ".join(summary.sentences))


def test_runs_that_failed_in_the_campaign_are_repeated_too() -> None:
    """Run 2, of which no energy is known, needs the stiffest spring; run 3 fails with any."""
    needs = {0: 100.0, 1: 400.0, 2: 900.0, 3: 100.0}

    def repeat(stiffness: float, runs: Sequence[int]) -> dict[int, Repeated]:
        return {
            run: Repeated(
                run=run, deflection=0.01 * math.sqrt(needs[run] / stiffness), available=0.01, needed=needs[run],
                problem="penetrated" if run == 3 else "",
            )
            for run in runs
        }  # fmt: skip

    estimates = {1: 400.0, 0: 100.0}
    alone = search_with_others(repeat, estimates, [])
    assert (alone.verified, alone.stiffness) == (True, pytest.approx(400.0, rel=0.02))
    with_failed = search_with_others(repeat, estimates, [2])
    assert (with_failed.verified, with_failed.stiffness) == (True, pytest.approx(900.0, rel=0.02))
    assert {one.run for one in with_failed.repeated} >= {1, 2}
    failing = search_with_others(repeat, estimates, [2, 3])
    assert not failing.verified
    assert failing.reason.endswith("these fail with it, too: 3.")
