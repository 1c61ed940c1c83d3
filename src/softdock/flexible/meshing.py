"""Finite-element meshes: conversion of a structure to nodes and sparse stiffness and mass matrices."""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from softdock.errors import InputError
from softdock.flexible.elements import beam_matrices
from softdock.flexible.structure import Beam, Structure
from softdock.spatial.inertia import rigid_inertia_matrix
from softdock.spatial.rotations import skew
from softdock.spatial.vectors import motion_shift

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StructureMassProperties:
    """Mass, centre of mass and inertia of the undeformed structure."""

    mass: float
    """[kg]"""
    centre_of_mass: Floats
    """In the frame of the structure [m]."""
    inertia: Floats
    """About the centre of mass, 3x3 [kg m2]."""


@dataclass(frozen=True, kw_only=True)
class StructureMesh:
    """A structure divided into elements; six degrees of freedom per node, rotation before translation."""

    names: tuple[str, ...]
    """Names of the nodes; those inside a beam are `beam.1`, `beam.2` and so on from its first node."""
    positions: Floats
    """Positions of the nodes, shape (nodes, 3) [m]."""
    stiffness: sparse.csc_matrix
    """Shape (6 nodes, 6 nodes), symmetric."""
    mass: sparse.csc_matrix
    """Shape (6 nodes, 6 nodes), symmetric."""

    def index(self, name: str) -> int:
        """Return the index of a node by its name."""
        try:
            return self.names.index(name)
        except ValueError:
            some = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
            raise InputError(f"there is no such node; known: {some}.", field="node", given=name) from None

    def rigid_motions(self, about: Floats) -> Floats:
        """Return how every node moves with a rigid body, shape (6 nodes, 6); columns are spatial motions; Eq. (F8)."""
        return np.concatenate([motion_shift(p - about) for p in self.positions])

    def inertia_about(self, point: Floats) -> Floats:
        """Return the rigid 6x6 inertia about a point, angular part first; Eq. (F9)."""
        R = self.rigid_motions(point)
        return np.asarray(R.T @ (self.mass @ R))  # Eq. (F9)

    def mass_properties(self) -> StructureMassProperties:
        """Return mass, centre of mass and inertia of the undeformed structure."""
        origin = self.positions[0]
        M = self.inertia_about(origin)
        mass = float(np.trace(M[3:, 3:])) / 3.0
        if not mass > 0.0:
            raise InputError("has no mass: give mass to its beams or parts.", field="structure")
        arm = np.array([M[2, 4], M[0, 5], M[1, 3]]) / mass  # M[:3, 3:] is m [c]x
        inertia = M[:3, :3] + mass * skew(arm) @ skew(arm)
        return StructureMassProperties(
            mass=mass, centre_of_mass=origin + arm, inertia=(inertia + inertia.T) / 2.0
        )


def mesh(structure: Structure) -> StructureMesh:
    """Divide the beams of a structure into elements and assemble stiffness and mass."""
    names = list(structure.nodes)
    positions = [np.array(p) for p in structure.nodes.values()]
    number = {name: i for i, name in enumerate(names)}
    blocks: list[tuple[NDArray[np.int64], Floats, Floats]] = []
    for beam_name, beam in structure.all_beams().items():
        start, end = structure.ends(beam)
        chain = [number[beam.nodes[0]]]
        for i in range(1, beam.elements):
            chain.append(len(names))
            names.append(f"{beam_name}.{i}")
            positions.append(start + (end - start) * (i / beam.elements))
        chain.append(number[beam.nodes[1]])
        blocks += _beam_blocks(structure, beam, chain)
    for part in structure.parts.values():
        own = rigid_inertia_matrix(part.mass, np.array(part.centre_of_mass), part.inertia_matrix())
        blocks.append((6 * number[part.node] + np.arange(6), np.zeros((6, 6)), own))
    K, M = _assemble(6 * len(names), blocks)
    return StructureMesh(names=tuple(names), positions=np.array(positions), stiffness=K, mass=M)


def _beam_blocks(
    structure: Structure, beam: Beam, chain: list[int]
) -> list[tuple[NDArray[np.int64], Floats, Floats]]:
    """Return degrees of freedom, stiffness and mass of each element of a beam, in the frame of the structure."""
    start, end = structure.ends(beam)
    along = end - start
    length = float(np.linalg.norm(along))
    axes = beam_axes(along, None if beam.side is None else np.array(beam.side))
    rotation = np.kron(np.eye(4), axes)  # from the structure's frame to beam axes
    local = beam_matrices(structure.section_of(beam), length / beam.elements)
    K, M = (rotation.T @ X @ rotation for X in local)
    first, last = np.eye(12), np.eye(12)
    first[:6, :6] = motion_shift(np.array(beam.start_offset))  # Eq. (F7)
    last[6:, 6:] = motion_shift(np.array(beam.end_offset))
    blocks = []
    for i, (a, b) in enumerate(itertools.pairwise(chain)):
        T = (first if i == 0 else np.eye(12)) @ (last if i == beam.elements - 1 else np.eye(12))
        at = np.concatenate([6 * a + np.arange(6), 6 * b + np.arange(6)])
        blocks.append((at, T.T @ K @ T, T.T @ M @ T))
    return blocks


def beam_axes(along: Floats, side: Floats | None) -> Floats:
    """Return the beam's axes as rows, shape (3, 3): x along it, y in the plane of x and `side`; Eq. (F6)."""
    x = along / np.linalg.norm(along)
    if side is None:  # any direction: the section has no preferred one
        side = np.eye(3)[int(np.argmin(np.abs(x)))]
    y = side - (side @ x) * x
    y = y / np.linalg.norm(y)
    return np.array([x, y, np.cross(x, y)])  # Eq. (F6)


def _assemble(
    n: int, blocks: list[tuple[NDArray[np.int64], Floats, Floats]]
) -> tuple[sparse.csc_matrix, sparse.csc_matrix]:
    """Return sparse stiffness and mass of n degrees of freedom as the sum of element blocks."""
    if not blocks:
        return sparse.csc_matrix((n, n)), sparse.csc_matrix((n, n))
    rows = np.concatenate([np.repeat(at, at.size) for at, _, _ in blocks])
    columns = np.concatenate([np.tile(at, at.size) for at, _, _ in blocks])
    K = np.concatenate([k.ravel() for _, k, _ in blocks])
    M = np.concatenate([m.ravel() for _, _, m in blocks])
    where = (rows, columns)
    return (
        sparse.coo_matrix((K, where), shape=(n, n)).tocsc(),
        sparse.coo_matrix((M, where), shape=(n, n)).tocsc(),
    )
