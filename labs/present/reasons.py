"""Reasons: what limits a level, and why one came out otherwise than forecast, in words. Pure: the
names and values of `labs.analysis` in, sentences out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from labs.analysis.causes import Cause
from labs.analysis.checks import OF_SPEED
from labs.analysis.limit import ceiling, used
from labs.records.experiment import Experiment, Server
from labs.records.format import (
    cores,
    counted,
    crowd,
    digits,
    duration,
    listed,
    percent,
    rate,
    rounded,
    speed,
)
from labs.records.results import Machine, Point, Run
from labs.records.server_facts import keeps_connections
from labs.theory.ceilings import Ceiling, lowest
from labs.theory.server_model import ServerModel

A_FACT = 0.9  # of it in use: with less, a limit is only what the forecast expected
MOST_LISTED = 4  # processes; of more, the least and the most connections are said

POOLS = {
    "prefork": ("process", "processes"),
    "threaded": ("thread", "threads"),
    "event-loop": ("event loop", "event loops"),
}
NAMES = {
    "users": "the users themselves",
    "cpu": "the CPU",
    "interpreter lock": "Python's lock",
    "connections": "the pool of connections",
}
USED = {  # what that is a part of
    "cpu": "the cores' time was used",
    "pool": "its places were taken",
    "connections": "its connections were held",
    "load generator": "its core was used",
}


def limit(model: ServerModel, run: Run, point: Point) -> str:
    """Say what holds a level back: as a fact where it was in use, else as what was expected; with
    the numbers that its bound is made of."""
    level = run.forecast.at(point.users)
    name = NAMES.get(level.limit, f"the {level.limit}")
    part, server, machine = used(model, run, point), model.server, model.machine
    bound = ceiling(model, run, point.users)
    why = f": {_worked_out(model, run, point.users, bound)}" if bound else ""
    seen = "How much of it was in use, nothing measured tells."
    if part is not None:
        seen = f"{percent(min(part, 1.0))} of {USED.get(level.limit, 'its time was used')}."
    if part is not None and part >= A_FACT:
        are, seen = ("are", "") if level.limit == "users" else ("is", f" {seen}")
        most = max(each.throughput_rps for each in run.points)
        if level.limit == "cpu" and not most > min(level.bound_rps, rounded(level.bound_rps)):
            why += " and no more. More users only wait longer"
        return f"At {crowd(point.users)} {name} {are} the limit{why}.{seen}"
    but = seen if part is None else f"But only {seen}"
    if part and level.limit == "users":
        but = f"But a round took {duration(point.users / point.throughput_rps)}."
    all_cores = (server.cores or machine.cores) >= machine.cores
    if part is not None and level.limit == "cpu" and all_cores:
        but = _cores_left(machine, point, part)
    return f"At {crowd(point.users)} the forecast expected {name} to be the limit{why}. {but}"


def _cores_left(machine: Machine, point: Point, part: float) -> str:
    """Say who had the cores that server and load generator did not fill."""
    who = "server, backend and load generator" if point.backend_cpu else "server and load generator"
    said = f"But {who} used only {percent(min(part, 1.0))} of the cores' time"
    others = point.others_cpu / min(machine.cores, machine.quota_cores or machine.cores)
    return f"{said}, and other programs {percent(others)}." if others > 1 - A_FACT else f"{said}."


def explains(cause: Cause, model: ServerModel, point: Point) -> str:
    """Tell a cause, and how much of the miss it explains."""
    told = _told(cause, model, point)
    if cause.name == "run queues" and cause.expected <= point.throughput_rps:
        return f"{told} The miss lies within that."
    return f"{told} This cause explains {percent(cause.removed)} of the miss."


def split(experiment: Experiment, point: Point) -> str:
    """Say how kept connections fell on processes with a pool of their own: `54 and 202
    connections`; nothing where any free worker takes the next request."""
    server = experiment.server
    pools = server.architecture != "prefork" and server.processes > 1
    if not (pools and point.connections and keeps_connections(server, experiment.load)):
        return ""
    fallen = [_fallen(sorted(each.values()), server.processes) for each in point.splits]
    return ", and with the server started anew ".join(fallen)


def _fallen(counts: list[int], processes: int) -> str:
    counts = [0] * (processes - len(counts)) + counts
    if len(counts) > MOST_LISTED and counts[-1] <= 1:
        return f"at most one connection on each of {len(counts)} processes"
    if len(counts) > MOST_LISTED:
        return f"{counts[0]} to {counts[-1]} connections on each of {len(counts)} processes"
    return f"{listed(counts)} connections"


def pool(number: int, server: Server) -> str:
    """Count what bounds the server's concurrency: `8 processes`."""
    return counted(number, *POOLS[server.architecture])


def _worked_out(model: ServerModel, run: Run, users: int, bound: Ceiling) -> str:
    """Work out the bound of a level from its numbers, in words."""
    server, level = model.server, run.forecast.at(users)
    each, best = duration(bound.seconds), rate(level.bound_rps)
    together = "" if abs(bound.units - 1) < 0.005 else f" {cores(bound.units)} make"
    makes = f"at {each} a request{together or ' that makes'} {best}"
    if level.limit == "users":
        twice_rps = lowest(*model.limits(2 * users, model.demand(2 * users)).values()).rps
        more = ", and more users get more done" * (twice_rps > 1.05 * level.bound_rps)
        return f"each has a round of {each}, which makes {best}{more}"
    if level.limit == "cpu":
        share = ", the load generator's included," if bound.beside == "load generator" else ""
        return f"at {each} of CPU a request{share} {cores(bound.units)} can do {best}"
    if level.limit == "pool" and bound.beside == "wait":
        number = pool(round(bound.units), server)
        return f"{number} at {each} a request can do {best}, whatever the CPU has left"
    if level.limit == "pool":
        return f"{pool(server.pool or 0, server)} can use {cores(bound.units)}, and {makes}"
    if level.limit == "connections":
        number = f"{digits(bound.units)} {'connection' if bound.units == 1 else 'connections'}"
        return f"{number} at {each} a request can do {best}, however many threads wait for one"
    if level.limit == "event loop" and bound.beside == "wait":
        wait = duration(run.forecast.wait_s)
        loops = "" if server.processes == 1 else f" with {pool(server.processes, server)}"
        held = f"a wait of {wait} that blocks it holds up everybody"
        return f"{held}, and{loops} at {each} a request that makes {best}"
    if level.limit == "event loop":
        return f"it runs one piece of code at a time, and {makes}"
    if level.limit == "interpreter lock":
        but = "but for the hashing, " if model.workload.cpu_by == "hashing" else ""
        return f"{but}of each process one thread computes at a time, and {makes}"
    if level.limit == "load generator":
        many = "it" if bound.units == 1 else f"each of the {digits(bound.units)}"
        return f"{many} spends {each} on a request, which makes {best}: this measures Locust"
    return f"one request at a time has it, and {makes}"


SAID: Mapping[str, str] = MappingProxyType(  # of each cause, what shows it
    {
        "others": "Other programs used {whole} meanwhile.",
        "page": "This page (in a terminal, the command) used {whole} for itself.",
        "throttled": "A CPU quota kept {whole} from the processes that it holds back.",
        "steal": "Another virtual machine took {whole} while there was work for them.",
        "core speed": "The cores were {speed} than when the forecast was made, as burns tell: "
        f"{OF_SPEED}.",
        "affinity": "The server's processes were allowed {cores} instead of {then_cores}.",
        "load generator": "A request {took} of the load generator's CPU.",
        "listen queue": "{users} found the listen queue full and were never served.",
        "backend": "The backend's answer {took}.",
        "wait": "The wait of a request {took}.",
        "split": "Connections were to fall on the processes like coins. They fell as {fallen}.",
        "in step": "The users fell in step: all wait together, then all want a core, and that can "
        "go down to {rate}.",
        "run queues": "Two processes shared a core while another idled: a request was interrupted "
        "{now} times, though nobody else took the cores' time. A core has a run queue of its own, "
        "and the kernel evens them out only now and then. If it never did, some {then_rate} would "
        "be left.",
        "blocking": "A wait held up the event loop: of {then_users} only {now} were in service at "
        "a time.",
        "interpreter lock": "The threads took turns: with Python's lock held, {cores} did all of "
        "the work.",
        "burn": "The server and its load used {cores}, where the calibration before had "
        "found {then_cores} to be there: it was made at a bad moment, so run again.",
        "left by others": "Other programs left {cores} to the server and its load, and had left "
        "{then_cores} to the calibration before. Close them and run again.",
        "beside others": "Beside other programs, which used {others} of the cores' time, a request "
        "{took} of CPU. Close them and run again.",
        "demand": "A request {took} of CPU.",
    }
)


def _told(cause: Cause, model: ServerModel, point: Point) -> str:
    now, then, machine = cause.measured, cause.expected, model.machine
    return SAID[cause.name].format(
        now=digits(now, 2),
        whole=f"{digits(now, 2)} of the machine's {cores(machine.cores)}",
        took=f"took {duration(now)} instead of {duration(then)}",
        speed=speed(now),
        cores=cores(now),
        then_cores=cores(then),
        others=percent(point.others_cpu / machine.cores),
        users=crowd(round(now)),
        then_users=crowd(round(then)),
        rate=rate(now),
        then_rate=rate(then),
        fallen=split(model.experiment, point),
    )
