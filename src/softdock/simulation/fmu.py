"""Plants as co-simulation units of FMI 2.0 and 3.0, which run without Python."""

import hashlib
import io
import platform
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from softdock.errors import InputError
from softdock.native.model_file import kernel_files, runtime_library
from softdock.simulation.plant import Plant
from softdock.simulation.plant_file import plant_file

VERSIONS = ("2.0", "3.0")
MODEL = "resources/model.sdm"
BASE_UNITS = {
    "1": {}, "m": {"m": 1}, "s": {"s": 1}, "kg": {"kg": 1}, "rad": {"rad": 1},
    "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2}, "Hz": {"s": -1},
}  # fmt: skip
"""Exponents of the SI base units that occur in units of channels."""
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all files in a unit: the same scenario gives the same bytes."""


class Variable(NamedTuple):
    """Variable of a unit; its value reference is its place."""

    name: str
    unit: str
    causality: str
    start: float | None = None


def write_fmu(plant: Plant, parameters: Sequence[str] = (), version: str = "3.0") -> bytes:
    """Return a co-simulation unit with the inputs and outputs of a plant at its start.

    `parameters` are paths of numbers of the scenario that an importing program may set before the simulation. The unit
    has the kernels of this kind of machine. Raises InputError.
    """
    if version not in VERSIONS:
        message = f"Must be one of {', '.join(VERSIONS)}."
        raise InputError(message, field="version", given=version)
    plant = plant.copy()
    plant.reset()
    content, values = plant_file(plant, parameters)
    variables = [
        Variable("time", "s", "independent"),
        *(Variable(name, unit, "input", plant[name]) for name, unit in plant.inputs.items()),
        *(Variable(name, unit, "output") for name, unit in plant.outputs.items()),
        *(Variable(name, "", "parameter", value) for name, value in values.items()),
    ]
    names = [variable.name for variable in variables]
    for name in names:
        if names.count(name) > 1:
            raise InputError("Is the name of two variables of the unit.", given=name)
    title = plant.scenario.name or "softdock"
    identifier = re.sub(r"\W", "_", title)
    identifier = identifier if identifier[0].isalpha() else f"softdock_{identifier}"
    token = hashlib.sha256(content + repr(variables).encode()).hexdigest()[:32]
    describe = _description_2 if version == "2.0" else _description_3
    folder = _binaries(version)
    files = {
        "modelDescription.xml": "\n".join(
            describe(title, identifier, token, plant.duration, variables)
        ).encode(),
        MODEL: content,
        f"{folder}/{identifier}{runtime_library().suffix}": runtime_library().read_bytes(),
        **{f"{folder}/{path.name}": path.read_bytes() for path in kernel_files()},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, FIRST_DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o755 << 16
            archive.writestr(entry, data)
    return out.getvalue()


def _binaries(version: str) -> str:
    """Return the folder of the libraries for this kind of machine, as the standard names it."""
    systems = {"linux": ("linux", "linux"), "darwin": ("darwin", "darwin")}
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    if sys.platform not in systems or (version == "2.0" and machine != "x86_64"):
        message = f"Units for FMI {version} cannot be made on {sys.platform}, {machine}."
        raise InputError(message, hint="Export on Linux (x86-64), or with FMI 3.0.")
    if version == "2.0":
        return f"binaries/{systems[sys.platform][1]}64"
    return f"binaries/{machine}-{systems[sys.platform][0]}"


def _base_unit(unit: str) -> str:
    """Return the exponents of the base units of a unit as attributes."""
    total: dict[str, int] = {}
    sign = 1
    for part in re.findall(r"[*/]|[^*/]+", unit):
        if part in "*/":
            sign = 1 if part == "*" else -1
            continue
        name, _, power = part.partition("^")
        for base, exponent in BASE_UNITS.get(name, {}).items():
            total[base] = total.get(base, 0) + sign * exponent * int(power or 1)
    return "".join(f' {base}="{exponent}"' for base, exponent in sorted(total.items()) if exponent)


def _units(variables: Sequence[Variable]) -> Iterator[str]:
    yield "  <UnitDefinitions>"
    for unit in dict.fromkeys(v.unit for v in variables if v.unit):
        yield f"    <Unit name={quoteattr(unit)}><BaseUnit{_base_unit(unit)}/></Unit>"
    yield "  </UnitDefinitions>"


def _attributes(variable: Variable) -> str:
    """Return the attributes of unit and start value."""
    unit = f" unit={quoteattr(variable.unit)}" if variable.unit else ""
    return unit + ("" if variable.start is None else f' start="{variable.start!r}"')


def _variability(variable: Variable) -> str:
    return "fixed" if variable.causality == "parameter" else "continuous"


def _description_3(
    title: str, identifier: str, token: str, duration: float, variables: Sequence[Variable]
) -> Iterator[str]:
    """Yield the lines of the description of a unit of FMI 3.0."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<fmiModelDescription fmiVersion="3.0" modelName={quoteattr(title)} instantiationToken="{token}" '
        'generationTool="Softdock" variableNamingConvention="flat">'
    )
    yield (
        f'  <CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true" '
        'canGetAndSetFMUState="true" canSerializeFMUState="true" mightReturnEarlyFromDoStep="true"/>'
    )
    yield from _units(variables)
    yield f'  <DefaultExperiment startTime="0" stopTime="{duration!r}"/>'
    yield "  <ModelVariables>"
    for k, v in enumerate(variables):
        initial = ' initial="exact"' if v.causality == "parameter" else ""
        yield (
            f'    <Float64 name={quoteattr(v.name)} valueReference="{k}" causality="{v.causality}" '
            f'variability="{_variability(v)}"{initial}{_attributes(v)}/>'
        )
    yield "  </ModelVariables>"
    yield "  <ModelStructure>"
    outputs = [k for k, v in enumerate(variables) if v.causality == "output"]
    yield from (f'    <Output valueReference="{k}"/>' for k in outputs)
    yield from (f'    <InitialUnknown valueReference="{k}"/>' for k in outputs)
    yield "  </ModelStructure>"
    yield "</fmiModelDescription>"


def _description_2(
    title: str, identifier: str, token: str, duration: float, variables: Sequence[Variable]
) -> Iterator[str]:
    """Yield the lines of the description of a unit of FMI 2.0."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(title)} guid="{token}" '
        'generationTool="Softdock" variableNamingConvention="flat" numberOfEventIndicators="0">'
    )
    yield (
        f'  <CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="true" '
        'canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>'
    )
    yield from _units(variables)
    yield f'  <DefaultExperiment startTime="0" stopTime="{duration!r}"/>'
    yield "  <ModelVariables>"
    for k, v in enumerate(variables):
        initial = {"output": ' initial="calculated"', "parameter": ' initial="exact"'}.get(v.causality, "")
        yield (
            f'    <ScalarVariable name={quoteattr(v.name)} valueReference="{k}" causality="{v.causality}" '
            f'variability="{_variability(v)}"{initial}><Real{_attributes(v)}/></ScalarVariable>'
        )
    yield "  </ModelVariables>"
    outputs = [k for k, v in enumerate(variables, 1) if v.causality == "output"]
    yield "  <ModelStructure>"
    for group in ("Outputs", "InitialUnknowns") if outputs else ():
        yield f"    <{group}>"
        yield from (f'      <Unknown index="{k}"/>' for k in outputs)
        yield f"    </{group}>"
    yield "  </ModelStructure>"
    yield "</fmiModelDescription>"
