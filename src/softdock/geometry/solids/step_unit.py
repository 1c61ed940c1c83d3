"""Unit of length of a STEP file."""

import re

_SI = re.compile(rb"SI_UNIT\s*\(\s*(\$|\.\w+\.)\s*,\s*\.METRE\.\s*\)")
_CONVERTED = re.compile(rb"CONVERSION_BASED_UNIT\s*\(\s*'([^']*)'")
_PREFIXES = {
    b"$": "m",
    b".MILLI.": "mm",
    b".CENTI.": "cm",
    b".MICRO.": "um",
    b".KILO.": "km",
    b".DECI.": "dm",
}
_LENGTHS = {"INCH": "in", "FOOT": "ft", "MIL": "mil", "YARD": "yd", "MILE": "mi"}


def unit_of_step(data: bytes) -> str:
    """Return the unit of length of a STEP file as a symbol; `unknown` where none is found.

    A unit that others are converted to, such as the millimetre of an inch, does not count.
    """
    for name in _CONVERTED.findall(data):
        symbol = _LENGTHS.get(name.decode("ascii", "replace").strip().upper())
        if symbol:
            return symbol
    prefix = _SI.search(data)
    return _PREFIXES.get(prefix[1], "unknown") if prefix else "unknown"
