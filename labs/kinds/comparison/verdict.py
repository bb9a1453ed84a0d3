"""Verdict on how a comparison's parts differ, and whether by more than noise. Pure: text out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from labs.analysis.checks import GENERATOR
from labs.kinds.comparison.contrast import Contrast, decided, overflowed
from labs.kinds.comparison.record import Comparison, most_users
from labs.kinds.sweep.record import Recording
from labs.present import verdict
from labs.present.advice import HOLLOW, unsteady
from labs.present.power import powered
from labs.records.experiment import Experiment
from labs.records.format import crowd, digits, duration, listed, percent, quotient
from labs.records.results import Point

TIMES_FROM = 1.5  # from there on it is said as so many times as much


def times(ratio: float) -> str:
    """Say a ratio as how many times as much."""
    return f"{ratio:.2f}" if ratio < 2 else digits(ratio, 2)


def about(parts: Mapping[str, Experiment]) -> str:
    """Say what is about to be compared, in one sentence: what the parts share, said once."""
    names = listed([f"“{label}”" for label in parts])
    first = next(iter(parts.values()))
    servers = {experiment.server for experiment in parts.values()}
    works = {experiment.workload for experiment in parts.values()}
    levels = {experiment.load.users for experiment in parts.values()}
    who = verdict.who(first.server) if len(servers) == 1 else "Each server"
    what = f"requests that {verdict.need(first.workload)}"
    if len(works) > 1:
        what = f"{len(parts)} kinds of request" if len(servers) == 1 else "its kind of request"
    users = listed(tuple(first.load.users)) if len(levels) == 1 else "more and more"
    ask = "user asks" if users == "1" else "users ask"
    return (
        f"One after the other, and back: {names}. {who} answers {what}, while {users} {ask}, one "
        "request at a time each."
    )


def findings(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """The verdict: pairs of a part's label ("" for what is said of all) and its findings."""
    runs = [part.run for part in comparison.parts.values()]
    overall = [*unsteady(runs), *_starved(comparison), *between(comparison)]
    overall += dict.fromkeys(told for run in runs for told in powered(run.power))
    return [
        ("", overall),
        *((label, [*_of_part(part)]) for label, part in comparison.parts.items()),
    ]


def assumed(comparison: Comparison) -> tuple[str, ...]:
    """Say what the forecasts assume, each once, after the parts to which it belongs."""
    belongs: dict[str, list[str]] = {}
    for label, part in comparison.parts.items():
        for note in part.run.forecast.notes:
            belongs.setdefault(note, []).append(f"“{label}”")
    return tuple(
        note if len(labels) == len(comparison.parts) else f"{listed(labels)}: {note}"
        for note, labels in belongs.items()
    )


def between(comparison: Comparison) -> list[str]:
    """Say what the comparison decides."""
    decision = decided(comparison.parts)
    hollow = _hollow(comparison, decision) if decision else ()
    return [*deciding(comparison, decision), *hollow]


def _hollow(comparison: Comparison, decision: Contrast) -> Iterator[str]:
    """Say that points which cannot be believed otherwise were used here, and why."""
    points = [
        f"“{label}” at {crowd(decision.users)}"
        for label in (decision.over, decision.under)
        if not comparison.part(label).at(decision.users).fit
    ]
    if points:
        are, count = ("is", "it counts") if len(points) == 1 else ("are", "they count")
        yield (
            f"{listed(sorted(points))} {are} {HOLLOW}; here {count} all the same, because users "
            "who starve at a full listen queue are the result."
        )


def _starved(comparison: Comparison) -> Iterator[str]:
    """Say whom the averages of some part do not know: before all else."""
    counts = [
        f"{point.never_served} of {crowd(point.users)} with “{label}”"
        for label, part in comparison.parts.items()
        for point in part.points
        if point.never_served
    ]
    if counts:
        yield f"{listed(counts)} were never served, and are not in the averages."


def deciding(comparison: Comparison, decision: Contrast | None) -> list[str]:
    """Say by how much the two parts to be compared differ, or that this cannot be seen."""
    if decision is None:
        first, *_, last = comparison.parts
        both = comparison.part(first), comparison.part(last)
        if filled := most_users(both, _filled):
            return [
                f"At {crowd(filled)} the load generator was full with “{first}” and with “{last}”: "
                "that measures Locust, so nothing is said of their ratio."
            ]
        return [
            f"There is no level of users at which both “{first}” and “{last}” were measured well "
            "enough, so nothing is said of their ratio."
        ]
    over, under = decision.over, decision.under
    low, high = decision.interval
    found, at = decision.ratio, f"At {crowd(decision.users)}"
    if low <= 1 <= high:
        most, drawn = max(high, 1 / low), ratio(comparison, over, under, decision.users)
        apart = max(drawn, quotient(1, drawn))
        by = f" (In the drawn run they are {percent(apart - 1)} apart, by chance or drift.)"
        by = by if apart > 1.01 * most else ""  # no two equal numbers
        return [
            f"{at} there is no difference in throughput between “{over}” and “{under}” that this "
            f"run could see; it is smaller than {percent(most - 1)}.{by}"
        ]
    if found < 1:
        over, under, found, low, high = under, over, 1 / found, 1 / high, 1 / low
    said = f"{percent(found - 1)} more than “{under}” ({percent(low - 1)} to {percent(high - 1)})"
    if found >= TIMES_FROM:
        said = f"{times(found)} times what “{under}” did ({times(low)} to {times(high)})"
    points = [comparison.part(label).at(decision.users) for label in (over, under)]
    took = [duration(point.mean_response_time_s) for point in points]
    return [
        f"{at} “{over}” answered {said}.",
        f"An answer took {took[0]} on average with the one, {took[1]} with the other.",
    ]


def _filled(point: Point) -> bool:
    """Whether the load generator was full there."""
    return GENERATOR in {each.name for each in point.checks}


def ratio(comparison: Comparison, over: str, under: str, users: int) -> float:
    """Throughput of one part over that of another. KeyError for a part or level not measured."""
    a, b = (comparison.part(label).at(users).throughput_rps for label in (over, under))
    return quotient(a, b)


def _of_part(part: Recording) -> Iterator[str]:
    told = verdict.verdict(part.model, part.run)
    unsaid = unsteady([part.run])  # which is said of all parts together
    yield from (sentence for sentence in told if sentence not in unsaid)
    for point in part.points:
        if overflowed(point) and point.never_served:
            yield (
                f"At {crowd(point.users)} {point.listen_overflows} knocks found the listen queue "
                "full: that users starve is the result here, and no fault of the measurement."
            )
