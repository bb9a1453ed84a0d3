"""The lab of the shared counter drawn and told: what arrived, what was lost, what a lock costs."""

from collections.abc import Sequence

from labs.kinds.race.record import Count, Race
from labs.kinds.show import Column, Show, level_by_level, spoken
from labs.present.levels import UNMEASURED, Level, Pace
from labs.present.palette import BLUE, ORANGE
from labs.present.plot import Figure, Shown, bar, extent, in_lines, two_plots
from labs.present.quantities import Quantity
from labs.records.format import digits, duration, percent, rate

WHERE = ("Additions", "Throughput, requests per second")
WIDEST = 9  # letters of a label before it is folded


def race_figure(race: Race) -> Figure:
    """Draw, left, the additions asked for, in those that arrived and those that were lost; right,
    the requests per second, with the spread over the runs."""
    counts = race.run.counts
    short = [each.name.removeprefix("with a ").removeprefix("with the ") for each in counts]
    names = [in_lines(name, WIDEST) for name in short]  # so that neighbours don't touch
    parts = (
        ("arrived", BLUE, "", [count.counted for count in counts]),
        ("lost", ORANGE, "/", [count.lost for count in counts]),
    )
    traces = []
    for name, colour, pattern, found in parts:
        said = [_of(part, count.asked) for part, count in zip(found, counts, strict=True)]
        shown: Shown = {"pattern": pattern, "said": said, "hover": "{said}", "plot": "xy"}
        if name == "arrived":
            shown["kept"] = _of_each(counts, [f"{each} arrived" for each in said])
        traces.append(bar(name, names, found, colour, **shown))
    rates = [count.throughput_rps for count in counts]
    over = [
        [each.throughput_rps for run in race.runs for each in run.counts if each.name == count.name]
        for count in counts
    ]
    said, ends = [rate(value) for value in rates], [extent(each) for each in over]
    shown = {"ends": ends, "said": said, "hover": "{said}", "legend": False, "plot": "x2y2"}
    shown["kept"] = _of_each(counts, said)
    traces.append(bar("throughput", names, rates, BLUE, **shown))
    shape = two_plots(WHERE, (0.46, 0.54), lower=0.38, barmode="stack", bargap=0.35)
    return {"data": traces, "layout": shape}


def race_levels(race: Race) -> list[Level]:
    """Say the figure way by way: a name on both axes each."""
    return [
        Level(
            at=place + 0.5,
            words=f"{count.name.capitalize()}: {_of(count.lost, count.asked)} additions were "
            f"lost, at {rate(count.throughput_rps)}.",
        )
        for place, count in enumerate(race.run.counts)
    ]


def race_said(race: Race) -> list[str]:
    """Say the verdict, a sentence each."""
    counts = {count.name: count for count in race.run.counts}
    said = []
    for count in race.run.counts:
        if count.lost:
            lost = f"{_of(count.lost, count.asked)} additions"
            if count.workload.wait_s:
                by = "were written over by somebody who had read the same number."
                said.append(f"{count.name.capitalize()}, {lost} {by}")
            else:
                said.append(f"It takes no wait for that. {count.name.capitalize()}: {lost} lost.")
    if all(not count.lost for count in counts.values()):
        said.append("Nothing was lost, in any of the ways. That proves nothing: press Run again.")
    bare, locked = counts.get("without a lock"), counts.get("with a lock around all of it")
    if bare and locked:
        held_s = locked.workload.cpu_s + locked.workload.wait_s
        said.append(
            f"With a lock around all of it, {_of(locked.lost, locked.asked)} were lost, at "
            f"{rate(locked.throughput_rps)}: a lock that is held for {duration(held_s)} lets "
            f"about {rate(1 / held_s)} pass."
        )
    outside = counts.get("with the work outside the lock")
    if outside and bare:
        said.append(
            f"With the work moved out of the lock, {_of(outside.lost, outside.asked)} were lost, "
            f"at {rate(outside.throughput_rps)}; without a lock it was {rate(bare.throughput_rps)}."
        )
    return said


def _of_each(counts: Sequence[Count], said: Sequence[str]) -> list[str]:
    return [f"{count.name}: {each}" for count, each in zip(counts, said, strict=True)]


def _of(part: int, whole: int) -> str:
    """Say a part of a whole: `301 of 353 (85 %)`."""
    share = f" ({percent(part / whole)})" if part else ""
    return f"{digits(part, 6)} of {digits(whole, 6)}{share}"


def _lost(race: Race, name: str) -> Quantity:
    count = race.count(name)
    return Quantity(count.lost, _of(count.lost, count.asked))


show = Show(
    result=Race,
    middle_by="the part that its first way lost",
    draw=race_figure,
    alt=level_by_level(race_levels),
    verdict=spoken(race_said),
    levels=race_levels,
    pace=Pace(each="way", before=UNMEASURED),
    concluded=race_said,
    rows=lambda race: race.run.counts,
    row=Race.count,
    columns=(
        Column(head="how", main=True, of="name"),
        Column(head="CPU ms", of="workload.cpu_s"),
        Column(head="wait ms", of="workload.wait_s"),
        Column(head="asked", of="asked"),
        Column(head="arrived", of="counted"),
        Column(head="lost", main=True, of="lost"),
        Column(head="req/s", main=True, of="throughput_rps", quote="throughput"),
        Column(head="mean ms", of="mean_response_time_s", quote="response_time"),
        Column(of="lost_fraction", quote="lost_fraction"),
    ),
    quotes={"lost": _lost},
)
