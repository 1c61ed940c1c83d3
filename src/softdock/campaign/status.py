"""Progress, outcomes and success rate of a campaign, also while it runs, without decoding its rows."""

import sqlite3
from pathlib import Path
from typing import Any

from softdock.campaign import store
from softdock.campaign.digests import discrepancies_of
from softdock.campaign.model import independent_runs
from softdock.campaign.phases import phase_status
from softdock.campaign.statistics import stop_rule_state, wilson
from softdock.campaign.stored_entries import check_search
from softdock.campaign.table import read_entries


def status_of(folder: Path) -> dict[str, Any]:
    """Return progress, outcomes, success rate and discrepancies of a campaign, without decoding its rows."""
    with store.open_readonly(folder) as database:
        manifest, state = read_entries(database)
        counts = dict(
            database.execute("SELECT outcome, count(*) FROM runs GROUP BY outcome ORDER BY count(*) DESC")
        )
        failed = dict(
            database.execute(
                "SELECT outcome, count(*) FROM runs WHERE status = 'failed' GROUP BY outcome ORDER BY count(*) DESC"
            )
        )
        (seconds,) = database.execute("SELECT total(wall_s) FROM runs").fetchone()
        campaign = manifest["campaign"]
        success = _success(database, campaign)
        search = check_search(campaign.get("method"), store.read_optional_entry(database, "search"))
        phases = phase_status(database, manifest)
        discrepancies = discrepancies_of(folder / store.TABLE_FILE, database)
    done, stopped = sum(counts.values()), state.get("stopped_at")
    method = campaign.get("method", "monte-carlo")
    return {
        "campaign": manifest["name"],
        "scenario": manifest["scenario"]["name"],
        "runs": state["runs"],
        "done": done,
        "complete": done == (stopped or state["runs"]) and (stopped is not None or method == "monte-carlo"),
        "stopped_at": stopped,
        "seed": campaign["seed"],
        "sampling": campaign["sampling"],
        "outcomes": counts,
        "failures": failed,
        "success": success,
        "stop_rule": _stop_rule(campaign, success, done, bool(stopped)),
        "method": method,
        "subset": search if method == "subset" else None,
        "boundary": search if method == "boundary" else None,
        "worker_seconds": seconds,
        "phases": phases,
        "discrepancies": list(discrepancies),
    }


def _success(database: sqlite3.Connection, campaign: dict[str, Any]) -> dict[str, Any] | None:
    """Return the success rate of the runs that do not depend on each other; None where there are none."""
    runs, names = independent_runs(campaign), campaign["success"]
    if not names or not runs:
        return None
    counts = database.execute(
        "SELECT outcome, status = 'failed', count(*) FROM runs WHERE run < ? GROUP BY 1, 2", (runs,)
    ).fetchall()
    done = sum(count for _, _, count in counts)
    successes = sum(count for outcome, failed, count in counts if outcome in names and not failed)
    low, high = wilson(successes, done)
    share = successes / done if done else None
    return {"share": share, "low": low, "high": high, "confidence": 0.95}


def _stop_rule(
    campaign: dict[str, Any], success: dict[str, Any] | None, done: int, stopped: bool
) -> dict[str, Any] | None:
    """Return the state of the stop rule of a campaign; None where it has none."""
    rule = campaign.get("stop")
    if rule is None or success is None or campaign.get("method", "monte-carlo") != "monte-carlo":
        return None
    return stop_rule_state(rule, round((success["share"] or 0.0) * done), done, stopped)
