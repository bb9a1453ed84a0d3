"""Levels of a load test by another program, and the numbers in its files. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Annotated, TypeVar

import msgspec

from labs.records.errors import LONGEST_SAID, Unusable

MOST_USERS, MOST_REQUESTS, LONGEST_S = 1_000_000, 10**12, 10.0**7
LONGEST_TIME_S = 86_400.0  # of one request
NUMBER = re.compile(r"\d{1,25}(\.\d{1,25})?(e[+-]?\d{1,2})?", re.IGNORECASE)
COMMA = re.compile(r"\d+,\d+")
LEAST_S = 5.0  # of a level, without its start
SETTLING = 0.2  # of a level, which is left out at its start
LARGEST_DOCUMENT = 8 * 2**20  # letters of a JSON document

T = TypeVar("T")
Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_REQUESTS)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e18)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A load test's numbers for a time with as many users. Unusable for what can't have been."""

    users: int | None  # at once; None where the file doesn't say, or nobody set them
    seconds: float
    completed: int  # requests answered well
    failed: int
    mean_response_time_s: float | None  # of all that the program counts; None if it can't be told
    percentiles: tuple[tuple[float, float], ...] = ()  # per cent, seconds
    unlike: int = 0  # of the completed: of another length than the first

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("users", self.users, 1, MOST_USERS),
            ("seconds", self.seconds, 1e-6, LONGEST_S),
            ("completed", self.completed, 0, MOST_REQUESTS),
            ("failed", self.failed, 0, MOST_REQUESTS),
            ("mean response time", self.mean_response_time_s, 0, LONGEST_TIME_S),
        ):
            if value is not None and not least <= value <= most:
                raise Unusable(f"{name}={value:g}: no load test gives that.")

    @property
    def throughput_rps(self) -> float:
        """Good answers per second."""
        return self.completed / self.seconds

    @property
    def ended_rps(self) -> float:
        """Answers and failures per second, as Little's law counts them."""
        return (self.completed + self.failed) / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTest:
    """Levels by one program, fewest users first. at_a_rate: it asks so often, whatever comes back;
    else each user waits for an answer before the next question."""

    tool: str
    levels: tuple[Level, ...]
    at_a_rate: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """The counts since the start at one moment, and how many users there were just then."""

    at_s: float
    users: int
    ended: int
    failed: int
    took_s: float  # all requests together


def steps(moments: Sequence[Moment]) -> list[Level]:
    """A level for each time with a constant number of users, from differences of counts; a fifth
    of it is left out at its start. Unusable where it is nowhere constant for long enough."""
    found = []
    for users, group in groupby(moments, attrgetter("users")):
        every = list(group)
        begin = every[0].at_s + SETTLING * (every[-1].at_s - every[0].at_s)
        first, last = next(each for each in every if each.at_s >= begin), every[-1]
        if not users or last.at_s - first.at_s < LEAST_S:
            continue
        ended, failed = last.ended - first.ended, last.failed - first.failed
        took = last.took_s - first.took_s
        if not 0 <= failed <= ended or took < 0:
            raise Unusable(f"its counts fall at {users} users, as after a reset.")
        found.append(
            Level(
                users=users,
                seconds=last.at_s - first.at_s,
                completed=ended - failed,
                failed=failed,
                mean_response_time_s=took / ended if ended else None,
            )
        )
    if not found:
        held_s = LEAST_S / (1 - SETTLING)
        raise Unusable(f"no number of users is held for {held_s:.0f} s. Hold each for longer.")
    return found


class Tally:
    """Requests and users by the second in which they were seen, in any order."""

    MOST = 200_000  # seconds: more than two days

    def __init__(self) -> None:
        self.seconds: dict[int, tuple[int, int, float]] = {}
        self.users: dict[int, int] = {}

    def add(self, at_s: float, *, failed: bool, took_s: float) -> None:
        """Count a request that ended then."""
        if took_s > LONGEST_TIME_S:
            raise Unusable(f"a request of {took_s:g} s: no load test waits so long.")
        ended, bad, took = self.seconds.get(int(at_s), (0, 0, 0.0))
        self.seconds[int(at_s)] = ended + 1, bad + failed, took + took_s
        if len(self.seconds) > self.MOST:
            raise Unusable(f"it lasts more than {self.MOST:,} s.")

    def moments(self) -> list[Moment]:
        """The counts at the end of each second with as many users as the next: in the others they
        changed, or the test ended."""
        ended = failed = 0
        took, made = 0.0, []
        after = dict(pairwise(sorted(self.users)))
        for second in sorted(self.users.keys() | self.seconds.keys()):
            more, bad, longer = self.seconds.get(second, (0, 0, 0.0))
            ended, failed, took = ended + more, failed + bad, took + longer
            users = self.users.get(second, 0)
            if users and self.users.get(after.get(second, second + 1)) == users:
                made.append(Moment(second + 1.0, users, ended, failed, took))
        return made


def number(text: str, what: str) -> float:
    """Read a number. Unusable for what is none, and for a decimal comma."""
    text = text.strip()
    if NUMBER.fullmatch(text):
        return float(text)
    shown = text if len(text) <= LONGEST_SAID else f"{text[:LONGEST_SAID]}…"
    if COMMA.fullmatch(text):
        raise Unusable(f"{what}={shown}: a decimal comma, which no such program writes.")
    raise Unusable(f"{what}={shown!r}: not a number from nought up.")


def count(text: str, what: str) -> int:
    """Read a whole number. Unusable for any other."""
    value = number(text, what)
    if not (math.isfinite(value) and value == int(value)):
        raise Unusable(f"{what}={text.strip()[:LONGEST_SAID]}: not a whole number.")
    return int(value)


def found(pattern: str, text: str, what: str) -> re.Match[str]:
    """Find the one place where a pattern with groups holds. Unusable for none, or several."""
    places = list(re.finditer(pattern, text, re.MULTILINE))
    if len(places) != 1:
        said = "it doesn't say" if not places else "it says more than once"
        raise Unusable(f"{said} {what}.")
    return places[0]


def agree(first: float, second: float, what: str) -> None:
    """Raise Unusable where two numbers that should be one are more than 2 % apart."""
    if abs(first - second) > 0.02 * max(first, second) + 0.01:
        raise Unusable(f"{what}: {first:g} and {second:g} contradict each other.")


def decoded(lines: Iterable[str], kind: type[T]) -> T:
    """A JSON document as that record. Unusable where it is none."""
    parts, size = [], 0
    for each in lines:
        parts.append(each)
        size += len(each)
        if size > LARGEST_DOCUMENT:
            raise Unusable("it is too large for one summary.")
    try:
        return msgspec.json.decode("".join(parts), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unusable(f"it is not whole: {str(error).rstrip('.')}.") from None
