"""Channels of controllers, of their filters and of their thrusters."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from softdock.assembly.channels.bodies import BodyGroup
from softdock.assembly.channels.declaration import ChannelGroup, Field, Fields, Reading
from softdock.dynamics.kernels.channels.channels import ChannelKind
from softdock.dynamics.kernels.control.gnc_records import ControllerValue
from softdock.errors import no_such
from softdock.model.observations import Observation
from softdock.model.system import WORLD, System

_COMPONENTS = {
    f"{name}{ending}": (value, index)
    for value, ending, names in (
        (ControllerValue.ERROR, "_error", ("position", "speed", "angle", "rate")),
        (ControllerValue.ESTIMATE_ERROR, "_estimate_error", ("position", "speed", "angle")),
        (ControllerValue.ESTIMATE, "", ("estimate_x", "estimate_y", "estimate_z")),
    )
    for index, name in enumerate(names)
}
"""Values that have several components, with the index of each."""


def _values(unit: str, meanings: dict[str, str]) -> dict[str, Field]:
    """Return fields of controllers by the names of their values."""
    return {
        name: Field(
            unit=unit, meaning=meaning, kind=ChannelKind.CONTROLLER_VALUE,
            component=_COMPONENTS[name][0] if name in _COMPONENTS else ControllerValue[name.upper()],
        )
        for name, meaning in meanings.items()
    }  # fmt: skip


class ControllerGroup(BodyGroup):
    """Channels of a body with a controller."""

    def check(self, system: System, observation: Observation) -> None:
        """Refuse bodies without a controller, and frames."""
        name, field = observation.name, observation.field
        if name not in system.gnc:
            known = ", ".join(system.gnc) or "none"
            raise ValueError(
                f"{field!r} is of bodies with a controller (`gnc`), and {name!r} has none; these have: {known}"
            )
        if observation.frame != WORLD:
            raise ValueError(f"{field!r} of a controller is not seen from a frame: leave `in` out")

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the indices of the controller and of the component of a value that has several."""
        record["i"] = list(reading.system.gnc).index(reading.observation.name)
        record["j"] = _COMPONENTS.get(reading.observation.field, (None, 0))[1]


class Controllers(ControllerGroup):
    """State of a controller."""

    title = "Controllers"
    text = "`body.field` of a body with a controller in `gnc`; errors are those at its last sample."
    fields: ClassVar[Fields] = {
        **_values("kg", {"propellant": "Propellant used by its thrusters."}),
        **_values("N", {"thrust": "Size of the force of its thrusters."}),
        **_values("1", {
            "mode": "0 drift, 1 approach, 2 hold, 3 retreat, 4 thrust, 5 stabilise, 6 transfer."
        }),
        **_values("m", {"reference": "Distance of the reference from the port."}),
        **_values("m/s", {"reference_speed": "Closing speed of the reference, along the glide slope."}),
        **_values("1", {
            "violations": "Number of times that it left its corridor or did not pass a gate in time."
        }),
        **_values("m", {"position_error": "Size of the difference of estimated and wanted position."}),
        **_values("m/s", {"speed_error": "Size of the difference of estimated and wanted velocity."}),
        **_values("rad", {"angle_error": "Angle between estimated and wanted attitude."}),
        **_values("rad/s", {"rate_error": "Size of the difference of estimated and wanted angular rate."}),
        **_values("m", {"position_estimate_error": "Size of the error of the estimated position."}),
        **_values("m/s", {"speed_estimate_error": "Size of the error of the estimated velocity."}),
        **_values("rad", {"angle_estimate_error": "Size of the error of the estimated attitude."}),
        **_values("kg", {"propellant_left": "Propellant left, if `propellant` limits it."}),
        **_values("m", {
            "corridor": "Distance of the estimated tip from the border of the corridor; negative outside."
        }),
    }  # fmt: skip

    def check(self, system: System, observation: Observation) -> None:
        """Refuse what needs a tank or a corridor."""
        super().check(system, observation)
        name, field = observation.name, observation.field
        if field in self._lacking(system, name):
            needed = {"propellant_left": "`propellant`", "corridor": "`guidance.corridor`"}[field]
            raise ValueError(f"the controller of {name!r} has no {field!r}: give {needed}")

    def _lacking(self, system: System, name: str) -> list[str]:
        controller = system.gnc[name]
        lacks_corridor = controller.guidance is None or controller.guidance.corridor is None
        tank = ["propellant_left"] if controller.propellant is None else []
        return [*tank, *(["corridor"] if lacks_corridor else [])]

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield the values that every controller has."""
        for name in system.gnc:
            lacking = self._lacking(system, name)
            yield from (Observation(name=name, field=field) for field in self.fields if field not in lacking)


class NavigationEstimates(ControllerGroup):
    """Estimates of a controller."""

    title = "Navigation"
    recorded_fields = ()  # `Thrusters` yields the channels of a controller in one sequence.
    text = "`body.field` of a body whose controller has `navigation`, at its last sample."
    fields: ClassVar[Fields] = {
        **_values("m", {
            "estimate_x": "Estimated position of the tip along the x axis of the port.",
            "estimate_y": "Estimated position along the y axis of the port.",
            "estimate_z": "Estimated position along the z axis of the port; negative in front of it.",
            "position_sigma": "Standard deviation of the position of the tip, of all axes together, by the filters.",
        }),
        **_values("m/s", {"speed_sigma": "Standard deviation of the velocity that the filter states."}),
        **_values("rad", {"angle_sigma": "Standard deviation of the attitude that the filter states."}),
        **_values("1", {
            "lost_measurements": "Number of measurements that were out of view or dropped since the start."
        }),
    }  # fmt: skip

    def check(self, system: System, observation: Observation) -> None:
        """Refuse controllers without filters."""
        super().check(system, observation)
        name, field = observation.name, observation.field
        if system.gnc[name].navigation is None:
            raise ValueError(f"{field!r} is of controllers with `navigation`, and that of {name!r} has none")


class Thrusters(ChannelGroup):
    """Use of a thruster of a controller."""

    title = "Thrusters"
    noun = "thruster"
    text = "`body/thruster.field` of a thruster of a controller in `gnc`."
    fields: ClassVar[Fields] = {
        "on_time": Field(
            unit="s", meaning="Time for which it has been on since the start.",
            kind=ChannelKind.CONTROLLER_VALUE, component=ControllerValue.ON_TIME,
        ),
        "firings": Field(
            unit="1", kind=ChannelKind.CONTROLLER_VALUE, component=ControllerValue.FIRINGS,
            meaning="Number of pulses since the start; recorded if an event, metric or requirement uses it.",
        ),
    }  # fmt: skip

    def names(self, system: System) -> Iterable[str]:
        """Return the names of all thrusters, with their bodies."""
        return [
            f"{body}/{thruster}"
            for body, controller in system.gnc.items()
            for thruster in controller.thrusters
        ]

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name has the form `body/thruster` with a body that has a controller."""
        body, _, thruster = name.partition("/")
        return bool(thruster) and body in system.gnc and body not in system.structures

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields; raises ValueError for an unknown thruster."""
        body, _, thruster = name.partition("/")
        known = system.gnc[body].thrusters
        if thruster not in known:
            raise ValueError(no_such(f"thruster of {body!r}", thruster, known))
        return self.fields

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the indices of the controller and of its thruster."""
        system = reading.system
        body, _, thruster = reading.observation.name.partition("/")
        record["i"] = list(system.gnc).index(body)
        record["j"] = list(system.gnc[body].thrusters).index(thruster)

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield the estimates and the on-times of every controller."""
        for name, controller in system.gnc.items():
            if controller.navigation is not None:
                yield from (Observation(name=name, field=field) for field in NavigationEstimates.fields)
            for thruster in controller.thrusters:
                yield Observation(name=f"{name}/{thruster}", field="on_time")
