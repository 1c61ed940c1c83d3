"""`softdock figures`: draw figures of a scenario, or those of published papers."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console, options
from softdock.errors import InputError

if TYPE_CHECKING:
    from softdock.scenario.base import ScenarioBase

FORMATS = ("png", "svg", "pdf")


def figures(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE|all",
            help="Scenario (bundled or file), or set of figures: assist, gnc, impact, peg, station.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR|FILE",
            help="Folder for the figures; for a scenario also one .png, .svg or .pdf file.",
        ),
    ],
    overrides: options.Overrides = None,
    picture_format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="png|svg|pdf", help="Format of pictures in a folder (default: png)."
        ),
    ] = None,
    units: options.Units = None,
    runs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Runs of each campaign of the set gnc."),
    ] = None,
) -> None:
    """Draw the run of a scenario, or figures of published papers and of controlled approaches."""
    from softdock.report.figures import CAMPAIGN_SETS, FIGURES, UNIT_SETS

    if runs is not None and name not in (*CAMPAIGN_SETS, "all"):
        message = f"Is for sets that run campaigns: {', '.join(CAMPAIGN_SETS)}."
        raise InputError(message, field="--runs", given=str(runs))
    if name in FIGURES or name == "all":
        _reject(overrides, picture_format, None if name in UNIT_SETS else units)
        _draw_sets(list(FIGURES) if name == "all" else [name], out, runs, units)
        return
    from softdock.scenario.loading import load

    if picture_format is not None and picture_format.lower() not in FORMATS:
        message = f"Must be one of {', '.join(FORMATS)}."
        raise InputError(message, field="--format", given=picture_format)
    try:
        scenario = load(name, overrides or ())
    except InputError as error:
        raise _with_paper_figures(error, name, list(FIGURES)) from None
    _draw_scenario(scenario, out, (picture_format or "").lower(), units)


def _draw_sets(names: list[str], out: Path, runs: int | None, units: str | None) -> None:
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.report.figures import CAMPAIGN_SETS, UNIT_SETS, figure_set

    system = None if units is None else find_unit_system(units).name
    sets = {name: figure_set(name) for name in names}
    console.make_folder(out)
    for name, chosen in sets.items():
        with console.progress_bar(f"Drawing {name}") as progress:
            given: dict[str, Any] = {"runs": runs} if runs is not None and name in CAMPAIGN_SETS else {}
            given |= {"units": system} if system is not None and name in UNIT_SETS else {}
            paths = chosen.draw(out, progress, **given)
        for path in paths:
            print(path)


def _draw_scenario(scenario: "ScenarioBase", out: Path, suffix: str, units: str | None) -> None:
    """Simulate a scenario; draw its overview into a picture, or all figures into a folder."""
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.report.picture import format_of
    from softdock.report.run_figures import draw_run
    from softdock.simulation import simulate

    system = find_unit_system(units or scenario.units)
    is_file = bool(out.suffix) and not out.is_dir()
    if is_file:
        known = format_of(out, "--out")
        if suffix and suffix != known:
            raise InputError(f"Does not fit --out {out}.", field="--format", given=suffix)
    with console.output_folders(out.parent if is_file else out):
        result = simulate(scenario, with_prediction=False)
        if is_file:
            result.plot(out, system=system)
            print(out)
            return
        for path in draw_run(result, out, suffix or FORMATS[0], system):
            print(path)


def _reject(overrides: list[str] | None, picture_format: str | None, units: str | None) -> None:
    """Refuse options of scenarios for figures of papers."""
    for option, given in (("--set", overrides), ("--format", picture_format), ("--units", units)):
        if given:
            message = "Figures of papers are drawn as published; only `station` also takes --units."
            raise InputError(message, field=option)


def _with_paper_figures(error: InputError, name: str, known: list[str]) -> InputError:
    """Return an error that also names the sets of figures, where the name is neither of them nor a scenario."""
    first = error.problems[0]
    if first.field or first.file:
        return error
    sets = f"Sets of figures: {', '.join(known)}, all."
    return InputError(
        f"'{name}' is neither a scenario nor a set of figures.", hint=f"{first.hint} {sets}".strip()
    )
