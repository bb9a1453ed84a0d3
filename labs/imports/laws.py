"""What the laws say of a load test by another program, a sentence each. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from labs.analysis.failures import MOST_FAILED, too_many
from labs.analysis.timers import timer_s
from labs.imports.level import Level, LoadTest
from labs.records.errors import real, whole
from labs.records.format import counted, crowd, digits, duration, listed, percent, rate
from labs.theory import laws

CLOSE = 0.05  # relative: what is as near is the same
STEADY = 0.15  # relative: a pause that is one pause
MORE_USERS = 1.4  # times as many, at least, for a rate that stays to be a plateau
FAR_BELOW = 0.6  # of the plateau: a level where users hardly wait for each other
MOST_LISTED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Facts of the server that somebody knows: cores, workers, and CPU seconds per request."""

    cores: int | None = None
    workers: int | None = None
    cpu_s: float | None = None


def given(cores: object = None, workers: object = None, cpu_ms: object = None) -> Given:
    """Check what somebody typed as known. Unusable for what no server has."""
    for name, value, most in (("cores", cores, 4096), ("workers", workers, 10**6)):
        if value is not None:
            whole(name, value, 1, most, "Give as many as the server has.")
    if cpu_ms is not None:
        real("cpu_ms", cpu_ms, 1e-3, 1e6, "Give milliseconds per request.")
    cpu_s = None if cpu_ms is None else cpu_ms / 1000  # type: ignore[operator]
    return Given(cores=cores, workers=workers, cpu_s=cpu_s)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Course:
    """Levels with users and a response time, and what follows from all of them together."""

    test: LoadTest

    @cached_property
    def levels(self) -> list[Level]:
        return [
            each
            for each in self.test.levels
            if each.users and each.mean_response_time_s and each.ended_rps
            if not too_many(each.failed, each.completed)
        ]

    @cached_property
    def shortest_s(self) -> float:
        """R of the level whose answers were fastest."""
        return min(each.mean_response_time_s or 0.0 for each in self.levels)

    @cached_property
    def pauses_s(self) -> list[float]:
        """N/X − R of each level; nought where R is longer than the round."""
        return [
            max(0.0, round_s(each) - (each.mean_response_time_s or 0.0)) for each in self.levels
        ]

    @property
    def adds_up(self) -> bool:
        """Whether no more requests were under way than there were users, as when each waits."""
        return all(under_way(each) <= (1 + CLOSE) * (each.users or 0) for each in self.levels)

    @cached_property
    def no_pause(self) -> bool:
        """Whether N/X − R is too short to tell from nothing, at every level."""
        return all(
            pause_s <= CLOSE * round_s(each)
            for pause_s, each in zip(self.pauses_s, self.levels, strict=True)
        )

    @cached_property
    def one_pause(self) -> bool:
        """Whether the pause is the same at every level."""
        least, most = min(self.pauses_s), max(self.pauses_s)
        unsure = [
            (pause_s, CLOSE * round_s(each))
            for pause_s, each in zip(self.pauses_s, self.levels, strict=True)
        ]
        alike = max(p - by for p, by in unsure) <= min(p + by for p, by in unsure)
        return self.no_pause or alike or most - least <= STEADY * most

    @cached_property
    def pause_s(self) -> float:
        """The users' pause Z; the shortest, where it isn't the same at every level."""
        if self.no_pause:
            return 0.0
        if not self.one_pause:
            return min(self.pauses_s)
        return fmean(self.pauses_s, [round_s(each) ** -2 for each in self.levels])  # as sure

    @cached_property
    def timer_s(self) -> float | None:
        """The timer that a round takes, whatever the number of users; None where there is none."""
        several = self.most_users >= 2 * (self.levels[0].users or 0)
        return timer_s([round_s(each) for each in self.levels]) if several else None

    @property
    def most_users(self) -> int:
        return max(each.users or 0 for each in self.levels)

    @cached_property
    def plateau_rps(self) -> float | None:
        """The rate that more users no longer raised; None where it rose to the end."""
        best = max(each.throughput_rps for each in self.levels)
        near = [each for each in self.levels if each.throughput_rps >= (1 - CLOSE) * best]
        if not best or self.most_users < MORE_USERS * (near[0].users or 0):
            return None
        return fmean(each.throughput_rps for each in near)

    @property
    def places(self) -> float:
        """X·R at the plateau, with R where nobody queues: requests in service at once."""
        return laws.users(X=self.plateau_rps or 0.0, R=self.shortest_s)

    @property
    def begins_below(self) -> bool:
        """Whether R of the first level is that of an empty server: a lone user's, or of a level
        that is so far below the plateau."""
        first, top = self.levels[0], self.plateau_rps
        return top is not None and (first.users == 1 or first.throughput_rps <= FAR_BELOW * top)


def round_s(level: Level) -> float:
    """N/X, seconds from one question of a user to the next, as Little's law has it."""
    return (level.users or 0) / level.ended_rps


def under_way(level: Level) -> float:
    """X·R: how many requests were under way on average."""
    return laws.users(X=level.ended_rps, R=level.mean_response_time_s or 0.0)


def sentences(test: LoadTest, known: Given) -> list[str]:
    """Say what the laws tell of a test, in the order of a proof."""
    found = Course(test)
    said = [*_without_users(test), *_few(test), *_failures(test)]
    if found.levels:
        said.append(_little(found))
        if found.adds_up:
            said += [*_pause(found), *_timer(found), _most(found), *_plateau(found)]
            said += _limits(found, known)
    return [*said, _closed(test)]


def _without_users(test: LoadTest) -> Iterator[str]:
    there = [each for each in test.levels if not each.users and each.mean_response_time_s]
    if there:
        means = listed([digits(under_way(each)) for each in there[:MOST_LISTED]])
        what = f"X·R says that {means} requests were under way on average"
        yield (
            f"{test.tool} asks at a rate, whoever waits: {what}."
            if test.at_a_rate
            else f"{test.tool} doesn't say how many users there were: {what}. Users beyond that "
            "paused, or had no answer."
        )
    unknown = sum(not each.mean_response_time_s for each in test.levels)
    if unknown:
        yield (
            f"A mean response time can't be told for {unknown} of {len(test.levels)} levels, "
            "which the other sentences leave out."
        )


def _few(test: LoadTest) -> Iterator[str]:
    for each in test.levels:
        ended = each.completed + each.failed
        if each.users and ended < each.users:
            yield (
                f"{crowd(each.users)} had {ended} answers in {duration(each.seconds)}: fewer than "
                "one each, in a run shorter than N/X. Run it for several rounds."
            )


def _little(found: Course) -> str:
    shown = found.levels
    if len(shown) > MOST_LISTED:
        shown = [*shown[: MOST_LISTED - 1], shown[-1]]
    pairs = listed([f"{digits(under_way(each))} of {each.users:,}" for each in shown])
    if not found.adds_up:
        means = "That is more than there are users, so the rest of the laws can't be applied: "
        means += "each may ask for several things at once"
    elif all(under_way(each) >= (1 - CLOSE) * (each.users or 1) for each in found.levels):
        means = "Every user was waiting for an answer nearly all the time, without a pause"
    else:
        means = "What is missing was a pause, or had no answer"
    return f"X·R, the requests under way, comes to {pairs} users. {means}."


def _pause(found: Course) -> Iterator[str]:
    if not found.one_pause:
        least, most = min(found.pauses_s), max(found.pauses_s)
        yield (
            f"N/X − R comes to {duration(least)} at one level and {duration(most)} at another: no "
            "one pause, so users were paced, unanswered, or kept waiting by the load generator."
        )
    elif found.pause_s:
        where = "at every level" if len(found.levels) > 1 else "if all were answered"
        yield f"N/X − R, the pause, comes to {duration(found.pause_s)} {where}."


def _timer(found: Course) -> Iterator[str]:
    if found.timer_s:
        yield (
            f"A round takes {digits(found.timer_s)} s whatever the number of users: that is a "
            "timer, such as a pause, a pace, a keep-alive time or a time-out, and no work."
        )


def _most(found: Course) -> str:
    last, pause_s = found.levels[-1], found.pause_s
    if len({each.users for each in found.levels}) == 1:
        return (
            f"One number of users can't tell the server's limit from the test's own, N/(R + Z) = "
            f"{rate(last.ended_rps)}: test at half and at twice as many too."
        )
    most, law = laws.throughput(found.most_users, found.shortest_s, pause_s), "N/(R + Z)"
    pause = f" and a pause of {duration(pause_s)}" if pause_s else ""
    each = f", answers after {duration(found.shortest_s)}{pause}"
    if found.timer_s and not found.one_pause:  # paced
        most, law = found.most_users / found.timer_s, "N/T"
        each = f" and a round of T = {digits(found.timer_s)} s"
    share = last.ended_rps / most
    means = (
        "so the number of users was the limit, and the server may do more"
        if share >= 1 - 2 * CLOSE
        else "so something else was the limit"
    )
    return (
        f"With {crowd(found.most_users)}{each}, this test could have shown {law} = {rate(most)} at "
        f"most. It reached {percent(share)} of that, {means}."
    )


def _plateau(found: Course) -> Iterator[str]:
    top = found.plateau_rps
    if top is None:
        last = found.levels[-1]
        fewer = [each for each in found.levels if (each.users or 0) < found.most_users]
        if fewer:
            rises = last.throughput_rps > (1 + CLOSE) * fewer[-1].throughput_rps
            so = "no plateau yet, and no knee" if rises else "too few users more to tell a plateau"
            yield (
                f"At the last level X was {rate(last.throughput_rps)}, after "
                f"{rate(fewer[-1].throughput_rps)} for {crowd(fewer[-1].users or 0)}: {so}. Test "
                "at twice as many."
            )
        return
    first = found.levels[0]
    if found.begins_below:
        knee = laws.users(X=top, R=found.shortest_s, Z=found.pause_s)
        yield (
            f"X stays at {rate(top)}, from a knee at N* = X·(R + Z) = {_many(knee, 'user')}. With "
            f"R where nobody queues, X·R = {_many(found.places, 'request')} in service at once: a "
            "pool of about so many workers or connections would explain it, or full cores, if a "
            "request takes c/X of CPU time."
        )
    else:
        at, share = crowd(first.users or 0), first.throughput_rps / top
        begins = f", of which {at} had {percent(share)}: the knee lies near"
        if share >= 1 - CLOSE:
            begins = f" from the first level on: the knee lies below {at}"
        yield f"X stays at {rate(top)}{begins}. Test at fewer, to see R without a queue."
    if found.levels[-1].throughput_rps < (1 - 2 * CLOSE) * top:
        yield f"At the last level X has fallen to {rate(found.levels[-1].throughput_rps)}."


def _many(number: float, what: str) -> str:
    said = digits(number)
    return f"{said} {what}{'' if said == '1' else 's'}"


def _limits(found: Course, given: Given) -> Iterator[str]:
    top = found.plateau_rps
    if top is None:
        if given != Given():
            yield "What you gave of the server says nothing here: that takes a plateau."
        return
    if given.workers and not found.begins_below:
        yield "How many workers are taken, X·R of a level without a queue would tell."
    elif given.workers:
        share = found.places / given.workers
        if share > 1 + STEADY:
            means = "which is more than they can hold: each takes several, there are more, or the "
            means += "first level had a queue"
        elif share >= 1 - STEADY:
            means = "so the pool is full"
        else:
            means = "so they are not the limit"
        of = counted(given.workers, "worker")
        yield f"Of {of}, X·R = {digits(found.places)} were taken, {means}."
    if given.cores and not given.cpu_s:
        yield (
            f"{counted(given.cores, 'core')} would be full if a request took c/X = "
            f"{duration(given.cores / top)} of CPU time. Does it?"
        )
    elif given.cpu_s and not given.cores:
        yield f"X·D = {digits(top * given.cpu_s)} cores were busy with it. Has the server as many?"
    elif given.cores and given.cpu_s:
        most = laws.ceiling(given.cores, given.cpu_s)
        share = top / most
        if share > 1 + 2 * CLOSE:
            means = "which can't be: a request takes less CPU time, or there are more cores"
        elif share >= 1 - STEADY:
            means = "so the cores are the limit"
        else:
            means = "so the cores are not the limit"
        yield f"c/D is {rate(most)}; the plateau is {percent(share)} of it, {means}."


def _failures(test: LoadTest) -> Iterator[str]:
    failed = sum(each.failed for each in test.levels)
    ended = failed + sum(each.completed for each in test.levels)
    if failed:
        yield (
            f"{failed:,} of {ended:,} requests failed ({percent(failed / ended)}): a failure may "
            "take less time than an answer, or more, and the mean is of both."
        )
    if spoilt := sum(too_many(each.failed, each.completed) for each in test.levels):
        yield (
            f"In {spoilt} of {len(test.levels)} levels more than {percent(MOST_FAILED)} failed: "
            "the laws are asked about the others only."
        )
    if unlike := sum(each.unlike for each in test.levels):
        yield (
            f"{unlike:,} answers had another length than the first, which {test.tool} calls "
            "failed. They count as answers here: is it a page that varies, or an error's?"
        )


def _closed(test: LoadTest) -> str:
    if test.at_a_rate:
        return "The mean and percentiles are of an open load: what comes doesn't wait for answers."
    return (
        "Unless the test was told to keep a rate, its mean and percentiles are of a closed load: "
        "who waits for an answer doesn't ask meanwhile, so slow times are met less often than "
        "visitors would meet them."
    )
