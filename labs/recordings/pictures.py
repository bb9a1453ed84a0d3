"""Pictures of the recorded figures: `book/recordings/<lab>/figure-<number>-<width>.svg`, drawn by
`make figures` beside the recordings they are of. Each says of which figure it is, by its mark.

With them a figure stands in its page without a script, in print and at first sight. Recordings
from elsewhere (LABS_RECORDINGS) are shown without theirs: the page's script then draws the figure.

A picture becomes a part of its page, so what else an SVG may hold (scripts, links, styles) is in
none: elements, attributes and letters of values are those that book/web/src/picture.ts writes.
"""

import itertools
import os
import re
from pathlib import Path

from markupsafe import Markup

from labs.host.files import read_whole
from labs.present.blocks import Drawn
from labs.present.html import Recorded
from labs.recordings import store
from labs.records.errors import BadRecording

WIDTHS = ("wide", "narrow")
MARK = re.compile(r'data-figure="(\w+)"')
VALUE = (
    r"(?:url\(\#\w+\)|(?![^\"]*(?i:url))[\w .,%#()+-]*)"  # no address elsewhere, however written
)
ALLOWED = re.compile(
    rf"""</?(?:svg|defs|clipPath|pattern|g|path|rect|circle|text|tspan)
    (?:\s(?:d|d?[xy]|c[xy]|r|width|height|viewBox|transform|clip-path|pattern(?:Units|Transform)
        |(?:fill|stroke)(?:-opacity)?|opacity|stroke-(?:width|dasharray)|text-anchor
        |font-(?:size|weight)|aria-hidden|data-figure)="{VALUE}"
    |\sid="p\w{{6}}[wn]\d+"|\sclass="wt-(?:wide|narrow)"|\sxmlns="http://www\.w3\.org/2000/svg"
    |\sdata-axes='[\w{{}}\[\]":,.-]*')*/?>""",
    re.VERBOSE,
)


def path(lab: str, number: int, width: str) -> Path:
    """Find where the picture of a lab's figure belongs. Figures are numbered as its page shows
    them, from 1, and drawn in two WIDTHS."""
    return store.folder() / lab / f"figure-{number}-{width}.svg"


def files() -> list[Path]:
    """List every picture there is."""
    return sorted(store.folder().glob("*/figure-*-*.svg"))


def read(picture: Path) -> str:
    """A picture; empty where there is none, or it holds more than ours do."""
    try:
        drawn = read_whole(picture).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "<" in ALLOWED.sub("", drawn) else drawn.strip()


def mark(picture: str) -> str:
    """Mark of the figure that a picture is of; empty for none."""
    found = MARK.search(picture[:500])
    return found[1] if found else ""


class Pictures:
    """Shows the figures of a lab as their pictures, in the order in which its page has them.
    BadRecording for a figure that has changed since its picture was drawn."""

    def __init__(self, lab: str) -> None:
        self._lab, self._numbers = lab, itertools.count(1)

    def __call__(self, drawn: Drawn) -> Markup:
        shown = Recorded(*drawn)
        if os.environ.get("LABS_RECORDINGS"):
            return shown.html()
        number = next(self._numbers)
        found = [read(path(self._lab, number, width)) for width in WIDTHS]
        if any(mark(each) != shown.mark for each in found):
            raise BadRecording(
                f"{self._lab}: its figure has changed since its picture was drawn, or that holds "
                "more than ours do. Run `make figures`."
            )
        picture = Markup("".join(found))  # `read` lets nothing else through
        return shown.html(Markup('<div class="wt-picture">{}</div>').format(picture))
