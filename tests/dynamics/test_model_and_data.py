"""Model and data of a run: saved data continue to the bit in another process, and runs do not change their model."""

import ctypes
import mmap
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from softdock.dynamics.data_memory import DataMemory
from softdock.dynamics.entry_points import RUN
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.run_results import Run
from softdock.dynamics.session import Session
from softdock.errors import InputError
from softdock.native.argument_types import Memory
from softdock.native.structure_memory import arrays_in
from softdock.scenario.loading import load
from softdock.simulation.multibody import PreparedMultibody

CASES = {
    "assist-soft-docking": 12.0,  # contacts, stops, springs, events
    "assist-hard-docking": 60.0,  # couplings, drives, locks, phases
    "assist-approach": 40.0,  # controllers, thrusters, sensors with noise
    "station-approach": 20.0,  # structures, orbit
    "pins-4": 8.0,
    "probe-retraction": 8.0,
}
"""Bundled scenarios and the times until which they run [s]."""


def model_of(name):
    """Return the model of a bundled scenario."""
    scenario = load(name).with_overrides({"duration": CASES[name], "record.rate": 50.0})
    return ModelMemory(PreparedMultibody(scenario).simulation)


def fingerprint(session):
    """Return all results of a finished session as bytes and texts, by name."""
    run, found = session.finish(), {}
    for field in fields(Run):
        value = getattr(run, field.name)
        found[field.name] = value.tobytes() if isinstance(value, np.ndarray) else repr(value)
    return found


def different(a, b):
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def whole_run(model):
    session = Session(DataMemory(model))
    session.advance(session.duration)
    return fingerprint(session)


def continue_in_this_process(folder):
    """Restore all sessions that are saved in a folder, finish them and store what they gave."""
    for name in CASES:
        session = Session(DataMemory(model_of(name)))
        session.restore((Path(folder) / name).read_bytes())
        session.advance(session.duration)
        (Path(folder) / f"{name}.result").write_text(repr(fingerprint(session)))


def run_read_only():
    """Run with a model in memory that the processor protects: a kernel that writes into it ends the process."""
    for name in CASES:
        model = model_of(name)
        memory = mmap.mmap(-1, model.block.size)
        model.move_to(np.frombuffer(memory, np.uint8))
        address = ctypes.c_void_p(model.block.ctypes.data)
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.mprotect(address, ctypes.c_size_t(len(memory)), mmap.PROT_READ) == 0
        whole_run(model)


def in_another_process(call):
    """Execute a function of this module in another process."""
    module = "tests.dynamics.test_model_and_data"
    done = subprocess.run(
        [sys.executable, "-c", f"from {module} import *; {call}"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])


def test_saved_data_continue_to_the_bit_in_another_process(tmp_path):
    """Also the session that was saved continues, as if it had not been."""
    expected = {}
    for name in CASES:
        model = model_of(name)
        session = Session(DataMemory(model))
        session.advance(0.5 * session.duration)
        (tmp_path / name).write_bytes(session.save())
        session.advance(session.duration)
        expected[name] = fingerprint(session)
    in_another_process(f"continue_in_this_process({str(tmp_path)!r})")
    for name, results in expected.items():
        restored = eval((tmp_path / f"{name}.result").read_text())  # only texts and bytes
        assert different(results, restored) == []


@pytest.mark.skipif(sys.platform != "linux", reason="uses mprotect")
def test_kernels_do_not_write_to_the_model():
    in_another_process("run_read_only()")


@pytest.mark.parametrize("name", CASES)
def test_runs_share_a_model_and_scratch_memory_carries_nothing(name):
    """Two threads, copies, data that are reset and undefined scratch memory give the bits of a single run."""
    model = model_of(name)
    constants, start = model.block.tobytes(), model.start.tobytes()
    expected = whole_run(model)
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(whole_run, [model, model]):
            assert different(expected, found) == []
    data = DataMemory(model)
    first = Session(data)
    first.advance(0.3 * first.duration)
    data.blocks[Memory.LISTS][:] = 0xFF
    data.reset()
    session = Session(data)
    for part in (0.25, 0.5):  # in pieces, as the copy
        session.advance(part * session.duration)
        data.blocks[Memory.SCRATCH][:] = 0xFF
    pieces = Session(DataMemory(model))
    for part in (0.25, 0.5):
        pieces.advance(part * pieces.duration)
    results = []
    for one in (session, session.copy(), pieces):
        one.advance(one.duration)
        results.append(fingerprint(one))
    assert different(results[0], results[1]) == different(results[0], results[2]) == []
    assert (model.block.tobytes(), model.start.tobytes()) == (constants, start)


def test_data_of_another_model_are_refused():
    session, other = (
        Session(DataMemory(model_of("pins-4"))),
        Session(DataMemory(model_of("probe-retraction"))),
    )
    saved = session.save()
    for data, reason in ((other.save(), "another model"), (saved[:-1], "not complete"), (b"", "not written")):
        with pytest.raises(InputError, match=reason):
            session.restore(data)
    session.restore(saved)


@pytest.mark.plain_python
def test_every_array_of_a_run_declares_its_memory():
    assert [path for path, kind in arrays_in(RUN) if kind.memory is None] == []


@pytest.mark.plain_python
def test_layout_is_printed_by_array():
    model = model_of("pins-4")
    lines = model.layout.table().splitlines()
    assert len(lines) == len(list(arrays_in(RUN)))
    (world,) = (line.split() for line in lines if line.endswith(" system.world"))
    assert world[:3] == ["model", "0", "records"]
