"""Choose lever, chamber, shaft and springs of the reference mechanism: python -m mechanism.design_study [--runs N].

Closed forms fix lever and bumper spring. The candidates for the rest are simulated over the ranges of the ASSIST
paper's Tables 2 and 3, as in the bundled campaign `assist-table2`; the table is that of docs/theory/mechanism.md.
"""

import argparse
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mechanism.shapes import bumper_profile, drogue_profile, load_parameters, pantograph_profile
from softdock import Campaign, load
from softdock.geometry.profile import Arc, Profile

OFFSET = 0.020  # m, ASSIST Table 2: largest lateral misalignment
ENERGY = 2.56  # J, ASSIST Table 2: largest masses and speed
STIFFNESS = 180.0  # N/m, ASSIST Table 3: softest bumper
EXPONENT = 4.0  # ASSIST, section 4.2
STROKE, TRAVEL = 12.7e-3, math.radians(5.0)  # ASSIST Figure 15
FAST = 0.02  # m/s: above it the paper's band of opening times holds
HEAD = ("tip", "front", "widest")  # places of the probe that move with its lever


def least_lever(offset: float = OFFSET, travel: float = TRAVEL) -> float:
    """Return the distance from joint to tip at which the travel of the joint moves the tip by the offset [m]."""
    return offset / math.sin(travel)  # Eq. (Y1)


def spring_energy(deflection: float, stiffness: float, reference: float, exponent: float = EXPONENT) -> float:
    """Return the energy of a spring with the secant stiffness of the paper's Eq. 12 [J]."""
    share = (deflection / reference) ** exponent
    return stiffness * deflection**2 * (0.5 + share / (exponent + 2.0))  # Eq. (Y2)


def largest_reference(
    energy: float = ENERGY,
    stroke: float = STROKE,
    stiffness: float = STIFFNESS,
    exponent: float = EXPONENT,
) -> float:
    """Return the largest reference of an exponential spring that stores the energy within the stroke [m or rad]."""
    share = (energy / (stiffness * stroke**2) - 0.5) * (exponent + 2.0)
    if share <= 0.0:
        return math.inf  # the linear spring stores it
    return stroke / share ** (1.0 / exponent)  # Eq. (Y3)


@dataclass(frozen=True)
class Design:
    """Dimensions that the study varies [m, rad]; the defaults are those of parameters.yaml and the scenario."""

    lever: float
    depth: float
    """From the throat to the bottom."""
    shaft: float
    """Radius of the shaft."""
    bumper_reference: float
    gimbal_reference: float

    @classmethod
    def bundled(cls) -> "Design":
        """Return the design of the parameter file and of `assist-soft-docking`."""
        parts, springs = load_parameters(), load("assist-soft-docking").to_data()["springs"]
        references = (
            springs[name]["exponential"]["reference"] for name in ("bumper-spring", "gimbal-spring")
        )
        return cls(
            parts["probe"]["tip"],
            parts["drogue"]["throat_to_bottom"],
            parts["probe"]["shaft_radius"],
            *references,
        )

    def scenario(self) -> dict[str, Any]:
        """Return `assist-soft-docking` with these dimensions."""
        parts, data = load_parameters(), load("assist-soft-docking").to_data()
        probe, drogue = dict(parts["probe"]), dict(parts["drogue"])
        longer = self.lever - probe["tip"]
        probe |= {name: probe[name] + longer for name in HEAD} | {"shaft_radius": self.shaft}
        drogue["throat_to_bottom"] = self.depth
        bodies, surfaces = data["bodies"], data["surfaces"]
        bodies["pantograph"]["joint"]["at"][2] -= longer
        bodies["bumper"]["centre_of_mass"][2] += longer
        for name in ("waist", "nose"):
            bodies[name]["joint"]["at"][2] += longer
        profiles = {
            "cavity": _vertices(
                drogue_profile(drogue), drogue["flange_radius"] - drogue["outer_fillet"] - 1e-6
            ),
            "bumper-nose": _vertices(bumper_profile(probe)),
            "pantograph-outline": _vertices(pantograph_profile(probe)),
        }
        for name, vertices in profiles.items():
            surfaces[name] = {"body": surfaces[name]["body"], "profile": vertices}
        springs = data["springs"]
        springs["bumper-spring"]["exponential"]["reference"] = self.bumper_reference
        springs["gimbal-spring"]["exponential"]["reference"] = self.gimbal_reference
        return data


def candidates() -> Iterator[tuple[str, Design]]:
    """Yield the bundled design, and designs that differ from it in one dimension."""
    chosen = Design.bundled()
    yield "chosen", chosen
    yield "lever 160 mm", replace(chosen, lever=0.160)
    yield "chamber 60 mm deep", replace(chosen, depth=0.060)
    yield "shaft of 7 mm", replace(chosen, shaft=0.007)
    yield "bumper doubles at 3.5 mm", replace(chosen, bumper_reference=3.5e-3)
    yield "gimbal doubles at 2 deg", replace(chosen, gimbal_reference=math.radians(2.0))
    yield "gimbal doubles at 0.7 deg", replace(chosen, gimbal_reference=math.radians(0.7))


def evaluate(design: Design, runs: int) -> Mapping[str, float]:
    """Return what the runs of `assist-table2` give with a design, by the name of the column."""
    table = Campaign("assist-table2", scenario=design.scenario(), runs=runs).run(progress=False).table()
    angle, stroke = np.degrees(table["gimbal_angle_max"]), 1e3 * table["bumper_stroke_max"]
    time = table["opening_time"][table["approach.speed"] > FAST]
    return {
        "runs past 5 deg": float(np.sum(angle > math.degrees(TRAVEL))),
        "largest angle [deg]": float(np.max(angle)),
        "runs past 12.7 mm": float(np.sum(stroke > 1e3 * STROKE)),
        "largest stroke [mm]": float(np.max(stroke)),
        "runs below 1 s": float(np.sum(time < 1.0)),
        "least time [s]": float(np.nanmin(time)),
        "in 1 to 2 s [%]": 100.0 * float(np.mean((time >= 1.0) & (time <= 2.0))),
        "longest time [s]": float(np.nanmax(table["opening_time"])),
        "not out in 120 s": float(np.sum(table["outcome"] != "rebounded")),
        "largest force [N]": float(np.max(table["peak_contact_force"])),
    }


def _vertices(profile: Profile, radius: float = math.inf) -> list[Any]:
    """Return the profile, until it reaches a radius [m], in the form of the key `profile` of a surface."""
    listed: list[Any] = [list(profile.segments[0].start)]
    for segment in profile.segments:
        end = list(segment.end)
        listed.append(
            {"arc_to": end, "through": list(segment.point(0.5))} if isinstance(segment, Arc) else end
        )
        if end[1] > radius:
            break
    return listed


def main() -> None:
    """Print the closed forms, and one row per candidate."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=500)
    runs = parser.parse_args().runs
    print(f"least lever {1e3 * least_lever():.1f} mm; largest reference {1e3 * largest_reference():.2f} mm")
    for name, design in candidates():
        found = evaluate(design, runs)
        if name == "chosen":
            print("| design | " + " | ".join(found) + " |")
        print(f"| {name} | " + " | ".join(f"{value:.4g}" for value in found.values()) + " |", flush=True)


if __name__ == "__main__":
    main()
