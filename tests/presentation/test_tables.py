"""Tables in a terminal, in HTML and in Markdown, and tables of a run."""

import math

from softdock.presentation.run import metric_table, quantity_table
from softdock.presentation.status import Status
from softdock.presentation.tables import Table

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


def test_members_of_a_mapping_have_a_line_each() -> None:
    table = quantity_table({"velocities_after": {"chaser": 0.01, "target": 2.0}}, {"velocities_after": "m/s"})
    assert table.rows == [
        ("velocities after: chaser", "10", "mm/s"),
        ("velocities after: target", "2", "m/s"),
    ]


def test_rounding_errors_of_angles_are_shown_as_zero() -> None:
    table = metric_table({"roll": -3e-26, "tilt": 2e-8}, None, {"roll": "rad", "tilt": "rad"})
    assert [row[1] for row in table.rows] == ["0", "1.1459e-06"]
