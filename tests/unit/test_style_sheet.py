"""The one style sheet of the pages: what stays in it, and where its files are."""

from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from labs.site.build.style_sheet import Sheets, of, words

THEME = """@charset "utf-8";
@import "../basic.css";
.seen, .unseen { color: red }
.unseen > p { color: blue }
p:not(.unseen) { margin: 0 }
html[data-theme] .md\\:seen { top: 0 }
@media print { .unseen { display: none } }
@media (min-width: 3em) { #there .seen { width: 1px } #nowhere { width: 2px } }
@font-face { font-family: Some; src: url("../fonts/some.woff2") }
.seen::before { content: ".unseen"; background: url(data:image/png;base64,AA) }
"""
HEAD = """<link rel="stylesheet" href="../_static/styles/theme.css?digest=1" />
<link rel="stylesheet" type="text/css" href="../_static/wall-time.css?v=2" />
<link media="print" rel="stylesheet" type="text/css" href="../_static/paper.css?v=3" />
<link rel="preload" as="script" href="../_static/scripts/a.js" />"""


@pytest.fixture
def static(tmp_path: Path) -> Path:
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles/theme.css").write_text(THEME)
    (tmp_path / "basic.css").write_text(".unseen { top: 0 } li { top: 1px }")
    (tmp_path / "wall-time.css").write_text("/* ours */ .mine { color: red }")
    return tmp_path


def test_only_what_something_may_have_stays(static: Path) -> None:
    made = of(static, ["styles/theme.css"], {"seen", "md:seen", "there"})
    assert ".seen, .unseen{color: red}" in made
    assert "p:not(.unseen){" in made and ".md\\:seen" in made and "@font-face" in made
    assert "@media (min-width: 3em) {#there .seen{width: 1px}}" in made
    assert ".unseen >" not in made and "#nowhere" not in made and "print" not in made


def test_its_files_are_found_from_where_it_stands(static: Path) -> None:
    made = of(static, ["styles/theme.css"], {"seen"})
    assert 'url("fonts/some.woff2")' in made and "url(data:image/png;base64,AA)" in made


def test_what_a_sheet_asks_for_stands_before_it(static: Path) -> None:
    made = of(static, ["styles/theme.css"], {"seen"})
    assert made.startswith("li{top: 1px}") and "@import" not in made


def test_our_own_rules_stay_all_and_have_the_last_word(static: Path) -> None:
    made = of(static, ["styles/theme.css", "none.css", "wall-time.css"], set())
    assert made.index("p:not") < made.index(".mine{color: red}")


def test_a_script_may_give_a_class_and_so_may_labs(static: Path) -> None:
    (static / "some.js").write_text('node.className = "is-given";')
    page = '<p class="a b" id="c"><script defer src="../_static/some.js?v=1"></script>'
    found = words([page], static)
    assert {"a", "b", "c", "is-given", "Sheets"} <= found


def test_a_page_waits_for_one() -> None:
    sheets = Sheets()
    head = sheets.joined(HEAD)
    assert sheets.names == ["styles/theme.css", "wall-time.css"]
    assert head.count('rel="stylesheet"') == 2 and '"../_static/book.css?v=new"' in head
    assert "paper.css" in head and 'rel="preload"' in head
    with pytest.raises(ExtensionError, match="html_css_files"):
        sheets.joined(HEAD.splitlines()[0])
