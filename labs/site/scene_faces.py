"""What stands around a scene's picture: title, legend, headings, goal. The page has it in a
`<template>`, which nobody sees before the scene's script (book/web/src/scenes/frame.ts) takes it
out, and which `make pdf` and `make epub` leave out."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from labs.site.scene_goals import GOALS

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Face:
    """Of one kind of scene."""

    title: str
    """For a screen reader: what the picture is of."""
    legend: Mapping[str, str]
    """What the marks mean: class of a mark in scenes.css, and words."""
    unless: Mapping[str, Callable[[Given], bool]] | None = None
    """Marks that some pages don't have, by their options."""
    columns: tuple[str, str] = ("bound", "model")
    """Headings of the table's last two columns."""


def _nothing(name: str) -> Callable[[Given], bool]:
    return lambda given: not float(given.get(name, 0)) > 0


def _nobody_thinks(given: Given) -> bool:
    return _nothing("think")(given) and "think" not in given.get("turn", "")


FACES = {
    "shop": Face(
        "requests on their way through a listen queue, workers and cores",
        {
            "line": "in line",
            "core": "in a worker, on a core",
            "wait": "in a worker, waiting",
            "away": "thinking",
            "refused": "turned away, tries again",
        },
        unless={
            "away": _nobody_thinks,
            "refused": lambda given: float(given.get("places", 1000)) >= 1000,
        },
    ),
    "curves": Face(
        "throughput and response time over the number of users",
        {
            "bound": "bound",
            "model": "model",
            "dot": "simulated",
            "trap": "cores / R, the trap",
        },
        unless={"trap": lambda given: given.get("trap") == "none"},
    ),
    "little": Face(
        "arrivals and departures as two staircases, and the area between them",
        {"model": "have come", "bound": "have left", "core": "leaves: drag it"},
    ),
    "lanes": Face(
        "who runs when, a lane for each request",
        {"core": "runs", "line": "ready", "wait": "waits", "blocked": "blocks"},
        unless={"wait": _nothing("wait"), "blocked": _nothing("call")},
    ),
    "journey": Face(
        "one request on its way through a server, and whose clock runs meanwhile",
        {
            "core": "a core works for it",
            "line": "in a line",
            "wait": "elsewhere",
            "model": "a clock runs",
        },
        columns=("of it on a core", ""),
    ),
    "interleave": Face(
        "threads that add to one counter, step by step",
        {"held": "has read, not yet written", "lost": "writes over what another wrote"},
    ),
    "deal": Face(
        "connections dealt to processes, and requests a second over many deals",
        {
            "core": "a user with a thread",
            "line": "a user who waits",
            "away": "an idle thread",
            "bound": "if dealt evenly",
            "mean": "mean to expect",
        },
    ),
    "pages": Face(
        "the memory pages of a master and its workers",
        {"shared": "shared by all who have it", "own": "a copy of its own"},
    ),
    "ramp": Face(
        "users, workers and the line outside over time",
        {"bound": "users who have come", "model": "workers", "outside": "users outside"},
    ),
    "ceilings": Face(
        "how many requests a second each thing allows that they need, and the lines before them",
        {
            "core": "in use",
            "wait": "free",
            "line": "in line for it",
            "bound": "answers a second now",
        },
    ),
    "samples": Face(
        "two tests of two servers, their intervals, and the interval of the difference",
        {
            "line": "no difference claimed",
            "core": "claimed, and true",
            "refused": "claimed, and wrong",
            "bound": "the truth",
        },
        columns=("", "model"),
    ),
    "core-hopping": Face(
        "which core is at work at which moment, and what a tool shows that averages",
        {"core": "a thread at work", "bound": "what is averaged"},
        columns=("", "by the law"),
    ),
    "quota": Face(
        "a budget of CPU time that is spent, and workers that stand still until the next",
        {"core": "a worker runs", "trap": "stopped", "dot": "a request is done"},
    ),
}


def face(name: str, given: Given) -> Markup:
    """What the script of a scene with these options brings to life."""
    goal = GOALS[name].get(given.get("goal", ""))
    return Markup("<template>\n{}</template>\n").format(
        Markup("").join(_parts(FACES[name], given, goal))
    )


def _parts(of: Face, given: Given, goal: str | None) -> Iterator[Markup]:
    yield Markup('<div class="wt-scene-live" role="group" aria-label="Simulated: {}">\n').format(
        of.title
    )
    yield Markup(
        '<p class="wt-scene-head"><strong>Simulated</strong> by a model, measured on no machine.'
        '<span class="wt-scene-time"></span></p>\n'
        '<div class="wt-scene-picture"><canvas role="img" aria-label="{}"></canvas></div>\n'
    ).format(of.title)
    marks = Markup(" ").join(
        Markup('<span><span class="wt-mark wt-mark-{}"></span>{}</span>').format(mark, words)
        for mark, words in of.legend.items()
        if not (of.unless and mark in of.unless and of.unless[mark](given))
    )
    yield Markup('<p class="wt-scene-legend">{}</p>\n').format(marks)
    if "bet" in given:
        yield Markup('<div class="wt-scene-bet" role="group" aria-label="Your prediction"></div>\n')
    yield Markup(
        '<div class="wt-scene-clock"></div>\n'
        '<div class="wt-scene-clock wt-scene-tools"></div>\n'
        '<div class="wt-scene-sliders"></div>\n'
    )
    headings = Markup("").join(
        Markup('<th scope="col">{}</th>').format(column) if column else Markup("<td></td>")
        for column in ("", "simulated", *of.columns)
    )
    yield Markup(
        '<div class="wt-scene-table"><table><thead><tr>{}</tr></thead><tbody></tbody></table>'
        "</div>\n"
    ).format(headings)
    if goal:
        yield Markup('<p class="wt-scene-goal"><span aria-hidden="true"></span>{}</p>\n').format(
            goal
        )
    yield Markup('<p class="wt-scene-said" role="status"></p>\n</div>\n')
