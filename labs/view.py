"""One figure, two feeds: recorded in a page, or live from a kernel. The same script draws both.

`static` writes a figure into a built page; `FigureView` is a widget whose trait is the figure.
Neither says colours of text, grid or background: the page's script takes them from its theme.
A figure may say under `layout.meta["narrow"]` what to change on a telephone.
"""

from __future__ import annotations

import functools
import gzip
import html
import json
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import anywidget
import traitlets
from plotly import io, offline


class PlotlyFigure(Protocol):
    """What `plotly.graph_objects.Figure` is, told without its slow import."""

    def to_plotly_json(self) -> dict[str, Any]: ...


Figure: TypeAlias = PlotlyFigure | dict[str, Any]  # the dictionary is plotly's JSON

PLOTLY_MIME = "application/vnd.plotly.v1+json"
# What a panel needs where the book's styles are not: in JupyterLab and VS Code.
FRAME = """
.wt-view { margin: 0; }
.jupyter-widgets.wt-prediction, .jupyter-widgets.wt-actions { flex-flow: row wrap; }
.wt-prediction .widget-label { width: auto; }
.wt-data { overflow-x: auto; }
.wt-data :is(th, td) { padding: 0.1rem 0.6rem; text-align: right; }
"""
HEIGHT = 450  # pixels; what plotly takes where a figure says nothing


def plain(figure: Figure) -> dict[str, Any]:
    """A figure as JSON has it: no objects of plotly or numpy, no NaN, no template."""
    shown: dict[str, Any] = json.loads(io.to_json(figure, validate=False))
    shown.setdefault("layout", {}).pop("template", None)
    return shown


class Recorded:
    """A figure that a notebook displays by itself, and a page of the book draws by its script."""

    def __init__(self, figure: Figure, alt: str, caption: str) -> None:
        self.figure = plain(figure)
        self.alt = alt
        self.caption = caption

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {PLOTLY_MIME: self.figure, "text/html": self.html(), "text/plain": self.alt}

    def html(self) -> str:
        alt = html.escape(self.alt)
        height = int(self.figure["layout"].get("height", HEIGHT))
        # Within a script element only "<" can do harm, as in "</script>".
        data = json.dumps(self.figure, separators=(",", ":")).replace("<", "\\u003c")
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        return (
            f'<figure class="wt-recorded" aria-label="{alt}">'
            f'<div class="wt-plot" style="min-height:{height}px"><p>{alt}</p></div>'
            f'<script type="application/json">{data}</script>{caption}</figure>'
        )


def static(figure: Figure, *, alt: str, caption: str = "") -> Recorded:
    """A figure to be displayed as the last value of a cell.

    `alt` says in words what the figure shows, for those who do not see it; `caption` is set
    under it. Both are plain text.
    """
    return Recorded(figure, alt, caption)


class _FigureTrait(traitlets.TraitType[dict[str, Any], Figure]):
    """Takes a plotly figure or its JSON, keeps JSON."""

    info_text = "a plotly figure, or its JSON"

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) and not hasattr(value, "to_plotly_json"):
            self.error(obj, value)
        return plain(value)


class FigureView(anywidget.AnyWidget):
    """A figure that can be replaced while it is shown: `view.figure = another`.

    Set it from any thread, at most some 20 times a second: the kernel's channel to the page
    carries 1000 messages a second in all.
    """

    _esm = Path(__file__).with_name("figure_view.js")  # built from book/web/src
    _css = FRAME

    figure = _FigureTrait(default_value={"data": [], "layout": {}}).tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)

    def __init__(self, figure: Figure | None = None, *, alt: str = "", **traits: Any) -> None:
        super().__init__(figure=figure or {"data": [], "layout": {}}, alt=alt, **traits)
        self.on_msg(self._answer)

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """A frontend without the book's plotly (JupyterLab, VS Code) asks for it, once."""
        if content.get("kind") == "plotly":
            self.send({"kind": "plotly"}, buffers=[_plotly()])


@functools.cache
def _plotly() -> bytes:
    """plotly's script, gzipped: the book's small one, or the whole from plotly's package where
    `labs` is installed without the book."""
    small = Path(__file__).parents[1] / "book/web/lib/plotly.js"
    script = small.read_text("utf-8") if small.is_file() else offline.get_plotlyjs()
    return gzip.compress(script.encode())
