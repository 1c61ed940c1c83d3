"""Imported modes: valid modes are accepted, invalid ones rejected with a measured value."""

from pathlib import Path

import numpy as np
import pytest
from tests.flexible.structures import beam, satellite

from softdock.errors import InputError
from softdock.files import cache, child_process
from softdock.flexible import RigidPart, base_modes, free_modes, mesh, modes_from_arrays, read_modes
from softdock.flexible.imported_modes import COMPONENTS


def modes_as_arrays(seed: int = 0, count: int = 12) -> dict[str, object]:
    """Return the modes of a random satellite as arrays, as other programs write them."""
    m = mesh(satellite(np.random.default_rng(seed), 2))
    modes = base_modes(m, "hub", count)
    return {
        "names": m.names,
        "positions": m.positions,
        "frequency": modes.frequency,
        "shapes": modes.shapes,
        "mass": m.mass.toarray(),
    }


def test_imported_modes_equal_computed_ones(tmp_path: Path) -> None:
    given = modes_as_arrays()
    np.savez(tmp_path / "modes.npz", **given)  # type: ignore[arg-type]
    own = base_modes(mesh(satellite(np.random.default_rng(0), 2)), "hub", 12)
    for found in (modes_from_arrays(base="hub", **given), read_modes(tmp_path / "modes.npz", base="hub")):  # type: ignore[arg-type]
        np.testing.assert_allclose(found.participation, own.participation, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.inertia, own.inertia, rtol=1e-12, atol=1e-9)
        assert found.residual == pytest.approx(own.residual, rel=1e-9)


def lumped_modes() -> dict[str, np.ndarray]:
    """Return the modes of two masses on massless springs, computed by hand."""
    shapes = np.zeros((3, 6, 2))
    shapes[1, 3, 0], shapes[2, 5, 1] = 0.5, 0.2  # a along x, b along z
    return {
        "names": np.array(["base", "a", "b"]),
        "positions": np.array([[0.0, 0, 0], [1.0, 0, 0], [0, 2.0, 0]]),
        "frequency": np.array([0.5, 0.8]),
        "mass": np.array([[9.0, 9, 9, 50, 50, 50], [0, 0, 0, 4.0, 4, 4], [0, 0, 0, 25.0, 25, 25]]),
        "shapes": shapes,
    }


def write_csv(folder: Path, given: dict[str, np.ndarray]) -> None:
    nodes = ["name,x,y,z,mass,ixx,iyy,izz"]
    for name, p, m in zip(given["names"], given["positions"], given["mass"]):
        nodes.append(f"{name},{p[0]},{p[1]},{p[2]},{m[3]},{m[0]},{m[1]},{m[2]}")
    modes = [f"mode,frequency,node,{','.join(COMPONENTS)}"]
    for k, f in enumerate(given["frequency"]):
        for name, motion in zip(given["names"], given["shapes"][:, :, k]):
            modes.append(f"{k + 1},{f},{name},{','.join(map(str, motion))}")
    (folder / "nodes.csv").write_text("\n".join(nodes))
    (folder / "modes.csv").write_text("\n".join(modes))


def test_modes_are_read_from_csv_files(tmp_path: Path) -> None:
    given = lumped_modes()
    write_csv(tmp_path, given)
    found = read_modes(tmp_path, base="base")
    np.testing.assert_allclose(found.frequency, [0.5, 0.8])
    # mass a moves along x at (1, 0, 0): momentum 2; mass b along z at (0, 2, 0): momentum 5, angular 10 about x
    np.testing.assert_allclose(found.participation.T, [[0, 0, 0, 2, 0, 0], [10, 0, 0, 0, 0, 5]], atol=1e-14)
    assert found.inertia[3, 3] == 79.0


def test_invalid_modes_are_rejected() -> None:
    given = lumped_modes()

    def refused(message: str, **change: object) -> None:
        with pytest.raises(InputError, match=message):
            modes_from_arrays(base="base", **{**given, **change})  # type: ignore[arg-type]

    shapes = given["shapes"]
    refused(r"mass-normalised: mode 1 has the modal mass 4, not 1", shapes=shapes * [2.0, 1.0])
    mixed = shapes @ np.array([[1.0, 0.6], [0.0, 0.8]])
    refused(r"orthogonal: modes 1 and 2 have the product 0\.6, not 0", shapes=mixed)
    moving = shapes.copy()
    moving[0, 3, 1] = 0.05
    refused(r"zero at the base base, where mode 2 moves by 0\.05", shapes=moving)
    refused("rise from mode to mode", frequency=[0.8, 0.5])
    refused(r"shapes: must be finite numbers of shape \(3, 6, 2\)", shapes=shapes[:, :3])
    refused("no negative mass", mass=-given["mass"])
    refused("must be different", names=["base", "a", "a"])


def test_free_free_modes_are_refused() -> None:
    part = {"hub": RigidPart(node="root", mass=50.0, inertia=(9.0, 9.0, 9.0))}
    m = mesh(beam(3).model_copy(update={"parts": part}))
    f = free_modes(m, 4)
    with pytest.raises(InputError, match="not free-free ones"):
        modes_from_arrays(
            base="root",
            names=m.names,
            positions=m.positions,
            frequency=f.frequency,
            shapes=f.shapes,
            mass=m.mass.toarray(),
        )


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "nodes.csv",
            "name,x",
            "node,x",
            r"nodes\.csv:1: the columns must be name, x, y, z, mass, optionally",
        ),
        ("nodes.csv", "a,1.0", "a,one", r"nodes\.csv:3: x must be a number\. Given: one"),
        (
            "modes.csv",
            "1,0.5,b,",
            "1,0.5,c,",
            r"modes\.csv:4: there is no such node in nodes\.csv\. Given: c",
        ),
        ("modes.csv", "1,0.5,b,", "1,0.6,b,", r"modes\.csv:4: mode 1 must have one frequency"),
        ("modes.csv", "1,0.5,b,", "1,0.5,a,", r"modes\.csv:4: mode 1 has two rows for one node"),
        ("modes.csv", "2,0.8,base,", "2,0.8,base" + "x" * 200_000, r"modes\.csv:5: is not a row of a table"),
        ("modes.csv", "2,0.8,base,", "2,0.8,", r"modes\.csv:5: must have 9 fields"),
    ],
)
def test_errors_in_files_have_file_and_line(
    tmp_path: Path, file: str, old: str, new: str, message: str
) -> None:
    write_csv(tmp_path, lumped_modes())
    path = tmp_path / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        read_modes(tmp_path, base="base")


def test_missing_and_invalid_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_modes(tmp_path / "none.npz", base="base")
    with pytest.raises(InputError, match="does not exist"):
        read_modes(tmp_path / "none", base="base")
    (tmp_path / "bad.npz").write_text("hello")
    with pytest.raises(InputError, match="not an archive of plain arrays"):
        read_modes(tmp_path / "bad.npz", base="base")
    np.savez(tmp_path / "few.npz", names=["a"])
    with pytest.raises(InputError, match="has no array positions, frequency, shapes, mass"):
        read_modes(tmp_path / "few.npz", base="base")
    (tmp_path / "nodes.csv").write_text("name,x,y,z,mass\n")
    with pytest.raises(InputError, match="has no rows"):
        read_modes(tmp_path, base="base")


def test_message_about_a_damaged_archive_names_the_file_and_the_defect(tmp_path: Path) -> None:
    given = lumped_modes()
    file = tmp_path / "modes.npz"

    def refused(message: str, **change: object) -> None:
        np.savez(file, **{**given, **change})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=message) as caught:
            read_modes(file, base="base")
        assert caught.value.problems[0].file == str(file)

    refused("mass: must be an array of numbers", mass=np.array([["a"] * 6] * 3))
    refused("frequency: must be an array of numbers", frequency=given["frequency"] + 1j)
    refused("frequency: must hold at least one value", frequency=np.zeros(0), shapes=np.zeros((3, 6, 0)))
    refused("names: must hold at least one value", names=np.zeros(0, "U1"))
    refused("positions: must be at most", positions=given["positions"] * 1e200)
    refused("mass-normalised", shapes=given["shapes"] * 1e200)
    refused("damaged, or it is not an archive of plain arrays", names=np.array(["a", 1, None], object))
    np.savez(file, **given)  # type: ignore[arg-type]
    file.write_bytes(file.read_bytes()[:-300])
    with pytest.raises(InputError, match="damaged"):
        read_modes(file, base="base")


def test_cached_archive_needs_no_child_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "cache_folders", lambda: [tmp_path])
    np.savez(tmp_path / "modes.npz", **lumped_modes())  # type: ignore[arg-type]
    before = read_modes(tmp_path / "modes.npz", base="base")
    monkeypatch.setattr(child_process.subprocess, "Popen", None)
    np.testing.assert_array_equal(read_modes(tmp_path / "modes.npz", base="base").shapes, before.shapes)
