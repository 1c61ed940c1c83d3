"""Closed forms of one damped oscillator: forces that a spring transmits, and a stop that is struck."""

import cmath
import itertools
import math
from collections.abc import Sequence


def free_motion(k: float, c: float, m: float, x: float, v: float, t: float) -> tuple[float, float]:
    """Return displacement and speed after a time t without an outer force; for any damping but the critical one."""
    a, b = _roots(k, c, m)
    first, second = (v - b * x) / (a - b), (a * x - v) / (a - b)
    e, f = cmath.exp(a * t), cmath.exp(b * t)
    return (first * e + second * f).real, (first * a * e + second * b * f).real


def largest_force(
    k: float, c: float, m: float, x: float, v: float, duration: float, offset: float = 0.0
) -> float:
    """Return the largest size of k x + c v + offset in a free motion of a duration."""
    candidates = [0.0, duration, *_extremes(k, c, m, x, v, duration)]
    sizes = []
    for t in candidates:
        x_t, v_t = free_motion(k, c, m, x, v, t)
        sizes.append(abs(k * x_t + c * v_t + offset))
    return max(sizes)


def _roots(k: float, c: float, m: float) -> tuple[complex, complex]:
    root = cmath.sqrt(complex(c * c - 4.0 * k * m))
    return (-c + root) / (2.0 * m), (-c - root) / (2.0 * m)


def _extremes(k: float, c: float, m: float, x: float, v: float, duration: float) -> list[float]:
    """Return the instants at which k x + c v is stationary: at most the first 2,000 of an oscillation."""
    a, b = _roots(k, c, m)
    # The rate of the force is P exp(a t) + Q exp(b t).
    P = a * (k + c * a) * (v - b * x) / (a - b)
    Q = b * (k + c * b) * (a * x - v) / (a - b)
    if P == 0 or Q == 0:
        return []
    if abs(a.imag) < 1e-12 * abs(a):
        ratio = -(Q / P).real
        times = [math.log(ratio) / (a - b).real] if ratio > 0.0 else []
    else:
        w, phase = a.imag, cmath.phase(P)
        times = [(math.pi * (n + 0.5) - phase) / w for n in range(-2, 2000)]
    return [t for t in times if 0.0 < t < duration]


def peak_under_pulses(
    k: float, c: float, m: float, pulses: Sequence[tuple[float, float, float]], duration: float
) -> float:
    """Return the largest size of the force k x + c v of an oscillator at rest under pulses (start, duration, force)."""
    breaks = sorted({0.0, duration, *(t for start, length, _ in pulses for t in (start, start + length))})
    x, v, peak = 0.0, 0.0, 0.0
    for left, right in itertools.pairwise(breaks):
        middle = 0.5 * (left + right)
        force = sum(f for start, length, f in pulses if start <= middle < start + length)
        shift = force / k
        peak = max(peak, largest_force(k, c, m, x - shift, v, right - left, force))
        x, v = free_motion(k, c, m, x - shift, v, right - left)
        x += shift
    return peak


def impact_peak(k: float, c: float, m: float, speed: float) -> float:
    """Return the largest force of a damped stop that never pulls, struck at a speed."""
    return largest_force(k, c, m, 0.0, speed, math.pi * math.sqrt(m / k))
