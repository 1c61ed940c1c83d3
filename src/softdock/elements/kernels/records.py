"""Records that all elements have: ELEMENT (constant) and ELEMENT_DATA (changes during a run).

Parameters of a kind are in its LAW, what it remembers in its STATE; `element.row` is the row of an element in both.
"""

import numpy as np

from softdock.elements.kernels.one_sided import ONE_SIDED_FIELDS

ELEMENT = np.dtype(
    [
        ("kind", np.int64),  # number of the kind; see elements.kinds
        ("row", np.int64),  # among the laws and states of its kind
        ("always", np.int64),  # 1: its kernels also run while it is switched off
        ("connection", np.int64),  # 1: implicit steps have its stiffness between two bodies; see linear
        ("stiff", np.int64),  # 1: it may be so stiff that implicit steps pay while nothing touches
        # Links of frames F and G, -1 without such a frame. An element along a joint has the moving link as b.
        ("a", np.int64),
        ("b", np.int64),
        ("at_q", np.int64),  # first position of its joint; -1 for an element between bodies
        ("at_u", np.int64),  # first speed of its joint, counted among the speeds; -1 as above
        ("rows", np.int64),  # axes of the joint: 1, 2 or 3
        ("ball", np.int64),  # 1: the deflection is the rotation vector of a ball joint
        ("at_state", np.int64),  # first of its own entries in the state; -1: it has none
        ("R_aF", np.float64, 9),
        ("p_aF", np.float64, 3),
        ("R_bG", np.float64, 9),
        ("p_bG", np.float64, 3),
    ],
    align=True,
)

# Indices of what an element transmits.
FORCE, MOMENT = 0, 1

ELEMENT_DATA = np.dtype(
    [
        ("active", np.int64),  # 1: switched on
        # Number of the branch of a law with kinks, such as the force limit of a drive or the sides of its backlash.
        ("branch", np.int64),
        ("branch_at_start", np.int64),  # branch when the present step began; see step_errors
        ("largest_angle", np.float64),  # of the run
        # Errors of what it transmits; a force [N] and a moment [N m], see force_errors. An element along a joint has
        # the first only, whatever its unit.
        ("inertia", np.float64, 2),  # that it moves at the start of the run [kg, kg m2]
        ("force_scale", np.float64, 2),  # largest size so far, also of what accelerates its inertia
        ("force_error", np.float64, 2),  # estimated at the end of the step
        ("largest_error", np.float64, 2),  # of the run
        ("peak", np.float64, 2),  # largest size at the end of a step
        (
            "joint_gains",
            np.float64,
            2,
        ),  # stiffness and damping of an element along a joint in the present step
        ("stiffness", np.float64, 2),  # against displacement and rotation in the present step
        ("peak_stiffness", np.float64, 2),  # at the peak
        # Of an element between bodies, in its frame, rotations first: errors of displacements and velocities of the
        # present step, their sums at its start, what is left of these at its end.
        ("step_errors", np.float64, 12),
        ("error_sums", np.float64, 12),
        ("errors_left", np.float64, 12),
        *ONE_SIDED_FIELDS,  # of an element that only pushes; see one_sided
        # Results of an evaluation of the forces.
        ("static_friction", np.float64),  # largest share in the holding force of its joint [N or N m]
        ("deflection", np.float64),
        # Rotation away from its rest whose torque is ambiguous beyond half a turn [rad]; else 0.
        ("angle", np.float64),
        ("force", np.float64),  # transmitted, with damping and friction [N, or N m along a turning axis]
        ("energy", np.float64),  # stored [J]
        ("loss", np.float64),  # power dissipated [W]
        ("power", np.float64),  # power supplied by the element [W]
        # Of an element between bodies: torque and force on b, in axes of N about N's origin.
        ("total", np.float64, 6),
    ],
    align=True,
)
