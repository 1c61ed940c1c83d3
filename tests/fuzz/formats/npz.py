"""Modes of structures: NumPy archives, and folders of two CSV files."""

import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tests.flexible.test_imported_modes import lumped_modes
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, TEXT, mutate

from softdock.flexible import read_modes
from softdock.flexible.imported_modes import COMPONENTS

Change = Callable[[np.ndarray], Any]
CHANGES: tuple[Change, ...] = (
    lambda v: v.astype(complex) if v.dtype.kind == "f" else v.astype("S3"),
    lambda v: v[..., :1],
    lambda v: v[:0],
    lambda v: v.T,
    lambda v: np.array("x"),
    lambda v: v * np.nan if v.dtype.kind == "f" else v[::-1],
    lambda v: v * 1e200 if v.dtype.kind == "f" else np.array([1, 2, 3]),
    lambda v: v * 1e-200 if v.dtype.kind == "f" else v.repeat(2),
    lambda v: -v if v.dtype.kind == "f" else v,
    lambda v: v * 0 if v.dtype.kind == "f" else v.reshape(1, -1),
    lambda v: v.astype("U"),
    lambda v: np.array([np.datetime64("2020")] * 3),
    lambda v: np.array([True]),
    lambda v: v.astype(np.float16) if v.dtype.kind == "f" else v,
    lambda v: v.astype(np.int8) if v.dtype.kind == "f" else v,
    lambda v: np.array([b"\xff", b"a", b"b"]),
    lambda v: np.zeros((0, 3, 0)),
)  # fmt: skip


def make(random: Random) -> Files:
    """Return an archive with changed bytes or changed arrays, or two tables."""
    if random.random() < 0.3:
        return _tables(random)
    arrays: dict[str, Any] = dict(lumped_modes())
    if random.random() < 0.6:
        for name in random.sample(list(arrays), random.choice((1, 1, 2))):
            arrays[name] = random.choice(CHANGES)(arrays[name])
        if random.random() < 0.1:
            del arrays[random.choice(list(arrays))]
        return {"modes.npz": _packed(arrays, random)}
    return {"modes.npz": mutate(_packed(arrays, random), random, BINARY)}


def _packed(arrays: dict[str, Any], random: Random) -> bytes:
    buffer = io.BytesIO()
    (np.savez if random.random() < 0.7 else np.savez_compressed)(buffer, **arrays)
    return buffer.getvalue()


def _tables(random: Random) -> Files:
    given = lumped_modes()
    nodes = ["name,x,y,z,mass,ixx,iyy,izz"]
    for name, p, m in zip(given["names"], given["positions"], given["mass"]):
        nodes.append(f"{name},{p[0]},{p[1]},{p[2]},{m[3]},{m[0]},{m[1]},{m[2]}")
    modes = [f"mode,frequency,node,{','.join(COMPONENTS)}"]
    for k, f in enumerate(given["frequency"]):
        for name, motion in zip(given["names"], given["shapes"][:, :, k]):
            modes.append(f"{k + 1},{f},{name},{','.join(map(str, motion))}")
    tables = {"nodes.csv": "\n".join(nodes).encode(), "modes.csv": "\n".join(modes).encode()}
    changed = random.choice(list(tables))
    return {**tables, changed: mutate(tables[changed], random, TEXT)}


def read(files: Files, folder: Path) -> None:
    """Read the modes."""
    read_modes(folder / "modes.npz" if "modes.npz" in files else folder, base="base")


FORMAT = Format(make=make, read=read)
