"""A recorded figure as HTML for a built page."""

import hashlib
import json
from typing import Any

from markupsafe import Markup
from plotly import io

from labs.present.markup import each_in, script_data
from labs.present.plot import Figure

HEIGHT = 450  # pixels; what plotly takes where a figure says nothing


def plain(figure: Figure) -> Figure:
    """Make a figure what JSON has: no objects of numpy, no NaN, no template."""
    shown: Figure = json.loads(io.to_json(figure, validate=False))
    shown.setdefault("layout", {}).pop("template", None)
    return shown


POINTED_AT = ("customdata", "hovermode", "hovertemplate", "hoverinfo", "meta")  # not in a picture
DRAWN_AS = "1"  # raise it when pictures of figures are to be drawn in another way


def mark(figure: Figure) -> str:
    """Mark each figure that looks another way by another text: a picture is of the figure whose
    mark it has. Numbers count to four digits, since the last ones differ between machines."""

    def seen(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: seen(each) for name, each in part.items() if name not in POINTED_AT}
        if isinstance(part, list):
            return [seen(each) for each in part]
        number = isinstance(part, int | float) and not isinstance(part, bool)
        return f"{part:.4g}" if number else part

    narrow = figure["layout"].get("meta", {}).get("narrow", {})
    text = json.dumps([DRAWN_AS, seen(figure), seen(narrow)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Recorded:
    """A figure that a page of the book draws by its script.

    `alt` says in words what the figure shows, for those who do not see it; `caption` is set
    under it. Both are plain text.
    """

    def __init__(self, figure: Figure, alt: str, caption: str = "") -> None:
        self.figure = plain(figure)
        self.alt = alt
        self.caption = caption
        self.mark = mark(self.figure)

    def html(self, picture: Markup | None = None) -> Markup:
        """Write the figure with its words; until a script draws it, they stand where it belongs, or
        a picture of it does."""
        height = int(self.figure["layout"].get("height", HEIGHT))
        empty = '<div class="wt-plot" style="min-height:{}px"><p>{}</p></div>'
        shown = picture or Markup(empty).format(height, self.alt)
        caption = each_in("<figcaption>{}</figcaption>", [self.caption] if self.caption else [])
        return Markup(
            '<figure class="wt-recorded" data-figure="{}" aria-label="{}">{}{}{}</figure>'
        ).format(self.mark, self.alt, shown, script_data(self.figure), caption)
