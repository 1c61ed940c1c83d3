"""Plain data of one run for its page; reactions, requirements and limits in every unit system."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from softdock.errors import InputError
from softdock.presentation.assessment import named_outcomes
from softdock.presentation.numbers import display_resolutions
from softdock.presentation.phases import phase_table
from softdock.presentation.reactions import largest_reaction_text, reaction_table
from softdock.presentation.requirements import overall_verdict, requirement_table
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import SYSTEMS, UnitSystem, unit_system_of
from softdock.report.limits import limit_lines
from softdock.report.reaction_channels import history_reactions, peak_components, phase_peaks
from softdock.result import Result
from softdock.result.damaged_results import damaged_result_errors


def summarise_result(result: Result) -> dict[str, Any]:
    """Return everything about a result except its curves."""
    with damaged_result_errors(result):
        return _summary(result)


def _summary(result: Result) -> dict[str, Any]:
    verdict, status = overall_verdict(result.requirements, "scenario")
    return {
        **result.to_json(),
        "channels": {name: channel.unit for name, channel in result.history.channels.items()},
        "rows": int(result.history.time.size),
        "outcomes": named_outcomes(result.definition),
        "has_controllers": bool(result.definition.get("gnc")),
        "resolutions": display_resolutions(result.definition),
        "unit_system": unit_system_of(result.definition).name,
        "requirement_verdict": {"text": verdict, "status": status.value},
        "displays": {name: _display(result, system) for name, system in SYSTEMS.items()},
    }


def _display(result: Result, system: UnitSystem) -> dict[str, Any]:
    """Return what a unit system changes: reactions, phases, requirement matrix, and limits of channels."""
    reactions = result.loads or history_reactions(result)
    display: dict[str, Any] = {
        "headline": largest_reaction_text(reactions, system),
        "loads": table_data(
            reaction_table(reactions, system, lambda reaction, unit: peak_components(result, reaction, unit))
        ),
        "phases": table_data(phase_table(result.phases, phase_peaks(result), system)),
    }
    try:
        matrix, limits = requirement_table(result, system), limit_lines(result, system)
    except (InputError, ValueError) as error:  # a received result whose scenario is damaged
        return {**display, "requirements": None, "limits": [], "problem": str(error)}
    lines = [asdict(line) for line in limits]
    return {**display, "requirements": table_data(matrix), "limits": lines, "problem": ""}


def table_data(table: Table) -> dict[str, Any]:
    """Return a table as plain data, for the connection between processes."""
    return {**asdict(table), "statuses": [status.value for status in table.statuses]}


def read_table(data: Mapping[str, Any]) -> Table:
    """Return the table of `table_data`."""
    return Table(**{**data, "statuses": [Status(name) for name in data["statuses"]]})
