"""The scripts of Sphinx and the theme as one file."""

from pathlib import Path

from labs.site.build.page_scripts import JOINED, joined


def test_they_follow_each_other_and_none_makes_all_strict(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "doctools.js").write_text('"use strict";\nconst first = 1;\n// the end')
    (tmp_path / JOINED[-1]).write_text("(() => 2)()\n//# sourceMappingURL=nowhere.js.map")
    made = joined(tmp_path)
    assert made == ';"use strict";\nconst first = 1;\n// the end\n;(() => 2)()\n'
