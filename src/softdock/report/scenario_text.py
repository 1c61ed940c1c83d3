"""Plain data of a scenario or campaign as the text of a file."""

import io
from collections.abc import Mapping
from typing import Any

from softdock.result import plain_data

WIDTH = 110  # characters of a line


def scenario_yaml(definition: Mapping[str, Any]) -> str:
    """Return plain data as the text of a file that can be loaded again."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.width = WIDTH
    yaml.representer.sort_base_mapping_type_on_output = False
    stream = io.StringIO()
    yaml.dump(plain_data(definition), stream)
    return stream.getvalue()
