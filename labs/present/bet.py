"""A recorded run that stands behind a bet: what the page's script needs to ask for a number first,
and to say how near it was (book/web/src/bet.ts). Pure."""

from dataclasses import asdict, dataclass

from markupsafe import Markup

from labs.present.markup import script_data
from labs.present.verdict import UNSETTLED, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a figure of throughput and response time the answer to a question lies."""

    at: int  # on the x axes
    users: int
    think_time_s: float
    asks: str  # "throughput" or "response time"


def behind_bet(
    shown: str,
    lab: str,
    question: Question,
    answer: tuple[float | None, float | None],
    *,
    fit: bool = True,
    place: Place | None = None,
) -> Markup:
    """What a recorded run shows as HTML, behind the question that its lab asks.

    answer: what the model said to it and what was measured, in SI units, None without;
    fit: whether what was measured can be believed.
    """
    model, measured = answer
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
        "unsettled": "" if fit else UNSETTLED,
        "place": asdict(place) if place else None,
    }
    asks = script_data(bet, class_="wt-bet-data")
    return Markup('<div class="wt-replay" data-lab="{}">{}{}</div>').format(
        lab, asks, Markup(shown)
    )
