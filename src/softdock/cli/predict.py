"""`softdock predict`: predict the impact of four masses or of a scenario from theory."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console, options
from softdock.errors import InputError, Problem

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import UnitSystem
    from softdock.quantities.fields import Quantity

INFINITE = ("m1", "m2", "m3", "m4", "lambda_c", "lambda_t")
SENTENCES = ("regime_sentence", "restitution_source", "zero_velocity")  # printed below the table


def _mass(meaning: str) -> Any:
    return typer.Option(metavar="MASS", help=meaning)


def _ratio(meaning: str) -> Any:
    return typer.Option(metavar="RATIO", help=meaning)


def predict(
    scenario: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|FILE", help="Bundled scenario or YAML file; omit it to give four masses."
        ),
    ] = None,
    m1: Annotated[str | None, _mass("Rear mass of the chaser; may be 0 or inf.")] = None,
    m2: Annotated[str | None, _mass("Contacting mass of the chaser.")] = None,
    m3: Annotated[str | None, _mass("Contacting mass of the target.")] = None,
    m4: Annotated[str | None, _mass("Rear mass of the target; may be 0 or inf, a wall.")] = None,
    speed: Annotated[str | None, typer.Option(metavar="SPEED", help="Closing speed.")] = None,
    oscillation: Annotated[
        str | None,
        typer.Option(
            metavar="SPEED",
            help="Approach speed of the touching masses beyond the closing speed, from motion within the systems.",
        ),
    ] = None,
    lambda_i: Annotated[str | None, _ratio("Mass ratio m2/m3, in place of masses.")] = None,
    lambda_c: Annotated[str | None, _ratio("Mass ratio m1/m2; may be inf.")] = None,
    lambda_t: Annotated[
        str | None, _ratio("Mass ratio m4/m3; may be inf. Of two ratios follows the third.")
    ] = None,
    restitution: Annotated[
        str | None, typer.Option(metavar="E", help="Coefficient of restitution, 0 to 1 (default: 1).")
    ] = None,
    overrides: options.Overrides = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Predict the impact of two systems without simulating it.

    Values are numbers in SI or texts with a unit: --m1 "17 kg" --speed "5 cm/s". An infinite mass is a wall. Three mass
    ratios give the regime of an impact, two the third one for which both systems move with the same velocity after it.
    """
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.result import plain_data

    system = find_unit_system(units or "automatic")
    given = {"m1": m1, "m2": m2, "m3": m3, "m4": m4, "speed": speed, "oscillation": oscillation}
    given["restitution"] = restitution
    ratios = {"lambda_i": lambda_i, "lambda_c": lambda_c, "lambda_t": lambda_t}
    if scenario is None:
        _reject_overrides(overrides)
        name, prediction = "", _predict_numbers(given, ratios)
    else:
        _reject_masses(given | ratios)
        name, prediction, written = _predict_scenario(scenario, overrides or [])
        system = system if units else find_unit_system(written)
    title = name or ("four masses" if "impulse" in prediction else "mass ratios")
    if as_json:
        console.print_json({"scenario": name or None, "prediction": plain_data(prediction)})
    else:
        _print(title, prediction, system)


def _predict_numbers(given: Mapping[str, str | None], ratios: Mapping[str, str | None]) -> Mapping[str, Any]:
    """Return the prediction of four masses, or of mass ratios if any is given."""
    if all(text is None for text in ratios.values()):
        return _predict_masses(given)
    return _predict_ratios(ratios, given)


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
        "oscillation": Quantity("m/s"),
        "restitution": Quantity("1", ge=0, le=1),
    }
    values = _parse(given, kinds)
    if values["speed"] + values.get("oscillation", 0.0) <= 0.0:
        message = "Must be above minus the speed: otherwise the touching masses do not approach each other."
        raise InputError(message, field="--oscillation", given=given["oscillation"] or "")
    try:
        return predict_masses(**values)
    except InputError as error:
        named = [replace(p, field=f"--{p.field}" if p.field else "") for p in error.problems]
        raise InputError(*named) from None


def _predict_ratios(ratios: Mapping[str, str | None], given: Mapping[str, str | None]) -> Mapping[str, Any]:
    """Return the prediction of two or three mass ratios."""
    from softdock.prediction.chain import predict_ratios
    from softdock.quantities.fields import Quantity

    refused = [f"--{name}" for name, text in given.items() if text is not None and name != "restitution"]
    if refused:
        raise InputError(f"Mass ratios replace masses and speed; remove {', '.join(refused)}.")
    if sum(text is not None for text in ratios.values()) < 2:
        raise InputError("Give two or three of the mass ratios --lambda-i, --lambda-c and --lambda-t.")
    kinds = {name: Quantity("1", ge=0) for name in ratios}
    kinds["lambda_i"] = Quantity("1", gt=0)
    values = _parse(
        {**ratios, "restitution": given["restitution"]}, kinds | {"restitution": Quantity("1", ge=0, le=1)}
    )
    names = {"lambda_i": "interface", "lambda_c": "chaser", "lambda_t": "target"}
    return predict_ratios(**{names.get(name, name): value for name, value in values.items()})


def _parse(given: Mapping[str, str | None], kinds: "Mapping[str, Quantity]") -> dict[str, float]:
    """Return the values of options in SI; what may be infinite is a number or `inf`, also with a unit."""
    values, problems = {}, []
    for name, text in given.items():
        if text is None:
            continue
        infinite = name in INFINITE and text.strip().lower().removesuffix("kg").strip() in ("inf", "infinity")
        try:
            values[name] = math.inf if infinite else kinds[name].parse(text)
        except ValueError as error:
            option = f"--{name.replace('_', '-')}"
            also = ", or inf" if name in INFINITE else ""
            problems.append(Problem(field=option, message=f"{error}{also}.", given=text))
    if problems:
        raise InputError(*problems)
    return values


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
    mixed = [f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None]
    if mixed:
        hint = "To change a field of the scenario use --set, for example --set speed='0.07 m/s'."
        message = f"A scenario defines its own masses and speed; remove {', '.join(mixed)}."
        raise InputError(message, hint=hint)


def _reject_overrides(overrides: list[str] | None) -> None:
    if overrides:
        raise InputError("--set changes a field of a scenario, but no scenario is given.")


def _print(title: str, prediction: Mapping[str, Any], system: "UnitSystem") -> None:
    from softdock.prediction import UNITS
    from softdock.presentation.run import quantity_table

    values = {key: value for key, value in prediction.items() if key not in SENTENCES}
    console.print_text(f"Prediction: {title}")
    console.print_text(quantity_table(values, UNITS, system).to_text())
    for key in SENTENCES:
        if key in prediction:
            console.print_text(prediction[key])
