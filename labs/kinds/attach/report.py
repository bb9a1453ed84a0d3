"""An attachment for a terminal and as plain data for other tools. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from labs.kinds.attach.record import Attached, Found, Known
from labs.kinds.attach.verdict import verdict
from labs.records.format import cores as so_many_cores
from labs.records.format import counted, duration, listed

# What `joined` has, by the names of the fields.
OF_RUN = ("recorded_at", "alone_s", "locustfile", "think_time_s", "stopped")
OF_POINT = (
    *("users", "throughput_rps", "throughput_ci_rps", "mean_response_time_s", "failed"),
    *("demand_s", "server_cpu", "generator_cpu", "checks"),
)
HEADS = (  # of the columns that a terminal shows
    *("users", "req/s", "forecast req/s", "should lie from", "should lie to", "mean ms"),
    *("CPU ms", "cores busy", "errors"),
)
OF_LEVEL = ("bound_rps", "model_rps", "band_rps", "limit")


def found_text(found: Found) -> str:
    """Say in a sentence who answers."""
    if not found.visible:
        who = f" It calls itself {found.server}." if found.server else ""
        return (
            "No process of that server can be seen from here (another user's, a container's or "
            f"another machine's): only its answers are measured.{who}"
        )
    processes = counted(found.processes, "process", "processes")
    threads = counted(found.threads, "thread")
    behind = f", behind it {' and '.join(found.behind)}" if found.behind else ""
    pool = f"; it holds {found.pool} requests at once" if found.pool else ""
    quota = (
        "" if found.quota_cores is None else f"; a CPU quota of {so_many_cores(found.quota_cores)}"
    )
    if not found.program:  # the port is a program's that only its owner sees
        return (
            "Who listens there can't be seen from here (another user's, a container's). When it is "
            f"asked, there works {listed(found.behind)}: {processes}{pool}{quota}."
        )
    return f"{found.program}: {processes}, {threads}{behind}{pool}{quota}."


def costs_text(attached: Attached) -> str:
    """Say what a request costs, as it was asked alone and as a few."""
    run = attached.run
    said = f"A lone answer takes {duration(run.alone_s)}."
    if run.demand is not None:
        said += (
            f" In company it costs {_known(run.demand)} of CPU; waiting takes {_known(run.wait)}."
        )
    if run.locustfile:
        said += (
            f" The users of {run.locustfile} pause for {duration(run.think_time_s)} between an "
            "answer and their next request, as measured."
        )
    return said


def text(attached: Attached) -> str:
    """Say what was found, what a request costs, the forecast's assumptions and the verdict."""
    run = attached.run
    unfit = [point.users for point in run.points if not point.fit]
    assumed = (f"What the forecast assumes. {note}" for note in run.forecast.notes)
    lines = [*verdict(attached).sentences, *assumed]
    if unfit:
        lines.append(f"Not to be trusted: the levels {listed(unfit)}, as their notes say.")
    return "\n".join([*lines, f"Measured on: {attached.machine.caption}."])


def joined(attached: Attached) -> dict[str, Any]:
    """Give an attachment as JSON-ready data: `found`, `demand_s`, `wait_s`, `points`, `verdict`."""
    run = attached.run
    told, visible = msgspec.to_builtins(run), run.found.visible
    unseen = {} if visible else {"demand_s": None, "server_cpu": None}
    return {
        "url": attached.url,
        "machine": msgspec.to_builtins(attached.machine),
        **{name: told[name] for name in OF_RUN},
        "found": {**told["found"], "visible": visible},
        "demand_s": told["demand"],
        "wait_s": told["wait"],
        "points": [
            {name: point[name] for name in OF_POINT}
            | {"predicted": {name: level[name] for name in OF_LEVEL}}
            | unseen
            for point in told["points"]
            for level in told["forecast"]["levels"]
            if level["users"] == point["users"]
        ],
        "verdict": msgspec.to_builtins(verdict(attached)),
    }


def _known(quantity: Known) -> str:
    low, high = duration(quantity.low), duration(quantity.high)
    return (
        duration(quantity.value) if low == high else f"{duration(quantity.value)} ({low} to {high})"
    )
