"""Plain data of one campaign for the top of its page: success rate, remaining runs, requirement matrix."""

from pathlib import Path
from typing import Any

from softdock.campaign.compliance import assess_campaign, read_requirement_data
from softdock.campaign.status import status_of
from softdock.errors import InputError
from softdock.presentation.campaign import remaining_runs_texts
from softdock.presentation.phases import phase_share_table
from softdock.presentation.rare_events import search_sentences
from softdock.presentation.requirements import (
    CAMPAIGN_MATRIX_NOTE,
    campaign_notes,
    campaign_requirement_table,
    overall_verdict,
)
from softdock.presentation.unit_systems import SYSTEMS
from softdock.studio.run_data import table_data


def summarise_folder(folder: Path) -> dict[str, Any]:
    """Return success rate, remaining runs and requirements of a campaign; also while it runs."""
    status = status_of(folder)
    search = status["subset"] or status["boundary"]
    total = status["stopped_at"] or status["runs"]
    summary: dict[str, Any] = {
        "method": status["method"],
        "success": status["success"],
        "done": status["done"],
        "remaining": 0 if status["complete"] else max(total - status["done"], 0),
        "total": total,
        "sentences": {
            name: search_sentences(status["method"], search, system) for name, system in SYSTEMS.items()
        },
        "verdict": None,
        "requirements": None,
        "notes": "",
        "phases": table_data(phase_share_table(status["phases"])),
        "problem": "",
        "discrepancies": status["discrepancies"],
    }
    additional: list[int] = []
    try:
        data = read_requirement_data(folder)
        verdicts = assess_campaign(data) if data.run else []
        additional = [verdict.additional_runs for verdict in verdicts if verdict.additional_runs is not None]
        if verdicts:
            text, verdict = overall_verdict(verdicts, "campaign")
            summary["verdict"] = {"text": text, "status": verdict.value}
            summary["requirements"] = {
                name: table_data(campaign_requirement_table(verdicts, data.definition, data.units, system))
                for name, system in SYSTEMS.items()
            }
            summary["notes"] = " ".join([CAMPAIGN_MATRIX_NOTE, *campaign_notes(verdicts, data.manifest)])
    except (InputError, ValueError) as error:  # a received campaign whose scenario is damaged
        summary["problem"] = str(error)
    summary["estimates"] = remaining_runs_texts(status["stop_rule"], status["done"], additional)
    return summary
