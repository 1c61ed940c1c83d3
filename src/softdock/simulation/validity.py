"""Validity of a multibody run: a warning for every limit of its models that was exceeded."""

import math
from collections.abc import Sequence

import numpy as np

from softdock.dynamics.kernels.forces.contacts import CHECKED_DEPTH_SHARE
from softdock.dynamics.kernels.run.reaction_peaks import CELL_SHARE
from softdock.dynamics.kernels.run.run_summary import MIN_OVERLAP, NEGLIGIBLE_FORCE_SHARE
from softdock.dynamics.run_results import Ending, Run
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.presentation.numbers import format_with_error
from softdock.result import Validity
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy
from softdock.simulation.reactions import Peak

MAX_PIN_DEPTH_SHARE = 0.1
"""Depth over the radius of a pin above which a run gets a warning."""
MAX_REACTION_ERROR = 0.02
"""Estimated error of a peak reaction, relative to it, above which a run gets a warning. Reactions below `SMALL_SHARE`
of the largest one are compared with that share."""
SMALL_SHARE = 0.01
REST_SHARE = 0.05
"""Reactions below this part of the force that an error of the speed by its tolerance becomes are compared with that."""
NAMED_REACTIONS = 3
"""Number of reactions that such a warning names."""
MAX_BOND_LOAD = 0.5
"""Change of force or pressure of a bonded contact over that when it was bonded, above which a run gets a warning: it
may open or slip."""
MAX_BOND_FRICTION = 1.0
"""Friction that would hold a bonded contact over the largest friction when it was bonded, above which it would slip."""
MAX_ANGLE = 0.95 * math.pi
"""[rad] The torque of ball joints and welds changes sign at half a turn."""
INVALID = (Ending.PENETRATED, Ending.NOT_FINITE, Ending.STEP_TOO_SMALL)
"""Endings after which the numbers of a run must not be used."""
INCOMPLETE = (Ending.STEPS_USED_UP, Ending.LOG_FULL)
"""Endings after which results are valid up to the end, but the run is not complete."""


def assess_validity(
    scenario: MultibodyScenario, run: Run, peaks: Sequence[Peak]
) -> tuple[Validity, tuple[str, ...]]:
    """Return whether a run is valid, and a sentence for every limit that was exceeded.

    Eqs. (C34), (C35), (M66), (M145).
    """
    warnings = []
    # A warning about penetration names the contact and is added below.
    if run.ending in (*INVALID, *INCOMPLETE) and run.ending is not Ending.PENETRATED:
        warnings.append(run.ending.value)
    names = list(scenario.contacts)
    if run.summary["exceeded_contacts"]:
        largest = float(run.pair_states.view(np.ndarray)["largest"]["force"].max(initial=0.0))
        for contact in zip(names, run.pairs, run.pair_states, run.overlaps):
            warnings += _contact_warnings(*contact, largest)
    faces = zip(scenario.interfaces, run.interfaces, run.interface_states, run.pin_overlaps)
    for name, face, state, overlap in faces:
        warnings += _pin_warnings(name, face, float(state.deepest), float(overlap))
    warnings += _angle_warnings(run)
    warnings += _bond_warnings(run, names)
    warnings += _reaction_warnings(run, peaks, scenario.integrator.accuracy)
    if run.unresolved_intervals > 0:
        warnings.append(
            f"The search for events and peaks inside steps reached its limit {run.unresolved_intervals} times: an "
            "event or a peak may be missing. Set a smaller `integrator.max_step`."
        )
    if run.ending in INVALID:
        return "no", tuple(warnings)
    return ("warned" if warnings else "yes"), tuple(warnings)


def _bond_warnings(run: Run, names: list[str]) -> list[str]:
    """Return a sentence for every bonded contact whose load might have opened it or made it slip."""
    bonds = run.bonds
    if not len(bonds):
        return []
    plain = bonds.view(np.ndarray)  # field access is ten times faster
    opens, slips = plain["largest_load"] > MAX_BOND_LOAD, plain["largest_slip"] > MAX_BOND_FRICTION
    return [
        f"The force of the bonded contact {names[i]} changes by {bonds[i].largest_load:.0%} of its preload when "
        "it was bonded: it might open or slip, which a bonded contact cannot. Enable it before it is loaded so."
        for i in np.flatnonzero(opens)
    ] + [
        f"The bonded contact {names[i]} needs {bonds[i].largest_slip:.0%} of its friction when it was bonded: it "
        "would slip, which a bonded contact cannot. Enable it before it is loaded so."
        for i in np.flatnonzero(slips & ~opens)
    ]


def _reaction_warnings(run: Run, peaks: Sequence[Peak], accuracy: Accuracy) -> list[str]:
    """Return a sentence that names the peak reactions with the largest estimated errors, if any is too large.

    Moments and forces are compared by a lever. Reactions far below what the accuracy of speeds resolves are those of a
    mechanism at rest: rounding errors.
    """
    lever, impedance = run.summary["lever"], run.summary["impedance"].tolist()
    largest_force = max([peak.force or 0.0 for peak in peaks], default=0.0)
    largest_moment = max([peak.moment or 0.0 for peak in peaks], default=0.0)
    own_force = max(SMALL_SHARE * largest_force, REST_SHARE * impedance[FORCE] * accuracy.speed)
    own_moment = max(SMALL_SHARE * largest_moment, REST_SHARE * impedance[MOMENT] * accuracy.rate)
    least_force = max(own_force, own_moment / lever if lever > 0.0 else 0.0)
    least_moment = max(own_moment, own_force * lever)
    touched = run.pair_states.view(np.ndarray)["largest"]["force"] > 0.0
    resolved = run.pairs.view(np.ndarray)["resolved_force"][touched]
    cells = CELL_SHARE * float(
        resolved.max(initial=0.0)
    )  # a contact below its resolved force has its own warning
    inaccurate = []
    for peak in peaks:
        for what, unit, size, error, least in (
            ("force", "N", peak.force, peak.force_error, least_force),
            ("moment", "N*m", peak.moment, peak.moment_error, least_moment),
        ):
            if size is None or error is None or max(size, least) == 0.0:
                continue
            share = (error - cells * (1.0 if what == "force" else lever)) / max(size, least)
            if share > MAX_REACTION_ERROR:
                text = f"{what} of {peak.names.kind} {peak.names.name} {format_with_error(size, error, unit)}"
                inaccurate.append((share, text))
    if not inaccurate:
        return []
    named = [text for _, text in sorted(inaccurate, reverse=True)[:NAMED_REACTIONS]]
    more = f", and {len(inaccurate) - len(named)} more" if len(inaccurate) > len(named) else ""
    return [
        f"Peaks have estimated errors above {MAX_REACTION_ERROR:.0%}: {', '.join(named)}{more}. Set "
        "`integrator.accuracy` to smaller values, first that of force, then those of speed and rate."
    ]


def _pin_warnings(name: str, face: np.record, deepest: float, overlap: float) -> list[str]:
    warnings = []
    if overlap > MIN_OVERLAP:
        warnings.append(f"Pins of {name} are {_mm(overlap)} inside the material at the start.")
    radius = float(face["pins_and_holes"]["pin_radius"])
    if deepest > 0.0 and radius > face["pins_and_holes"]["radius"]:
        warnings.append(
            f"Pins of {name} are wider than their holes: their force may jump where a tilted pin touches a rim at "
            "two places of one side."
        )
    if deepest > MAX_PIN_DEPTH_SHARE * radius:
        warnings.append(
            f"{name} is pressed {_mm(deepest)} deep, its pins have a radius of {_mm(radius)}: "
            "the depth must be small against it."
        )
    return warnings


def _contact_warnings(
    name: str, pair: np.record, state: np.record, overlap: float, largest: float
) -> list[str]:
    warnings, seen = [], state.largest
    if overlap > MIN_OVERLAP:
        warnings.append(f"The surfaces of {name} overlap by {_mm(overlap)} at the start.")
    if seen.through:
        warnings.append(f"A body has passed the middle of a wall in {name}, {_mm(seen.depth)} deep.")
    elif state.may_have_tunnelled:
        warnings.append(
            f"In a fixed step the bodies of {name} move farther than half a wall that is {_mm(2.0 * pair.half_wall)} "
            "thick: it may have been passed unseen. Set a shorter `integrator.step`, or leave it out."
        )
    elif seen.wall_share > CHECKED_DEPTH_SHARE:
        text = f"{name} is pressed {_mm(seen.depth)} deep: {seen.wall_share:.0%} of the way to the middle of a wall."
        warnings.append(text)
    if seen.depth > pair.smallest_radius:
        warnings.append(
            f"{name} is pressed {_mm(seen.depth)} deep, deeper than the smallest radius of its surfaces, "
            f"{_mm(pair.smallest_radius)}."
        )
    if seen.beyond:
        warnings.append(f"{name} has touched beyond the end of the meridian of its surface a.")
    if seen.end_touched:
        warnings.append(
            f"{name} has touched at the end of the meridian of its surface b: nothing is known beyond."
        )
    if not np.isnan(seen.edge[0]):
        z, r = seen.edge
        warnings.append(
            f"{name} has touched the sharp edge of its surface a at z = {_mm(z)}, r = {_mm(r)}, where the normal "
            "jumps: its force may be wrong by tens of per cent. Give the edge a fillet."
        )
    if seen.pressure > pair.strength:
        warnings.append(
            f"The pressure in {name} reaches {seen.pressure:.3g} Pa, more than the strength of its layer, "
            f"{pair.strength:.3g} Pa."
        )
    if NEGLIGIBLE_FORCE_SHARE * largest < seen.force < pair.resolved_force:
        warnings.append(
            f"The force in {name} stays below {seen.force:.3g} N, and its cells are fine enough for "
            f"{pair.resolved_force:.3g} N and more: lower its resolved_force."
        )
    return warnings


def _angle_warnings(run: Run) -> list[str]:
    angles, names = run.element_data.view(np.ndarray)["largest_angle"], list(run.element_index)
    return [
        f"{names[i]} turns by {math.degrees(angles[i]):.0f} deg: its torque changes sign at half a turn."
        for i in np.flatnonzero(angles > MAX_ANGLE)
    ]


def _mm(length: float) -> str:
    return f"{float(length) * 1e3:.3g} mm"
