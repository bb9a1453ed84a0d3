"""Verdict on how a comparison's parts differ, and whether by more than noise. Pure: text out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from labs.analysis.checks import GENERATOR
from labs.analysis.contrast import CONFIDENCE
from labs.kinds.comparison.contrast import comparable, decided, differ, overflowed
from labs.kinds.comparison.record import Comparison, Contrast
from labs.kinds.sweep.record import Recording
from labs.present import verdict
from labs.present.advice import HOLLOW, unsteady
from labs.present.power import powered
from labs.records.experiment import Experiment
from labs.records.format import crowd, digits, duration, listed, percent, quotient, rate, unserved

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
    return (
        f"One after the other, and back: {names}. {who} answers {what}, while {users} "
        f"user{'' if users == '1' else 's'} ask{'s' if users == '1' else ''}, one request at a "
        "time each."
    )


def said(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """The findings as text, a paragraph for each label."""
    return tuple((label, " ".join(found)) for label, found in findings(comparison))


def findings(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """The verdict: pairs of a part's label ("" for what is said of all) and its findings."""
    parts = comparison.parts.values()
    agreed = [verdict.agreement(part.model, part.run) for part in parts]
    met = [sentences[0] for sentences in agreed if len(sentences) == 1]
    overall = [*unsteady([part.run for part in parts]), *_starved(comparison)]
    overall += between(comparison)
    if len(met) == len(parts):
        fit = [(part.run, [point for point in part.points if point.fit]) for part in parts]
        hollow = any(not point.fit for part in parts for point in part.points)
        but = f" that are not {HOLLOW}" if hollow else ""
        overall.append(
            f"Each part's forecast, made before its load began, met all of its points{but}, "
            f"{verdict.nearness(fit)}."
        )
    else:
        met = []
    overall += dict.fromkeys(told for part in parts for told in powered(part.run.power))
    parts_own = [(label, [*_of_part(part, met)]) for label, part in comparison.parts.items()]
    return [("", overall), *parts_own]


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
    """Say what the comparison decides; and of more than two parts, which answered the most."""
    decision = comparison.contrast or decided(comparison.parts)
    users = comparable(comparison.parts)
    several = len(comparison.parts) > 2
    most = [_most(comparison, users)] if several and users is not None else []
    used = (
        {(label, decision.users) for label in (decision.over, decision.under)} if decision else ()
    )
    also = [(label, users) for label in comparison.parts] if most else []
    hollow = _hollow(comparison, [*used, *also])
    return [*deciding(comparison, decision), *most, *hollow]


def _hollow(comparison: Comparison, used: Iterable[tuple[str, int | None]]) -> Iterator[str]:
    """Say that points which cannot be believed otherwise were used here, and why."""
    points = [
        f"“{label}” at {crowd(users)}"
        for label, users in dict.fromkeys(used)
        if users is not None and not comparison.part(label).at(users).fit
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
        if filled := _filled([comparison.part(first), comparison.part(last)]):
            return [
                f"At {crowd(filled)} the load generator was full with “{first}” and with “{last}”: "
                "that measures Locust, so nothing is said of their ratio."
            ]
        return [
            f"There is no level of users at which both “{first}” and “{last}” were measured well "
            "enough, so nothing is said of their ratio."
        ]
    parts = [(comparison.part(each), each) for each in (decision.over, decision.under)]
    low, high = decision.interval
    found, at = decision.ratio, f"At {crowd(decision.users)}"
    if low <= 1 <= high:
        names = listed([f"“{label}”" for _, label in parts])
        most = max(high, 1 / low) - 1
        seen = [part.at(decision.users).throughput_rps for part, _ in parts]
        apart = max(seen) / min(seen) - 1 if min(seen) > 0 else 0.0
        drawn = (
            f"In the run that is drawn they are {percent(apart)} apart, which other runs, or the "
            "machine's drift in this one, take back."
        )
        return [
            f"{at} there is no difference in throughput between {names} that this run could "
            f"see; it is smaller than {percent(most)}.",
            *([drawn] if apart > most else []),
        ]
    if found < 1:
        parts, found, low, high = parts[::-1], 1 / found, 1 / high, 1 / low
    (more, over), (less, under) = ((part.at(decision.users), label) for part, label in parts)
    rates = f"{rate(more.throughput_rps)} to {rate(less.throughput_rps)}"
    said = f"{percent(found - 1)} more than “{under}” ({percent(low - 1)} to {percent(high - 1)}"
    divided = quotient(more.throughput_rps, less.throughput_rps)
    alike = percent(divided - 1) == percent(found - 1)
    if found >= TIMES_FROM:
        said = f"{times(found)} times what “{under}” did ({times(low)} to {times(high)}"
        alike = times(divided) == times(found)
    if not alike:
        rates = f"over all runs and without the machine's drift; the drawn run has {rates}"
    took = [duration(point.mean_response_time_s) for point in (more, less)]
    without = [
        f"{unserved(point.never_served, decision.users)} with “{label}”"
        for point, label in ((more, over), (less, under))
        if point.never_served
    ]
    whose = "Those are means of the users who were served: {}."
    return [
        f"{at} “{over}” answered {said}; {rates}).",
        f"An answer took {took[0]} on average with the one, {took[1]} with the other.",
        *([whose.format(listed(without))] if without else []),
    ]


def _filled(parts: Sequence[Recording]) -> int | None:
    """Find the most users at which all of these filled the load generator."""
    full = [
        {point.users for point in part.points if GENERATOR in {each.name for each in point.checks}}
        for part in parts
    ]
    return max(set.intersection(*full), default=None)


def _most(comparison: Comparison, users: int) -> str:
    """Say which part answered the most, and which cannot be told from it."""
    best = max(comparison.parts, key=lambda each: comparison.part(each).at(users).throughput_rps)
    others = [label for label in comparison.parts if label != best]
    # Of several alike parts one is the best by chance, and which pairs it is in is seen only then.
    # So all pairs are to be right with that confidence, each by its part of the doubt (Bonferroni).
    sure = 1 - (1 - CONFIDENCE) / math.comb(len(comparison.parts), 2)
    seen = {each: differ(comparison.parts, best, each, users, sure) for each in others}
    near = [f"“{each}”" for each, found in seen.items() if found is None or not found.seen]
    most = rate(comparison.part(best).at(users).throughput_rps)
    none = f"; this run can't tell {listed(near)} from it" if near else ""
    return f"At {crowd(users)} “{best}” answered the most of all, {most}{none}."


def ratio(comparison: Comparison, over: str, under: str, users: int) -> float:
    """Throughput of one part over that of another. KeyError for a part or level not measured."""
    a, b = (comparison.part(label).at(users).throughput_rps for label in (over, under))
    return quotient(a, b)


def _of_part(part: Recording, unsaid: Sequence[str]) -> Iterator[str]:
    told = verdict.verdict(part.model, part.run)
    unsaid = (*unsaid, *unsteady([part.run]))  # which is said of all parts together
    yield from (sentence for sentence in told if sentence not in unsaid)
    for point in part.points:
        if overflowed(point) and point.never_served:
            yield (
                f"At {crowd(point.users)} {point.listen_overflows} knocks found the listen queue "
                "full: that users starve is the result here, and no fault of the measurement."
            )
