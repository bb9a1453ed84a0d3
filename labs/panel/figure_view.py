"""One figure, two feeds: recorded in a page, or live from a kernel. The same script draws both.

`labs.present.html` writes a figure into a built page; `FigureView` is a widget whose trait is the
figure, in plotly's JSON. Neither says colours of text, grid or background: the page's script
(`book/web/src/plot.ts`) takes them from its theme.
A figure may say under `layout.meta["narrow"]` what to change on a telephone.
"""

from __future__ import annotations

import functools
import gzip
from pathlib import Path
from typing import Any

import anywidget
import traitlets
from plotly import offline

from labs.host.project import BOOK
from labs.present.plot import Figure

# What a panel needs where the book's styles are not: in JupyterLab and VS Code.
FRAME = """
.wt-view { margin: 0; }
.jupyter-widgets.wt-prediction, .jupyter-widgets.wt-actions { flex-flow: row wrap; }
.wt-prediction .widget-label { width: auto; }
.wt-others { opacity: 0.7; }
.jupyter-widgets.wt-fixes { flex-flow: row wrap; }
.wt-fixes .jupyter-button { height: auto; max-width: 100%; white-space: normal; width: auto; }
.wt-data { overflow-x: auto; }
.wt-data :is(th, td) { padding: 0.1rem 0.6rem; text-align: right; }
.wt-table .wt-rest { display: none; }
.wt-more[open] + .wt-scroll .wt-rest { display: table-cell; }
.wt-scroll { container-type: inline-size; overflow-x: auto; }
.wt-table :is(th, td).wt-words { text-align: left; }
.wt-reason > td > div {
  left: 0; max-width: 100cqi; position: sticky; text-align: left; white-space: normal;
}
"""


class FigureView(anywidget.AnyWidget):
    """A figure that can be replaced while it is shown: `view.figure = another`.

    Set it from any thread, at most some 20 times a second: the kernel's channel to the page
    carries 1000 messages a second in all.
    """

    _esm = Path(__file__).with_name("figure_view.js")  # built from book/web/src
    _css = FRAME

    figure: traitlets.Dict[str, Any] = traitlets.Dict().tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)

    def __init__(self, figure: Figure | None = None, *, alt: str = "", **traits: Any) -> None:
        super().__init__(figure=figure or {"data": [], "layout": {}}, alt=alt, **traits)
        self.on_msg(self._answer)
        self.observe(lambda _: self._make_room(), "figure")
        self._make_room()

    def blank(self) -> None:
        """Show no figure any more."""
        self.figure, self.alt = {"data": [], "layout": {}}, "Nothing measured yet."

    def _make_room(self) -> None:
        """Take no room where nothing is drawn."""
        self.layout.display = "" if self.figure.get("data") else "none"

    def _answer(self, _: object, content: dict[str, Any], __: object) -> None:
        """Send plotly, once, to a frontend that asks for it (JupyterLab, VS Code)."""
        if content.get("kind") == "plotly":
            self.send({"kind": "plotly"}, buffers=[_plotly()])


def plotly_script() -> str:
    """Read plotly's script: the book's small one, or the whole from plotly's package where `labs`
    is installed without the book."""
    small = BOOK / "web/lib/plotly.js"
    script: str = small.read_text("utf-8") if small.is_file() else offline.get_plotlyjs()
    return script


@functools.cache
def _plotly() -> bytes:
    """Read plotly's script, gzipped."""
    return gzip.compress(plotly_script().encode())
