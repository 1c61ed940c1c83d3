"""Commands of campaigns: output, exit codes and written files."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Command, Write

from softdock.campaign.runner import CampaignProgress
from softdock.cli.campaign import describe


def test_commands_run_report_export_and_repeat_a_campaign(
    campaign: Command, write: Write, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    path = write("success: [separated]", "springs: {pad: {metric: kinetic_energy_before, stroke: 10 mm}}")
    code, printed, _ = campaign("run", path, "--out", out, "--workers", 2, "--json")
    assert code == 0
    status = json.loads(printed)
    assert (status["runs"], status["done"], status["complete"]) == (40, 40, True)
    assert status["outcomes"] == {"separated": 40}
    assert status["success"]["share"] == 1.0

    code, printed, _ = campaign("status", out)
    assert "40 of 40 runs of impact-a" in printed

    code, printed, _ = campaign("report", out, "--json")
    assert code == 0
    found = json.loads(printed)
    assert found["quantiles"]["relative_velocity_before"]["runs"] == 40
    page = (out / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=\"(?!data:)", page), "the report must not refer to other files"
    assert f"softdock campaign resume {out} --rerun" in page
    assert page.count("<img") >= 2

    code, printed, _ = campaign("export", out, "--json")
    assert json.loads(printed)["file"] == str(out / "runs.parquet")

    code, printed, _ = campaign("resume", out, "--rerun", 3)
    assert code == 0
    assert "The run reproduces its row of the table." in printed
    assert (out / "histories" / "00000003" / "history.parquet").is_file()

    code, _, errors = campaign("run", path, "--out", out)
    assert code == 2
    assert "already" in errors


def test_sobol_indices_of_a_saltelli_campaign_add_up(campaign: Command, write: Write, tmp_path: Path) -> None:
    """The kinetic energy is m v²/2: speed and mass share all of its variance, and the rest is their product."""
    out = tmp_path / "out"
    path = write("sampling: saltelli", "metrics: [kinetic_energy_before]", runs="256")
    assert campaign("run", path, "--out", out)[0] == 0
    found = json.loads(campaign("report", out, "--json")[1])["sobol"]["kinetic_energy_before"]
    assert found["names"] == ["chaser.masses.0", "speed"]
    assert found["points"] == 64
    assert sum(found["first_order"]) <= 1.0 + 3.0 / 64**0.5
    assert sum(found["total"]) >= 1.0 - 3.0 / 64**0.5


def test_one_run_is_repeated_without_running_its_campaign(
    campaign: Command, write: Write, tmp_path: Path
) -> None:
    code, printed, _ = campaign("run", write(), "--out", tmp_path / "one", "--rerun", 3, "--json")
    assert code == 0
    assert json.loads(printed)["run"] == 3
    assert (tmp_path / "one" / "result.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "assist-table", "--out", "x"), "Did you mean 'assist-table2'"),
        (("run", "impact-masses", "--out", "x", "--workers", "0"), "between 1 and"),
        (("run", "impact-masses", "--out", "x", "--in", "ropes"), "threads or processes"),
        (
            ("run", "impact-masses", "--out", "x", "--in", "threads", "--cluster", "a"),
            "Cannot be combined with --in",
        ),
        (("run", "impact-masses", "--out", "x", "--runs", "0"), "at least 1"),
        (("run", "impact-masses", "--out", "x", "--rerun", "2000"), "numbered 0 to 1999"),
        (("status", "nowhere"), "no campaign in this folder"),
        (("report", "nowhere"), "no campaign in this folder"),
        (("resume", "nowhere"), "no campaign in this folder"),
        (("export", "nowhere"), "no campaign in this folder"),
    ],
)
def test_bad_arguments_are_refused(
    campaign: Command,
    arguments: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, printed, errors = campaign(*arguments)
    assert code == 2
    assert printed == ""
    assert message in errors
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_is_reported_once_with_the_command_to_continue(
    campaign: Command, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """The first interrupt lets running runs end, the second does not."""
    left = times

    def interrupting(watch: Callable[[CampaignProgress], None]) -> Callable[[CampaignProgress], None]:
        def watch_and_interrupt(progress: CampaignProgress) -> None:
            nonlocal left
            watch(progress)
            if progress.done >= 3 and left:
                left -= 1
                raise KeyboardInterrupt

        return watch_and_interrupt

    monkeypatch.setattr(sys.modules[describe.__module__], "_with_interrupt_message", interrupting)
    out = tmp_path / "out"
    code, printed, errors = campaign("run", write(), "--out", out, "--in", "threads")
    assert code == 130
    resume = f"softdock campaign resume {out}"
    assert errors == f"Interrupted; all completed runs are saved. Continue with: {resume}\n"
    assert "Continue" not in printed
    assert ("of 40 runs" in printed) == (times == 1)
    code, printed, errors = campaign("resume", out)
    assert (code, errors) == (0, "")
    assert "40 of 40 runs" in printed


def test_campaigns_and_presets_are_listed(campaign: Command) -> None:
    known = json.loads(campaign("list", "--json")[1])
    assert set(known["campaigns"]) >= {"assist-table2", "impact-masses"}
    assert set(known["presets"]) >= {"assist-table2", "idss", "atv", "station"}


def test_progress_names_rate_time_left_and_outcomes() -> None:
    progress = CampaignProgress(total=101)
    progress.count("captured")
    assert describe(progress) == "1 of 101 runs, captured 1"
    for _ in range(10):
        progress.count("captured")
    progress.first_done -= 5.0
    assert re.fullmatch(r"11 of 101 runs, 2 runs/s, about 45 s left, captured 11", describe(progress))


def test_theory_and_simulation_agree_over_masses(campaign: Command, tmp_path: Path) -> None:
    """Bulk predictions of the same samples are those of the runs, bit for bit, and close to simulation."""
    from softdock.campaign.bulk_prediction import predict_plan
    from softdock.campaign.loading import read_campaign
    from softdock.campaign.table import read_table

    campaign("run", "impact-masses", "--runs", 50, "--out", tmp_path / "out")
    table = read_table(tmp_path / "out")
    _, after = predict_plan(read_campaign("impact-masses", runs=50), 50)
    assert after.tolist() == table.predictions["relative_velocity_after"].tolist()
    speed = table.metrics["relative_velocity_before"][0]
    # The springs inside (at most 1 kN/m) act during a contact of 1.5 MN/m: an error of that ratio.
    assert abs(after - table.metrics["relative_velocity_after"]).max() < speed * 1000.0 / 1.5e6 * 2.0
