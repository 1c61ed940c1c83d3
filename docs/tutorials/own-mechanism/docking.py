"""The mechanism of docking.yaml, made of Python objects, and its verdict with margins."""

from pathlib import Path

import softdock as sd

FOLDER = Path(__file__).parent  # of the STEP files

bodies = {
    "chaser": sd.Body(mass="300 kg", inertia=(40, 40, 30)),
    "guide": sd.Body(
        parent="chaser",
        joint=sd.Universal(at=(0, 0, "0.5 m")),
        mass="1 kg",
        centre_of_mass=(0, 0, "-20 mm"),
        inertia=(0.002, 0.002, 0.001),
    ),
    "probe": sd.Body(
        parent="guide",
        joint=sd.Prismatic(axis="-z"),  # positive: pressed in
        mass="0.8 kg",
        centre_of_mass=(0, 0, "90 mm"),
        inertia=(0.003, 0.003, 0.0002),
    ),
    "tip": sd.Body(parent="probe", joint=sd.Fixed(at=(0, 0, "175.9 mm"))),
    "target": sd.Body(mass="500 kg", inertia=(90, 90, 70)),
    "receptacle": sd.Body(parent="target", joint=sd.Fixed(at=(0, 0, "-0.6 m"))),
    "seat": sd.Body(parent="receptacle", joint=sd.Fixed(at=(0, 0, "118 mm"))),
}
tip, seat, port = (sd.Anchor(body=name) for name in ("tip", "seat", "receptacle"))
layer = sd.Layer(stiffness="5e9 N/m^3", damping="4e6 N*s/m^3", damping_depth="0.1 mm")
docking = sd.Scenario(
    name="docking",
    title="A sprung probe docks in its receptacle",
    directory=FOLDER,
    duration="15 s",
    bodies=bodies,
    springs={
        "probe-spring": sd.Spring(joint="probe", stiffness="600 N/m", preload="3 N", damping="60 N*s/m"),
        "guide-spring": sd.Spring(joint="guide", stiffness="15 N*m/rad", damping="0.6 N*m*s/rad"),
    },
    stops={
        "probe-stop": sd.Stop(
            joint="probe", lower="0 mm", upper="30 mm", stiffness="2e5 N/m", damping="300 N*s/m"
        ),
        "guide-stop": sd.Stop(joint="guide", limit="8 deg", stiffness="800 N*m/rad", damping="2 N*m*s/rad"),
    },
    surfaces={
        "socket": sd.Surface(body="receptacle", file="receptacle.step", side="inside"),
        "head": sd.Surface(body="probe", file="probe.step"),
    },
    contacts={
        "head-socket": sd.Contact(
            a="socket", b="head", layer=layer, friction=sd.Friction(coefficient=0.15, speed="2 mm/s")
        )
    },
    welds={
        "latch": sd.Weld(
            a=seat,
            b=tip,
            stiffness="5e4 N/m",
            angular_stiffness="200 N*m/rad",
            damping="800 N*s/m",
            angular_damping="4 N*m*s/rad",
        )
    },
    approach=sd.Approach(
        chaser="chaser",
        tip=tip,
        port=port,
        distance="30 mm",
        offset=("20 mm", "10 mm"),
        tilt=(0, "3 deg"),
        speed="40 mm/s",
    ),
    events={
        "touch": sd.Event(when="head-socket.force > 0 N", message="The head touches the cone."),
        "seated": sd.Event(
            when="tip.distance in seat < 6 mm",
            message="The head is seated and the latch closes.",
            then=[sd.Action(enable="latch")],
        ),
        "away": sd.Event(
            when="tip.z in receptacle < -40 mm",
            message="The probe has left the receptacle.",
            then=[sd.Action(stop=True)],
        ),
    },
    outcomes=[
        sd.Outcome(
            name="captured",
            happened=["seated"],
            not_happened=["away"],
            message="The latch holds the head.",
        ),
        sd.Outcome(
            name="bounced", happened=["touch", "away"], message="The probe bounced out of the receptacle."
        ),
        sd.Outcome(name="stalled", happened=["touch"], message="The head is in the cone but not seated."),
        sd.Outcome(name="missed", message="The probe never touched the receptacle."),
    ],
    metrics={
        "t_seated": "time of seated",
        "stroke": "max probe.joint",
        "latch_load": "max latch.force",
        "guide_angle": "max guide-spring.deflection",
    },
    requirements={
        "CAP-1": sd.Requirement(
            text="The mechanism captures", outcome="captured", probability=0.99, source="assumed"
        ),
        "CAP-2": sd.Requirement(
            text="Load of the latch", metric="latch_load", at_most="150 N", factor=1.5, source="assumed"
        ),
        "CAP-3": sd.Requirement(
            text="The probe does not reach its stop",
            metric="stroke",
            at_most="30 mm",
            factor=1.25,
            source="assumed",
        ),
    },
)


def main() -> None:
    """Simulate the docking and print the verdict of every requirement."""
    result = sd.simulate(docking)
    print(result.message)
    for requirement in result.requirements:
        margin = "" if requirement.margin is None else f", margin {requirement.margin:.2f}"
        print(f"{requirement.id}: {requirement.verdict}{margin}")
    result.report("docking.html")


if __name__ == "__main__":
    main()
