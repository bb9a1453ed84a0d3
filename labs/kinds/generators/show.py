"""The lab of the load generators drawn and told: what each says, and who was full."""

from __future__ import annotations

from labs.kinds.generators.record import LOCUST, GeneratorResult, Generators
from labs.kinds.show import Column, Measured, Show, quoted, spoken, two_digits
from labs.present.blocks import Block
from labs.present.levels import UNMEASURED, Level, Pace
from labs.present.palette import BLUE, GREEN, GREY, ORANGE
from labs.present.plot import Figure, Shown, bar, extent, rule, two_plots
from labs.present.quantities import NoSuchNumber
from labs.records.format import digits, duration, percent, plain, quotient, rate
from labs.theory import laws

WHERE = ("Throughput as it says, requests per second", "Cores busy")


def generators_figure(found: Generators) -> Figure:
    """Draw, left, the throughput each generator reports, with the spread over the runs; right, the
    cores that it and the server used meanwhile."""
    shown = found.run.measured
    names = [label(gauge.name).replace(" ", "<br>") for gauge in shown]  # two lines have room
    rates = [gauge.throughput_rps for gauge in shown]
    every = [gauge for run in found.runs for gauge in run.measured]
    ends = [
        extent([each.throughput_rps for each in every if each.name == gauge.name])
        for gauge in shown
    ]
    times = [duration(gauge.mean_response_time_s) for gauge in shown]
    said = [f"{rate(value)}, {time} each" for value, time in zip(rates, times, strict=True)]
    how: Shown = {"ends": ends, "said": said, "hover": "{said}", "legend": False, "plot": "xy"}
    how["kept"] = [f"{label(gauge.name)}: {rate(gauge.throughput_rps)}" for gauge in shown]
    traces = [bar("throughput", names, rates, BLUE, **how)]
    sides = (
        ("the generator's", GREEN, "", [gauge.generator_cpu for gauge in shown]),
        ("the server's", ORANGE, "/", [gauge.server_cpu for gauge in shown]),
    )
    for name, colour, pattern, cores in sides:
        said = [two_digits(value) for value in cores]
        how = {"pattern": pattern, "said": said, "hover": "{said} cores", "plot": "x2y2"}
        traces.append(bar(name, names, cores, colour, **how))
    full = laws.GENERATOR_FULL
    dashes = rule(GREY, "dash", y=(full, full), xref="x2 domain", yref="y2")
    layout = two_plots(WHERE, (0.46, 0.56), left=56, lower=0.38)
    return {
        "data": traces,
        "layout": {"barmode": "group", "bargap": 0.3, "shapes": [dashes], **layout},
    }


def generators_alt(found: Generators) -> str:
    """Say the figure in sentences."""
    return " ".join(
        f"{label(gauge.name)}: not installed." if gauge.missing else _measured(gauge)
        for gauge in found.run.gauges
    )


def generators_levels(found: Generators) -> list[Level]:
    """Say the figure one generator after the other: a name on both axes each."""
    return [
        Level(at=place + 0.5, words=_measured(gauge))
        for place, gauge in enumerate(found.run.measured)
    ]


def _measured(gauge: GeneratorResult) -> str:
    return (
        f"{label(gauge.name)}: {rate(gauge.throughput_rps)}, where the generator used "
        f"{digits(gauge.generator_cpu, 2)} and the server {digits(gauge.server_cpu, 2)} of a core."
    )


def under(found: Generators) -> list[Block]:
    """Show the verdict, and the table below."""
    return [*spoken(generators_said)(found), show.table(found)]


def generators_said(found: Generators) -> list[str]:
    """Say the verdict, a sentence each."""
    return [_said(gauge) for gauge in found.run.gauges] + _together(found)


def _said(gauge: GeneratorResult) -> str:
    name = label(gauge.name)
    if gauge.missing:
        return f"{name} is {gauge.missing}."
    own, its = percent(gauge.generator_fullest), percent(gauge.server_fullest)
    many = gauge.processes > 1
    says = f"{name} {'say' if many else 'says'} {rate(gauge.throughput_rps)}"
    if gauge.full == ("generator",):
        had = f"the busiest of them had {own} of a core" if many else f"had {own} of a core itself"
        itself = "They measured themselves" if many else "It measured itself"
        return f"{says}, and {had}: full. {itself}."
    if gauge.full == ("server",):
        return f"{says}. The server was full ({its} of a core), the generator was not ({own})."
    if gauge.full:
        who = "The machine was full" if "machine" in gauge.full else "Both had little left"
        return f"{says}. {who}: generator {own} of a core, server {its}."
    return f"{says}. Nobody was full: generator {own} of a core, server {its}."


def _together(found: Generators) -> list[str]:
    """Say what the generators found, side by side."""
    shown = found.run.measured
    if len(shown) == 1:
        return ["No other was there to compare it with."]
    least = min(shown, key=lambda gauge: gauge.throughput_rps)
    most = max(shown, key=lambda gauge: gauge.throughput_rps)
    times = quotient(most.throughput_rps, least.throughput_rps)
    if times < 1.15:
        return [f"They agree within {percent(times - 1)}."]
    said = [
        f"It was the same server: {label(most.name)} saw {digits(times, 2)} times the throughput "
        f"that {label(least.name)} saw."
    ]
    ours = next((gauge for gauge in shown if gauge.name == LOCUST), None)
    if ours is not None and ours.generator_cpu:
        trusted = laws.GENERATOR_FULL * ours.ceiling_rps
        said.append(
            f"One Locust process spends {duration(ours.generator_s)} of CPU on a request. Up to "
            f"{rate(trusted)}, {percent(laws.GENERATOR_FULL)} of what a full core of it makes, its "
            "figures may be trusted here."
        )
    return said


def label(name: str) -> str:
    """Name a generator as a sentence does: Locust, 2 Locusts, ab."""
    return name.replace("locust", "Locust")


def by(found: Generators, name: str = LOCUST) -> GeneratorResult:
    """Find a generator's result, to quote from. KeyError and NoSuchNumber say what there is."""
    result = found.run.by(name)
    if result.missing:
        raise NoSuchNumber(f"name={name!r}: was {result.missing}")
    return result


def _needed(found: Generators, throughput_rps: float, name: str = LOCUST) -> int:
    """Count the processes, each on a core of its own, that ask for that much at 80 %."""
    return laws.generators(throughput_rps, by(found, name).ceiling_rps)


def _microseconds(head: str, of: str, quote: str = "") -> Column:
    """Make a column of CPU time a request, in microseconds."""
    return Measured(head=head, of=of, quote=quote, cell=lambda value: plain(value * 1e6))


show = Show(
    result=Generators,
    middle_by="what the first generator saw",
    draw=generators_figure,
    folds=False,
    alt=generators_alt,
    verdict=under,
    levels=generators_levels,
    pace=Pace(each="generator", before=UNMEASURED),
    concluded=generators_said,
    rows=lambda found: found.run.gauges,
    row=by,
    columns=(
        Column(head="generator", main=True, of=lambda row: label(row.name)),
        Column(head="program", of="program"),
        Measured(head="processes", of="processes"),
        Measured(head="requests", of="requests"),
        Measured(head="failed", of="failed"),
        Measured(head="req/s", main=True, of="throughput_rps", quote="throughput"),
        Measured(head="mean ms", of="mean_response_time_s", quote="response_time"),
        Measured(head="its cores", main=True, of="generator_cpu", quote="generator_cpu"),
        Measured(head="fullest process", of="generator_fullest", quote="fullest", said=percent),
        _microseconds("its CPU µs a request", "generator_s", "per_request"),
        Measured(head="server's cores", of="server_cpu", quote="server_cpu"),
        _microseconds("server's CPU µs a request", "server_s"),
        Measured(head="others' cores", of="others_cpu"),
        Column(
            head="full", main=True, of=lambda row: row.missing or " and ".join(row.full) or "nobody"
        ),
        Column(head="command", of="command"),
    ),
    quotes={"needed": quoted(_needed, str)},
)
