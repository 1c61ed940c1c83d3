"""Tables in a terminal, in HTML and in Markdown, and tables of a run."""

import math

from softdock.presentation.run import (
    conservation_errors,
    conservation_failure,
    conservation_table,
    event_table,
    first_event_table,
    metric_table,
    prediction_sentences,
    quantity_table,
    timing_text,
)
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.result import CONSERVATION_LIMIT, Audit, RunEvent, Timing

TABLE = Table(
    header=("name", "value", "unit"), rows=[("mass <m>", "1.5", "kg"), ("n", "10", "")], left=(0, 2)
)


def test_text_is_aligned() -> None:
    assert TABLE.to_text().split("\n") == ["name      value  unit", "mass <m>    1.5  kg", "n            10"]


def test_html_is_escaped_and_marks_numbers_and_statuses() -> None:
    page = Table(header=("", ""), rows=[("a<b", "1")], statuses=[Status.FAILED], code=(1,)).to_html("plain")
    assert page == (
        '<table class="plain"><tr><td><span class="status failed" aria-hidden="true"></span>a&lt;b</td>'
        '<td class="number"><code>1</code></td></tr></table>'
    )
    assert "<th>name</th>" in TABLE.to_html()


def test_markdown_has_a_rule_below_the_header() -> None:
    assert TABLE.to_markdown().split("\n")[:2] == ["| name | value | unit |", "|---|---|---|"]


def test_values_of_one_row_have_one_unit() -> None:
    metrics = {"speed": 0.05, "latched": True, "unknown": math.nan, "path": [1.0, 2.0], "note": "two words"}
    table = metric_table(
        metrics, {"speed": 0.0005, "ratio": 0.5}, {"speed": "m/s"}, {"other": {"speed": 1.0}}
    )
    assert table.header == ("", "simulated", "predicted", "other", "unit")
    assert table.rows == [
        ("speed", "0.05", "0.0005", "1", "m/s"),
        ("latched", "yes", "", "", ""),
        ("unknown", "-", "", "", ""),
        ("ratio", "", "0.5", "", ""),
    ]


def test_a_metric_that_is_a_list_in_one_column_is_left_out_of_all() -> None:
    table = metric_table({"path": [1.0, 2.0], "speed": 1.0}, {"path": 3.0, "text": "two words"}, {})
    assert [row[0] for row in table.rows] == ["speed"]


def test_members_of_a_mapping_have_a_line_each() -> None:
    table = quantity_table({"velocities_after": {"chaser": 0.01, "target": 2.0}}, {"velocities_after": "m/s"})
    assert table.rows == [
        ("velocities after: chaser", "10", "mm/s"),
        ("velocities after: target", "2", "m/s"),
    ]


def test_components_of_a_vector_that_are_rounding_errors_are_shown_as_zero() -> None:
    table = quantity_table({"velocity": [9.2707e-6, -1.5e-21, 4.8e-11]}, {"velocity": "m/s"})
    assert table.rows == [("velocity", "9.2707, 0, 4.8e-05", "µm/s")]


def test_metrics_have_the_resolution_of_their_unit() -> None:
    metrics = {"tilt_rate": 6.4e-11, "drift": 4.6375e-8, "force": 1.23456e-9}
    units = {"tilt_rate": "rad/s", "drift": "m/s", "force": "N"}
    table = metric_table(metrics, None, units, resolutions={"rad/s": 1e-8, "m/s": 1e-8})
    assert table.rows == [
        ("tilt rate", "0", "deg/s"),
        ("drift", "0.05", "µm/s"),
        ("force", "1.2346e-09", "N"),
    ]


def test_events_are_listed_once_with_their_first_time() -> None:
    events = [
        RunEvent(time=0.25, name="touch", message="They touch."),
        RunEvent(time=0.5, name="seated"),
        RunEvent(time=0.75, name="touch", message="They touch."),
    ]
    assert first_event_table(events).rows == [
        ("touch", "0.2500 s", "They touch. (2 times)"),
        ("seated", "0.5000 s", ""),
    ]


def test_the_sentence_of_a_prediction_names_its_theory() -> None:
    assert prediction_sentences({"regime": "parting", "note": "They part."}) == [
        "Theory of the first impact: They part."
    ]


def test_sentences_of_a_prediction_are_no_words_and_none_without_one() -> None:
    assert prediction_sentences({"outcome": "latched", "speed": 0.5}) == prediction_sentences(None) == []


AUDIT = Audit(
    linear_momentum_drift=1.2e-15, angular_momentum_drift=None, energy_residual=2.0 * CONSERVATION_LIMIT
)


def test_a_failed_check_names_the_laws_beyond_the_limit_only() -> None:
    text = conservation_failure(AUDIT)
    assert f"energy {2.0 * CONSERVATION_LIMIT:.1e})" in text
    assert "momentum" not in text
    assert text.endswith("Do not use the results.")


def test_errors_of_laws_that_do_not_apply_are_left_out_in_a_line_and_said_in_a_table() -> None:
    assert conservation_errors(AUDIT) == f"linear momentum 1.2e-15, energy {2.0 * CONSERVATION_LIMIT:.1e}"
    table = conservation_table(AUDIT)
    assert list(table.rows[1]) == ["angular momentum", "does not apply"]
    assert table.statuses == [Status.GOOD, Status.NEUTRAL, Status.FAILED]


def test_columns_of_words_are_on_the_left_and_numbers_on_the_right() -> None:
    """So that numbers of one column can be compared; units follow their numbers."""
    tables = [
        metric_table({"speed": 0.5}, {"speed": 0.4}, {"speed": "m/s"}, {"other": {"speed": 1.0}}),
        quantity_table({"speed": 0.5}, {"speed": "m/s"}),
        first_event_table([RunEvent(time=0.25, name="touch", message="They touch.")]),
    ]
    for table in tables:
        for column, cell in enumerate(table.rows[0]):
            assert (column in table.left) != cell.removesuffix(" s").replace(".", "").isdecimal()


def test_events_are_in_the_order_of_the_log() -> None:
    events = [
        {"time": 0.5, "name": "seated", "message": ""},
        {"time": 0.25, "name": "touch", "message": "They touch."},
    ]
    assert event_table(events).rows == [("0.5000 s", "seated", ""), ("0.2500 s", "touch", "They touch.")]


def test_the_effort_of_a_run_compares_it_with_real_time() -> None:
    """A run that is slower than real time claims no speed; one in frames counts those that were late."""
    fast = Timing(simulated_s=30.0, wall_s=0.1, steps=1200, evaluations=8400)
    assert timing_text(fast) == (
        "30 s simulated in 100 ms, 300 times faster than real time; 1,200 steps, 8,400 evaluations"
    )
    for wall in (40.0, 30.0, 0.0):
        slow = Timing(simulated_s=30.0, wall_s=wall, steps=1, evaluations=6)
        assert "real time" not in timing_text(slow)
    frames = Timing(
        simulated_s=10.0, wall_s=10.0, steps=1, evaluations=6, frame_s=0.01, frames=1000, missed_frames=2,
        worst_frame_s=0.012,
    )  # fmt: skip
    assert "10 s of real time, 1000 frames of 10 ms, 2 missed, longest frame 12 ms;" in timing_text(frames)


def test_a_metric_below_its_resolution_is_zero_in_its_base_unit() -> None:
    table = metric_table({"drift": -4e-9}, None, {"drift": "m/s"}, resolutions={"m/s": 1e-8})
    assert table.rows == [("drift", "0", "m/s")]


def test_a_table_without_header_has_none_in_any_form() -> None:
    plain = Table(header=("", ""), rows=[("a", "1"), ("bcd", "20")])
    assert plain.to_text().split("\n") == ["a     1", "bcd  20"]
    assert "<th" not in plain.to_html()
    assert "<thead>" in TABLE.to_html()
    assert TABLE.to_html().startswith("<table><thead>")


def test_rounding_errors_of_angles_are_shown_as_zero() -> None:
    table = metric_table({"roll": -3e-26, "tilt": 2e-8}, None, {"roll": "rad", "tilt": "rad"})
    assert [row[1] for row in table.rows] == ["0", "1.1459e-06"]
