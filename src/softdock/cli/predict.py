"""`softdock predict`: what theory expects, of four masses or of a scenario."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem

HIDDEN = ("regime_sentence", "restitution_source")  # printed below the table


def predict(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="NAME|FILE", help="Bundled scenario or YAML file; or give four masses."),
    ] = None,
    m1: Annotated[str | None, typer.Option(metavar="MASS", help="Chaser, rear mass; may be 0.")] = None,
    m2: Annotated[str | None, typer.Option(metavar="MASS", help="Chaser, touching mass.")] = None,
    m3: Annotated[str | None, typer.Option(metavar="MASS", help="Target, touching mass.")] = None,
    m4: Annotated[str | None, typer.Option(metavar="MASS", help="Target, far mass; may be 0.")] = None,
    speed: Annotated[str | None, typer.Option(metavar="SPEED", help="Closing speed.")] = None,
    restitution: Annotated[
        str | None, typer.Option(metavar="E", help="Coefficient of restitution, 0 to 1; 1 by default.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Replace a field of the scenario; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Predict the impact of two systems without simulating it.

    Values are numbers in SI or texts with a unit: --m1 "17 kg" --speed "5 cm/s".
    """
    from softdock.result import plain_data

    given = {"m1": m1, "m2": m2, "m3": m3, "m4": m4, "speed": speed, "restitution": restitution}
    if scenario is None:
        _refuse_overrides(overrides)
        name, prediction = None, _of_masses(given)
    else:
        _refuse_masses(given)
        name, prediction = _of_scenario(scenario, overrides or [])
    if as_json:
        console.print_json({"scenario": name, "prediction": plain_data(prediction)})
    else:
        _print(name, prediction)


def _of_masses(given: Mapping[str, str | None]) -> Mapping[str, Any]:
    from softdock.predict.chain import predict_masses
    from softdock.quantities.fields import Quantity

    missing = [f"--{name}" for name in ("m1", "m2", "m3", "m4", "speed") if given[name] is None]
    if missing:
        all_missing = len(missing) == 5 and given["restitution"] is None
        hint = "Or name a scenario: softdock predict impact-a."
        wanted = "Give a scenario, or the four masses and the speed" if all_missing else "Missing"
        raise InputError(Problem(message=f"{wanted}: {', '.join(missing)}.", hint=hint))
    kinds = {
        "m1": Quantity("kg", ge=0),
        "m2": Quantity("kg", gt=0),
        "m3": Quantity("kg", gt=0),
        "m4": Quantity("kg", ge=0),
        "speed": Quantity("m/s", gt=0),
        "restitution": Quantity("1", ge=0, le=1),
    }
    values, problems = {}, []
    for name, text in given.items():
        if text is None:
            continue
        try:
            values[name] = kinds[name].parse(text)
        except ValueError as error:
            problems.append(Problem(field=f"--{name}", message=f"{error}.", given=text))
    if problems:
        raise InputError(*problems)
    return predict_masses(**values)


def _of_scenario(name_or_file: str, overrides: list[str]) -> tuple[str, Mapping[str, Any]]:
    from softdock.predict import predict as predict_scenario
    from softdock.scenario import load

    scenario = load(name_or_file, overrides)
    prediction = predict_scenario(scenario)
    if prediction is None:
        message = "Nothing strikes in this scenario within its duration: there is nothing to predict."
        hint = "Name where two bodies meet in `impact`, or give contacts that come to touch."
        raise InputError(Problem(message=message, given=name_or_file, hint=hint))
    return scenario.name, prediction


def _refuse_masses(given: Mapping[str, str | None]) -> None:
    mixed = [f"--{name}" for name, value in given.items() if value is not None]
    if mixed:
        hint = "To change a field of the scenario use --set, for example --set speed='0.07 m/s'."
        message = f"A scenario brings its own masses and speed; leave out {', '.join(mixed)}."
        raise InputError(Problem(message=message, hint=hint))


def _refuse_overrides(overrides: list[str] | None) -> None:
    if overrides:
        raise InputError("--set changes a scenario, and none is named.")


def _print(name: str | None, prediction: Mapping[str, Any]) -> None:
    from rich.table import Table

    from softdock.predict import UNITS

    table = Table(title=f"Prediction: {name or 'four masses'}", title_justify="left")
    table.add_column("quantity")
    table.add_column("value", justify="right")
    table.add_column("unit")
    for key, value in prediction.items():
        if isinstance(value, Mapping):
            for name, part in value.items():
                table.add_row(f"{key.replace('_', ' ')}: {name}", _text(part), UNITS.get(key, ""))
        elif key not in HIDDEN:
            table.add_row(key.replace("_", " "), _text(value), UNITS.get(key, ""))
    console.out().print(table)
    for key in HIDDEN:
        if key in prediction:
            console.out().print(prediction[key])


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}" if value == value else "-"
        case list():
            return ", ".join(map(_text, value))
        case _:
            return str(value)
