"""Pictures of the recorded figures: `book/recordings/<lab>/figure-<number>-<width>.svg`, drawn by
`make figures` beside the recordings they are of. Each says of which figure it is, by its mark.

With them a figure stands in its page without a script, in print and at first sight. Recordings
from elsewhere (LABS_RECORDINGS) are shown without theirs: the page's script then draws the figure.

A picture becomes a part of its page, so what else an SVG may hold (scripts, links, styles) is in
none: elements, attributes and letters of values are those that book/web/src/picture.ts writes.
"""

import os
import re
from pathlib import Path

from labs.host.files import read_whole
from labs.recordings import store
from labs.records.errors import BadRecording

WIDTHS = ("wide", "narrow")
FIGURE = re.compile(
    r'<figure class="wt-recorded" data-figure="(?P<mark>\w+)".*?'
    r'<script type="application/json">(?P<json>.*?)</script>.*?</figure>',
    re.DOTALL,
)
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
    """Where the picture of a lab's figure belongs. They are numbered as its page shows them, from
    1, and drawn in two WIDTHS."""
    return store.folder() / lab / f"figure-{number}-{width}.svg"


def files() -> list[Path]:
    """Every picture there is."""
    return sorted(store.folder().glob("*/figure-*-*.svg"))


def read(picture: Path) -> str:
    """A picture; empty where there is none, or it holds more than ours do."""
    try:
        drawn = read_whole(picture).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    return "" if "<" in ALLOWED.sub("", drawn) else drawn.strip()


def mark(picture: str) -> str:
    """Of which figure a picture is; empty for none."""
    found = MARK.search(picture[:500])
    return found[1] if found else ""


def with_pictures(lab: str, page: str) -> str:
    """What a lab shows as HTML, its figures as pictures. BadRecording for a figure that has
    changed since its picture was drawn."""
    if os.environ.get("LABS_RECORDINGS"):
        return page
    numbers = iter(range(1, len(page)))

    def drawn(match: re.Match[str]) -> str:
        found = [read(path(lab, number, width)) for number in [next(numbers)] for width in WIDTHS]
        if any(mark(each) != match["mark"] for each in found):
            raise BadRecording(
                f"{lab}: its figure has changed since its picture was drawn, or that holds more "
                "than ours do. Run `make figures`."
            )
        shown = f'<div class="wt-picture">{"".join(found)}</div>'
        return re.sub(r'<div class="wt-plot".*?</div>', lambda _: shown, match[0], count=1)

    return FIGURE.sub(drawn, page)
