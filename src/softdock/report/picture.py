"""What all pictures share: colours that everybody can tell apart, and how a picture reaches the disk."""

from pathlib import Path
from typing import TYPE_CHECKING

from softdock.errors import InputError, Problem, file_errors
from softdock.files.atomic import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, "Color Universal Design" (2008); neighbours differ most.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
GREY = "0.6"
FORMATS = ("png", "svg", "pdf")
DOTS_PER_INCH = 150


def format_of(path: Path) -> str:
    """Return the format that the suffix of a picture's name asks for."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        message = f"The name of a picture ends in {', '.join('.' + known for known in FORMATS)}."
        raise InputError(Problem(message=message, given=str(path)))
    return kind


def save_picture(figure: "Figure", path: Path) -> None:
    """Write a picture in the format of its suffix; it appears complete or not at all."""
    kind = format_of(path)
    with file_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            figure.savefig(temporary, format=kind, dpi=DOTS_PER_INCH)


def tidy(ax: "Axes") -> None:
    """Give axes a faint grid behind their lines, and no frame where nothing is read."""
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
