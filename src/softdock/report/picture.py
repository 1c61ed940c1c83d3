"""Style and file formats common to all matplotlib figures, and atomic saving of a figure."""

from pathlib import Path
from typing import TYPE_CHECKING

from softdock.errors import InputError, file_errors
from softdock.files.atomic import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "0.6"
FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 150


def format_of(path: Path, option: str = "") -> str:
    """Return the format of a picture by the suffix of its name, which may be given by an option of a command."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        message = f"The name of a picture ends in {', '.join('.' + known for known in FORMATS)}."
        raise InputError(message, field=option, given=str(path))
    return kind


def save_picture(figure: "Figure", path: Path) -> None:
    """Write a picture in the format of its suffix; it appears complete or not at all."""
    kind = format_of(path)
    with file_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as file:
            figure.savefig(file, format=kind, dpi=DOTS_PER_INCH)


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure [inch] with a canvas that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_literally(figure: "Figure") -> None:
    """Show dollar signs in titles, labels, legends and notes as they are, not as delimiters of formulas.

    Tick labels are excepted, because those of logarithmic axes are formulas; `literal` is for names of ticks.
    """
    from matplotlib.axis import Tick
    from matplotlib.text import Text

    ticks = {id(text) for tick in figure.findobj(Tick) for text in tick.findobj(Text)}
    for text in figure.findobj(Text):
        if id(text) not in ticks:
            text.set_parse_math(False)


def literal(text: str) -> str:
    """Return a text in which matplotlib finds no formula."""
    return text.replace("$", r"\$")


def line_style(dash: tuple[int, ...]) -> "str | tuple[int, tuple[int, ...]]":
    """Return the line style of a pattern of lines and gaps [line widths]; an empty one is a continuous line."""
    return (0, dash) if dash else "-"


def style_axes(ax: "Axes") -> None:
    """Draw a light grid behind the lines, and no frame on the top and right."""
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
