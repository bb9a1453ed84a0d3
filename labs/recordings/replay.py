"""A recorded run as it stands in a page: one figure, its caption, the numbers folded away; all of
it behind the question that the lab asks, if it asks one."""

from __future__ import annotations

from typing import Any

from labs.kinds.base import LabKind
from labs.kinds.registry import showing
from labs.present.bet import behind_bet
from labs.present.html import static
from labs.present.verdict import caption
from labs.recordings import store
from labs.recordings.pictures import with_pictures
from labs.records.errors import BadRecording
from labs.records.results import Result


class Replayed:
    """What a lab shows in a page without a kernel."""

    def __init__(self, name: str, lab: LabKind[Any], result: Result) -> None:
        self.result = result
        self.alt, shown = page(name, result)
        self.html = with_pictures(name, shown)
        if lab.question:
            self.html = behind_bet(
                self.html,
                name,
                lab.question,
                lab.answer(result),
                fit=lab.settles(result),
                place=lab.place(),
            )

    def __repr__(self) -> str:
        return self.alt

    def _repr_html_(self) -> str:
        return self.html


def replay(name: str, lab: LabKind[Any]) -> Replayed:
    """The lab's recording. BadRecording if there is none, it is of another experiment, or its
    picture is of another recording."""
    result = store.recording(name)
    if not isinstance(result, lab.result) or not lab.matches(result):
        raise BadRecording(
            f"{name}: the page asks for another experiment than was recorded. Record it again "
            "with `make record`."
        )
    return Replayed(name, lab, result)


def page(name: str, result: Result) -> tuple[str, str]:
    """The text alternative and the HTML, with figures for a script to draw."""
    show = showing(result)
    runs = len(result.runs)  # type: ignore[attr-defined]
    words = f"{show.about(result)} {caption(result.machine, runs)}".strip()
    figure = static(show.figure(result), alt=show.alt(result), caption=words)
    shown = figure.html()
    if split := show.split(result):
        shown += static(split.figure, alt=split.alt, caption=split.note).html()
    return figure.alt, f"{shown}{show.verdict(result)}{show.downloads(name, result)}"
