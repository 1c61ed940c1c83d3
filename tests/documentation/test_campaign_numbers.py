"""Numbers of the manual that come from campaigns and searches."""

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta
from tests.campaign.rare_events import LimitState, four_planes, latch_failure, plane, row
from tests.campaign.search_driver import simulate_subset
from tests.documentation.quoted_numbers import DOCS, assert_quoted, find_numbers

import softdock
from softdock.campaign.loading import read_campaign, read_campaign_text
from softdock.campaign.plan import Plan
from softdock.campaign.statistics import fewest_runs

PAGE = "campaigns.md"
RARE = [
    plane(1e-2, 2), plane(1e-3, 10), plane(1e-4, 2), plane(1e-4, 10), plane(1e-4, 50), plane(1e-6, 10),
    four_planes(1e-4),
]  # fmt: skip
SEEDS = 20


def cells(line: str) -> list[float]:
    """Return all numbers of a row but those of its name."""
    return [float(text) for text in re.findall(r"\d[\d.e+-]*", line.replace(",", "").partition(" | ")[2])]


def assert_row(state: LimitState) -> None:
    """Compare a row with the page; the search is random, and other processors may accept other candidates."""
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    name, exact, *others = row(state)
    shown = re.search(rf"^\| ({re.escape(name)} \| {re.escape(exact)} \|.*) \|$", text, re.MULTILINE)
    assert shown, f"{PAGE} has no row of {name} with {exact}"
    assert cells(shown[1]) == pytest.approx(cells(" | ".join([name, exact, *others])), rel=0.02)


@pytest.mark.parametrize("state", RARE, ids=lambda state: f"{state.name}, {state.exact:g}")
def test_rows_of_the_table_of_rare_events(state: LimitState) -> None:
    assert_row(state)


@pytest.mark.long
def test_row_of_the_bundled_campaign_in_the_table_of_rare_events() -> None:
    assert_row(latch_failure())


def test_coefficient_of_variation_of_rare_events() -> None:
    """It falls with the runs per level, and is larger than the sum of squares of the levels."""
    phrase = "about {} % for 1000, {} % for 4000 and {} % for 15 000 at a probability of {}"
    *shares, exact = (float(text) for text in find_numbers(PAGE, phrase))
    low, high = (
        float(text)
        for text in find_numbers("theory/rare-events", "(by {} to {} % for planes in 2 to 50 dimensions)")
    )
    for dims in (2, 10, 50):
        state = plane(exact, dims)
        for share, runs in zip(shares, (1000, 4000, 15_000)):
            found = [simulate_subset(state.margin, dims, seed, level_runs=runs) for seed in range(SEEDS)]
            stated = np.mean([one.coefficient_of_variation for one in found])
            assert 100.0 * stated == pytest.approx(share, rel=0.05)
            if runs == 4000:
                levels = [sum(level.coefficient_of_variation**2 for level in one.levels) for one in found]
                assert low < 100.0 * (1.0 - np.mean(np.sqrt(levels)) / stated) < high


def test_fewest_runs() -> None:
    """Wilks; and the upper end of an interval of 95 %, which leaves 2.5 % on each side."""
    assert_quoted(PAGE, "99 % with 95 % confidence needs {} runs", [fewest_runs(0.99, 0.95)])
    assert_quoted(PAGE, "The upper end for 99 % needs at least {} runs", [fewest_runs(0.99, 0.975)])


def outcomes(plan: Plan, runs: int) -> list[softdock.Result]:
    scenarios = [plan.template.build(inputs).without_history() for inputs in plan.inputs(0, runs)]
    return [softdock.simulate(scenario, with_prediction=False) for scenario in scenarios]


@pytest.mark.long
def test_captures_with_fingers_that_open() -> None:
    path = Path(str(files("softdock") / "campaign/bundled/assist-table2.yaml"))
    text, runs = path.read_text(encoding="utf-8"), 60
    for old, new in (("opening: false", "opening: true"), ("runs: 500", f"runs: {runs}")):
        assert old in text
        text = text.replace(old, new)
    found = Counter(result.outcome for result in outcomes(read_campaign_text(text, path), runs))
    assert set(found) == {"captured"}
    assert_quoted("docking", "With fingers that open, all {} are captured", [found["captured"]])
    assert_quoted("docking", "All {} probes reach the bottom", [runs])


@pytest.mark.long
def test_outcomes_of_the_sequence() -> None:
    path = Path(str(files("softdock") / "campaign/bundled/assist-sequence.yaml"))
    text, runs = path.read_text(encoding="utf-8"), 24
    assert_quoted(
        "sequence", "the bundled campaign has {} runs", [read_campaign("assist-sequence").campaign.runs]
    )
    assert "runs: 500" in text
    count = Counter(
        r.outcome for r in outcomes(read_campaign_text(text.replace("runs: 500", "runs: 24"), path), runs)
    )
    phrase = "Of these {} runs {} end `mated` and {} `coupling_jammed`"
    assert_quoted("sequence", phrase, [runs, count["mated"], count["coupling_jammed"]])


@pytest.mark.parametrize(
    "phase", ["insertion", "spreading", "pre-tension", "clamping", "turning", "latching"]
)
def test_intervals_of_the_phases(phase: str) -> None:
    """Shares and exact intervals of the counts on the page, which another test compares with runs."""
    reached, runs = (int(text) for text in find_numbers("sequence", f"| `{phase}` | {{}} of {{}} |"))
    low = beta.ppf(0.025, reached, runs - reached + 1)
    high = 1.0 if reached == runs else beta.ppf(0.975, reached + 1, runs - reached)
    row_of_phase = f"| `{phase}` | {{}} of {{}} | {{}}% | {{}}% to {{}}% |"
    assert_quoted(
        "sequence", row_of_phase, [reached, runs, 100.0 * reached / runs, 100.0 * low, 100.0 * high]
    )


def test_interval_of_the_own_mechanism() -> None:
    captured, runs = (int(text) for text in find_numbers("own-mechanism", "Now {} of {} runs are captured"))
    assert captured == runs
    low = beta.ppf(0.025, captured, 1)
    assert_quoted("own-mechanism", "with 95 % confidence the probability is at least {} %", [100.0 * low])
