"""Writes docs/theory/station-sensitivity.md and its picture: which statements of the station paper hold.

Run from the root of the repository (two minutes): python -m docs.station_sensitivity
"""

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from docs import station_model
from docs.station_model import (
    ATTITUDES,
    CLAIMS,
    CONVERGED,
    METHODS,
    PAPER,
    PUBLISHED,
    Findings,
    Method,
    Tower,
    examine,
    varied_tower,
)
from matplotlib.figure import Figure
from numpy.typing import NDArray

import softdock
from softdock.flexible.structure import Structure
from softdock.report.picture import save_picture
from softdock.scenario.station import StationScenario

HERE = Path(__file__).parent
PAGE, PICTURE = HERE / "theory" / "station-sensitivity.md", HERE / "images" / "station-sensitivity.png"
XS, ZS = np.arange(-28.0, 29.0, 4.0), np.arange(-20.0, 41.0, 4.0)
"""Places of the Orbiter's centre of mass [m] in the plane of symmetry, from the foot of the keel."""
VARIANTS: dict[str, dict[str, float]] = {
    "as bundled": {},
    "truss stiffness x 0.1": {"truss_stiffness": 0.1},
    "truss stiffness x 0.3": {"truss_stiffness": 0.3},
    "truss stiffness x 3": {"truss_stiffness": 3.0},
    "truss stiffness x 10": {"truss_stiffness": 10.0},
    "panel stiffness x 0.5": {"panel_stiffness": 0.5},
    "panel stiffness x 2": {"panel_stiffness": 2.0},
    "panel stiffness x 6": {"panel_stiffness": 6.0},
    "keel mass x 0.7": {"keel_mass": 0.7},
    "keel mass x 1.1": {"keel_mass": 1.1},
    "panel mass x 0.7": {"panel_mass": 0.7},
    "panel mass x 1.1": {"panel_mass": 1.1},
}
COUNTS = (4, 6, 8, 10, 12, 16, 20, 28, 40, 60)
NAMES = tuple(CLAIMS)
Places = dict[tuple[str, float, float], dict[str, bool]]
"""Statements that hold, by attitude and place."""
Floats = NDArray[np.float64]


def bundled() -> StationScenario:
    """Return the bundled scenario of the approach along X."""
    scenario = softdock.load("power-tower-x")
    assert isinstance(scenario, StationScenario)
    return scenario


def bundled_tower(panel_elements: int) -> Structure:
    """Return the bundled station with panels of this number of elements."""
    return bundled().model_copy(update={"panel_elements": panel_elements}).members()


def at_bundled_place(methods: Sequence[Method] = METHODS) -> dict[str, Findings]:
    """Return what every method finds for the bundled scenarios, by the method's name."""
    tower, v = Tower.of(bundled_tower(8), 8), bundled().visitor
    return {m.name: found for m, found in examine(tower, v.centre, v.inertia, step=0.1, methods=methods)}


def scan(tower: Tower, methods: Sequence[Method]) -> dict[str, Places]:
    """Return the statements that hold at every place, by the method's name."""
    places: dict[str, Places] = {method.name: {} for method in methods}
    for (attitude, inertia), x, z in itertools.product(ATTITUDES.items(), XS, ZS):
        for method, found in examine(tower, (x, 0.0, z), inertia, methods=methods):
            places[method.name][attitude, float(x), float(z)] = found.claims()
    return places


def main() -> None:
    """Write page and picture."""
    scans: dict[str, dict[str, Places]] = {}
    impossible = []
    for name, changes in VARIANTS.items():
        structure = varied_tower(bundled_tower(4), **changes)
        if structure is None:
            impossible.append(name)
            continue
        scans[name] = scan(Tower.of(structure, 4), METHODS if not changes else (PUBLISHED, CONVERGED))
    save_picture(_figure(scans["as bundled"]), PICTURE)
    PAGE.write_text(_page(at_bundled_place(), scans, impossible), encoding="utf-8")


def _page(here: Mapping[str, Findings], scans: Mapping[str, dict[str, Places]], impossible: list[str]) -> str:
    count = len(XS) * len(ZS) * len(ATTITUDES)
    x, _, z = bundled().visitor.centre
    nominal = scans["as bundled"]
    most = max(_number(claims) for scan in scans.values() for claims in scan[PUBLISHED.name].values())
    own = {name: sum(found.claims().values()) for name, found in here.items()}
    paragraphs = [
        "# Which statements of the station paper hold?",
        "The paper publishes no dimensions, no stiffness and no place of the docking port. This page is written by "
        "`python -m docs.station_sensitivity`, which judges the paper's statements for many places and attitudes of "
        "the docked Orbiter, numbers and kinds of modes, stiffnesses and masses, by the weld impulse and the linear "
        "vibration of [](flexible.md), at 1 ft/s. A is the tip of the keel, B the middle of an upper outer panel.",
        "\n".join(f"- **{key}**: {text}." for key, text in CLAIMS.items()),
        "## The bundled geometry",
        f"In the bundled scenarios `power-tower-*` the Orbiter docks nose up below the modules, its centre of mass at "
        f"{x:g} m along x and {z:g} m along z from the foot of the keel, and panels have "
        f"{bundled().panel_frequency:g} Hz when clamped. By the paper's method {own[PUBLISHED.name]} of "
        f"{len(NAMES)} statements hold there. In the scans below no place, of no station, gives more than {most}.",
        _table(["modes, axes", *NAMES], [[name, *marks(found.claims())] for name, found in here.items()]),
        "The numbers behind it, in the order X, XY, XZ; rates in mrad/s, hybrid (rigid), also along Y and Z:",
        _table(
            ["modes, axes", "rates X, XY, XZ", "Y", "Z", "A, m", "B, m", "B/A", "correlation"],
            [[name, *values(found)] for name, found in here.items()],
        ),
        "## Place and attitude",
        f"Of {count} places of the Orbiter's centre of mass (x from {XS[0]:g} to {XS[-1]:g} m, z from {ZS[0]:g} to "
        f"{ZS[-1]:g} m, every {XS[1] - XS[0]:g} m, in the plane of symmetry; nose up, forward and sideways) each "
        "statement holds at this part, in percent; the last columns have the largest number of statements at one "
        "place, and how many places reach it:",
        _table(
            ["modes, axes", *NAMES, "most", "at"],
            [[name, *shares(places), *_most(places)] for name, places in nominal.items()],
        ),
        "```{image} ../images/station-sensitivity.png\n:alt: Number of statements that hold over the place of the "
        "Orbiter, by the paper's method and with all modes\n:width: 100%\n```",
        "## Number of modes",
        "At the bundled place, with the lowest free-free modes of station and Orbiter in mean axes:",
        _table(["modes", *NAMES, "B/A for X, XY, XZ"], _by_count()),
        "## Stiffness and mass",
        "The same percentages for other stations. Their bases change so that mass and inertias remain those of Table 2"
        + (f"; no rigid base does that for {', '.join(impossible)}." if impossible else "."),
    ]
    for method in (PUBLISHED, CONVERGED):
        rows = [[name, *shares(s[method.name]), *_most(s[method.name])] for name, s in scans.items()]
        paragraphs += [
            f"{method.name[0].upper()}{method.name[1:]}:",
            _table(["station", *NAMES, "most", "at"], rows),
        ]
    paragraphs += ["## What cannot hold together", *_exclusions(scans)]
    return "\n\n".join(_wrapped(text) for text in paragraphs) + "\n"


def _by_count() -> list[list[str]]:
    rows = []
    for count in COUNTS:
        found = at_bundled_place((station_model.with_free_modes(PUBLISHED, count),))[PUBLISHED.name]
        rows.append([str(count), *marks(found.claims()), _ratios(found)])
    return rows


def _exclusions(scans: Mapping[str, dict[str, Places]]) -> list[str]:
    """Return which statements hold at no place of any station, and which pairs at no common one, by method."""
    texts = []
    for method in (PUBLISHED, CONVERGED):
        claims = [c for s in scans.values() for c in s[method.name].values()]
        never = [key for key in NAMES if not any(c[key] for c in claims)]
        pairs = [
            f"{a} with {b}"
            for a, b in itertools.combinations([key for key in NAMES if key not in never], 2)
            if not any(c[a] and c[b] for c in claims)
        ]
        alone = f"{', '.join(never)} at none" if never else "every statement somewhere"
        together = (
            f"never together are {', '.join(pairs)}" if pairs else "all pairs of the others occur together"
        )
        texts.append(
            f"- {method.name[0].upper()}{method.name[1:]}, {len(claims)} places in {len(scans)} stations: {alone}; "
            f"{together}."
        )
    return [
        "\n".join(texts),
        "**2Z** fails because station and base have their centres of mass almost above each other: 0.07 m apart "
        "across Z in this closure, in which the small product of inertia of Table 2 leaves little room. An impulse "
        "along Z has the same arm about both, and turns the lighter base more. **2Y** holds by all modes where the "
        "line of approach passes near the centre of mass of the base, and far from the foot, where the changes of "
        "rate of light base and heavy station both tend to speed over distance. **4** is an effect of few "
        "free-free modes, most of which are modes of panels: with more modes the bending of the keel comes in.",
    ]


def _number(claims: Mapping[str, bool]) -> int:
    return sum(claims.values())


def marks(claims: Mapping[str, bool]) -> list[str]:
    """Return the cells that say which statements hold."""
    return ["yes" if claims[key] else "no" for key in NAMES]


def _ratios(found: Findings) -> str:
    return ", ".join(f"{found.b[key] / found.a[key]:.2f}" for key in PAPER)


def values(found: Findings) -> list[str]:
    """Return the cells with rates, deflections and correlations."""
    rates = {key: f"{1e3 * found.hybrid[key]:.2f} ({1e3 * found.rigid[key]:.2f})" for key in found.hybrid}
    return [
        ", ".join(rates[key] for key in PAPER),
        rates["y"],
        rates["z"],
        *(", ".join(f"{p[key]:.3f}" for key in PAPER) for p in (found.a, found.b)),
        _ratios(found),
        ", ".join(f"{found.correlation[key]:.2f}" for key in PAPER),
    ]


def shares(places: Places) -> list[str]:
    """Return the cells with the share of places at which each statement holds [%]."""
    return [f"{100.0 * np.mean([claims[key] for claims in places.values()]):.0f}" for key in NAMES]


def _most(places: Places) -> list[str]:
    numbers = list(map(_number, places.values()))
    return [str(max(numbers)), str(numbers.count(max(numbers)))]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _wrapped(text: str) -> str:
    """Return a paragraph, or the items of a list, wrapped to 110 columns; tables and directives stay."""
    if text.startswith(("|", "`", "#")):
        return text
    lines = [
        textwrap.fill(
            line,
            width=110,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in text.split("\n")
    ]
    return "\n".join(lines)


def _figure(nominal: Mapping[str, Places]) -> Figure:
    """Draw the number of statements over the place of a nose-up Orbiter."""
    figure = Figure(figsize=(9.0, 4.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    x, _, z = bundled().visitor.centre
    shown = None
    for ax, method in zip(axes, (PUBLISHED, CONVERGED)):
        places = nominal[method.name]
        numbers = np.array([[_number(places["nose up", a, b]) for a in XS] for b in ZS], float)
        shown = ax.pcolormesh(
            XS, ZS, numbers, cmap="viridis", vmin=0.5, vmax=len(NAMES) + 0.5, shading="nearest"
        )
        ax.plot([0.0, 0.0], [ZS[0], 0.0], color="white", linewidth=2.0)
        ax.plot(x, z, "o", color="white", markeredgecolor="black")
        ax.set_title(method.name, fontsize="medium")
        ax.set(
            xlabel="x of the Orbiter's centre of mass [m]",
            xlim=(XS[0] - 2, XS[-1] + 2),
            ylim=(ZS[-1] + 2, ZS[0] - 2),
        )
    axes[0].set_ylabel("z, towards the Earth [m]")
    assert shown is not None
    bar = figure.colorbar(shown, ax=axes, ticks=range(1, len(NAMES) + 1))
    bar.set_label(f"statements that hold, of {len(NAMES)}")
    figure.suptitle("Orbiter docked nose up; line: keel, dot: bundled place")
    return figure


if __name__ == "__main__":
    main()
