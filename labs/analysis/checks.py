"""Checks: what to know about a measured point before believing it. Pure: figures in, sentences out.

Unfit points are drawn hollow and kept out of comparisons. Told ones are drawn filled, with
their sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from labs.analysis.causes import SYMPTOMS, UNSTEADY, Effects
from labs.analysis.contrast import repeats
from labs.analysis.failures import of_level
from labs.analysis.point import half_width
from labs.analysis.schedule import LEAST_COMPLETIONS, VISITS
from labs.analysis.visited_again import visited_again
from labs.records.experiment import Experiment, Workload
from labs.records.format import NARROW, change, cores, counted, duration, percent, rate, speed
from labs.records.results import (
    Check,
    Machine,
    Measured,
    Point,
    Prediction,
    told,
    unfit,
)
from labs.records.server_facts import keeps_connections, server_facts
from labs.theory.laws import GENERATOR_FULL

TOLD = 0.05
DEMAND_OFF = 0.10
QUOTA_PERIOD_S = 0.1  # a window may begin with the budget of one
PAGE_BUSY = 0.03  # of the machine, browser included; where nothing is drawn, some thousandths
NEIGHBOUR = (  # of a container, whose computer others have containers on
    " In a container they may be a neighbour's, on a hub another student's lab: you disturb each "
    "other. Run again when it has ended."
)
OTHERS_BUSY = 0.03  # of the machine; where nobody else is, it is some thousandths
LITTLE_OFF = 0.05
ENOUGH = 5 / 6  # of a run's points, to be recorded
OF_SPEED = "heat, a battery, a setting that saves power, or another virtual machine"
BOUND = "bound"  # the check of what cannot be
GENERATOR = "load generator"
STARVED = "starved"  # that of users without an answer
NO_EFFECTS = Effects()


def check(
    point: Point,
    experiment: Experiment,
    machine: Machine,
    *,
    forecast: Prediction,
    noise_fraction: float = 0.0,
    effects: Effects = NO_EFFECTS,
) -> tuple[Check, ...]:
    """Tell all that is to be said of a point. effects: as `causes.effects` finds them; noise: of
    the calibration."""
    by_deal = not repeats(point) and repeats(point, effects.connection_split)
    found = list(of_level(point, experiment))  # what fails at once also fills a generator
    found += disturbances(point, experiment.load.generators, by_deal)
    if not repeats(point):
        found.append(visited_again(point, forecast.at(point.users), effects))
    found += _starved(point, experiment)
    found += _remarks(point, experiment, machine, effects)
    if effects.speed_alone and not any(each.name == "core speed" and each.unfit for each in found):
        found.append(_by_speed(effects.speed_alone))
    unsteady = max(noise_fraction, (point.core_speed or 1.0) - 1)
    found += _against(point, experiment, machine, forecast, unsteady)
    found += noise(noise_fraction)
    return tuple(found)


def enough_fit(points: Sequence[Point]) -> bool:
    """Whether a run with these points may go into the book."""
    return sum(point.fit for point in points) >= ENOUGH * len(points)


def impossible(points: Iterable[Point]) -> str:
    """Say why a run with these points may not go into the book however many are fit: what lies
    above its bound says that the calibration, and with it the forecast of all of them, is wrong."""
    told = (each.sentence for point in points for each in point.checks if each.name == BOUND)
    return " ".join(dict.fromkeys(told))


def rejection(
    points: Mapping[str, Sequence[Point]],
    excused: Callable[[str, Point], bool] = lambda label, point: False,
) -> str:
    """Say why runs with these points, by their labels, may not go into the book; "" when they may.
    An excused point's faults are what its lab is to show."""
    every = [(label, point) for label, each in points.items() for point in each]
    counting = [each for each in every if each[1].fit or not excused(*each)]
    if enough_fit([point for _, point in counting]):
        return impossible(point for _, point in every)
    bad = ((label, each) for label, point in counting for each in point.checks if each.unfit)
    said = (f"{label}: {each.sentence}".removeprefix(": ") for label, each in bad)
    return " ".join(dict.fromkeys(said))


def is_the_result(measured: Measured, workload: Workload) -> bool:
    """Whether what makes a level unfit is just what its lab is to show, so that it may be recorded,
    drawn hollow all the same: users who starve at a full listen queue, and a load generator that
    is full because the page is a small file, with what comes of either."""
    faults = {check.name for check in measured.checks if check.unfit}
    shown = {STARVED} if measured.listen_overflows else set[str]()
    if workload.page == "file":
        shown.add(GENERATOR)
    return not shown.isdisjoint(faults) and shown | SYMPTOMS >= faults


def sampling_error(work: Workload, completed: float, *, pauses: bool = False) -> float:
    """Sampling error, relative, of so few requests, which may have been lighter or heavier than
    on average: two standard errors of what varies most, which with pauses are these."""
    varies = (bool(work.cpu_s) * work.cpu_cv, bool(work.wait_s) * work.wait_cv, float(pauses))
    return _drawn(max(varies), completed)


def _drawn(variation: float, completed: float) -> float:
    """Two standard errors of the mean of so many draws; of none there is no mean."""
    return 2 * variation / math.sqrt(completed) if completed else 0.0


def full_generator(
    measured: Measured, generators: int = 1, users: int | None = None
) -> Iterator[Check]:
    """Tell whether so many Locust processes had no time left, and how to ask for less."""
    if measured.generator_cpu > GENERATOR_FULL * generators:
        whose = "its core" if generators == 1 else f"its {generators} cores"
        used = measured.generator_cpu / generators
        fewer = "" if users == 1 else ", or let fewer users come"
        yield unfit(
            GENERATOR,
            f"The load generator used {percent(used)} of {whose}: this measures Locust, not the "
            f"server. Give each request more to do{fewer}.",
        )


def surroundings(
    measured: Measured, machine: Machine, effects: Effects = NO_EFFECTS
) -> Iterator[Check]:
    """Tell what went on around the measurement. What moves the model by much makes it unfit."""
    others_matter = abs(effects.surroundings.get("others", 0.0)) > UNSTEADY
    if others_matter or measured.others_cpu > OTHERS_BUSY * machine.cores:
        yield _surrounded(
            "others",
            f"Other programs used {measured.others_cpu:.2f} of the machine's {machine.cores} cores."
            f"{NEIGHBOUR if machine.quota_cores else ''}",
            effects,
        )
    if measured.steal_cpu > OTHERS_BUSY * machine.cores:
        yield _surrounded(
            "steal",
            f"Another virtual machine took {measured.steal_cpu:.2f} of the machine's "
            f"{machine.cores} cores while there was work for them. Nothing here can stop it: run "
            "again at another time.",
            effects,
        )
    page_cpu = measured.page_cpu + (measured.browser_cpu or 0.0)
    if page_cpu > PAGE_BUSY * machine.cores:
        shown = "What its browser used cannot be seen here, and counts as other programs."
        if measured.browser_cpu is not None:
            shown = f"Its browser used {measured.browser_cpu:.2f} of that: close its other tabs."
        yield _surrounded(
            "page",
            f"This page (in a terminal, the command) used {page_cpu:.2f} of the machine's "
            f"{machine.cores} cores for itself. {shown}",
            effects,
        )
    if measured.throttled_s > 0:
        yield _surrounded(
            "throttled",
            f"A CPU quota held its programs back for {duration(measured.throttled_s)}; means hold, "
            "percentiles are stretched.",
            effects,
        )
    if measured.listen_overflows:
        many = measured.listen_overflows > 1
        yield told(
            "listen queue",
            f"{measured.listen_overflows} connection{'s' * many} found the listen queue full and "
            f"{'were' if many else 'was'} tried again only one or more seconds later.",
        )


def _surrounded(name: str, sentence: str, effects: Effects) -> Check:
    by = effects.surroundings.get(name, 0.0)
    if abs(by) <= UNSTEADY:
        return told(name, sentence)
    return unfit(name, f"{sentence} With that the forecast changes by {change(by)}.")


def disturbances(point: Point, generators: int = 1, by_deal: bool = False) -> Iterator[Check]:
    """Yield what keeps a level from being believed. by_deal: its visits lie apart because of how
    connections fell, and each is judged alone."""
    yield from full_generator(point, generators, point.users)
    visits_to_come = VISITS - 1 if len(point.visits) == 1 else 0
    least = LEAST_COMPLETIONS * (VISITS - visits_to_come) / VISITS
    if point.completed < least:
        ended = counted(math.floor(point.completed), "request")
        sentence = (
            f"Only {ended} ended in the window; {least:.0f} is the least. Measure for longer."
        )
        yield unfit("few", sentence)
    half = max(map(half_width, point.visits)) if by_deal else half_width(point)
    if half > UNSTEADY:
        yield unfit(
            "interval",
            f"The throughput is only known to ±{NARROW}{percent(half)}. Measure for "
            "longer, or on a quieter machine.",
        )
    first, second = point.halves_rps
    if abs(second - first) > UNSTEADY * point.throughput_rps:
        yield unfit(
            "drift",
            f"The second half of the window gave {rate(second)}, the first {rate(first)}: "
            "not settled. Measure for longer.",
        )


def starved_because(point: Point, experiment: Experiment) -> str:
    """Say why users of that point were never served."""
    server = experiment.server
    kept = keeps_connections(server, experiment.load)
    if kept and server_facts(server.by).holds_its_worker and point.users > (server.pool or 0):
        return (
            "A worker stays with its connection here, and all of them have one that is kept open. "
            "Close connections (keep_alive=False), or let apache-event keep them."
        )
    if point.listen_overflows:
        return "Their connections found the listen queue full, and try again only now and then."
    if kept:
        return "Some connections wait while others are kept open."
    return "Their requests stood in line to the end. Measure for longer."


def _starved(point: Point, experiment: Experiment) -> Iterator[Check]:
    if point.never_served:
        yield unfit(
            STARVED,
            f"{point.never_served} of {point.users} users were never served, and are "
            f"not in the averages. {starved_because(point, experiment)}",
        )


def noise(fraction: float) -> Iterator[Check]:
    """Tell that a calibration's burns differ by so much among themselves."""
    if fraction > TOLD:
        yield told(
            "noise",
            f"Equal burns before the load differed by {percent(fraction)}: a smaller difference "
            "than that can be the machine's own.",
        )


def _remarks(
    point: Point, experiment: Experiment, machine: Machine, effects: Effects
) -> Iterator[Check]:
    if TOLD < half_width(point) <= UNSTEADY:
        yield told("interval", f"The throughput is known to ±{NARROW}{percent(half_width(point))}.")
    yield from surroundings(point, machine, effects)
    if point.core_speed and abs(effects.surroundings.get("core speed", 0.0)) > TOLD:
        yield _surrounded(
            "core speed",
            f"The cores were {speed(point.core_speed)} than when the forecast was made, as burns "
            f"tell: {OF_SPEED}.",
            effects,
        )
    if "affinity" in effects.surroundings:
        yield _surrounded(
            "affinity",
            f"The server's processes were allowed {cores(point.server_cores or 0)} only: "
            "somebody tied them down meanwhile.",
            effects,
        )
    think_s = experiment.load.think_time_s  # the mean of few pauses is not known
    few = think_s and _drawn(think_s / (think_s + point.mean_response_time_s), point.completed)
    if point.users >= 4 and abs(point.littles_law - 1) > LITTLE_OFF + few:
        yield told("little", _little(point, experiment))


def _by_speed(by: float) -> Check:
    """Make a point unfit whose miss is that of cores which had no steady speed."""
    return unfit(
        "unsteady cores",
        f"Its CPU time a request changes the forecast by {change(by)}, and burns of this run "
        "differ by more than a tenth: the cores' speed is what this point shows.",
    )


def _little(point: Point, experiment: Experiment) -> str:
    """Say who is missing: a user between answer and next question, where the load generator is
    full. Nobody asks twice at a time, so who is too many had been sent away, or paused for less."""
    said = (
        f"X·(R+Z) is {point.littles_law:.2f} of the {point.users} users, where Little's law says 1"
    )
    full = GENERATOR_FULL * experiment.load.generators
    if point.littles_law > 1 and experiment.load.think_time_s:
        return f"{said}: they paused for less than {duration(experiment.load.think_time_s)}."
    if point.littles_law > 1:
        return f"{said}: users who had been sent away still waited for their answers."
    if point.generator_cpu <= full or not point.throughput_rps:
        return f"{said}: some users are not seen in the averages."
    really_s = point.users / point.throughput_rps - experiment.load.think_time_s
    return (
        f"{said}: the load generator is full, and the others wait inside Locust, between an answer "
        f"and their next question. It says {duration(point.mean_response_time_s)}; with that wait "
        f"it is {duration(really_s)}."
    )


def _against(
    point: Point, experiment: Experiment, machine: Machine, forecast: Prediction, unsteady: float
) -> Iterator[Check]:
    """Tell what was not to be expected, or cannot be.

    More than the bound allows, beyond both intervals, the sampling error of few draws, what a quota
    saved up, and the machine's own unsteadiness where burns tell it, is told and not unfit: the
    requests were counted rightly, and what is wrong is what they are compared with."""
    level, expected_s = forecast.at(point.users), forecast.at(point.users).demand_s
    off = point.demand_s / expected_s - 1 if expected_s else 0.0
    if experiment.workload.cpu_s and point.completed and abs(off) > DEMAND_OFF:
        yield told(
            "demand",
            f"A request cost {duration(point.demand_s)} of CPU, {change(off)} against the "
            "calibration with as many cores busy: a napping, crowded or throttled core works at "
            "another speed.",
        )
    if level.bound_ci_rps is None or not point.completed:
        return
    pauses = level.limit == "users" and experiment.load.think_time_s > 0
    slack = sampling_error(experiment.workload, point.completed, pauses=pauses)
    if machine.quota_cores is not None or experiment.server.quota is not None:
        slack += QUOTA_PERIOD_S / point.seconds
    if unsteady > TOLD:
        slack += unsteady
    if point.throughput_ci_rps[0] > level.bound_ci_rps[1] * (1 + slack):
        yield told(
            BOUND,
            f"That cannot be: {rate(point.throughput_rps)} is more than the {rate(level.bound_rps)}"
            " of the bound, beyond both their intervals. The calibration is wrong: run again.",
        )
