"""Numbers as people write them: `1,000`, `500,0`, `12 ms`, `85 %`. Pure."""

import math
import re

from labs.records.errors import Unusable

# What one of it is, in the first unit of its line. Only units of one line turn into each other.
UNITS = (
    {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6},
    {"as a fraction": 1.0, "": 1.0, "%": 0.01, "percent": 0.01, "per cent": 0.01},
    {"req/s": 1.0, "requests/s": 1.0, "rps": 1.0, "/s": 1.0, "req/min": 1 / 60},
)
SPACES = "\u00a0\u202f\u2009_'"  # between thousands, or before a unit, as the book prints them
# A number, then its unit: 1/2 and 2 0 have none.
NUMBER = re.compile(
    r"([+-]?(?:\d[\d.,]*|[.,]\d+)(?:e[+-]?\d+)?)(?!\s*/?\s*\d)\s*(.*)", re.IGNORECASE
)
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")  # 1,000 and 12,500.5


def written(text: str, unit: str = "") -> float:
    """Read what was meant, in that unit. A comma before three digits parts thousands, as the book
    prints them, unless a nought stands before it; any other is a decimal point.

    Unusable, with what to do and no hint at any answer, for what is no ordinary number or is in
    a unit that does not turn into the one asked for.

    >>> written("1,000"), written("500,0"), written("12 ms", "s"), written("85 %", "as a fraction")
    (1000.0, 500.0, 0.012, 0.85)
    """
    asked = f", in {unit}" if unit and not unit.startswith("as ") else f", {unit}" if unit else ""
    if not text.strip():
        raise Unusable(f"Nothing is written there yet. Write digits{asked}.")
    refused = Unusable(
        f"{shown(text)}: not an ordinary number. Write digits{asked}, the way 3.14 is written."
    )
    plain = text.strip().replace("\u2212", "-")
    for space in SPACES:
        plain = plain.replace(space, " ")
    plain = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", plain)
    found = NUMBER.fullmatch(plain)
    if found is None:
        raise refused
    digits, own = found[1], found[2].strip()
    if GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif digits.count(",") == 1:
        digits = digits.replace(".", "").replace(",", ".")
    try:
        number = float(digits)
    except ValueError:
        raise refused from None
    number *= _times(own, unit, text)
    if not math.isfinite(number):
        raise refused
    return number


def shown(text: str) -> str:
    """Quote what somebody wrote, short enough for a sentence."""
    said = text.strip()
    return (said if len(said) <= 40 else f"{said[:40]}…") or "nothing"


def _times(own: str, unit: str, text: str) -> float:
    """Tell how much one of a text's own unit is in the unit asked for."""
    if own in ("", unit):
        return 1.0
    for line in UNITS:
        if own in line and unit in line:
            return line[own] / line[unit]
    among = unit if unit.startswith("as ") else f"in {unit}"
    wanted = f"it is asked for {among}" if unit else "a plain number is asked for"
    raise Unusable(f"{shown(text)}: {wanted}. Leave “{own}” out, or turn it into that.")
