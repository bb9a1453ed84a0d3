"""The numbers that scenes know: of users, times, cores and whatever else can be given or turned."""

from collections.abc import Mapping
from typing import Any

# Those of book/web/src/scenes/parameters.ts, and what a page that doesn't say them means.
NUMBERS = {
    "users": 0.0,
    "think": 0.0,
    "rate": 0.0,
    "cpu": 0.0,
    "wait": 0.0,
    "cores": 1.0,
    "workers": 1.0,
    "places": 2048.0,
    "request": 1.0,
    "leaves": 0.0,
    "lanes": 4.0,
    "call": 0.0,
    "racers": 2.0,
    "rounds": 1.0,
    "lock": 0.0,
    "processes": 1.0,
    "threads": 1.0,
    "preload": 0.0,
    "written": 1.0,
    "memory": 552.0,
    "first": 5.0,
    "limit": 256.0,
    "within": 0.0,
    "way": 0.0,
    "ahead": 0.0,
    "others": 0.0,
    "late": 0.0,
    "locked": 0.0,
    "query": 0.0,
    "connections": 1.0,
    "disk": 0.0,
    "requests": 10.0,
    "mean": 1.0,
    "apart": 0.0,
    "deviation": 0.3,
    "window": 1.0,
    "quota": 0.0,
    "pair": 2.0,
}


def numbers(given: Mapping[str, Any]) -> dict[str, float]:
    """All of them: as a page's options give them, and as they are where these don't."""
    return {name: float(given.get(name, usual)) for name, usual in NUMBERS.items()}
