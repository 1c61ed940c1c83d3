"""06: A short contact acts as an impulse: a flexible station captures an Orbiter with springs and dampers.

The structure deforms during a contact that is long relative to the periods of its modes. The shorter the contact, the
nearer the change of the station's rate is to that of the weld impulse. Writes `station-contact.png`.
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import softdock

TIMES = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


def main() -> None:
    few = {"modes": {"residual": 0.02}, "before": "5 s", "after": "60 s"}
    impulse = softdock.simulate(softdock.load("power-tower-x", few))
    wanted = impulse.metrics["delta_rate"]
    print(f"impulse: {wanted:.4e} rad/s with {impulse.metrics['modes']} modes")
    ratios, tips = [], []
    for seconds in TIMES:
        caught = softdock.simulate(softdock.load("power-tower-x", {**few, "contact_time": seconds}))
        ratios.append(caught.metrics["delta_rate_simulated"] / wanted)
        tips.append(caught.metrics["max_deflection_a"] / impulse.metrics["max_deflection_a"])
        print(
            f"contact of {seconds:6.3f} s: {ratios[-1]:.4f} of the impulse's rate, {tips[-1]:.4f} of its deflection"
        )

    figure, axes = plt.subplots(figsize=(6.0, 3.6), layout="constrained")
    axes.semilogx(TIMES, ratios, "o-", label="change of the station's rate when joined")
    axes.semilogx(TIMES, tips, "s-", label="largest deflection of the keel's tip")
    axes.axhline(1.0, color="0.6", linewidth=0.8)
    axes.axvline(1.0 / impulse.metrics["highest_frequency"], color="0.6", linestyle=":")
    axes.annotate("fastest mode", (1.0 / impulse.metrics["highest_frequency"], 0.06), xytext=(4, 0),
                  textcoords="offset points", fontsize=8, color="0.4")  # fmt: skip
    axes.set(xlabel="contact time, s", ylabel="relative to the impulse", ylim=(0.0, 1.25))
    axes.legend(loc="lower left", fontsize=8)
    figure.savefig("station-contact.png", dpi=120)

    misses = [abs(1.0 - ratio) for ratio in ratios]
    assert misses[-1] < 1e-3
    assert misses[-1] < misses[-2] < misses[-3] < misses[-4]


if __name__ == "__main__":
    main()
