"""A recorded lab as HTML for a built page: one figure, its caption, the numbers folded away."""

from __future__ import annotations

from labs.kinds.result import Result
from labs.kinds.showing import data, showing
from labs.present import verdict
from labs.present.html import static


def page(lab: str, result: Result) -> tuple[str, str]:
    """The text alternative and the HTML."""
    how = showing(result)
    caption = f"{how.about(result)} {verdict.caption(result.machine, how.runs(result))}".strip()
    figure = static(how.figure(result), alt=how.alt(result), caption=caption)
    return figure.alt, figure.html() + how.words(result) + data(lab, result)
