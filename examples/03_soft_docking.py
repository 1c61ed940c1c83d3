"""03: From STEP files to an outcome: a soft docking, the time to open the fingers, and the effect of the gimbal.

The fingers must open after the bumper hits the bottom and before the widest section would leave the chamber again. From
a start from which a probe with a gimbal is captured, a rigid probe does not reach the bottom.
"""

import softdock


def main() -> None:
    captured = softdock.simulate("assist-soft-docking")
    print(captured.summary())
    for event in captured.events:
        print(f"  {event.time:6.3f} s  {event.message}")
    assert captured.outcome == "captured"
    assert captured.audit.linear_momentum_drift < 1e-9
    assert captured.audit.energy_residual < 1e-4

    passive = softdock.simulate("assist-passive")
    needed = captured.events[-1].time - captured.metrics["t_bottom_contact"]
    print(f"\nThe fingers need {needed:.2f} s and have {passive.metrics['opening_time']:.2f} s.")
    assert needed < passive.metrics["opening_time"]

    start = {"approach.offset": ["20 mm", "0 mm"]}
    for name in ("assist-soft-docking", "assist-rigid-probe"):
        result = softdock.simulate(softdock.load(name, start))
        print(f"{name} from 20 mm beside the axis: {result.outcome}. {result.message}")
        assert result.outcome == ("captured" if name == "assist-soft-docking" else "bounced")


if __name__ == "__main__":
    main()
