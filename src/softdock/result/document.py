"""Types of the fields of `result.json`, checked before a result is used: the file may have been received or damaged."""

import math
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from softdock.result import (
    Audit,
    PeakReaction,
    RequirementVerdict,
    RunEvent,
    RunPhase,
    Timing,
    Validity,
)
from softdock.result.refinement import RefinedRun
from softdock.scenario.provenance import WrittenValue

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal interprets, that change the order of a line, or that cannot be written."""


def _check_printable(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("A text must not have control characters")
    return text


Text = Annotated[str, AfterValidator(_check_printable)]
Integer = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Value = float | Integer | bool | Text | None
Metrics = dict[Text, Value | list[Any] | dict[Text, Any]]


class ResultDocument(BaseModel):
    """Content of `result.json` apart from its version and its digests."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=True)

    scenario: Text
    outcome: Text
    message: Text
    completed: bool = True
    valid: Validity = "unknown"
    warnings: list[Text] = []
    metrics: Metrics
    metric_errors: dict[Text, float | None] = {}
    loads: list[PeakReaction] = []
    requirements: list[RequirementVerdict] = []
    contact_conditions: dict[Text, float] | None = None
    units: dict[Text, Text]
    audit: Audit
    timing: Timing
    events: list[RunEvent]
    phases: list[RunPhase] = []
    prediction: Metrics | None
    definition: dict[str, Any]
    directory: str = ""
    outlines: dict[str, Any] = {}
    inputs: list[WrittenValue] = []
    discrepancies: list[Text] = []
    converged: RefinedRun | None = None


def check_document(data: str | bytes) -> ResultDocument:
    """Return the checked content of a file; raises ValueError with the field and what it must be."""
    try:
        document = ResultDocument.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise ValueError(f"Parts of the result are missing: {place}.") from error
        raise ValueError(f"The field {place} is not usable: {first['msg']}.") from error
    if not all(math.isfinite(event.time) for event in document.events):
        raise ValueError("The times of the events must be finite.")
    if not all(math.isfinite(time) for phase in document.phases for time in (phase.start, phase.end)):
        raise ValueError("The times of the phases must be finite.")
    events = [text for event in document.events for text in (event.name, event.message)]
    for text in (
        *events,
        *(phase.name for phase in document.phases),
        *(reaction.name for reaction in document.loads),
        *(
            text
            for requirement in document.requirements
            for text in (requirement.id, requirement.verdict_text)
        ),
        *(() if document.converged is None else _refined_texts(document.converged)),
    ):
        _check_printable(text)
    return document


def _refined_texts(refined: RefinedRun) -> list[str]:
    return [refined.settings, refined.outcome, refined.valid, *(value.name for value in refined.values)]
