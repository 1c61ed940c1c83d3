"""Inverse dynamics of an arm: mass matrix (composite rigid bodies) and forces of a motion (recursive Newton-Euler).

All spatial vectors are expressed in the frame B of the arm's base and taken about its origin, angular part first.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.decorators import kernel
from softdock.spatial.kernels import cross, momentum, transform_inertia


class ArmArrays(NamedTuple):
    """An arm as arrays: link 0 is the base, link i moves by joint i - 1."""

    parent: NDArray[np.int64]
    """(links,) index of the parent link; -1 for the base."""
    is_revolute: NDArray[np.int64]
    """(links,) 1: revolute about the z axis of the joint frame; 0: prismatic along it."""
    R_PJ: NDArray[np.float64]
    """(links, 9) rotation of the joint frame in the parent link."""
    p_PJ: NDArray[np.float64]
    """(links, 3) origin of the joint frame in the parent link [m]."""
    own: NDArray[np.float64]
    """(links, 10) mass, mass times centre, inertia xx yy zz xy xz yz about the origin; link axes."""


class ArmMotion(NamedTuple):
    """Work arrays of an evaluation."""

    R: NDArray[np.float64]
    """(links, 9) R_BL"""
    p: NDArray[np.float64]
    """(links, 3) p_BL_B [m]"""
    S: NDArray[np.float64]
    """(links, 6) spatial velocity per unit of joint speed; zero for the base."""
    inertia: NDArray[np.float64]
    """(links, 10) inertia of the link in B, components as in `own`."""
    composite: NDArray[np.float64]
    """(links, 10) composite inertia of the link and its descendants."""
    V: NDArray[np.float64]
    """(links, 6) velocity."""
    A: NDArray[np.float64]
    """(links, 6) acceleration."""
    F: NDArray[np.float64]
    """(links, 6) spatial force required by the motion."""


@kernel
def evaluate_arm(model, motion, q, u, udot, gravity, M, h):
    """Write the mass matrix `M` and the forces `h` required by a motion; Eqs. (A1)-(A6).

    `q` (joints,), `u` and `udot` (6 + joints,): the motion of the base in B first. `gravity` in B [m/s2].
    """
    compute_poses(model, motion, q)
    compute_inertias(model, motion)
    write_mass_matrix(model, motion, M)
    write_forces(model, motion, u, udot, gravity, h)


@kernel
def compute_poses(model, motion, q):
    """Write poses and joint axes of all links; Eq. (A1)."""
    R, p, S = motion.R, motion.p, motion.S
    for k in range(9):
        R[0, k] = 1.0 if k % 4 == 0 else 0.0
    for k in range(3):
        p[0, k] = 0.0
    for i in range(1, model.parent.shape[0]):
        P = model.parent[i]
        slide = 0.0
        c, s = 1.0, 0.0
        if model.is_revolute[i] == 1:
            c, s = math.cos(q[i - 1]), math.sin(q[i - 1])
        else:
            slide = q[i - 1]
        for a in range(3):
            x = y = z = shift = 0.0
            for b in range(3):
                r = R[P, 3 * a + b]
                x += r * model.R_PJ[i, 3 * b]
                y += r * model.R_PJ[i, 3 * b + 1]
                z += r * model.R_PJ[i, 3 * b + 2]
                shift += r * model.p_PJ[i, b]
            R[i, 3 * a] = x * c + y * s
            R[i, 3 * a + 1] = y * c - x * s
            R[i, 3 * a + 2] = z
            p[i, a] = p[P, a] + shift + z * slide
        zx, zy, zz = R[i, 2], R[i, 5], R[i, 8]
        if model.is_revolute[i] == 1:
            S[i, 0], S[i, 1], S[i, 2] = zx, zy, zz
            S[i, 3], S[i, 4], S[i, 5] = cross(p[i, 0], p[i, 1], p[i, 2], zx, zy, zz)
        else:
            S[i, 0], S[i, 1], S[i, 2] = 0.0, 0.0, 0.0
            S[i, 3], S[i, 4], S[i, 5] = zx, zy, zz


@kernel
def compute_inertias(model, motion):
    """Write the inertia of every link in B, and its composite inertia; Eqs. (A2), (A3)."""
    R, p, out = motion.R, motion.p, motion.inertia
    n = model.parent.shape[0]
    for i in range(n):
        moved = transform_inertia(R[i], p[i], model.own[i])
        for k in range(10):
            out[i, k] = motion.composite[i, k] = moved[k]
    for i in range(n - 1, 0, -1):
        for k in range(10):
            motion.composite[model.parent[i], k] += motion.composite[i, k]


@kernel
def write_mass_matrix(model, motion, M):
    """Write the mass matrix, rows and columns of the base first; Eq. (A4)."""
    S, V = motion.S, motion.V
    n = model.parent.shape[0]
    for j in range(6):  # the base moves along its own axes
        for k in range(6):
            V[0, k] = 1.0 if k == j else 0.0
        f0, f1, f2, f3, f4, f5 = momentum(motion.composite[0], V[0])
        M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j] = f0, f1, f2, f3, f4, f5
    for j in range(1, n):
        f0, f1, f2, f3, f4, f5 = momentum(motion.composite[j], S[j])
        column = 5 + j
        M[0, column], M[1, column], M[2, column] = f0, f1, f2
        M[3, column], M[4, column], M[5, column] = f3, f4, f5
        for k in range(6):
            M[column, k] = M[k, column]
        for i in range(1, n):
            if i <= j:
                M[5 + i, column] = M[column, 5 + i] = 0.0
        i = j
        while i > 0:
            s = S[i]
            value = s[0] * f0 + s[1] * f1 + s[2] * f2 + s[3] * f3 + s[4] * f4 + s[5] * f5
            M[5 + i, column] = M[column, 5 + i] = value
            i = model.parent[i]


@kernel
def write_forces(model, motion, u, udot, gravity, h):
    """Write the forces at base and joints that a motion requires; Eqs. (A5), (A6)."""
    S, V, A, F = motion.S, motion.V, motion.A, motion.F
    n = model.parent.shape[0]
    for k in range(6):
        V[0, k] = u[k]
        A[0, k] = udot[k]
        if k > 2:
            A[0, k] -= gravity[k - 3]
    for i in range(1, n):
        P, rate = model.parent[i], u[5 + i]
        for k in range(6):
            V[i, k] = V[P, k] + S[i, k] * rate
            A[i, k] = A[P, k] + S[i, k] * udot[5 + i]
        wx, wy, wz = V[i, 0], V[i, 1], V[i, 2]
        x, y, z = cross(wx, wy, wz, S[i, 0], S[i, 1], S[i, 2])
        A[i, 0], A[i, 1], A[i, 2] = A[i, 0] + x * rate, A[i, 1] + y * rate, A[i, 2] + z * rate
        x, y, z = cross(wx, wy, wz, S[i, 3], S[i, 4], S[i, 5])
        a, b, c = cross(V[i, 3], V[i, 4], V[i, 5], S[i, 0], S[i, 1], S[i, 2])
        A[i, 3] += (x + a) * rate
        A[i, 4] += (y + b) * rate
        A[i, 5] += (z + c) * rate
    for i in range(n):
        f0, f1, f2, f3, f4, f5 = momentum(motion.inertia[i], A[i])
        a0, a1, a2, l0, l1, l2 = momentum(motion.inertia[i], V[i])
        wx, wy, wz = V[i, 0], V[i, 1], V[i, 2]
        x, y, z = cross(wx, wy, wz, a0, a1, a2)
        a, b, c = cross(V[i, 3], V[i, 4], V[i, 5], l0, l1, l2)
        F[i, 0], F[i, 1], F[i, 2] = f0 + x + a, f1 + y + b, f2 + z + c
        x, y, z = cross(wx, wy, wz, l0, l1, l2)
        F[i, 3], F[i, 4], F[i, 5] = f3 + x, f4 + y, f5 + z
    for i in range(n - 1, 0, -1):
        tau = 0.0
        for k in range(6):
            tau += S[i, k] * F[i, k]
            F[model.parent[i], k] += F[i, k]
        h[5 + i] = tau
    for k in range(6):
        h[k] = F[0, k]
