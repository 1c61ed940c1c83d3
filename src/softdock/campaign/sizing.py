"""Sizing of linear springs by the energy that they store in the runs of a campaign (ASSIST, Figure 15)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softdock.elements.joint_element import JointElement
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.expressions import Window, parse_metric
from softdock.model.observations import Observation
from softdock.model.system import Body
from softdock.quantities.units import parse_quantity
from softdock.result import Array

SHARES = (0.5, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class SpringSize:
    """Stiffness with which a linear spring stores the energies of a campaign within its stroke."""

    name: str
    stroke: float
    """m, or rad for a torsion spring."""
    turning: bool
    energies: Array
    """Energy that the spring must store in every run with a finite value [J]."""
    runs: Array
    """Numbers of those runs."""
    at_stop: int = 0
    """Number of runs whose stroke ended at a stop; what the stop took is in the energies, at most."""
    verified: float | None = None
    """Stiffness with which the spring holds in all runs that were repeated with it; None without repetitions."""

    @property
    def stiffnesses(self) -> Array:
        """Stiffness per run [N/m or N m/rad]: k = 2 E / s², since E = k s² / 2."""
        return 2.0 * self.energies / self.stroke**2

    def by_quantile(self, shares: tuple[float, ...] = SHARES) -> list[dict[str, Any]]:
        """Return for each share of runs the energy quantile [J], the stiffness that stores it, and the excess.

        The excess is the relative amount by which the largest energy exceeds the capacity of that spring. Only the
        stiffness for all runs is verified by repeating runs; the others are estimates.
        """
        if not self.energies.size:
            return []
        verified = None if self.verified is None else 0.5 * self.verified * self.stroke**2
        largest, rows = verified or float(self.energies.max()), []
        for share in shares:
            energy = float(np.quantile(self.energies, share, method="higher"))  # the energy of a run
            energy = largest if share == 1.0 else min(energy, largest)
            excess = largest / energy - 1.0 if energy > 0.0 else 0.0
            rows.append(
                {
                    "share": share,
                    "energy": energy,
                    "stiffness": 2.0 * energy / self.stroke**2,
                    "excess": excess,
                    "verified": share == 1.0 and self.verified is not None,
                }
            )
        return rows


def size_spring(
    name: str, stroke: Any, runs: ArrayLike, energies: ArrayLike, turning: bool | None = None
) -> SpringSize:
    """Return the size of a spring from the largest stored energy of every run [J].

    The stroke is a length or an angle as text with a unit, or a number in SI. `turning` says whether the spring is a
    torsion spring, which needs an angle; None where that is unknown. Raises ValueError.
    """
    value, turning = _parse_stroke(stroke, turning)
    if value <= 0.0:
        raise ValueError("must be above 0")
    known = np.isfinite(np.asarray(energies, float))
    return SpringSize(
        name, value, turning, np.asarray(energies, float)[known], np.asarray(runs, np.int64)[known]
    )


def _parse_stroke(stroke: Any, turning: bool | None) -> tuple[float, bool]:
    """Return a stroke [m or rad] and whether it is an angle; a number without unit is a length if it may be both."""
    allowed = {False: "a length, for example '12.7 mm'", True: "an angle, for example '5 deg'"}
    for angle in (False, True) if turning is None else (turning,):
        try:
            return parse_quantity(stroke, "rad" if angle else "m"), angle
        except ValueError:
            continue
    if turning is None:
        raise ValueError("must be a length or an angle, for example '12.7 mm' or '5 deg'")
    raise ValueError(f"must be {allowed[turning]}: the spring {'turns' if turning else 'slides'}")


ENERGY_METRIC = "spring_energy_max_"
"""Beginning of the metrics with the largest stored energy of a spring."""
SEAT = 0.1
"""Share of the stroke within which a limit of a stop is the seat of the spring, not the end of its stroke."""
SPRING_KEYS = ("stiffness", "preload", "rest", "exponential.reference", "exponential.exponent")
STOP_KEYS = ("stiffness", "damping", "upper", "lower", "limit")
"""Parameters of which each run has its own value where they are inputs of the campaign."""

Column = Callable[[str], Array | None]
"""Returns a column of a campaign by its name; None where there is none."""


@dataclass(frozen=True, kw_only=True)
class SizedSpring:
    """A spring of a scenario and the stops along the same joint; deflections [m or rad] are those from its rest."""

    name: str
    spring: Spring
    stops: Mapping[str, Stop]
    turning: bool

    varied: Mapping[str, Array] = field(default_factory=dict)
    """Values of the parameters that vary from run to run, by their path in the scenario."""

    def _value(self, path: str, nominal: Any) -> Any:
        """Return a parameter of the spring or of a stop: its values in all runs, or the one of the scenario."""
        return self.varied.get(path, nominal)

    def _spring_value(self, key: str, nominal: Any) -> Any:
        """Return a parameter of the spring, as `_value`."""
        return self._value(f"springs.{self.name}.{key}", nominal)

    def ends(self, stroke: float) -> dict[float, Any]:
        """Return the deflection, without sign, at which a stop ends the stroke, by its side (+1, -1).

        `stroke` [m or rad] is the one that the spring is sized for, here and below. Infinite in runs without such a
        stop; a side without one in any run is missing.
        """
        travel: dict[float, Any] = {}
        for name, stop in self.stops.items():
            for side, key in ((1.0, "upper"), (-1.0, "lower"), (1.0, "limit")):
                limit = self._value(f"stops.{name}.{key}", getattr(stop, key))
                if limit is not None:
                    rest = 0.0 if stop.limit is not None else self._spring_value("rest", self.spring.rest)
                    travel[side] = np.minimum(travel.get(side, np.inf), side * (limit - rest))
        ended = {side: np.where(free > SEAT * stroke, free, np.inf) for side, free in travel.items()}
        return {side: distance for side, distance in ended.items() if np.isfinite(distance).any()}

    def available(self, stroke: float) -> Any:
        """Return the stroke that the stops leave [m or rad]."""
        return np.min(np.broadcast_arrays(stroke, *self.ends(stroke).values()), axis=0)

    def preload_against(self, stroke: float) -> Any:
        """Return the preload that opposes the stroke [N or N m]; negative where it helps it, at least on one side."""
        preload = self._spring_value("preload", self.spring.preload)
        sides = [np.where(np.isfinite(at), side * preload, np.inf) for side, at in self.ends(stroke).items()]
        least = np.min(np.broadcast_arrays(np.inf, *sides), axis=0)
        return np.where(np.isfinite(least), least, preload)

    def needed(self, energy: Any, stroke: float) -> Any:
        """Return the stiffness [N/m or N m/rad] with which the spring stores energies [J] within the available stroke.

        E = k s^2 / 2 + P s with the preload P against the stroke.
        """
        available = self.available(stroke)
        return np.maximum(2.0 * (energy - self.preload_against(stroke) * available) / available**2, 0.0)

    def stored(self, stroke: float) -> Any:
        """Return the energy [J] that the spring stores at the end of the available stroke against its preload."""
        law, deflection = self.spring.exponential, self.available(stroke)
        stiffness = self._spring_value("stiffness", self.spring.stiffness)
        share: Any = 0.5
        if law is not None:
            reference = self._spring_value("exponential.reference", law.reference)
            exponent = self._spring_value("exponential.exponent", law.exponent)
            share = share + (deflection / reference) ** exponent / (exponent + 2.0)
        return stiffness * share * deflection**2 + self.preload_against(stroke) * deflection

    def stop_work(self, peaks: Mapping[str, Any]) -> Any:
        """Return the energy [J] that the stops took at most in one compression, by their peak forces [N or N m].

        A stop without damping stores F^2 / (2 k). With damping its force is at least k d, so that it never goes deeper
        than F / k, and its work is at most F^2 / k. A stop whose peak is NaN adds nothing.
        """
        work: Any = 0.0
        for name, stop in self.stops.items():
            if (peak := peaks.get(name)) is not None:
                stiffness = self._value(f"stops.{name}.stiffness", stop.stiffness)
                damped = np.asarray(self._value(f"stops.{name}.damping", stop.damping)) > 0.0
                part = np.asarray(peak, float) ** 2 / (np.where(damped, 1.0, 2.0) * stiffness)
                work = work + np.nan_to_num(part)
        return work

    def count_stops(self, size: SpringSize, column: Column) -> SpringSize:
        """Return the size with the energies that the spring must store: those of the stops added, of the preload not.

        A stop counts in the runs whose spring stored what it stores at the end of its stroke: in the others the stop
        is the seat of the spring. The stroke is the smallest one that the stops leave in a run; energies are those with
        which the stiffness of a run follows from it. `column` returns inputs (`input PATH`) and metrics of the runs.
        """
        paths = [f"springs.{self.name}.{key}" for key in SPRING_KEYS]
        paths += [f"stops.{name}.{key}" for name in self.stops for key in STOP_KEYS]
        varied = {path: values for path in paths if (values := column(f"input {path}")) is not None}
        spring, stroke = replace(self, varied=varied), size.stroke
        what = "moment" if self.turning else "force"
        peaks = {name: column(f"peak_{what}_{name.replace('-', '_')}") for name in self.stops}
        ended = np.min(np.broadcast_arrays(np.inf, *spring.ends(stroke).values()), axis=0) < np.inf
        at_stop = ended & (size.energies >= spring.stored(stroke))
        needed = spring.needed(size.energies + np.where(at_stop, spring.stop_work(peaks), 0.0), stroke)
        shortest = float(np.min(spring.available(stroke), initial=stroke))
        return replace(
            size, stroke=shortest, energies=0.5 * needed * shortest**2, at_stop=int(np.sum(at_stop))
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
        motions = Body.model_validate(definition["bodies"][spring.joint]).joint.motions
        used = motions if spring.axis is None else motions[spring.axis : spring.axis + 1]
        stops = {key: Stop.model_validate(stop) for key, stop in (definition.get("stops") or {}).items()}
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
