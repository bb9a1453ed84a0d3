"""A recorded run as it stands in a page: one figure, its caption, the numbers folded away; all of
it behind the question that the lab asks, if it asks one."""

from dataclasses import asdict
from typing import Any

from markupsafe import Markup

from labs.kinds.base import LabKind
from labs.kinds.registry import showing
from labs.present.bet import Answer, Place, Question
from labs.present.blocks import Block, Draw, Drawn, html
from labs.present.html import Recorded
from labs.present.levels import stepped
from labs.present.markup import script_data
from labs.present.verdict import who
from labs.recordings import store
from labs.recordings.pictures import Pictures
from labs.records.errors import BadRecording
from labs.records.results import Result


class Replayed:
    """A recorded run as a page without a kernel shows it."""

    def __init__(self, name: str, lab: LabKind[Any], result: Result) -> None:
        self.result = result
        self.html = page(name, result, Pictures(name)) + switch(name, lab)
        self.alt = showing(result).alt(result)
        if asked := lab.asks(result):
            self.html = behind_bet(self.html, name, asked, lab.outcome(result), lab.place())

    def __repr__(self) -> str:
        return self.alt

    def _repr_html_(self) -> str:
        return self.html


def replay(name: str, lab: LabKind[Any]) -> Replayed:
    """The lab's recording. BadRecording if there is none, it is of another experiment, or its
    picture is of another recording."""
    return Replayed(name, lab, recorded(name, lab))


def recorded(name: str, lab: LabKind[Any]) -> Any:
    """The result of that name. BadRecording if there is none, or it is of another experiment."""
    result = store.recording(name)
    if not isinstance(result, lab.result) or not lab.matches(result):
        raise BadRecording(
            f"{name}: the page asks for another experiment than was recorded. Record it again "
            f"with `make record LABS={name}`."
        )
    return result


def plainly(drawn: Drawn) -> Markup:
    """A figure for the page's script to draw."""
    return Recorded(*drawn).html()


def page(name: str, result: Result, draw: Draw = plainly) -> Markup:
    """Make all that a page shows of a run. BadRecording for numbers that make it impossible."""
    with store.blamed(name):
        return html([*blocks(result), showing(result).downloads(name, result)], draw)


def blocks(result: Result) -> list[Block]:
    """List the blocks above the data of a run: its figures and what is said of it."""
    show = showing(result)
    split = show.split(result)
    between = [split] if split else []
    return [*course(result), *between, *show.verdict(result)]


def course(result: Result) -> list[Block]:
    """The figure of a run, and what a page needs to show it level by level."""
    show = showing(result)
    figure = Drawn(show.figure(result), show.alt(result), show.caption(result))
    return [figure, stepped(show.levels(result), show.concluded(result), show.pace)]


def switch(name: str, lab: LabKind[Any]) -> Markup:
    """The recordings of the lab under its other settings, which a page may show in the figure's
    place, as data for its script (book/web/src/switch.ts); nothing where there are none.
    BadRecording for one that is missing, or of another experiment."""
    if not lab.also:
        return Markup("")
    others = [
        {"label": label, "html": _under(store.under(name, label), lab.under(label))}
        for label in lab.also
    ]
    data = {"here": who(lab.experiments()[0].server), "others": others}
    return script_data(data, class_="wt-switch-data")


def _under(name: str, lab: LabKind[Any]) -> str:
    return html(course(recorded(name, lab)), Pictures(name))


def behind_bet(
    shown: str, lab: str, question: Question, known: Answer, place: Place | None = None
) -> Markup:
    """Put what a recorded run shows, as HTML, behind the question that its lab asks: the page's
    script asks for a number first, and says how near it was (book/web/src/bet.ts)."""
    model, measured, band, unsettled = known
    bet = {
        "lab": lab,
        "words": question.words,
        "asked": question.asked,
        "about": question.about,
        "unit": question.unit,
        "model": None if model is None else model * question.scale,
        "measured": None if measured is None else measured * question.scale,
        "model_said": "" if model is None else question.say(model),
        "measured_said": "" if measured is None else question.say(measured),
        "unsettled": unsettled,
        "band": band and [end * question.scale for end in band],
        "place": asdict(place) if place else None,
    }
    asks = script_data(bet, class_="wt-bet-data")
    return Markup('<div class="wt-replay" data-lab="{}">{}{}</div>').format(
        lab, asks, Markup(shown)
    )
