"""The spring that a campaign sizes, with its stops: available stroke, preload, and what a stop took at most."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.campaign.sizing import SpringSize
from softdock.model.elements import JointElement, Spring, Stop
from softdock.model.expressions import Window, parse_metric
from softdock.model.joints import MOTIONS
from softdock.model.observations import Observation
from softdock.model.system import Body
from softdock.result import Array

ENERGY_METRIC = "spring_energy_max_"
"""Beginning of the metrics with the largest stored energy of a spring."""
SEAT = 0.1
"""Share of the stroke within which a limit of a stop is the seat of the spring, not the end of its stroke."""

Column = Callable[[str], Array | None]
"""Returns a column of a campaign by its name; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class SizedSpring:
    """A spring of a scenario and the stops along the same joint; deflections [m or rad] are those from its rest."""

    name: str
    spring: Spring
    stops: Mapping[str, Stop]
    turning: bool

    def ends(self, stroke: float) -> dict[float, float]:
        """Return the deflection, without sign, at which a stop ends the stroke, by its side (+1, -1)."""
        found: dict[float, float] = {}
        for stop in self.stops.values():
            limits = ((1.0, stop.upper), (-1.0, stop.lower), (1.0, stop.limit))
            for side, limit in limits:
                if limit is not None:
                    rest = 0.0 if stop.limit is not None else self.spring.rest
                    found[side] = min(found.get(side, np.inf), side * (limit - rest))
        return {side: distance for side, distance in found.items() if distance > SEAT * stroke}

    def available(self, stroke: float) -> float:
        """Return the stroke that the stops leave [m or rad]."""
        return min([stroke, *self.ends(stroke).values()])

    def preload_against(self, stroke: float) -> float:
        """Return the preload that opposes the stroke [N or N m]; negative where it helps it, at least on one side."""
        return min(side * self.spring.preload for side in self.ends(stroke) or (1.0,))

    def needed(self, energy: Any, stroke: float) -> Any:
        """Return the stiffness [N/m or N m/rad] with which the spring stores energies [J] within a stroke.

        E = k s^2 / 2 + P s with the preload P against the stroke.
        """
        return np.maximum(2.0 * (energy - self.preload_against(stroke) * stroke) / stroke**2, 0.0)

    def stored(self, deflection: float, values: Mapping[str, Array]) -> Any:
        """Return the energy [J] that the spring stores at a deflection against its preload [m or rad].

        `values` are the parameters that vary from run to run, by their path within the spring.
        """
        law = self.spring.exponential
        stiffness = values.get("stiffness", self.spring.stiffness)
        share: Any = 0.5
        if law is not None:
            reference = values.get("exponential.reference", law.reference)
            exponent = values.get("exponential.exponent", law.exponent)
            share = share + (deflection / reference) ** exponent / (exponent + 2.0)
        return stiffness * share * deflection**2 + self.preload_against(deflection) * deflection

    def stop_work(self, peaks: Mapping[str, Any]) -> Any:
        """Return the energy [J] that the stops took at most in one compression, by their peak forces [N or N m].

        A stop without damping stores F^2 / (2 k). With damping its force is at least k d, so that it never goes deeper
        than F / k, and its work is at most F^2 / k.
        """
        parts = [
            np.asarray(peak, float) ** 2 / ((1.0 if stop.damping else 2.0) * stop.stiffness)
            for name, stop in self.stops.items()
            if (peak := peaks.get(name)) is not None
        ]
        return np.sum(parts, axis=0) if parts else 0.0

    def count_stops(self, size: SpringSize, column: Column) -> SpringSize:
        """Return the size with the energies that the spring must store: those of the stops added, of the preload not.

        A stop counts in the runs whose spring stored what it stores at the end of its stroke: in the others the stop
        is the seat of the spring. `column` returns inputs (`input PATH`) and metrics of the runs of the size.
        """
        available, path = self.available(size.stroke), f"input springs.{self.name}."
        keys = ("stiffness", "exponential.reference", "exponential.exponent")
        values = {key: found for key in keys if (found := column(f"{path}{key}")) is not None}
        what = "moment" if self.turning else "force"
        peaks = {name: column(f"peak_{what}_{name.replace('-', '_')}") for name in self.stops}
        at_stop = (
            size.energies >= self.stored(available, values) if self.ends(size.stroke) else np.zeros(1, bool)
        )
        energies = size.energies + np.where(at_stop, np.nan_to_num(self.stop_work(peaks)), 0.0)
        needed = self.needed(energies, available)
        return replace(
            size, stroke=available, energies=0.5 * needed * available**2, at_stop=int(np.sum(at_stop))
        )


def find_spring(definition: Mapping[str, Any], metric: str) -> SizedSpring | None:
    """Return the spring whose stored energy is a metric; None where it is that of no spring along a joint.

    `definition` is the plain data of the scenario, which may be damaged.
    """
    try:
        name = _spring_of(definition, metric)
        if name is None:
            return None
        spring = Spring.model_validate(definition["springs"][name])
        motions = MOTIONS[Body.model_validate(definition["bodies"][spring.joint]).joint.type]
        used = motions if spring.axis is None else motions[spring.axis : spring.axis + 1]
        stops = {key: Stop.model_validate(one) for key, one in (definition.get("stops") or {}).items()}
        return SizedSpring(
            name=name,
            spring=spring,
            stops={
                key: stop for key, stop in stops.items() if _place(stop, motions) == _place(spring, motions)
            },
            turning=used[0] == "turning",
        )
    except (AttributeError, LookupError, TypeError, ValueError):  # of another kind, or damaged
        return None


def _spring_of(definition: Mapping[str, Any], metric: str) -> str | None:
    """Return the name of the spring that a metric is about: a metric of every run, or one of the scenario."""
    springs = definition["springs"]
    text = (definition.get("metrics") or {}).get(metric)
    if isinstance(text, str):
        expression = parse_metric(text)
        what, whole_run = expression.formula, expression.statistic == "max" and expression.window == Window()
        is_energy = whole_run and isinstance(what, Observation) and what.field == "energy"
        return what.name if is_energy and isinstance(what, Observation) and what.name in springs else None
    flat = metric.removeprefix(ENERGY_METRIC) if metric.startswith(ENERGY_METRIC) else ""
    return next((name for name in springs if name.replace("-", "_") == flat), None)


def _place(element: JointElement, motions: tuple[str, ...]) -> tuple[str, int | None]:
    """Return the joint and the axis along which an element acts; the only axis of a joint needs no number."""
    return element.joint, 0 if len(motions) == 1 else element.axis
