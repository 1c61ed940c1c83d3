"""01: Predict an impact between two multibody spacecraft, then simulate it with stiffer and stiffer contacts.

The theory assumes that the contact is much stiffer than the springs behind it. Its error must fall in proportion to
this ratio of stiffness, and the conservation check of every run must pass.
"""

import itertools

import softdock

STIFFNESS = (1.5e4, 1.5e5, 1.5e6)  # N/m; the springs behind the contact have 1000 and 200 N/m


def main() -> None:
    theory = softdock.predict("impact-a")
    print(
        f"Coefficient of effective masses: {theory['effective_mass_ratio']:.4f}. {theory['regime_sentence']}"
    )
    print(f"Theory: {1e3 * theory['relative_velocity_after']:.4f} mm/s after the impact")

    errors = []
    for stiffness in STIFFNESS:
        scenario = softdock.load("impact-a", {"contact.stiffness": stiffness})
        result = softdock.simulate(scenario)
        after = result.metrics["relative_velocity_after"]
        errors.append(abs(after - theory["relative_velocity_after"]))
        print(
            f"Contact of {stiffness:9.0f} N/m: {1e3 * after:.4f} mm/s, energy to {result.audit.energy_residual:.0e}"
        )
        assert result.audit.energy_residual < 1e-12
        assert result.audit.linear_momentum_drift < 1e-12

    # First order: ten times the stiffness, a tenth of the error. The next term is smaller by 1000/15000 at first.
    for coarse, fine in itertools.pairwise(errors):
        assert abs(coarse / fine / 10.0 - 1.0) < 1000.0 / 15000.0


if __name__ == "__main__":
    main()
