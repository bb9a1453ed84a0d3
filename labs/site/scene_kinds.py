"""The scenes that a page can have: a row for each, with its picture that stands still."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from docutils.parsers.rst import directives
from markupsafe import Markup

from labs.site import (
    curves_picture,
    deal_picture,
    interleave_picture,
    journey_picture,
    lanes_picture,
    little_picture,
    pages_picture,
    ramp_picture,
    shop_picture,
    small_pictures,
)
from labs.site.scene_numbers import numbers


@dataclass(frozen=True)
class SceneKind:
    """What the directive knows of a scene; the rest is in book/web/src/scenes."""

    picture: Callable[[Mapping[str, Any]], Markup]
    """From the options, as the page gives them, to an SVG."""
    options: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Words of its own, beside the numbers and what all scenes share, and how each is checked."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Options without which it cannot be shown, and what they say."""


def words_of(known: Collection[str]) -> Callable[[str], str]:
    """The check of an option that is some of these words."""

    def check(text: str) -> str:
        for word in text.split():
            if word not in known:
                raise ValueError(f"{word}: there are {', '.join(known)}")
        return text

    return check


def _shop(given: Mapping[str, Any]) -> Markup:
    return shop_picture.picture(numbers(given), held=float(given.get("hold", 0)))


def _curves(given: Mapping[str, Any]) -> Markup:
    beside = [int(each) for each in given.get("beside", "").split()]
    return curves_picture.picture(numbers(given), given["most"], beside)


def _little(given: Mapping[str, Any]) -> Markup:
    arrive, leave = ([float(each) for each in given[name].split()] for name in ("arrive", "leave"))
    return little_picture.picture(arrive, leave, float(given["over"]))


def _lanes(given: Mapping[str, Any]) -> Markup:
    who = given.get("who", "processes").split()[0]
    return lanes_picture.picture(numbers(given), who, float(given.get("span", 0.5)))


def _journey(given: Mapping[str, Any]) -> Markup:
    clocks = given.get("clocks", "client log cpu").split()
    return journey_picture.picture(numbers(given), clocks)


def _none(text: str) -> str:
    return directives.choice(text, ("none",))


def _times(text: str) -> str:
    if not all(float(each) >= 0 for each in text.split()):
        raise ValueError(f"{text}: times from 0 on, in seconds")
    return text


def _cores(text: str) -> str:
    if not all(each.isdecimal() and int(each) > 0 for each in text.split()):
        raise ValueError(f"{text}: numbers of cores, such as 1 2 4")
    return text


def _interleave(_given: Mapping[str, Any]) -> Markup:
    return interleave_picture.picture()


def _deal(given: Mapping[str, Any]) -> Markup:
    users, processes, threads, cpu, wait = _all(given, "users processes threads cpu wait")
    return deal_picture.picture(int(users), int(processes), int(threads), cpu + wait)


def _pages(given: Mapping[str, Any]) -> Markup:
    (preload,) = _all(given, "preload")
    return pages_picture.picture(preload > 0)


def _ramp(given: Mapping[str, Any]) -> Markup:
    users, first, limit = _all(given, "users first limit")
    return ramp_picture.picture(int(users), int(first), int(limit))


def _all(given: Mapping[str, Any], names: str) -> list[float]:
    return [numbers(given)[name] for name in names.split()]


KINDS = {
    "shop": SceneKind(_shop),
    "curves": SceneKind(
        _curves,
        options={
            "trap": _none,  # cores / R, which needs words on the page
            "beside": _cores,  # whose curves are drawn, too
        },
        needs={"most": "how many users the axis has"},
    ),
    "lanes": SceneKind(
        _lanes,
        options={"who": words_of(lanes_picture.WHO), "span": _times},
        needs={"cpu": "how long each computes"},
    ),
    "journey": SceneKind(_journey, options={"clocks": words_of(journey_picture.CLOCKS)}),
    "little": SceneKind(
        _little,
        options={"arrive": _times, "leave": _times, "over": _times},
        needs={
            "arrive": "when each request comes, in order",
            "leave": "when each of them leaves",
            "over": "for how long they are watched",
        },
    ),
    "interleave": SceneKind(_interleave),
    "deal": SceneKind(
        _deal, needs={"users": "how many connections there are", "wait": "what a request takes"}
    ),
    "pages": SceneKind(_pages, needs={"workers": "how many the master forks"}),
    "ramp": SceneKind(_ramp, needs={"users": "how many come"}),
    "ceilings": SceneKind(lambda given: small_pictures.ceilings(numbers(given))),
    "samples": SceneKind(lambda given: small_pictures.samples(numbers(given))),
    "core-hopping": SceneKind(lambda given: small_pictures.hopping(numbers(given))),
    "quota": SceneKind(lambda given: small_pictures.quota(numbers(given))),
}
