"""Set the formulas of the built book, into book/formulas.json: `make formulas`.

    .venv/bin/python setup/formulas.py

A Chromium opens each page, where the page's own KaTeX sets those that are new; the others stand in
the page already. The next build puts them all into the pages (labs/site/build/formulas.py), which
then load no KaTeX.
"""

from __future__ import annotations

import json
import sys

from install import ROOT
from paper import CannotPrint, chromium, contents

from book import SITE
from labs.site.build.formulas import NAME, VERSION

FORMULAS = ROOT / "book" / NAME
STYLES = ROOT / "book" / "web" / "lib" / "math.css"
PATIENCE_MS = 60_000.0  # for one page; a busy machine is slow
SCRIPT = """() => [...document.querySelectorAll('.math')].map((node) => {
  const spoken = '.visually-hidden'; // math.ts puts it before, labs/site/build/formulas.py inside
  const before = node.previousElementSibling;
  const said = node.querySelector(spoken) ?? (before && before.matches(spoken) ? before : null);
  const set = node.cloneNode(true);
  set.querySelectorAll(`.eqno, ${spoken}`).forEach((each) => each.remove());
  const kind = said ? 'column' : set.querySelector('.katex-display') ? 'display' : 'inline';
  const written = set.querySelector('annotation');
  if (!written) return [kind, null, node.textContent];
  return [kind, written.textContent, (said ? said.outerHTML : '') + set.innerHTML.trim()];
})"""


def main() -> int:
    """Exit code 0 after writing them, 1 after a sentence on standard error."""
    found = VERSION.search(STYLES.read_text("utf-8"))
    assert found is not None, STYLES
    try:
        made = all_set()
    except CannotPrint as problem:
        print(problem, file=sys.stderr)
        return 1
    told = {"katex": found[1], "set": dict(sorted(made.items()))}
    FORMULAS.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n", "utf-8")
    size = FORMULAS.stat().st_size / 1000
    print(f"{FORMULAS.relative_to(ROOT)}: {len(made)} formulas, {size:.0f} kB.")
    return 0


def all_set() -> dict[str, str]:
    """Set all as HTML by kind and TeX. CannotPrint for a page not built, or what is no formula."""
    made: dict[str, str] = {}
    with chromium() as browser:
        context = browser.new_context(offline=True)
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        for _, name in contents():
            file = SITE / f"{name}.html"
            if not file.is_file():
                raise CannotPrint(f"{file}: there is no such page. Build the book: `make book`.")
            page.goto(file.as_uri())
            page.wait_for_function("document.readyState == 'complete'")
            for kind, written, html in page.evaluate(SCRIPT):
                if written is None:
                    raise CannotPrint(f"{name}: KaTeX can't set the formula {html!r}. Mend it.")
                made[f"{kind} {written}"] = html
        context.close()
    return made


if __name__ == "__main__":
    sys.exit(main())
