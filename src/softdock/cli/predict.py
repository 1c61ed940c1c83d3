"""`softdock predict`: predict the impact of four masses or of a scenario from theory."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console, options
from softdock.errors import InputError, Problem

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import UnitSystem

SENTENCES = ("regime_sentence", "restitution_source")  # printed below the table


def predict(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|FILE", help="Bundled scenario or YAML file; omit it to give four masses."
        ),
    ] = None,
    m1: Annotated[str | None, typer.Option(metavar="MASS", help="Rear mass of the chaser; may be 0.")] = None,
    m2: Annotated[str | None, typer.Option(metavar="MASS", help="Contacting mass of the chaser.")] = None,
    m3: Annotated[str | None, typer.Option(metavar="MASS", help="Contacting mass of the target.")] = None,
    m4: Annotated[str | None, typer.Option(metavar="MASS", help="Rear mass of the target; may be 0.")] = None,
    speed: Annotated[str | None, typer.Option(metavar="SPEED", help="Closing speed.")] = None,
    restitution: Annotated[
        str | None, typer.Option(metavar="E", help="Coefficient of restitution, 0 to 1 (default: 1).")
    ] = None,
    overrides: options.Overrides = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Predict the impact of two systems without simulating it.

    Values are numbers in SI or texts with a unit: --m1 "17 kg" --speed "5 cm/s".
    """
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.result import plain_data

    system = find_unit_system(units or "automatic")
    given = {"m1": m1, "m2": m2, "m3": m3, "m4": m4, "speed": speed, "restitution": restitution}
    if scenario is None:
        _reject_overrides(overrides)
        name, prediction = "", _predict_masses(given)
    else:
        _reject_masses(given)
        name, prediction, written = _predict_scenario(scenario, overrides or [])
        system = system if units else find_unit_system(written)
    if as_json:
        console.print_json({"scenario": name or None, "prediction": plain_data(prediction)})
    else:
        _print(name, prediction, system)


def _predict_masses(given: Mapping[str, str | None]) -> Mapping[str, Any]:
    from softdock.prediction.chain import predict_masses
    from softdock.quantities.fields import Quantity

    missing = [f"--{name}" for name in ("m1", "m2", "m3", "m4", "speed") if given[name] is None]
    if missing:
        all_missing = len(missing) == 5 and given["restitution"] is None
        hint = "Or give a scenario: softdock predict impact-a."
        wanted = "Give a scenario or four masses and the speed" if all_missing else "Missing"
        raise InputError(f"{wanted}: {', '.join(missing)}.", hint=hint)
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


def _predict_scenario(name_or_file: str, overrides: list[str]) -> tuple[str, Mapping[str, Any], str]:
    """Return name, prediction and unit system of a scenario."""
    from softdock.prediction import predict as predict_scenario
    from softdock.scenario.loading import load

    scenario = load(name_or_file, overrides)
    prediction = predict_scenario(scenario)
    if prediction is None:
        message = "No contact occurs in this scenario within its duration: there is nothing to predict."
        hint = "Define the point of impact in `impact`, or contacts that close within the duration."
        raise InputError(message, given=name_or_file, hint=hint)
    return scenario.name, prediction, scenario.units


def _reject_masses(given: Mapping[str, str | None]) -> None:
    mixed = [f"--{name}" for name, value in given.items() if value is not None]
    if mixed:
        hint = "To change a field of the scenario use --set, for example --set speed='0.07 m/s'."
        message = f"A scenario defines its own masses and speed; remove {', '.join(mixed)}."
        raise InputError(message, hint=hint)


def _reject_overrides(overrides: list[str] | None) -> None:
    if overrides:
        raise InputError("--set changes a field of a scenario, but no scenario is given.")


def _print(name: str, prediction: Mapping[str, Any], system: "UnitSystem") -> None:
    from softdock.prediction import UNITS
    from softdock.presentation.run import quantity_table

    values = {key: value for key, value in prediction.items() if key not in SENTENCES}
    console.print_text(f"Prediction: {name or 'four masses'}")
    console.print_text(quantity_table(values, UNITS, system).to_text())
    for key in SENTENCES:
        if key in prediction:
            console.print_text(prediction[key])
