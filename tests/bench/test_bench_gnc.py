"""The benchmark of controllers: rows with and without Basilisk."""

import sys

import pytest

from softdock.bench import gnc

ROW = {"name", "value", "unit", "peer", "peer_value", "ratio", "aim"}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the benchmark; its numbers then have no meaning."""
    monkeypatch.setattr(gnc, "DURATION", 5.0)
    monkeypatch.setattr(gnc, "MAX_ROUNDS", 1)
    monkeypatch.setattr(gnc, "APPROACH", "no such scenario")


def test_both_craft_turn_to_the_axes_of_the_world_and_keep_their_momentum() -> None:
    from softdock.simulation import simulate

    result = simulate(gnc.two_craft(120.0), with_prediction=False)
    for name in gnc.CRAFT:
        assert abs(result.history[f"{name}.qw"][-1]) > 1.0 - 1e-6
    assert result.audit.angular_momentum_drift is not None
    assert result.audit.angular_momentum_drift < 1e-12


def test_rows_without_basilisk_say_so(short: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Basilisk", None)
    monkeypatch.delitem(sys.modules, "softdock.bench.gnc_basilisk", raising=False)
    (row,) = gnc.run(lambda what, fraction: None)
    assert "Basilisk is not installed" in row["name"]
    assert row["value"] > 0.0
    assert "ratio" not in row


def test_rows_with_basilisk(short: None) -> None:
    pytest.importorskip("Basilisk", reason="Basilisk is not installed (pip install bsk)")
    rows = gnc.run(lambda what, fraction: None)
    assert all(set(row) <= ROW for row in rows)
    assert [row["aim"] for row in rows[:2]] == [3.0, 3.0]
    assert rows[0]["ratio"] == pytest.approx(rows[0]["value"] / rows[0]["peer_value"])
