"""The report of a campaign: order, words and display units, dispersions as written, commands of worst cases."""

import functools
import html
import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.campaign.conftest import write_campaign

from softdock import cli
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.statistics import RankCorrelation
from softdock.campaign.table import read_table
from softdock.campaign.workers import Backend
from softdock.presentation.labels import input_label
from softdock.presentation.unit_systems import IMPERIAL
from softdock.report.campaign import CampaignReportOptions, write_report
from softdock.report.campaign_figures import column, correlation_figure, tornado_figure
from softdock.report.dispersions import describe_dispersion, dispersion_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("report")
    lines = "success: [separated]", "author: J. Doe", "title: Masses <&> speeds"
    path = write_campaign(place, *lines, runs="12")
    runner.run(read_campaign(path), place / "a campaign", ExecutionOptions(Backend.THREADS, 2))
    return place / "a campaign"


@functools.cache
def page_of(folder: Path, **options: str) -> str:
    path, _ = write_report(folder, folder / "r.html", lambda *_: None, CampaignReportOptions(**options))
    return path.read_text(encoding="utf-8")


def test_sections_are_in_the_order_of_a_review(folder: Path) -> None:
    page = html.unescape(page_of(folder))
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", page)
    wanted = [
        "Outcomes and validity", "Dispersions", "Metrics", "Cumulative distributions by outcome", "Sensitivities",
        "Rank correlations (Spearman)", "Capture envelope", "Worst cases", "Identification",
        "Annex: other metrics, campaign and scenario",
    ]  # fmt: skip
    assert [heading for heading in headings if heading in wanted] == wanted
    assert page.index("Success rate 100.0%") < page.index("Outcomes and validity")
    assert "J. Doe" in page
    assert "<script" not in page_of(folder)
    assert not re.search(r'(?:src|href)="(?!data:)', page)


def test_the_report_has_words_and_display_units_and_no_internal_names(folder: Path) -> None:
    page = html.unescape(page_of(folder))
    before_annex = page.partition("Annex:")[0]
    visible = re.sub(r"<style>.*?</style>|<[^>]*>", " ", before_annex)
    assert "relative velocity after [mm/s]" in visible
    names = set(re.findall(r"\b[a-z]+_[a-z_]+\b", visible))
    assert names <= {"log_uniform"}
    assert "chaser masses 1" in visible
    assert visible.count("chaser.masses.0") == 1  # the key, in the table of dispersions


def test_units_of_the_campaign_and_of_the_option(folder: Path) -> None:
    assert "relative velocity after [in/s]" in page_of(folder, units="imperial")
    assert "relative velocity after [m/s]" in page_of(folder, units="SI")
    assert column(read_table(folder), "speed", IMPERIAL).label == "speed [in/s]"


def test_dispersions_are_as_written_with_nominal_and_sampled_values(folder: Path) -> None:
    mass, speed = dispersion_table(read_table(folder)).rows
    assert mass[:5] == ("chaser masses 1", "chaser.masses.0", "uniform", "5 kg to 30 kg", "17 kg")
    assert speed[2:5] == ("normal", "mean 0.05 m/s, deviation 5 mm/s, from 0.03 m/s", "50 mm/s")
    values = read_table(folder).inputs["speed"]
    assert speed[5] == f"{1e3 * values.min():.5g} ... {1e3 * values.max():.5g} mm/s"


@pytest.mark.parametrize(
    ("dispersion", "words"),
    [
        ({"uniform": ["1 kg", 2]}, ("uniform", "1 kg to 2")),
        ({"log_uniform": [1, 2]}, ("log-uniform", "1 to 2")),
        ({"choice": ["a", 3], "weights": [1, 2]}, ("choice", "a, 3; weights 1, 2")),
        ({"choice": [True]}, ("choice", "True")),
        ({"magnitude": {"uniform": [0, "20 mm"]}}, ("uniform size, any direction", "0 to 20 mm")),
        (
            {"normal": {"mean": 1, "deviation": 2, "low": None, "high": 5}},
            ("normal", "mean 1, deviation 2, to 5"),
        ),
    ],
)
def test_distributions_are_described_in_words(dispersion: dict[str, object], words: tuple[str, str]) -> None:
    assert describe_dispersion(dispersion) == words


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("bodies.client.mass", "client mass"),
        ("approach.offset.norm", "approach offset (size)"),
        ("approach.offset.1", "approach offset y"),
        ("chaser.masses.0", "chaser masses 1"),
        ("springs.bumper-spring.stiffness", "bumper-spring stiffness"),
        ("speed", "speed"),
        ("bodies.rod.inertia.2", "rod inertia z"),
    ],
)
def test_fields_are_described_in_words(path: str, words: str) -> None:
    assert input_label(path) == words


def test_the_command_of_a_worst_case_repeats_its_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = re.findall(r"<code>(softdock campaign resume .*?)</code>", page_of(folder))
    assert commands
    command = shlex.split(html.unescape(commands[0]))
    monkeypatch.setattr(sys, "argv", [*command, "--json"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    answer = json.loads(capsys.readouterr().out)
    assert answer["same_row"] is True
    assert answer["run"] == int(command[-1])


def test_figures_fit_the_page_whatever_the_number_of_inputs() -> None:
    found = [
        RankCorrelation(f"bodies.part-{i}.mass", metric, (i - 20) / 40.0, 0.5, 100)
        for i in range(40)
        for metric in ("peak_contact_force", "opening_time")
    ]
    figure, omitted = correlation_figure(found)
    assert len(omitted) == 16
    assert "bodies.part-0.mass" not in omitted  # the strongest are kept
    assert figure.get_size_inches()[0] <= 10.0
    bars = tornado_figure([one for one in found if one.metric == "opening_time"], "opening_time")
    sizes = [abs(bar.get_width()) for bar in bars.axes[0].patches]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 12
