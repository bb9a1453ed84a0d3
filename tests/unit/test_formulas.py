"""Formulas that stand in a page as they were set, and those that the page still has to set."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from labs.site.build.formulas import Formulas

INLINE = '<span class="math notranslate nohighlight">\\(N &lt; c\\)</span>'
DISPLAY = (
    '<div class="math notranslate nohighlight" id="equation-x">\n'
    '<span class="eqno">(1)<a class="headerlink" href="#equation-x">#</a></span>\\[X = c/D\\]</div>'
)
COLUMN = f'<th class="head"><p>{INLINE}</p></th>'
WORDS = f'<th class="head"><p>{INLINE}</p> users</th>'
BARE = '<div class="math x">a &amp; b</div>'


def page(tmp_path: Path, body: str, *, katex: str = "0.16.0") -> dict[str, Any]:
    styles = tmp_path / "web/lib/math.css"
    styles.parent.mkdir(parents=True)
    styles.write_text(f'.katex .katex-version:after{{content:"{katex}"}}')
    set_ones = {
        "inline N < c": "<b>1</b>",
        "display X = c/D": "<b>2</b>",
        "column N < c": "<b>3</b>",
        "display a & b": "<b>4</b>",
    }
    told = {"katex": "0.16.0", "set": set_ones}
    (tmp_path / "formulas.json").write_text(json.dumps(told))
    config = SimpleNamespace(html_static_path=["web"])
    app: Any = SimpleNamespace(srcdir=tmp_path, confdir=tmp_path, config=config)
    context: dict[str, Any] = {"body": body}
    Formulas(app).put(context)
    return context


def test_what_is_set_stands_in_the_page_with_its_number(tmp_path: Path) -> None:
    context = page(tmp_path, DISPLAY + COLUMN + WORDS + BARE)
    assert context["formulas_set"]
    assert '<span class="math notranslate nohighlight"><b>1</b></span></p> users' in context["body"]
    assert '<b>2</b><span class="eqno">(1)<a ' in context["body"]
    assert 'id="equation-x"' in context["body"]
    assert "<b>3</b></span></p></th>" in context["body"]
    assert '<div class="math x"><b>4</b></div>' in context["body"]


def test_what_is_not_is_left_to_the_page(tmp_path: Path) -> None:
    new = '<span class="math notranslate nohighlight">\\(Z\\)</span>'
    context = page(tmp_path, INLINE + new)
    assert not context["formulas_set"]
    assert new in context["body"] and "<b>1</b>" in context["body"]


def test_another_katex_sets_all_anew(tmp_path: Path) -> None:
    context = page(tmp_path, INLINE, katex="0.17.1")
    assert not context["formulas_set"] and context["body"] == INLINE
