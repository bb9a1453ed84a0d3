"""Colours and marks of the figures. They read on white and on black (contrast at least 3 to 1),
and apart for colour-blind eyes; nothing is told by colour alone: dashes and symbols differ too.
The hues are those of Okabe and Ito (2008), brought to a middle lightness."""

from typing import Any

BLUE = "#1f86c9"  # measured; user time
ORANGE = "#d55e00"  # the model; system time
PURPLE = "#a86cc1"  # bounds; waiting
GREEN = "#1b9e77"  # the reader's own prediction
GREY = "#858585"  # recorded elsewhere

FAINT = "rgba(133,133,133,0.25)"  # idle, or the rest: for areas
THIN = "rgba(133,133,133,0.6)"  # lines in the background

PALE = 0.4  # opacity of a bar's inside, so that an error bar shows on it
PALER = 0.2  # and of a band around a line
FAINTER = 0.7  # and of a second line beside the one that counts

# One line among several: colour, dash and mark all differ. Dots are left to parts of a time.
LINES = (
    (BLUE, "solid", "circle"),
    (ORANGE, "dash", "square"),
    (GREEN, "longdash", "diamond"),
    (PURPLE, "dashdot", "triangle-up"),
    (GREY, "longdashdot", "cross"),
)


def pale(colour: str) -> dict[str, Any]:
    """Make the marker of a bar in that colour, edge full and inside pale.

    >>> pale("#1f86c9")
    {'color': 'rgba(31,134,201,0.4)', 'line': {'color': '#1f86c9', 'width': 1.5}}
    """
    return {"color": glass(colour, PALE), "line": {"color": colour, "width": 1.5}}


def glass(colour: str, opacity: float) -> str:
    """Make a colour that is seen through."""
    red, green, blue = bytes.fromhex(colour[1:])
    return f"rgba({red},{green},{blue},{opacity})"
