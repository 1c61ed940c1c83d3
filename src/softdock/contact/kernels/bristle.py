"""Tangential elasticity of a contact: one bristle of four displacements for its patch, which yields at the limit mu N.

The patch is where the normal forces of the cells act: a centre, a normal, an area and a radius of gyration. The bristle
is stretched by the motion of the patch, along the surface and about its normal, as far as friction does not slide.
"""

import math

from softdock.contact.kernels.layout import (
    DISSIPATION,
    FORCE,
    FRICTION_USE,
    PATCH_AREA,
    PATCH_ENTERING,
    PATCH_LEAVING,
    PATCH_LOAD,
    PATCH_MOMENT,
    PATCH_NORMAL,
    PATCH_SECOND,
    PATCH_SLIP,
    PATCH_SUMS,
    SLIDING_SPEED,
    TORQUE,
)
from softdock.geometry.kernels import TINY
from softdock.native.decorators import inline, kernel
from softdock.native.simd import fma, horizontal_sum, load, maximum, store

# Entries of the state: displacement in A's axes (3), rotation about the normal times the radius of the patch [m].
BRISTLE_STATES = 4
SPIN = 3
# Mean radius of a disc over its radius of gyration, 2/3 times the root of 2: the largest torque of friction about the
# normal is that of a disc exactly, of a spherical contact within 2 %.
SPIN_LIMIT = 0.9428090415820634
# Use of the limit from which the bristle yields, rather than at the limit itself: integration sees no kink there.
YIELD_START = 0.9
MOST_YIELD = 2.0  # times the rate of loading: beyond the limit, where the normal force fell
# Size of the sum of the normal forces over the sum of their sizes, between which the bristle begins to act: where
# normals cancel, as at the two ends of a shaft in a tube, there is no common direction along the surface.
LEAST_ALIGNMENT, FULL_ALIGNMENT = 0.1, 0.2


@inline
def add_to(sums, row, x):
    """Add a vector to a row of the sums."""
    store(sums, row, 0, load(sums, row, 0) + x)


@inline
def add_to_patch(sums, patch, edge):
    """Add eight cells to the sums over the patch; `edge`: their change of area by the depth [m]."""
    force, n, d, slip, v_n = patch
    add_to(sums, PATCH_NORMAL, force * n[0])
    add_to(sums, PATCH_NORMAL + 1, force * n[1])
    add_to(sums, PATCH_NORMAL + 2, force * n[2])
    add_to(sums, PATCH_LOAD, force)
    add_to(sums, PATCH_MOMENT, force * d[0])
    add_to(sums, PATCH_MOMENT + 1, force * d[1])
    add_to(sums, PATCH_MOMENT + 2, force * d[2])
    add_to(sums, PATCH_SECOND, force * fma(d[0], d[0], fma(d[1], d[1], d[2] * d[2])))
    add_to(sums, PATCH_SLIP, force * slip)
    change = edge * v_n
    add_to(sums, PATCH_ENTERING, maximum(change, 0.0))
    add_to(sums, PATCH_LEAVING, maximum(-change, 0.0))


@kernel
def clear_patch(work):
    """Set the sums over the patch to zero: nothing touches."""
    work["patch_load"] = 0.0
    for k in range(PATCH_SUMS):
        store(work["patch_sums"], k, 0, 0.0)


@kernel
def measure_patch(work, data, area):
    """Write the measures of the patch from the sums over the cells; `area`: of contact [m2]; Eq. (C62)."""
    sums, n, c = work["patch_sums"], work["patch_normal"], work["patch_centre"]
    force = horizontal_sum(load(sums, PATCH_LOAD, 0))
    if not force > 0.0:
        return
    square, second = 0.0, horizontal_sum(load(sums, PATCH_SECOND, 0)) / force
    for k in range(3):
        n[k] = horizontal_sum(load(sums, PATCH_NORMAL + k, 0))
        c[k] = horizontal_sum(load(sums, PATCH_MOMENT + k, 0)) / force
        square += n[k] * n[k]
        second -= c[k] * c[k]
    size = math.sqrt(square)
    aligned = (size / force - LEAST_ALIGNMENT) / (FULL_ALIGNMENT - LEAST_ALIGNMENT)
    for k in range(3):
        n[k] /= max(size, TINY)
    entering = horizontal_sum(load(sums, PATCH_ENTERING, 0))
    leaving = horizontal_sum(load(sums, PATCH_LEAVING, 0))
    both, renewal = entering + leaving, 0.0
    if both > 0.0:
        # A patch that is smaller than the smallest cell is not resolved.
        least = math.pi * data["smallest_cell"] * data["smallest_cell"]
        renewal = 2.0 * entering * leaving / (both * (area + least))  # Eq. (C67)
    work["patch_load"], work["patch_area"], work["patch_radius"] = force, area, math.sqrt(max(second, 0.0))
    work["patch_alignment"] = max(0.0, min(1.0, aligned))
    work["patch_slip"] = math.sqrt(min(1.0, horizontal_sum(load(sums, PATCH_SLIP, 0)) / force))  # Eq. (C63)
    work["patch_renewal"] = renewal


@kernel
def measure_stored_patch(work, data):
    """Write the measures of the patch from sums that include the area."""
    measure_patch(work, data, horizontal_sum(load(work["patch_sums"], PATCH_AREA, 0)))


@inline
def patch_motion(work, w, v):
    """Return the motion of B at the centre of the patch along A, in A, and about its normal times the radius [m/s]."""
    n, c = work["patch_normal"], work["patch_centre"]
    x = v[0] + w[1] * c[2] - w[2] * c[1]
    y = v[1] + w[2] * c[0] - w[0] * c[2]
    z = v[2] + w[0] * c[1] - w[1] * c[0]
    along = x * n[0] + y * n[1] + z * n[2]
    spin = work["patch_radius"] * (w[0] * n[0] + w[1] * n[1] + w[2] * n[2])
    return x - along * n[0], y - along * n[1], z - along * n[2], spin


@inline
def bristle_use(work, data, z, stiffness):
    """Return the force of the bristle over its limit, and the bristle without its part along the normal; Eq. (C65)."""
    n = work["patch_normal"]
    along = z[0] * n[0] + z[1] * n[1] + z[2] * n[2]
    x, y, t, spin = z[0] - along * n[0], z[1] - along * n[1], z[2] - along * n[2], z[SPIN]
    size = math.sqrt(x * x + y * y + t * t + spin * spin / (SPIN_LIMIT * SPIN_LIMIT))
    return stiffness * size / max(data["friction"] * work["patch_load"], TINY), (x, y, t, spin)


@inline
def relaxation_rate(data, work, k):
    """Return the rate at which the bristle follows the friction of a sliding patch [1/s]; Eq. (C66).

    The friction speed over the stretch at the limit; a contact below the resolved force has no rate of its own.
    """
    resolved = math.pi * data["resolution"] * data["stiffness"]
    return data["friction_speed"] * k / (data["friction"] * (work["patch_load"] + resolved))


@inline
def bristle_share(slip):
    """Return the share of the bristle in friction where the patch slips: 1 at rest, 0 where all slides; Eq. (C64)."""
    return (1.0 - slip * slip) / (1.0 + slip * slip)


@inline
def limited_share(share, slip, use):
    """Return the share of the bristle with which it and the friction of the sliding cells stay below the limit."""
    return min(share, (1.0 - slip) / use) if use > 0.0 else share


@inline
def yielding_part(use):
    """Return the part of the loading of the bristle that yields at a use of its limit; Eq. (C65)."""
    return max(0.0, min(MOST_YIELD, (use - YIELD_START) / (1.0 - YIELD_START)))


@kernel
def bristle_energy(data, z):
    """Return the energy stored in a bristle [J]; Eq. (C61)."""
    return 0.5 * data["bristle_stiffness"] * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2] + z[SPIN] * z[SPIN])


@kernel
def apply_bristle(data, work, p_AB_A, w_AB_A, v_AB_A, z, rate, out, pull):
    """Add the force of the bristle of a pair to `out` and write its rate [m/s]; Eqs. (C64)-(C66).

    Expects `out` and the patch of the same evaluation. `z` (4): displacement along the surface in A, and rotation about
    the normal times the radius of the patch, times the root of the stiffness of the patch over `bristle_stiffness` [m].
    `pull` (4) gets the force of the bristle on B in A [N], and its moment about the normal [N m].
    """
    n, c, radius = work["patch_normal"], work["patch_centre"], work["patch_radius"]
    k, k_0 = data["shear_stiffness"] * work["patch_area"], data["bristle_stiffness"]
    aligned, slip = work["patch_alignment"], work["patch_slip"]
    stiffness, u = math.sqrt(k * k_0), patch_motion(work, w_AB_A, v_AB_A)
    use, held = bristle_use(work, data, z, stiffness)
    share = bristle_share(slip)
    stretching = aligned * math.sqrt(k / k_0) * share * share
    relaxation = relaxation_rate(data, work, k)
    x, y, t = p_AB_A[0] + c[0], p_AB_A[1] + c[1], p_AB_A[2] + c[2]
    # The friction of the sliding cells, along the surface and about the normal.
    fx, fy, fz = out[FORCE], out[FORCE + 1], out[FORCE + 2]
    along = fx * n[0] + fy * n[1] + fz * n[2]
    moment = (out[TORQUE] - (y * fz - t * fy)) * n[0] + (out[TORQUE + 1] - (t * fx - x * fz)) * n[1]
    moment += (out[TORQUE + 2] - (x * fy - y * fx)) * n[2]
    per, most = aligned / max(stiffness, TINY), data["friction"] * work["patch_load"] * slip
    spin = max(-most, min(most, moment / max(radius, TINY)))  # a patch of one cell has no radius
    fx, fy, fz = fx - along * n[0], fy - along * n[1], fz - along * n[2]
    target = (-per * fx, -per * fy, -per * fz, -per * spin)
    loading = max(0.0, held[0] * u[0] + held[1] * u[1] + held[2] * u[2] + held[SPIN] * u[SPIN])
    size = held[0] * held[0] + held[1] * held[1] + held[2] * held[2] + held[SPIN] * held[SPIN]
    back = yielding_part(use) * loading / max(size, TINY)
    lost = work["patch_renewal"] + (1.0 - aligned) * relaxation
    stored = 0.0
    for j in range(BRISTLE_STATES):
        rate[j] = stretching * (u[j] - back * held[j])
        rate[j] += slip * slip * relaxation * (target[j] - slip * z[j]) - lost * z[j]
        stored += z[j] * rate[j]
    factor = -aligned * stiffness * limited_share(share, slip, use)
    pull[0], pull[1], pull[2], pull[3] = (
        factor * held[0], factor * held[1], factor * held[2], factor * radius * held[SPIN]
    )  # fmt: skip
    fx, fy, fz, spin = fx + pull[0], fy + pull[1], fz + pull[2], (spin + factor * held[SPIN]) / SPIN_LIMIT
    limit = max(data["friction"] * work["patch_load"], TINY)
    out[FRICTION_USE] = math.sqrt(fx * fx + fy * fy + fz * fz + spin * spin) / limit
    out[SLIDING_SPEED] = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    fx, fy, fz, moment = pull[0], pull[1], pull[2], pull[3]
    out[FORCE], out[FORCE + 1], out[FORCE + 2] = out[FORCE] + fx, out[FORCE + 1] + fy, out[FORCE + 2] + fz
    out[TORQUE] += y * fz - t * fy + moment * n[0]
    out[TORQUE + 1] += t * fx - x * fz + moment * n[1]
    out[TORQUE + 2] += x * fy - y * fx + moment * n[2]
    power = factor * (held[0] * u[0] + held[1] * u[1] + held[2] * u[2] + held[SPIN] * u[SPIN])
    out[DISSIPATION] -= power + k_0 * stored  # what is neither stored nor given back


@kernel
def write_bristle_rows(data, work, p_AB_A, w_AB_A, v_AB_A, z, rows):
    """Write the stretch of the bristle per motion of B, (4, 6) as in `evaluate_stiffness`, in roots of N/m; Eq. (C68).

    The stiffness is the transpose of the rows times the rows. Returns the rate at which the bristle decays [1/s].
    Expects the measures of the patch at this state.
    """
    n, c, k, k_0 = (
        work["patch_normal"],
        work["patch_centre"],
        data["shear_stiffness"] * work["patch_area"],
        data["bristle_stiffness"],
    )
    aligned, slip = work["patch_alignment"], work["patch_slip"]
    share = bristle_share(slip)
    use, held = bristle_use(work, data, z, math.sqrt(k * k_0))
    u = patch_motion(work, w_AB_A, v_AB_A)
    loading = max(0.0, held[0] * u[0] + held[1] * u[1] + held[2] * u[2] + held[SPIN] * u[SPIN])
    size = held[0] * held[0] + held[1] * held[1] + held[2] * held[2] + held[SPIN] * held[SPIN]
    part, rising = yielding_part(use), use / (1.0 - YIELD_START)
    relaxation = relaxation_rate(data, work, k)
    decay = slip * slip * slip * relaxation + work["patch_renewal"] + (1.0 - aligned) * relaxation
    if part > 0.0:
        decay += aligned * math.sqrt(k / k_0) * share * share * loading / max(size, TINY) * (part + rising)
    factor = aligned * share * math.sqrt(k * limited_share(share, slip, use))
    x, y, t = p_AB_A[0] + c[0], p_AB_A[1] + c[1], p_AB_A[2] + c[2]
    for j in range(3):
        a0 = factor * ((1.0 if j == 0 else 0.0) - n[j] * n[0])
        a1 = factor * ((1.0 if j == 1 else 0.0) - n[j] * n[1])
        a2 = factor * ((1.0 if j == 2 else 0.0) - n[j] * n[2])
        rows[j, 0], rows[j, 1], rows[j, 2] = y * a2 - t * a1, t * a0 - x * a2, x * a1 - y * a0
        rows[j, 3], rows[j, 4], rows[j, 5] = a0, a1, a2
        rows[SPIN, j], rows[SPIN, 3 + j] = factor * work["patch_radius"] * n[j], 0.0
    return decay


@kernel
def subtract_released_force(data, work, p_AB_A, w_AB_A, v_AB_A, z, D):
    """Subtract from the damping of a contact (6, 6) what the bristle gives up as its patch slips; Eq. (C68)."""
    n, c, k = work["patch_normal"], work["patch_centre"], data["shear_stiffness"] * work["patch_area"]
    radius, slip, u = work["patch_radius"], work["patch_slip"], patch_motion(work, w_AB_A, v_AB_A)
    stiffness = math.sqrt(k * data["bristle_stiffness"])
    use, held = bristle_use(work, data, z, stiffness)
    speed = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[SPIN] * u[SPIN])
    if speed == 0.0:
        return
    square, share = slip * slip, bristle_share(slip)
    given_up = 4.0 * slip / ((1.0 + square) * (1.0 + square))
    if limited_share(share, slip, use) < share:
        given_up = 1.0 / use
    force = work["patch_alignment"] * stiffness * given_up
    per = (1.0 - square) * math.sqrt(1.0 - square) / (data["friction_speed"] * speed)
    x, y, t = p_AB_A[0] + c[0], p_AB_A[1] + c[1], p_AB_A[2] + c[2]
    f, g = wrench_of(held, force, radius, n, x, y, t), wrench_of(u, per, radius, n, x, y, t)
    for i in range(6):
        for j in range(6):
            D[i, j] -= f[i] * g[j]


@inline
def wrench_of(a, factor, radius, n, x, y, t):
    """Return torque about A's origin and force of four components at the patch, times a factor."""
    fx, fy, fz, moment = factor * a[0], factor * a[1], factor * a[2], factor * radius * a[SPIN]
    return (
        y * fz - t * fy + moment * n[0], t * fx - x * fz + moment * n[1], x * fy - y * fx + moment * n[2], fx, fy, fz
    )  # fmt: skip


@kernel
def add_bristle_stiffness(rows, K):
    """Add the stiffness of a bristle to that of its contact (6, 6)."""
    for i in range(6):
        for j in range(6):
            for row in range(BRISTLE_STATES):
                K[i, j] += rows[row, i] * rows[row, j]
