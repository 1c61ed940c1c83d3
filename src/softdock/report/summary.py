"""A result as a few aligned lines of text."""

from typing import Any

from softdock.result import Audit, Result, Timing


def summary(result: Result) -> str:
    """Return outcome, metrics beside the prediction, audit and timing as text for a terminal."""
    blocks = [
        f"{result.scenario}: {result.outcome}\n{result.message}",
        _metrics(result),
        f"{_audit(result.audit)}\n{_timing(result.timing)}",
    ]
    return "\n\n".join(block for block in blocks if block)


def _metrics(result: Result) -> str:
    predicted = result.prediction or {}
    names = [*result.metrics, *(name for name in predicted if name not in result.metrics)]
    rows = [
        (
            name.replace("_", " "),
            _cell(result.metrics, name),
            _cell(predicted, name),
            result.units.get(name, ""),
        )
        for name in names
        if not isinstance(result.metrics.get(name, predicted.get(name)), dict | list | tuple)
    ]
    if not rows:
        return ""
    header = ("", "simulated", "predicted" if predicted else "", "")
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(4)]
    return "\n".join(
        f"{name:<{widths[0]}}  {mine:>{widths[1]}}  {theirs:>{widths[2]}}  {unit}".rstrip()
        for name, mine, theirs, unit in [header, *rows]
    )


def _cell(values: Any, name: str) -> str:
    if name not in values:
        return ""
    value = values[name]
    if value is None or value != value:  # not known, not a number
        return "-"
    if isinstance(value, bool) or not isinstance(value, float | int):
        return str(value)
    return f"{value:.6g}"


def _audit(audit: Audit) -> str:
    books = {
        "linear momentum": audit.linear_momentum_drift,
        "angular momentum": audit.angular_momentum_drift,
        "energy": audit.energy_residual,
    }
    parts = [f"{law} {drift:.1e}" for law, drift in books.items() if drift is not None]
    return "Audit (relative): " + (", ".join(parts) or "no law applies")


def _timing(timing: Timing) -> str:
    text = f"Timing: {timing.simulated_s:.4g} s simulated in {_duration(timing.wall_s)}"
    if timing.wall_s > 0 and timing.simulated_s > timing.wall_s:
        text += f", {timing.simulated_s / timing.wall_s:.0f} times faster than real time"
    return text + f"; {timing.steps} steps, {timing.evaluations} evaluations"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
