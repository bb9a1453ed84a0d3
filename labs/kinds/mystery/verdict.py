"""Verdict of a mystery's measurements, in words: for and against each limit. Pure: records in,
sentences out."""

from __future__ import annotations

import math
from collections.abc import Iterator

from labs.analysis.limit import ceiling
from labs.kinds.mystery.record import Mystery, Variant
from labs.kinds.mystery.scenarios import Limit, Scenario, draw, named
from labs.present.advice import HOLLOW
from labs.present.verdict import database
from labs.records.format import crowd, digits, duration, listed, percent, rate, size, unserved
from labs.records.processes import Seen
from labs.records.results import Point

ABOUT = (
    "A server answers one kind of request, and something limits it. Ask it at any levels of "
    "users, look at what its cores, its workers and its processes do, and say what it is."
)
UNSURE = "not surely measured"  # before the solution no mark is hollow, as checks tell the limit
CHANGED = 1.3  # times the throughput, from which on a fix has helped
UNCHANGED = 1.15  # and up to which it has not


def scenario_of(mystery: Mystery) -> Scenario:
    """The scenario that was measured."""
    users = mystery.before.experiment.load.users
    return draw(mystery.seed, mystery.machine.cores, users)


def answered(mystery: Mystery, guess: str) -> tuple[str, ...]:
    """Answer a diagnosis in sentences. A wrong one is told what speaks against it, and not what is
    right."""
    limit, guessed = named(mystery.limit), named(guess)
    if guessed is not limit:
        return (
            f"No, not {guessed.small}. If it were, this would be so: {guessed.symptoms} "
            f"But here: {fact(guessed, mystery, unsure=UNSURE)}",
        )
    return ("Yes.", *revealed(mystery))


def revealed(mystery: Mystery) -> tuple[str, ...]:
    """Say what the limit is, and how that fits what was seen."""
    limit = named(mystery.limit)
    before, run = mystery.before, mystery.before.run
    last = run.points[-1]
    told = f"It is {limit.small}: each request {limit.does}."
    law = ceiling(before.model, run, last.users, limit.name)
    level = run.forecast.at(last.users)
    law_rps = level.bound_rps
    if law is not None and math.isfinite(law.rps):
        law_rps = law.rps
    bound = (
        f"The law is {limit.law}. At {_at(last)} that makes {rate(law_rps)}, as "
        f"calibrated before the load; it was {rate(last.throughput_rps)}."
    )
    if level.limit == "users":
        bound += " There were too few users to reach it: give it more “Users”."
    used = mystery.before.machine.versions.get("database")
    which = (database(used),) if used else ()
    return told, limit.symptoms, f"Here: {fact(limit, mystery)}", bound, *which


def repaired(mystery: Mystery) -> Iterator[tuple[str, str]]:
    """Say of each fix that was tried what was done, and what came of it."""
    scenario = scenario_of(mystery)
    for variant in mystery.variants:
        fix = scenario.fix(variant)
        if variant != "before" and mystery.users is not None:
            yield fix.label, f"{_change(mystery, variant)} {fix.why}"


def tried(mystery: Mystery) -> Iterator[str]:
    """Tell of the server as it is, and each fix, in the order in which they were tried: what was
    measured, and not why. That the wrong one cannot help tells what would."""
    users, scenario = mystery.users, scenario_of(mystery)
    if users is None:
        return
    for variant in mystery.variants:
        label = scenario.fix(variant).label
        if variant == "before":
            yield f"{label}: {measured(mystery.before.at(users))}."
        else:
            yield f"{label}. {_change(mystery, variant)}"


def measured(point: Point) -> str:
    """Describe a level without forecast and checks, which would tell what limits the server."""
    said = (
        f"{rate(point.throughput_rps)} at {crowd(point.users)}, in "
        f"{duration(point.mean_response_time_s)} on average"
    )
    if point.service_time_s is not None:
        said += f", {duration(point.service_time_s)} of it in service"
    return f"{said}; {unserved(point.never_served, point.users)}" if point.never_served else said


def fact(limit: Limit, mystery: Mystery, *, unsure: str = HOLLOW) -> str:
    """Say what was measured of a limit, whether it is the one or not. unsure: what a level is said
    to be that cannot be believed."""
    points = mystery.before.points
    first, last = points[0], points[-1]
    at, at_first = _at(last, unsure), _at(first, unsure)
    server = [each for each in mystery.seen if each.who == "server"]
    if limit.name == "cpu":
        return (
            f"at {at} the server kept {digits(last.server_cpu, 2)} of {mystery.machine.cores} "
            f"cores busy, and the load generator {digits(last.generator_cpu, 2)}."
        )
    if limit.name == "pool":
        return (
            f"there {_workers(last.workers)}, and a request was in service for "
            f"{_service(first)} at {at_first}, for {_service(last)} at {at}."
        )
    if limit.name == "disk":
        return _disk(server, last.throughput_rps)
    if limit.name == "database":
        return _files(server)
    if limit.name == "lock":
        return (
            f"the time in service went from {_service(first)} at {at_first} to "
            f"{_service(last)} at {at}, and the throughput from {rate(first.throughput_rps)} to "
            f"{rate(last.throughput_rps)}. As to disk and database: "
            f"{_disk(server, last.throughput_rps)} {_files(server).capitalize()}"
        )
    if limit.name == "event loop":
        return (
            f"the server had {_trees(server)}, and kept {digits(last.server_cpu, 2)} of a core "
            f"busy. Its time in service was {_service(first)} at {at_first}, "
            f"{_service(last)} at {at}."
        )
    return (
        f"at {at} the load generator used {percent(last.generator_cpu)} of a core, and the server "
        f"{percent(last.server_cpu)} of one."
    )


def _change(mystery: Mystery, variant: Variant) -> str:
    before, after = mystery.throughput_rps("before"), mystery.throughput_rps(variant)
    ratio = mystery.ratio(variant)
    users = mystery.users or 0
    hollow = [not mystery.variants[name].at(users).fit for name in ("before", variant)]
    at = f"{crowd(users)} ({HOLLOW})" if any(hollow) else crowd(users)
    if math.isinf(ratio):
        said = "there was nothing before"
    elif ratio >= CHANGED:
        said = f"{digits(ratio, 2)} times as much"
    elif 1 / UNCHANGED <= ratio <= UNCHANGED:
        said = "as good as nothing"
    else:
        said = f"{percent(abs(ratio - 1))} {'more' if ratio > 1 else 'less'}"
    return f"From {rate(before)} to {rate(after)} at {at}: {said}."


def _at(point: Point, unsure: str = HOLLOW) -> str:
    """Name the users of a level, and whether what is said of them can be believed."""
    return crowd(point.users) if point.fit else f"{crowd(point.users)} ({unsure})"


def _workers(number: int | None) -> str:
    if number is None:
        return "were so many workers as nobody counted"
    return "was one worker" if number == 1 else f"were {number} workers"


def _service(point: object) -> str:
    service_s = getattr(point, "service_time_s", None)
    return "an unknown time" if service_s is None else duration(service_s)


def _disk(server: list[Seen], rps: float) -> str:
    written = [each.written_bps for each in server if each.written_bps is not None]
    if not written:
        return "the system does not tell what a process writes."
    waiting = sum(each.on_disk or 0.0 for each in server)
    each = f"{size(sum(written) / rps)}" if rps else "nothing"
    who = f"{digits(waiting, 2)} threads were on average" if waiting else "no thread was seen"
    return f"a request handed {each} to the disk, and {who} waiting for it."


def _files(server: list[Seen]) -> str:
    names = sorted({name for each in server for name in each.files})
    if not names:
        return "no process had anything open that all of them share."
    holders = sum(bool(each.files) for each in server)
    who = "one process" if holders == 1 else f"{holders} processes"
    return f"{who} had {listed(names)} open."


def _trees(server: list[Seen]) -> str:
    threads = sum(each.threads for each in server)
    one = len(server) == 1
    return (
        f"{'one process' if one else f'{len(server)} processes'} with {threads} "
        f"thread{'' if threads == 1 else 's'} in all"
    )
