"""Settings of time integration and recording."""

import math
from dataclasses import dataclass
from enum import Enum


class Method(Enum):
    """Integration method."""

    AUTOMATIC = "automatic"
    """The fastest of Dormand-Prince, Bogacki-Shampine and Rosenbrock, by trial steps during the run; Rosenbrock only in
    contact and where stiff elements limit explicit steps. With a fixed step Dormand-Prince."""
    DORMAND_PRINCE = "dormand-prince"
    """Order 5 with error control, or with a fixed step where one is given."""
    BOGACKI_SHAMPINE = "bogacki-shampine"
    """Order 3 with error control or a fixed step: half the work of a step, for two thirds of the stable size."""
    ROSENBROCK = "rosenbrock"
    """Order 4, linearly implicit, with error control or a fixed step: stable where contacts and joints are stiff."""
    RUNGE_KUTTA_4 = "rk4"
    """Classical order 4 with a fixed step."""


@dataclass(frozen=True, kw_only=True)
class StepTolerances:
    """Error tolerance of one step by kind of state; that of momentum is a hundredth of that of speed times mass."""

    length: float = 1e-6
    """[m]"""
    angle: float = 1e-6
    """[rad], also of quaternions"""
    speed: float = 1e-5
    """[m/s]"""
    rate: float = 1e-5
    """[rad/s]"""
    force: float = 0.005
    """Of a force that an element transmits, over the largest one that it has transmitted so far."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of time integration and recording."""

    duration: float
    """[s]"""
    method: Method = Method.AUTOMATIC
    step: float | None = None
    """Fixed step [s]; None: error control."""
    accuracy: StepTolerances = StepTolerances()
    max_step: float = math.inf
    max_steps: int = 5_000_000
    record_rate: float = 100.0
    """Samples per second; 0: only events and contacts. Recorded contact steps replace the samples between them."""
    record_contact: bool = True
    """Whether every step with a contact force is recorded."""
    record_peaks: bool = True
    """Whether every peak that is searched for is recorded."""
    max_rows: int = 200_000
    max_events: int = 10_000
