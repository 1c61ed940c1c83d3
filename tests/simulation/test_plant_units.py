"""Plants that run without Python: units of FMI, files for programs in C."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import softdock
from softdock import Event, InputError, Plant
from softdock.native.library import runs_as_python
from softdock.native.model_file import RUNTIME, kernel_files, runtime_library
from softdock.simulation.fmu import write_fmu
from softdock.simulation.plant_file import plant_file

fmpy = pytest.importorskip("fmpy")

INPUTS, OUTPUTS = ["servicer.force"], ["servicer.z", "servicer.vz", "bumper.joint", "bumper-drogue.force"]
DOCKING, STEP = "assist-soft-docking", 2.0**-7  # a step without rounding of its sums
PARAMETERS = ["springs.bumper-spring.stiffness", "approach.distance"]
FORCES = np.random.default_rng(5).normal(0.0, 3.0, (500, 3))


@pytest.fixture(scope="module")
def plant() -> Plant:
    if runs_as_python():
        pytest.skip("compiled kernels are exported")
    return Plant(DOCKING, inputs=INPUTS, outputs=OUTPUTS)


@pytest.fixture(scope="module")
def units(plant, tmp_path_factory) -> dict[str, Path]:
    """Return the files of units by version of the standard."""
    folder = tmp_path_factory.mktemp("units")
    paths = {version: folder / f"{version[0]} a.fmu" for version in ("2.0", "3.0")}
    for version, path in paths.items():
        path.write_bytes(write_fmu(plant, PARAMETERS, version))
    return paths


class Unit:
    """An instance of a unit, through FMPy's functions of either version."""

    def __init__(self, path: Path, folder: Path, early: bool = False) -> None:
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        description = fmpy.read_model_description(str(path))
        fmpy.extract(str(path), unzipdir=str(folder))
        self.is_3 = description.fmiVersion == "3.0"
        identity = {
            "modelIdentifier": description.coSimulation.modelIdentifier,
            "unzipDirectory": str(folder),
        }
        make = FMU3Slave if self.is_3 else FMU2Slave
        key = "instantiationToken" if self.is_3 else "guid"
        self.fmu = make(
            guid=getattr(description, key, None) or description.guid, instanceName="one", **identity
        )
        self.fmu.instantiate(**({"earlyReturnAllowed": early} if self.is_3 else {}))
        self.at = {v.name: v.valueReference for v in description.modelVariables}

    def begin(self) -> None:
        if self.is_3:
            self.fmu.enterInitializationMode(startTime=0.0)
        else:
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, names, values) -> None:
        (self.fmu.setFloat64 if self.is_3 else self.fmu.setReal)([self.at[n] for n in names], list(values))

    def get(self, names) -> list[float]:
        return (self.fmu.getFloat64 if self.is_3 else self.fmu.getReal)([self.at[n] for n in names])

    def step(self, t: float, h: float = STEP):
        return self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def run(self, first: int, last: int) -> np.ndarray:
        rows = []
        for k in range(first, last):
            self.set(["servicer.fx", "servicer.fy", "servicer.fz"], FORCES[k])
            self.step(k * STEP)
            rows.append(self.get(OUTPUTS))
        return np.array(rows)


def run_plant(plant: Plant, first: int, last: int) -> np.ndarray:
    return np.array([plant.advance((k + 1) * STEP, FORCES[k]) for k in range(first, last)])


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_unit_is_valid_and_has_the_bits_of_the_plant(version, plant, units, tmp_path):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(units[version])) == []
    unit = Unit(units[version], tmp_path)
    unit.begin()
    plant.reset()
    assert unit.get([*OUTPUTS, "time"]) == [*plant.y, 0.0]
    got = unit.run(0, 500)
    np.testing.assert_array_equal(got, run_plant(plant, 0, 500))
    assert got[:, 3].max() > 1.0  # it touched
    unit.fmu.terminate()
    unit.fmu.freeInstance()


def test_in_one_step_a_unit_has_the_bits_of_simulate(units, tmp_path):
    unit = Unit(units["3.0"], tmp_path)
    unit.begin()
    unit.step(0.0, 4.0)
    result = softdock.simulate(DOCKING, {"duration": 4.0}, with_prediction=False)
    expected = [float(result.history[name][-1]) for name in OUTPUTS[:3]]
    # The run itself records: its last row is evaluated in the same state.
    assert unit.get(OUTPUTS[:3]) == expected


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_instances_are_independent_and_states_continue_to_the_bit(version, plant, units, tmp_path):
    first, second = Unit(units[version], tmp_path / "a"), Unit(units[version], tmp_path / "b")
    first.begin(), second.begin()
    get, restore = (
        (first.fmu.getFMUState, first.fmu.setFMUState)
        if version == "3.0"
        else (first.fmu.getFMUstate, first.fmu.setFMUstate)
    )
    first.run(0, 200)
    state = get()
    serialized = (
        first.fmu.serializeFMUState(state) if version == "3.0" else first.fmu.serializeFMUstate(state)
    )
    there = first.run(200, 400)
    np.testing.assert_array_equal(second.run(0, 400)[200:], there)
    restore(state)
    np.testing.assert_array_equal(first.run(200, 400), there)
    read = second.fmu.deserializeFMUState if version == "3.0" else second.fmu.deSerializeFMUstate
    (second.fmu.setFMUState if version == "3.0" else second.fmu.setFMUstate)(read(serialized))
    np.testing.assert_array_equal(second.run(200, 400), there)
    first.fmu.reset()
    first.begin()
    plant.reset()
    np.testing.assert_array_equal(first.run(0, 50), run_plant(plant, 0, 50))


def test_parameters_set_before_the_start_are_those_of_a_plant_with_other_values(units, tmp_path):
    values = [1234.5, 0.0125]
    unit = Unit(units["3.0"], tmp_path)
    assert unit.get(PARAMETERS) == [800.0, 0.02]
    unit.set(PARAMETERS, values)
    unit.begin()
    other = Plant(DOCKING, dict(zip(PARAMETERS, values)), inputs=INPUTS, outputs=OUTPUTS)
    got, expected = unit.run(0, 300), run_plant(other, 0, 300)
    # A place that is computed from the distance has rounding errors, which contact amplifies.
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-9)
    unit.set(["servicer.fx"], [0.0])
    with pytest.raises(fmpy.fmi1.FMICallException):
        unit.set(PARAMETERS, values)


def test_steps_return_early_at_events_and_end_with_the_run(tmp_path):
    system = {
        "duration": 3,
        "bodies": {"ball": {"mass": 1.0, "inertia": [1, 1, 1], "joint": {
            "type": "prismatic", "axis": "z", "speed": 0.1}}},
        "events": {"half": Event(when="ball.joint > 0.05", then=[{"stop": False, "arm": "end"}]), "end": Event(
            when="ball.joint > 0.2", then=[{"stop": True}], armed=False)},
    }  # fmt: skip
    (tmp_path / "ball.fmu").write_bytes(write_fmu(Plant(system, outputs=["ball.joint"])))
    unit = Unit(tmp_path / "ball.fmu", tmp_path / "u", early=True)
    unit.begin()
    _, ended, early, last = unit.step(0.0, 1.0)
    assert (bool(ended), bool(early)) == (False, True)
    assert last == pytest.approx(0.5, abs=1e-9)
    assert unit.get(["ball.joint"])[0] == pytest.approx(0.05)
    _, ended, early, last = unit.step(last, 2.5 - last)
    assert (bool(ended), last) == (True, pytest.approx(2.0, abs=1e-9))


def test_what_a_unit_cannot_have_is_refused(plant):
    for parameter, words in (
        ("bodies.servicer.mas", "did you mean 'mass'"),
        ("approach.chaser", "not a number"),
        ("duration", "decides on the whole run"),
        ("contacts.bumper-drogue.layer.stiffness", "no linear function"),
    ):
        with pytest.raises(InputError, match=words):
            write_fmu(plant, [parameter])
    with pytest.raises(InputError, match="together"):
        write_fmu(plant, ["bodies.servicer.mass", "approach.speed"])
    with pytest.raises(InputError, match=r"2\.0, 3\.0"):
        write_fmu(plant, version="1.0")


def test_the_same_plant_gives_the_same_bytes(plant, units):
    plant.step(0.1)
    assert write_fmu(plant, PARAMETERS) == units["3.0"].read_bytes()


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_program_in_c_has_the_bits_of_the_plant(plant, tmp_path):
    content, _ = plant_file(plant)
    (tmp_path / "docking.sdm").write_bytes(content)
    source = Path(__file__).parents[2] / "examples" / "plant.c"
    library = runtime_library()
    subprocess.run(
        ["cc", "-Wall", "-Werror", f"-I{RUNTIME}", str(source), str(library), f"-Wl,-rpath,{library.parent}",
         "-o", str(tmp_path / "host")], check=True,
    )  # fmt: skip
    folder = kernel_files()[0].parent
    done = subprocess.run(
        [str(tmp_path / "host"), str(tmp_path / "docking.sdm"), str(folder)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    rows = [[float.fromhex(x) for x in line.split()] for line in done.stdout.splitlines()]
    plant.reset()
    expected = [[(k + 1) * 0.0625, *plant.advance((k + 1) * 0.0625, [0.0, 0.0, 5.0])] for k in range(64)]
    assert rows == expected


def test_files_of_other_versions_and_damaged_files_are_refused(plant, tmp_path):
    library = ctypes.CDLL(str(runtime_library()))
    library.sd_open.restype = ctypes.c_void_p
    content, _ = plant_file(plant)
    folder = str(kernel_files()[0].parent).encode()
    message = ctypes.create_string_buffer(300)
    for data, words in (
        (content[:-4096], b"not complete"),
        (b"X" + content[1:], b"not written by"),
        (content[:8] + b"0" * 64 + content[72:], b"different versions"),
        (b"", b"not written by"),
    ):
        (tmp_path / "bad.sdm").write_bytes(data)
        assert library.sd_open(str(tmp_path / "bad.sdm").encode(), folder, message, len(message)) is None
        assert words in message.value
    (tmp_path / "good.sdm").write_bytes(content)
    assert library.sd_open(str(tmp_path / "good.sdm").encode(), b"/nowhere", message, len(message)) is None
    assert b"kernels" in message.value
