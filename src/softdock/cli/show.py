"""`softdock show`: print a bundled scenario, campaign or preset with its comments, or the channels of a scenario."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError, suggest


def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="Bundled scenario, campaign or preset, or a scenario file."),
    ],
    channels: Annotated[
        bool, typer.Option("--channels", help="List the channels of a scenario with their units.")
    ] = False,
    matching: Annotated[
        str | None,
        typer.Option(
            "--filter",
            metavar="TEXT",
            help="List only channels with this text in their name; * stands for any text.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print a bundled scenario with its comments and its path, or list the channels of a scenario."""
    if channels:
        _show_channels(name, matching, as_json)
        return
    if matching is not None:
        raise InputError("Requires --channels.", field="--filter", given=matching)
    text, path = _find(name)
    if as_json:
        console.print_json({"name": name, "path": str(path), "text": text})
        return
    print(f"# {path}")
    print(text, end="" if text.endswith("\n") else "\n")


def _find(name: str) -> tuple[str, Path]:
    """Return the text of a bundled file or of a file, and its path."""
    from softdock.campaign.loading import campaign_names, campaign_text, preset_texts, presets
    from softdock.scenario.loading import bundled_names, bundled_text
    from softdock.scenario.messages import did_you_mean
    from softdock.scenario.source import read_file

    scenarios = bundled_names()
    if name in scenarios:
        text, folder = bundled_text(name)
        return text, folder / f"{name}.yaml"
    if name in campaign_names() or name in preset_texts():
        return campaign_text(name)
    path = Path(name)
    if path.suffix:
        read_file(path)  # refuses what is no file of ours
        return path.read_text(encoding="utf-8"), path.resolve()
    hint = did_you_mean(name, [*scenarios, *campaign_names(), *presets()])[0]
    message = f"'{name}' is neither a bundled scenario, campaign or preset nor a file."
    raise InputError(message, hint=hint.replace("Allowed", "Bundled"))


def _show_channels(name: str, matching: str | None, as_json: bool) -> None:
    """Print the channels of a scenario, all or those whose name matches."""
    from softdock.assembly.channels.registry import list_channels
    from softdock.presentation.tables import Table
    from softdock.scenario.loading import load
    from softdock.scenario.multibody import MultibodyScenario
    from softdock.scenario.robot import RobotScenario

    scenario = load(name)
    if isinstance(scenario, MultibodyScenario):
        system = scenario.whole() if isinstance(scenario, RobotScenario) else scenario
        rows = list(list_channels(system))
    else:
        from softdock.simulation import simulate

        history = simulate(scenario, with_prediction=False).history
        rows = [(channel_name, channel.unit, "") for channel_name, channel in history.channels.items()]
    if matching is not None:
        rows = _matching_rows(rows, matching)
    if as_json:
        console.print_json(
            [{"name": channel_name, "unit": unit, "meaning": meaning} for channel_name, unit, meaning in rows]
        )
        return
    print(Table(header=("channel", "unit", "meaning"), rows=rows, left=(0, 1, 2)).to_text())


def _matching_rows(rows: list[tuple[str, str, str]], matching: str) -> list[tuple[str, str, str]]:
    """Return the rows of channels whose name contains a text or matches a pattern; raises InputError for none."""
    pattern = f"*{matching.lower()}*"
    matching_rows = [row for row in rows if fnmatchcase(row[0].lower(), pattern)]
    if not matching_rows:
        words = dict.fromkeys(word for name, *_ in rows for word in (name, *name.split(".", 1)))
        message = f"No channel of the scenario matches{suggest(matching, words)}."
        raise InputError(message, field="--filter", given=matching)
    return matching_rows
