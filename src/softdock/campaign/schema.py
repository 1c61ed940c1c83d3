"""JSON Schema of scenario and campaign files, for completion and validation in editors."""

from typing import Any

from softdock.campaign.model import CampaignFile
from softdock.scenario.schema import append_units
from softdock.scenario.schema import json_schema as scenario_schema


def json_schema() -> dict[str, Any]:
    """Return one JSON Schema (draft 2020-12) for all kinds of scenario and for campaigns."""
    schema = scenario_schema()
    campaign = CampaignFile.model_json_schema(ref_template="#/$defs/campaign.{model}")
    # Names of models of campaigns may be those of models of scenarios.
    definitions = {f"campaign.{name}": definition for name, definition in campaign.pop("$defs", {}).items()}
    append_units([campaign, definitions])
    campaign["required"] = ["softdock", "kind", *campaign.get("required", [])]
    schema["title"] = "Softdock scenario or campaign"
    schema["oneOf"] = [*schema["oneOf"], {"$ref": "#/$defs/campaign"}]
    schema["$defs"] = {**schema["$defs"], **definitions, "campaign": campaign}
    return schema
