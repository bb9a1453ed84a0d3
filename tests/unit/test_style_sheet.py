"""The one style sheet of the pages: what it is made of, and where its files are."""

from pathlib import Path

import pytest
from sphinx.errors import ExtensionError

from labs.site.build.style_sheet import Sheets, of

THEME = """@charset "utf-8";
@import "../basic.css";
@font-face { font-family: Some; src: url("../fonts/some.woff2") }
.seen::before { background: url(data:image/png;base64,AA) }
"""
HEAD = """<link rel="stylesheet" href="../_static/styles/theme.css?digest=1" />
<link rel="stylesheet" type="text/css" href="../_static/wall-time.css?v=2" />
<link media="print" rel="stylesheet" type="text/css" href="../_static/paper.css?v=3" />
<link rel="preload" as="script" href="../_static/scripts/a.js" />"""


def test_a_sheet_has_what_it_imports_before_it_and_finds_its_files(tmp_path: Path) -> None:
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles/theme.css").write_text(THEME)
    (tmp_path / "basic.css").write_text("li { top: 1px }")
    made = of(tmp_path, "styles/theme.css")
    assert made.startswith("li { top: 1px }\n")
    assert "@import" not in made and "@charset" not in made
    assert 'url("fonts/some.woff2")' in made and "url(data:image/png;base64,AA)" in made
    assert of(tmp_path, "none.css") == ""


def test_a_page_waits_for_one() -> None:
    sheets = Sheets()
    head = sheets.joined(HEAD)
    assert sheets.names == ["styles/theme.css", "wall-time.css"]
    assert head.count('rel="stylesheet"') == 2 and '"../_static/book.css?v=new"' in head
    assert "paper.css" in head and 'rel="preload"' in head
    with pytest.raises(ExtensionError, match="html_css_files"):
        sheets.joined(HEAD.splitlines()[0])
