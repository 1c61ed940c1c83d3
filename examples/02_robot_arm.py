"""02: A floating robot arm, built in Python: its arm moves, and its base turns in the opposite direction.

There are no external forces, so the momentum stays zero. The angle of the base follows from the inertias alone and does
not depend on the limits of the motor.
"""

import numpy as np

from softdock import Body, Drive, Free, Revolute, Scenario, simulate

BASE_MASS, BASE_INERTIA = 100.0, 20.0  # kg, kg m2
ARM_MASS, ARM_INERTIA, ARM_LENGTH = 3.0, 2.0, 1.0  # m from the shoulder to the arm's centre of mass
ANGLE, MAX_TORQUE = np.pi / 2, 1.5  # rad, N m


def main() -> None:
    base = Body(mass=BASE_MASS, inertia=(BASE_INERTIA,) * 3, joint=Free())
    arm = Body(
        mass=ARM_MASS,
        centre_of_mass=(ARM_LENGTH, 0.0, 0.0),
        inertia=(ARM_INERTIA,) * 3,
        parent="base",
        joint=Revolute(axis="z"),
    )
    motor = Drive(joint="arm", target=ANGLE, rate=0.2, stiffness=500.0, damping=200.0, max_force=MAX_TORQUE)
    scenario = Scenario(
        bodies={"base": base, "arm": arm},
        drives={"motor": motor},
        duration=5.0,
        metrics={"push": "max motor.force"},
    )
    result = simulate(scenario)
    shoulder = result.history["arm.joint"]
    base_turn = 2.0 * np.arcsin(result.history["base.qz"])
    print(
        f"The shoulder turned {np.degrees(shoulder[-1]):.3f} deg, the base {np.degrees(base_turn[-1]):.3f} deg;"
    )
    print(f"the motor gave {result.metrics['push']:.2f} N m at most.")

    # About the common centre of mass, the base turns in the opposite direction by the arm's share of the inertia.
    reduced_mass = BASE_MASS * ARM_MASS / (BASE_MASS + ARM_MASS)
    share = ARM_INERTIA + reduced_mass * ARM_LENGTH**2
    assert np.abs(base_turn + shoulder * share / (BASE_INERTIA + share)).max() < 1e-7
    assert result.metrics["push"] <= MAX_TORQUE
    assert result.audit.energy_residual < 1e-6


if __name__ == "__main__":
    main()
