"""Failed runs have a status instead of an outcome, and statistics leave them out."""

from pathlib import Path

import numpy as np
import pytest

from softdock.campaign import runner
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.status import status_of
from softdock.campaign.summary import summarise
from softdock.campaign.table import read_table
from softdock.campaign.workers import Backend
from softdock.report.campaign import write_report

SCENARIO = """\
softdock: 1
kind: multibody
duration: 6 s
bodies:
  mass: {mass: 1 kg, inertia: [1, 1, 1], joint: {type: prismatic, axis: z, position: 0.1 m}}
springs:
  spring: {joint: mass, stiffness: 100 N/m}
metrics:
  amplitude: max mass.joint
integrator: {method: rk4, step: 0.05 s}
"""
CAMPAIGN = """\
softdock: 1
kind: campaign
scenario: {scenario}
runs: 24
seed: 3
sampling: latin-hypercube
dispersions:
  springs.spring.stiffness: {{log_uniform: [1 N/m, 100 kN/m]}}
success: [completed]
metrics: [amplitude]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a campaign with fixed steps, too long for the stiffer half of its springs: above 3200 N/m they diverge."""
    (tmp_path / "spring.yaml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "campaign.yaml").write_text(CAMPAIGN.format(scenario="spring.yaml"), encoding="utf-8")
    runner.run(
        read_campaign(tmp_path / "campaign.yaml"), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1)
    )
    return tmp_path / "out"


def test_runs_that_diverge_are_failures(folder: Path) -> None:
    table = read_table(folder)
    stiffness, failed = table.inputs["springs.spring.stiffness"], np.array(table.status) == "failed"
    unstable = stiffness > (2.0 * np.sqrt(2.0) / 0.05) ** 2  # limit of stability of rk4
    assert np.array_equal(failed, unstable | (np.array(table.valid) == "no"))
    assert set(np.array(table.outcome)[unstable]) <= {"diverged", "not_finite"}
    assert np.isnan(table.metrics["amplitude"][failed]).all()
    assert np.nanmax(table.metrics["amplitude"]) <= 0.1 + 1e-12
    assert table.success is not None
    assert not table.success[failed].any()
    assert sum(table.failures().values()) == failed.sum() > 3


def test_failures_are_reported_and_left_out_of_quantiles(folder: Path) -> None:
    findings = summarise(read_table(folder))
    failed = sum(findings.failures.values())
    data = findings.to_json()
    assert data["failures"] == status_of(folder)["failures"] == findings.failures
    assert data["quantiles"]["amplitude"]["runs"] == 24 - failed
    low, high = data["quantiles"]["amplitude"]["intervals"]["median"]
    assert low <= data["quantiles"]["amplitude"]["median"] <= high
    assert data["quantiles"]["amplitude"]["intervals"]["q99"][1] is None
    assert any("runs failed" in sentence for sentence in data["sentences"])
    page, _ = write_report(folder, folder / "report.html", lambda *_: None)
    assert "(failure)" in page.read_text("utf-8")
    assert "order statistics" in page.read_text("utf-8")


def test_the_export_has_the_status_of_failures(folder: Path) -> None:
    import pyarrow.parquet as pq

    rows = pq.read_table(export(folder)).to_pylist()
    assert all(not row["success"] for row in rows if row["status"] == "failed")
    assert any(row["status"] == "failed" for row in rows)
