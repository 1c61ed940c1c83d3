"""Figures embedded in an HTML page."""

import base64
import html
import io

from matplotlib.figure import Figure

from softdock.report.picture import write_literally

DOTS_PER_INCH = 150


def figure_image(figure: Figure, text: str) -> str:
    """Return an image element with the figure as PNG; `text` describes it."""
    write_literally(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    data = base64.b64encode(buffer.getvalue()).decode()
    width, height = (round(100 * inches) for inches in figure.get_size_inches())
    size = f'width="{width}" height="{height}"'
    return f'<p class="picture"><img alt="{html.escape(text)}" {size} src="data:image/png;base64,{data}"></p>'
