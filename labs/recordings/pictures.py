"""Pictures of the recorded figures: `book/recordings/<lab>/figure-<number>-<width>.svg`, drawn by
`make figures` beside the recordings they are of. Each says of which figure it is, by its mark.

With them a figure stands in its page without a script, in print and at first sight. Of recordings
from elsewhere (LABS_RECORDINGS) none are asked for: the page's script then draws the figure.
"""

import os
import re
from pathlib import Path

from labs.recordings import store
from labs.records.errors import BadRecording

WIDTHS = ("wide", "narrow")
FIGURE = re.compile(
    r'<figure class="wt-recorded" data-figure="(?P<mark>\w+)".*?'
    r'<script type="application/json">(?P<json>.*?)</script>.*?</figure>',
    re.DOTALL,
)
MARK = re.compile(r'data-figure="(\w+)"')


def path(lab: str, number: int, width: str) -> Path:
    """Where the picture of a lab's figure belongs. They are numbered as its page shows them, from
    1, and drawn in two WIDTHS."""
    return store.folder() / lab / f"figure-{number}-{width}.svg"


def files() -> list[Path]:
    """Every picture there is."""
    return sorted(store.folder().glob("*/figure-*-*.svg"))


def mark(picture: Path) -> str:
    """Of which figure a picture is; empty for none."""
    try:
        found = MARK.search(picture.read_text("utf-8")[:500])
    except (OSError, UnicodeDecodeError):
        return ""
    return found[1] if found else ""


def with_pictures(lab: str, page: str) -> str:
    """What a lab shows as HTML, its figures as pictures. BadRecording for a figure that has
    changed since its picture was drawn."""
    numbers = iter(range(1, len(page)))

    def drawn(match: re.Match[str]) -> str:
        found = [path(lab, number, width) for number in [next(numbers)] for width in WIDTHS]
        if any(mark(each) != match["mark"] for each in found):
            if os.environ.get("LABS_RECORDINGS"):
                return match[0]
            raise BadRecording(
                f"{lab}: its figure has changed since its picture was drawn. Run `make figures`."
            )
        pictures = "".join(each.read_text("utf-8").strip() for each in found)
        shown = f'<div class="wt-picture">{pictures}</div>'
        return re.sub(r'<div class="wt-plot".*?</div>', lambda _: shown, match[0], count=1)

    return FIGURE.sub(drawn, page)
