"""A recorded run as it landed, for a page to show it so: level by level, step by step, or one way
after the other (book/web/src/levels.ts). Of each it is told how far it reaches on the x axes of the
run's figure, or the colour in which it is drawn there; the page has the figure once and hides what
comes later. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from markupsafe import Markup

from labs.present.markup import script_data

FORECAST = "Before the run: the forecast is made, and nothing is measured yet."
UNMEASURED = "Before the run: nothing is measured yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The place that a run has reached after one level, step or way, and the sentence on it.

    at: up to where on the x axes; on axes with names they count from 0, each in the middle of its
    room, and each is a level. colour: in which it is drawn. What has neither is there from the
    first level on.
    """

    words: str
    at: float | None = None
    colour: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The way in which the runs of a kind are replayed."""

    each: str = "level"  # what one of them is called
    before: str = FORECAST  # what is said when nothing has landed
    # Colours of the lines and areas that are there before the run. Without any, these are all but
    # the lines through marks.
    known: Sequence[str] = ()


BY_LEVEL = Pace()


def stepped(levels: Sequence[Level], verdict: Sequence[str], pace: Pace = BY_LEVEL) -> Markup:
    """Write what the page's script needs, right after the figure as HTML. Nothing for one level,
    which is no course to follow. Without a verdict it ends with the last level."""
    if len(levels) < 2:
        return Markup("")
    told = [
        {name: value for name, value in asdict(level).items() if value is not None}
        for level in levels
    ]
    run = {"levels": told, "verdict": list(verdict), **asdict(pace)}
    return script_data(run, class_="wt-levels")
