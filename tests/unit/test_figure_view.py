"""One figure, two feeds: what is written into a page, and what a widget takes and sends."""

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
import traitlets
from plotly import graph_objects, offline

from labs.panel.figure_view import FigureView
from labs.present.html import Recorded, plain

ROOT = Path(__file__).parents[2]
LINE = {"data": [{"x": [1, 2], "y": [3, 4]}], "layout": {"height": 300}}


def test_a_plain_figure_is_json_without_a_template() -> None:
    figure = graph_objects.Figure(graph_objects.Scatter(x=np.array([1, 2]), y=[3, float("nan")]))
    shown = plain(figure.to_plotly_json())
    assert shown["data"][0]["y"] == [3, None]
    assert "template" not in shown["layout"]
    assert json.loads(json.dumps(shown)) == shown
    assert plain(shown) == shown


def test_a_recorded_figure_has_its_words_and_harms_no_page() -> None:
    hostile = {"data": [{"name": "</script><script>alert(1)</script>"}], "layout": {"height": 300}}
    page = Recorded(hostile, alt='a "b" < c', caption="On <2> cores.").html()
    assert 'aria-label="a &#34;b&#34; &lt; c"' in page
    assert "<figcaption>On &lt;2&gt; cores.</figcaption>" in page
    assert "min-height:300px" in page  # room is kept for it
    assert page.count("<script") == page.count("</script>") == 1
    (data,) = re.findall(r'<script type="application/json">(.*)</script>', page)
    assert json.loads(data)["data"] == hostile["data"]


def test_a_view_takes_figures_and_refuses_the_rest() -> None:
    view = FigureView(LINE, alt="a line")
    assert view.figure == LINE
    view.figure = graph_objects.Figure(LINE).to_plotly_json()
    assert view.figure["data"][0]["y"] == [3, 4]
    with pytest.raises(traitlets.TraitError):
        view.figure = [1, 2]


def test_a_view_without_a_figure_takes_no_room() -> None:
    view = FigureView()
    assert view.layout.display == "none"
    view.figure = LINE
    assert not view.layout.display
    view.figure = {"data": [], "layout": {}}
    assert view.layout.display == "none"


def test_a_frontend_that_asks_gets_plotly_once_and_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[dict[str, str], list[bytes]]] = []
    view = FigureView(LINE)
    monkeypatch.setattr(view, "send", lambda content, buffers: sent.append((content, buffers)))
    view._handle_custom_msg({"kind": "something else"}, [])
    view._handle_custom_msg({"kind": "plotly"}, [])
    ((content, (packed,)),) = sent
    assert content == {"kind": "plotly"}
    assert gzip.decompress(packed) == (ROOT / "book/web/lib/plotly.js").read_bytes()
    assert len(packed) < 500_000


def test_the_page_s_plotly_is_the_package_s() -> None:
    """Figures made by one version are drawn by the same."""
    ours, theirs = (ROOT / "book/web/lib/plotly.js").read_text("utf-8"), offline.get_plotlyjs()
    version = re.compile(r"plotly\.js (?:\(.*\) )?v[\d.]+")
    (found,) = {version.findall(text[:300])[0].split()[-1] for text in (ours, theirs)}
    assert found.startswith("v")
