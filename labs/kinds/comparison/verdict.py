"""How the parts of a comparison differ, and whether that is more than noise. Pure: text out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from labs.kinds.comparison.record import Comparison
from labs.kinds.sweep.record import Recording
from labs.present import verdict
from labs.present.power import powered
from labs.records.experiment import Experiment
from labs.records.format import crowd, digits, duration, listed, rate, unserved
from labs.records.results import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The throughput of one part over that of another, at one level of users."""

    value: float
    noise: bool  # whether the intervals overlap

    def __str__(self) -> str:
        return times(self.value)


def times(ratio: float) -> str:
    """How many times as much."""
    return f"{ratio:.2f}" if ratio < 2 else digits(ratio, 2)


def about(parts: Mapping[str, Experiment]) -> str:
    """What is about to be compared, in one sentence: what the parts share, said once."""
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
        f"One after the other: {names}. {who} answers {what}, while {users} "
        f"user{'' if users == '1' else 's'} ask{'s' if users == '1' else ''}, one request at a "
        "time each."
    )


def said(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """The verdict: pairs of a part's label ("" for what is said of all) and its sentences."""
    parts = comparison.parts.values()
    agreed = [verdict.agreement(part.experiment, part.machine, part.run) for part in parts]
    met = [sentences[0] for sentences in agreed if len(sentences) == 1]
    overall = [between(comparison)]
    if len(met) == len(parts):
        fit = [(part.run, [point for point in part.points if point.fit]) for part in parts]
        overall.append(
            "Each part's forecast, made before its load began, met all of its points, "
            f"{verdict.nearness(fit)}."
        )
    else:
        met = []
    overall += dict.fromkeys(told for part in parts for told in powered(part.run.power))
    return (
        ("", " ".join(overall)),
        *((label, " ".join(_of_part(part, met))) for label, part in comparison.parts.items()),
    )


def assumed(comparison: Comparison) -> tuple[str, ...]:
    """What the forecasts assume, each sentence once, after the parts to which it belongs."""
    belongs: dict[str, list[str]] = {}
    for label, part in comparison.parts.items():
        for note in part.run.forecast.notes:
            belongs.setdefault(note, []).append(f"“{label}”")
    return tuple(
        note if len(labels) == len(comparison.parts) else f"{listed(labels)}: {note}"
        for note, labels in belongs.items()
    )


def between(comparison: Comparison) -> str:
    """Which part answered most, how many times the least, and whether that is more than noise."""
    users = comparable(comparison)
    if users is None:
        return (
            "There is no level of users at which every part was measured well enough, so nothing "
            "is said of their ratio."
        )
    ranked = sorted(
        comparison.parts, key=lambda label: -comparison.part(label).at(users).throughput_rps
    )
    best, *others, least = ranked
    most, fewest = (
        rate(comparison.part(label).at(users).throughput_rps) for label in (best, least)
    )
    at = crowd(users)
    against = ratio(comparison, best, least, users)
    if against.noise:
        return (
            f"At {at} every part answered about as much, {fewest} to {most}: the intervals "
            "overlap, so the difference is no more than noise."
        )
    near = [
        label
        for label in comparison.parts
        if label in others and ratio(comparison, best, label, users).noise
    ]
    with_it = f" ({listed([f'“{label}”' for label in near])} within noise of it)" if near else ""
    waited, without = [], []
    for label in (best, least):
        point = comparison.part(label).at(users)
        waited.append(duration(point.mean_response_time_s))
        if point.never_served:
            without.append(f"{unserved(point.never_served, users)} with “{label}”")
    whose = f" Those are means of whoever was served: {listed(without)}." if without else ""
    return (
        f"At {at} “{best}” answered the most, {most}{with_it}: {against} times what “{least}” "
        f"did ({fewest}). That is more than noise: the intervals lie apart. A user waited "
        f"{waited[0]} on average with the one, {waited[1]} with the other.{whose}"
    )


def ratio(comparison: Comparison, over: str, under: str, users: int) -> Ratio:
    """Throughput of one part over that of another. KeyError for a part or level not measured."""
    (a, low, high), (b, lower, upper) = (
        _range(comparison.part(label), users) for label in (over, under)
    )
    return Ratio(value=a / b if b else float("inf"), noise=low <= upper and lower <= high)


def comparable(comparison: Comparison) -> int | None:
    """The most users at which every part has a point that is fit, or whose fault is the queue's."""
    common: set[int] | None = None
    for part in comparison.parts.values():
        found = {point.users for point in part.points if point.fit or overflowed(point)}
        common = found if common is None else common & found
    return max(common) if common else None


def overflowed(point: Point) -> bool:
    """Whether connections found the listen queue full. Users who starve then are the result, and
    not a fault of the measurement."""
    return point.listen_overflows > 0


def _range(part: Recording, users: int) -> tuple[float, float, float]:
    """Throughput, and from where to where it lies: interval of the middle run, spread of all."""
    point = part.at(users)
    ends = (*point.throughput_ci_rps, *part.spread_rps(users))
    return point.throughput_rps, min(ends), max(ends)


def _of_part(part: Recording, unsaid: Sequence[str]) -> Iterator[str]:
    told = verdict.verdict(part.experiment, part.machine, part.run)
    yield from (sentence for sentence in told if sentence not in unsaid)
    for point in part.points:
        if overflowed(point) and point.never_served:
            yield (
                f"At {crowd(point.users)} {point.listen_overflows} connections found the "
                "listen queue full and came back only seconds later: that users starve is the "
                "result here, and no fault of the measurement."
            )
