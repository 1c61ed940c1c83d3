"""Settings of the documentation build (`make docs`): offline, warnings are errors."""

import sys
from pathlib import Path

from softdock import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Softdock"
author = "The Softdock developers"
copyright = "The Softdock developers"
version = release = __version__

extensions = ["myst_parser", "mathml", "reference", "notebook_pages", "python_api"]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence"]
myst_dmath_double_inline = True
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"Softdock {version}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["softdock.css"]
html_show_sphinx = False
exclude_patterns = ["_build", "_ext"]
