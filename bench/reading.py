"""How a built page reads: what EDITING asks of each page, counted.

    make book && python -m bench.reading [PAGE…]

Counts words that stand unfolded, without exercises, code and what a lab puts there; those before
the first lab or scene; numbers among them; exercises outside *More exercises*; words of the
longest verdict below a lab; the minutes that the page promises, and those that it takes without the
lab's own run: 170 words a minute, 2.5 minutes a scene, one a table.
"""

from __future__ import annotations

import re
import sys

from bs4 import BeautifulSoup, Tag

from bench.browser import SITE, built

GOALS = {"words": 1800, "before": 300, "numbers": 120, "core": 5, "verdict": 40}
LONGER = {"which-limit": 2200}
MOVES = "wt-scene, .tag_lab"  # under the reader's hand
UNREAD = "script, style, svg, nav, summary, .headerlink, .cell_input, .wt-status, .katex-mathml"
A_MINUTE, A_SCENE, A_TABLE = 170, 2.5, 1.0


def counted(page: Tag) -> dict[str, float]:
    """The figures of a page's article. It is taken apart for that."""
    for each in page.select(UNREAD):
        each.decompose()
    for folded in page.select("details"):
        folded.decompose()
    said = [len(words(each.get_text(" "))) for each in page.select(".tag_lab .wt-verdict")]
    asked = page.select("#try-it-yourself > section")
    promised = re.search(r"(\d+) minutes, and", page.get_text(" "))
    scenes, tables = len(page.select("wt-scene")), len(page.select("table"))
    for each in page.select("#try-it-yourself, #more-exercises"):
        each.decompose()
    for moving in page.select(MOVES):
        moving.replace_with("\0")
    before, _, _ = page.get_text(" ").partition("\0")
    text = page.get_text(" ").replace("\0", " ")
    read = len(words(text))
    return {
        "words": read,
        "before": len(words(before)),
        "numbers": len(re.findall(r"\d[\d.,\u202f]*", text)),
        "core": len(asked),
        "verdict": max(said, default=0),
        "promised": int(promised[1]) if promised else 0,
        "takes": read / A_MINUTE + A_SCENE * scenes + A_TABLE * tables,
    }


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_][\w’'-]*", text)


def main() -> int:
    if not built("index.html"):
        return 1
    names = sys.argv[1:] or [
        *("index", "your-machine"),
        *(f"{file.parent.name}/{file.stem}" for file in sorted(SITE.glob("[123]-*/*.html"))),
    ]
    print(f"{'page':42}" + "".join(f"{name:>10}" for name in (*GOALS, "promised", "takes")))
    for name in names:
        text = (SITE / f"{name}.html").read_text("utf-8")
        article = BeautifulSoup(text, "html.parser").select_one("article")
        assert article is not None
        found = counted(article)
        goals = GOALS | {"words": LONGER.get(name.split("/")[-1], GOALS["words"])}
        cells = (
            f"{value:.0f}{'*' if value > goals.get(key, 1e9) else ''}"
            for key, value in found.items()
        )
        print(f"{name:42}" + "".join(f"{cell:>10}" for cell in cells))
    print("\n* beyond the goal: " + ", ".join(f"{key} {most}" for key, most in GOALS.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
