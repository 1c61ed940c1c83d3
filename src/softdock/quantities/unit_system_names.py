"""Names of the unit systems in which results are displayed."""

UNIT_SYSTEMS = ("automatic", "SI", "mm/deg", "imperial")
"""Names of the unit systems in which results are displayed."""


def unit_system_name(given: object) -> str:
    """Return the name of a unit system written in any case, `mm-deg` for `mm/deg` included; raises ValueError."""
    names = {name.lower(): name for name in UNIT_SYSTEMS}
    known = names.get(str(given).strip().lower().replace("-", "/"))
    if known is None:
        raise ValueError(f"must be one of {', '.join(UNIT_SYSTEMS)}")
    return known
