"""A recorded run level by level, for a page to show as it landed (book/web/src/levels.ts). Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One place on the x axes of a figure, and what was measured there in words."""

    at: int
    words: str


def stepped(levels: Sequence[Level], verdict: Sequence[str]) -> Markup:
    """What the page's script needs, right after the figure as HTML. Nothing for one level, which
    is no course to follow."""
    if len(levels) < 2:
        return Markup("")
    run = {"levels": [asdict(level) for level in levels], "verdict": list(verdict)}
    data = json.dumps(run, ensure_ascii=False).replace("<", "\\u003c")
    return Markup('<script type="application/json" class="wt-levels">{}</script>').format(
        Markup(data)
    )
