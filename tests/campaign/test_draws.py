"""Draws of ASSIST Tables 2 and 3 all reach an outcome; `draws.py` runs as many as wanted."""

import pytest
from tests.campaign.draws import failed_draws


@pytest.mark.long
def test_draws_of_the_tables_do_not_fail() -> None:
    outcomes, failed, residual = failed_draws(2000, seed=1)
    assert [(row.run, row.outcome) for row in failed] == []
    assert sum(outcomes.values()) == 2000
    assert residual < 1e-2
