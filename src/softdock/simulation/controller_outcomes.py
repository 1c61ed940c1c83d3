"""What controllers report at the end of a run: empty tanks, approaches that left their corridor, lost measurements."""

import math
from collections.abc import Iterator

from softdock.dynamics.run_results import Run
from softdock.model.observations import Observation
from softdock.scenario.multibody import ABORTED, OUT_OF_PROPELLANT, MultibodyScenario
from softdock.simulation.topology import Topology

EMPTY = 1e-9
"""Fraction of the propellant below which a tank is empty: rounding of the last pulse."""


def controller_outcomes(
    scenario: MultibodyScenario, topology: Topology, run: Run
) -> Iterator[tuple[str, str]]:
    """Yield outcome and sentence of every controller whose tank is empty or whose approach was given up.

    `scenario` is that of the run: the topology may be shared with runs that have other numbers.
    """
    for name, controller in scenario.gnc.items():
        used = float(run.final[topology.propellant[name]])
        tank = controller.propellant
        if tank is not None and used >= (1.0 - EMPTY) * tank:
            yield (
                OUT_OF_PROPELLANT,
                f"The tank of {name!r} is empty: its {tank:g} kg of propellant are used up.",
            )
    for name in scenario.gnc:
        count = int(run.final[topology.index[Observation(name=name, field="violations")]])
        if count > 0:
            often = "once" if count == 1 else f"{count} times"
            yield ABORTED, f"{name!r} left its corridor or did not pass a gate in time ({often})."


def lost_measurements(scenario: MultibodyScenario, topology: Topology, run: Run) -> Iterator[str]:
    """Yield a sentence about every controller whose sensor lost most of its measurements before the first contact.

    After it the port may be out of the field of view.
    """
    if not scenario.gnc:
        return
    end, values = run.time, run.final
    if run.captured is not None:
        rows = run.history[run.history[:, 0] <= run.captured.time]
        if len(rows) < 2:  # not recorded
            return
        end, values = float(rows[-1, 0]), rows[-1, 1:]
    for name, controller in scenario.gnc.items():
        if controller.navigation is None:
            continue
        lost = int(values[topology.index[Observation(name=name, field="lost_measurements")]])
        taken = max(math.ceil(end * controller.navigation.sensor.rate), 1)
        if 2 * lost > taken:
            yield (
                f"The sensor of {name!r} lost {lost} of {taken} measurements, which were out of its field of view or "
                "dropped: its estimate is mostly a prediction."
            )
