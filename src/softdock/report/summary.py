"""A result as a few aligned lines of text."""

import math
from collections.abc import Mapping
from typing import Any

from softdock.result import Audit, Result, Timing


def summary(result: Result) -> str:
    """Return outcome, metrics beside the prediction, audit and timing as text for a terminal."""
    blocks = [
        f"{result.scenario}: {result.outcome}\n{result.message}",
        _validity(result),
        _table(result),
        "\n".join(f"Theory: {sentence}" for sentence in _sentences(result)),
        f"{'Valid: yes' if result.valid == 'yes' else ''}\n{_audit(result.audit)}\n{_timing(result.timing)}".strip(),
    ]
    return "\n\n".join(block for block in blocks if block)


def _validity(result: Result) -> str:
    """Return the validity and its warnings, which come first; nothing where all limits were kept."""
    if result.valid == "yes":
        return ""
    return "\n".join([f"Valid: {result.valid}", *(f"- {warning}" for warning in result.warnings)])


def _table(result: Result) -> str:
    """Return simulated and predicted values side by side; lists and sentences are left out."""
    predicted = result.prediction or {}
    names = dict.fromkeys([*result.metrics, *predicted])
    rows = [
        (
            name.replace("_", " "),
            _cell(result.metrics, name),
            _cell(predicted, name),
            result.units.get(name, ""),
        )
        for name in names
        if not _is_long(result.metrics.get(name, predicted.get(name)))
    ]
    if not rows:
        return ""
    table = [("", "simulated", "predicted" if predicted else "", ""), *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        f"{name:<{widths[0]}}  {mine:>{widths[1]}}  {theirs:>{widths[2]}}  {unit}".rstrip()
        for name, mine, theirs, unit in table
    )


def _is_long(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple) or (isinstance(value, str) and " " in value)


def _sentences(result: Result) -> list[str]:
    return [text for text in (result.prediction or {}).values() if isinstance(text, str) and " " in text]


def _cell(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return ""
    match values[name]:
        case None:
            return "-"
        case bool() as answer:
            return "yes" if answer else "no"
        case float() | int() as number:
            return f"{number:.6g}" if math.isfinite(number) else "-"
        case other:
            return str(other)


def _audit(audit: Audit) -> str:
    errors = {
        "linear momentum": audit.linear_momentum_drift,
        "angular momentum": audit.angular_momentum_drift,
        "energy": audit.energy_residual,
    }
    parts = [f"{law} {error:.1e}" for law, error in errors.items() if error is not None]
    if audit.passed is None:
        return "Conservation check: no law applies"
    verdict = "passed" if audit.passed else "FAILED"
    return f"Conservation check {verdict} (largest relative errors): " + ", ".join(parts)


def _timing(timing: Timing) -> str:
    text = f"Timing: {timing.simulated_s:.4g} s simulated in {_duration(timing.wall_s)}"
    if timing.frame_s is not None and timing.worst_frame_s is not None:
        text += f" of real time, {timing.frames} frames of {_duration(timing.frame_s)}, {timing.missed_frames} missed, "
        text += f"the longest took {_duration(timing.worst_frame_s)}"
    elif timing.wall_s > 0 and timing.simulated_s > timing.wall_s:
        text += f", {timing.simulated_s / timing.wall_s:.0f} times faster than real time"
    return text + f"; {timing.steps} steps, {timing.evaluations} evaluations"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
