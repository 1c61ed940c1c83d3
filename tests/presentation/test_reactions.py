"""Loads as they are shown: rounding errors beside the largest load of a run are zero."""

from softdock.presentation.phases import PhasePeak, phase_table
from softdock.presentation.reactions import (
    largest_reaction_text,
    reaction_table,
    without_noise,
    without_reaction_metrics,
)
from softdock.result import PeakReaction, RunPhase

LOADS = (
    PeakReaction(
        name="latch", kind="weld", peak_force=300.0, t_peak_force=1.0, peak_moment=2e-6, t_peak_moment=1.5
    ),
    PeakReaction(
        name="mount", kind="mount", peak_force=1e-5, t_peak_force=1.0, peak_moment=1e-9, t_peak_moment=1.5
    ),
    PeakReaction(name="spring", kind="spring", peak_force=1e-3, t_peak_force=2.0),
)
PHASE = RunPhase(name="one", start=0.0, end=1.0, ended="condition")


def test_rounding_errors_are_shown_as_zero() -> None:
    shown = without_noise(LOADS)
    assert [load.peak_force for load in shown] == [300.0, 0.0, 1e-3]
    assert [load.peak_moment for load in shown] == [0.0, 0.0, None]
    table = reaction_table(
        LOADS, components=lambda load, unit: (1e-9, 2e-10, 0.0) if load.name == "mount" else ()
    )
    assert list(table.rows[1]) == ["mount", "mount", "0", "", "0, 0, 0", "0", "", "0, 0, 0"]
    assert "moment" not in largest_reaction_text(LOADS)


def test_the_largest_force_and_the_largest_moment_are_named_with_what_transmits_them() -> None:
    bolt = PeakReaction(
        name="bolt", kind="mount", peak_force=5.0, t_peak_force=None, peak_moment=20.0, t_peak_moment=1.5
    )
    assert largest_reaction_text((*LOADS, bolt)) == (
        "Largest force 300 N in weld latch at 1.0000 s; largest moment 20 N·m in mount bolt at 1.5000 s."
    )
    assert largest_reaction_text([bolt]).startswith("Largest force 5 N in mount bolt; largest")
    assert largest_reaction_text([]) == ""


def test_metrics_beside_a_table_of_loads_leave_out_its_peaks() -> None:
    metrics = {"peak_force_latch": 300.0, "peak_moment_latch": 0.0, "peak_force_other": 1.0, "latched": True}
    assert without_reaction_metrics(metrics, LOADS) == {"peak_force_other": 1.0, "latched": True}


def test_small_loads_of_a_small_mechanism_are_not_shown_as_zero() -> None:
    small = (
        PeakReaction(
            name="pin", kind="contact", peak_force=2e-6, t_peak_force=1.0, peak_moment=3e-9, t_peak_moment=1.0
        ),
    )
    assert without_noise(small) == small


def test_phases_without_moments_have_no_column_of_them() -> None:
    force = PhasePeak(force=3.0, force_name="latch", moment=0.0)
    assert phase_table([PHASE], [force]).header[-1] == "peak force"
    both = PhasePeak(force=3.0, force_name="latch", moment=0.2, moment_name="mount")
    table = phase_table([PHASE, PHASE], [force, both])
    assert table.header[-1] == "peak moment"
    assert [row[-1] for row in table.rows] == ["-", "200 mN·m in mount"]
