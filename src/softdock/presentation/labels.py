"""Labels of metrics, channels, conserved quantities and axes."""

LAWS = {
    "linear_momentum_drift": "linear momentum",
    "angular_momentum_drift": "angular momentum",
    "energy_residual": "energy",
}
"""What each error of the conservation check (`Audit`) measures, by its field."""
QUANTITIES = {
    "m": "length",
    "m/s": "velocity",
    "rad": "angle",
    "rad/s": "angular velocity",
    "N": "force",
    "N*m": "torque",
    "N*s": "impulse",
    "Pa": "stress",
    "J": "energy",
    "W": "power",
    "m^2": "area",
}
"""Physical quantity by SI unit, for panels that draw all channels of one unit."""


VECTOR_KEYS = (
    "offset", "tilt", "lateral", "rate", "at", "position", "velocity", "centre_of_mass", "inertia", "force", "moment",
    "gravity", "direction",
)  # fmt: skip
"""Keys of a scenario that hold a vector along x, y and z."""


def label(name: str) -> str:
    """Return an identifier (metric, outcome, event, field) as words."""
    return name.replace("_", " ")


def input_label(path: str) -> str:
    """Return the dotted path of a field as words: `bodies.client.mass` as `client mass`.

    Groups of named members are left out; components of a vector of two or three numbers are x, y and z.
    """
    # Imported here: the server of the studio needs no models of elements, which import NumPy.
    from softdock.model.member_kinds import MEMBER_GROUPS

    keys = path.split(".")
    if len(keys) > 2 and keys[0] in MEMBER_GROUPS:
        keys = keys[1:]
    if keys[-1] == "norm":
        keys[-1] = "(size)"
    elif len(keys) > 1 and keys[-1].isdecimal():
        is_axis = keys[-2] in VECTOR_KEYS and keys[-1] in "012"
        keys[-1] = "xyz"[int(keys[-1])] if is_axis else str(int(keys[-1]) + 1)
    return label(" ".join(keys))


def axis_label(name: str, unit: str) -> str:
    """Return the label of an axis or column: a name and the unit of its values; a pure number has no unit."""
    return f"{name} [{unit}]" if unit not in ("", "1") else name


def quantity_label(unit: str, symbol: str) -> str:
    """Return the label of an axis for all channels of an SI unit, drawn in the unit `symbol`."""
    return f"{QUANTITIES.get(unit, '')} [{symbol or '-'}]".strip()


def shorten_list(names: list[str], most: int) -> str:
    """Return names separated by commas, at most so many, and the number of the others."""
    others = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + others
