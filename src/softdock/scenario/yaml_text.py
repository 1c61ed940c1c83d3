"""Plain data of a scenario or campaign as the text of a file."""

import io
from collections.abc import Mapping
from typing import Any

WIDTH = 110  # characters of a line
HEAD = ("softdock", "kind", "title", "description")
"""Keys at the top of a file; the first one must be first."""


def yaml_text(data: Mapping[str, Any]) -> str:
    """Return plain data as the text of a file that can be loaded again."""
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = None
    yaml.width = WIDTH
    yaml.representer.sort_base_mapping_type_on_output = False
    stream = io.StringIO()
    yaml.dump({key: data[key] for key in (*(k for k in HEAD if k in data), *data)}, stream)
    return stream.getvalue()
