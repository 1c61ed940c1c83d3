"""Equivalent beam of a truss: stiffness of one bay under unit loads."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from softdock.errors import InputError
from softdock.flexible.structure import AxialStiffness, MassPerLength, NodeName, Section
from softdock.quantities.fields import Length, PositiveLength, Vector3
from softdock.quantities.model import Model
from softdock.spatial.vectors import motion_shift

Floats = NDArray[np.float64]


class Bar(Model):
    """A pin-jointed bar, which carries axial force only."""

    nodes: tuple[NodeName, NodeName]
    axial: AxialStiffness
    """EA."""
    mass_per_length: MassPerLength = 0.0


class TrussBay(Model):
    """One bay of a truss along x: bars between nodes; its two end faces are rigid."""

    length: PositiveLength
    """From face to face, along x."""
    nodes: dict[NodeName, Vector3[Length]]
    """Nodes at x = 0 form the first face, nodes at x = length the second; others are free."""
    bars: tuple[Bar, ...] = Field(min_length=1)


@dataclass(frozen=True, kw_only=True)
class EquivalentBeam:
    """Beam with the bending, shear, torsional and axial stiffness of a bay."""

    section: Section
    compliance: Floats
    """Motion of the second face's centre under unit wrenches, angular part first, shape (6, 6); first face clamped."""
    coupling: float
    """Largest coupling that a beam does not have (such as torsion with extension): 0 none, 1 full."""


def square_bay(
    *, side: float, length: float, longeron: float, diagonal: float, crossed: bool = True
) -> TrussBay:
    """Return a bay with four longerons and braced faces; EA of a longeron and of a face's bracing [N], lengths [m].

    Crossed: two diagonals per face with half of `diagonal` each; otherwise one, in the same sense on all four faces.
    """
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    nodes = {
        f"{'near' if x == 0 else 'far'}{i}": (x * length, y * side / 2, z * side / 2)
        for x in (0, 1)
        for i, (y, z) in enumerate(corners)
    }
    bars = [Bar(nodes=(f"near{i}", f"far{i}"), axial=longeron) for i in range(4)]
    for i in range(4):
        j = (i + 1) % 4
        share = diagonal / 2 if crossed else diagonal
        bars.append(Bar(nodes=(f"near{i}", f"far{j}"), axial=share))
        if crossed:
            bars.append(Bar(nodes=(f"near{j}", f"far{i}"), axial=share))
    return TrussBay(length=length, nodes=nodes, bars=tuple(bars))


def equivalent_beam(bay: TrussBay) -> EquivalentBeam:
    """Return the beam equivalent to a bay, from its compliance at the second face; Eqs. (F25)-(F27)."""
    C = _compliance(bay)
    L = bay.length
    bending_y, bending_z = L / C[1, 1], L / C[2, 2]  # Eq. (F25)
    shear = []
    for across, rotation, axis in ((4, 2, "y"), (5, 1, "z")):
        compliance = C[across, across] - C[across, rotation] ** 2 / C[rotation, rotation]  # Eq. (F26)
        if not compliance > 1e-12 * C[across, across]:
            raise InputError(f"does not shear like a beam along {axis}: its bars form no faces.", field="bay")
        shear.append(L / compliance)
    mass = sum(bar.mass_per_length * _direction_and_length(bay, bar)[1] for bar in bay.bars)
    section = Section(
        axial=L / C[3, 3],
        torsion=L / C[0, 0],
        bending_y=bending_y,
        bending_z=bending_z,
        shear_y=shear[0],
        shear_z=shear[1],
        mass_per_length=mass / L,
    )
    return EquivalentBeam(section=section, compliance=C, coupling=_coupling(C))


def _compliance(bay: TrussBay) -> Floats:
    """Return the 6x6 compliance at the centre of the second face, with the first face clamped; Eq. (F27)."""
    names = list(bay.nodes)
    position = np.array([bay.nodes[name] for name in names])
    slack = 1e-9 * bay.length
    near, far = np.abs(position[:, 0]) <= slack, np.abs(position[:, 0] - bay.length) <= slack
    if near.sum() < 3 or far.sum() < 3:
        raise InputError("must have at least three nodes in each end face.", field="bay.nodes")
    centre = np.array([bay.length, 0.0, 0.0])
    inner = np.flatnonzero(~near & ~far)
    size = 6 + 3 * inner.size
    K = np.zeros((size, size))
    for bar in bay.bars:
        direction, length = _direction_and_length(bay, bar)
        row = np.zeros(size)  # elongation of the bar per degree of freedom
        for name, sign in zip(bar.nodes, (-1.0, 1.0)):
            i = names.index(name)
            if far[i]:
                row[:6] += sign * direction @ motion_shift(position[i] - centre)[3:]
            elif not near[i]:
                at = 6 + 3 * int(np.flatnonzero(inner == i)[0])
                row[at : at + 3] += sign * direction
        K += bar.axial / length * np.outer(row, row)
    scale = np.sqrt(np.where(np.diag(K) > 0.0, np.diag(K), 1.0))
    if np.linalg.eigvalsh(K / scale / scale[:, None])[0] < 1e-12:
        raise InputError("is a mechanism: its second face can move without stretching a bar.", field="bay")
    return np.asarray(np.linalg.inv(K)[:6, :6])  # Eq. (F27)


def _direction_and_length(bay: TrussBay, bar: Bar) -> tuple[Floats, float]:
    """Return unit vector and length [m] of a bar."""
    for name in bar.nodes:
        if name not in bay.nodes:
            raise InputError("a bar must connect nodes of the bay.", field="bay.bars", given=name)
    along = np.subtract(bay.nodes[bar.nodes[1]], bay.nodes[bar.nodes[0]])
    length = float(np.linalg.norm(along))
    if length == 0.0:
        raise InputError("a bar must have a length.", field="bay.bars", given=" to ".join(bar.nodes))
    return along / length, length


def _coupling(C: Floats) -> float:
    """Return the largest off-diagonal compliance that a beam does not have, relative to the diagonal."""
    size = np.sqrt(np.diag(C))
    relative = np.abs(C / size / size[:, None])
    for i, j in ((1, 5), (2, 4)):  # present in a beam: a transverse force rotates its end
        relative[i, j] = relative[j, i] = 0.0
    return float((relative - np.diag(np.diag(relative))).max())
