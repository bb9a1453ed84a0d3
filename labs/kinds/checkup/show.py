"""The checkup drawn and told: what this machine can do."""

from __future__ import annotations

import math
from operator import itemgetter

from labs.kinds.checkup.record import Checkup
from labs.kinds.show import Column, Show, two_places
from labs.present.blocks import VERDICT, Block, Said, Within
from labs.present.palette import BLUE, PURPLE
from labs.present.plot import FROM_ZERO, Figure, dots, layout, line
from labs.records.format import NARROW, digits, duration, percent, rate
from labs.records.format import cores as so_many
from labs.records.results import Calibration
from labs.theory.laws import GENERATOR_FULL

ENOUGH = 0.9  # of the cores' worth of work: with so much of it nothing is said


def checkup_figure(checkup: Checkup) -> Figure:
    """Draw the work over the number of busy processes, beside what whole cores would do."""
    capacity = checkup.calibration.capacity
    busy = list(range(1, len(capacity) + 1))
    worth = [round(cores, 3) for cores in capacity]
    whole = line("if each were a whole core", [0, *busy], [0, *busy], PURPLE, dash="dash")
    found = dots("measured", busy, worth, BLUE, size=11, hover="{x} busy: worth {y:.2f} cores")
    ticks = {"range": [0, len(capacity) + 0.5], "dtick": max(1, len(capacity) // 8)}
    return {
        "data": [whole, found],
        "layout": layout(
            320,
            {"t": 16, "b": 88},
            -0.3,
            xaxis={"title": {"text": "busy processes"}, **ticks},
            yaxis={"title": {"text": "cores' worth of work"}, **FROM_ZERO},
        ),
    }


def checkup_alt(checkup: Checkup) -> str:
    """Say the machine in a sentence."""
    cores = len(checkup.calibration.capacity)
    return (
        f"With {cores} busy processes the machine did {digits(checkup.capacity)} cores' worth of "
        "work, where the first process alone is one."
    )


def checkup_rows(checkup: Checkup) -> list[tuple[str, str, str]]:
    """List what was found: its name, its value, and what it is good for."""
    machine, found = checkup.machine, checkup.calibration
    quota = machine.quota_cores
    listed = str(machine.logical_cores)
    if machine.physical_cores not in (None, machine.logical_cores):
        listed += f", on {machine.physical_cores} physical ones"
    rows = [
        ("processor", machine.processor, "as the system names it"),
        ("cores listed", listed, "hyper-threads count as cores here"),
        ("cores for you", str(machine.cores), "affinity and quota applied"),
        ("CPU quota", f"{digits(quota)} cores" if quota else "none", "what a container may use"),
        ("cores' worth of work", f"{checkup.capacity:.2f}", "by burning all of them at once"),
        (
            "speed of one core",
            f"{digits(found.loops_per_s[0] / 1e6)} million loops/s",
            "CPU work in the labs is a number of these loops",
        ),
        ("a sleep of 1 ms", f"{duration(found.timer_s)} late", "a wait this short is not exact"),
        ("loopback", duration(checkup.loopback_s), "a byte to a local socket and back"),
    ]
    if machine.kinds:
        first = "who asks for some cores gets those of one kind first"
        rows.insert(3, ("kinds of core", machine.kinds, first))
    if found.overhead_s:
        rows.append(("an empty request", duration(found.overhead_s), "CPU time of the server"))
    if found.generator_s:
        ceiling = f"{rate(1 / found.generator_s)} at {duration(found.generator_s)} each"
        trusted = f"one process; trust {percent(GENERATOR_FULL)} of it"
        rows.append(("load generator's ceiling", ceiling, trusted))
    noise = percent(found.noise_fraction)
    rows.append(("noise", noise, "between equal burns: one may be off by so much"))
    rows.append(("memory", f"{machine.memory_bytes / 2**30:.1f} GiB", "bounds the workers"))
    lock = "one lock for all threads" if machine.gil else "no lock around threads"
    rows.append(("Python", f"{machine.python}, {lock}", f"on {machine.system}"))
    return rows


def under(checkup: Checkup) -> list[Block]:
    """Show what was found, and say where cores did less than is listed."""
    facts = Within('<div class="wt-data wt-facts">{}</div>', [show.table(checkup)])
    said = shortfall(checkup.calibration)
    return [facts, *([Within(VERDICT, [Said([said])])] if said else [])]


def shortfall(found: Calibration) -> str:
    """Say how much less all cores together did than so many of them alone, and of how many the burn
    had the time, which tells other programs from slow cores; "" where it is about as much."""
    number, worth = len(found.loops_per_s), found.capacity[-1]
    if worth >= ENOUGH * number:
        return ""
    slower = 1 - found.loops_per_s[-1] / number / found.loops_per_s[0]
    why = "; others, or a quota, had the rest" * (found.use < math.sqrt(ENOUGH))
    why += "; busy together they were slower, as cores are that share their parts" * (
        slower > 1 - math.sqrt(ENOUGH)
    )
    return (
        f"The {so_many(number)} listed here did {worth:.2f} cores' worth of work. The burn got "
        f"{digits(found.use * number)} of them{why}. The labs reckon with what was found."
    )


def _effective_cores(checkup: Checkup) -> float:
    """Count the cores a program gets: affinity and quota applied."""
    return min(checkup.machine.cores, checkup.machine.quota_cores or checkup.machine.cores)


def _ceiling_rps(checkup: Checkup) -> float:
    return 1 / checkup.calibration.generator_s


def _trusted_rps(checkup: Checkup) -> float:
    return GENERATOR_FULL * _ceiling_rps(checkup)


show: Show[Checkup] = Show(
    result=Checkup,
    draw=checkup_figure,
    alt=checkup_alt,
    verdict=under,
    folds=False,
    rows=checkup_rows,
    row=lambda checkup: checkup,
    columns=(
        Column(head="what", of=itemgetter(0)),
        Column(head="found", of=itemgetter(1)),
        Column(head="why it matters", of=itemgetter(2)),
        Column(of=_effective_cores, quote="effective_cores", said=digits),
        Column(of="capacity", quote="capacity", said=two_places),
        Column(
            of=lambda checkup: checkup.calibration.loops_per_s[0],
            quote="loops_per_s",
            said=lambda value: f"{digits(value / 1e6)}{NARROW}million",
        ),
        Column(of="calibration.generator_s", quote="generator"),
        # Requests per second that one full core of load generator makes, and those of them up to
        # which it does not distort what it measures.
        Column(of=_ceiling_rps, quote="generator_ceiling", said=rate),
        Column(of=_trusted_rps, quote="generator_trusted", said=rate),
        Column(of="calibration.timer_s", quote="timer"),
        Column(of="loopback_s", quote="loopback"),
        Column(of="calibration.noise_fraction", quote="noise"),
    ),
)
