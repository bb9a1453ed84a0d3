"""An attachment for a terminal and as plain data for other tools. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from labs.kinds.attach.record import Attached, Found, Known
from labs.kinds.attach.verdict import verdict
from labs.kinds.sweep.report import columns
from labs.present.verdict import span
from labs.records.format import cores as so_many_cores
from labs.records.format import duration, listed


def found_text(found: Found) -> str:
    """Say in a sentence who answers."""
    if not found.visible:
        who = f" It calls itself {found.server}." if found.server else ""
        return (
            "No process of that server can be seen from here (another user's, a container's or "
            f"another machine's): only its answers are measured.{who}"
        )
    processes = "1 process" if found.processes == 1 else f"{found.processes} processes"
    threads = "1 thread" if found.threads == 1 else f"{found.threads} threads"
    behind = f", behind it {' and '.join(found.behind)}" if found.behind else ""
    pool = f"; it holds {found.pool} requests at once" if found.pool else ""
    quota = (
        "" if found.quota_cores is None else f"; a CPU quota of {so_many_cores(found.quota_cores)}"
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


def table(attached: Attached) -> str:
    """The levels beside their forecast, in columns."""
    run = attached.run
    rows = [["users", "req/s", "forecast", "band", "ms", "CPU ms", "cores", "notes"]]
    for point in run.points:
        level = run.forecast.at(point.users)
        rows.append(
            [
                str(point.users),
                f"{point.throughput_rps:.1f}",
                f"{level.model_rps:.1f}",
                span(level),
                f"{1000 * point.mean_response_time_s:.1f}",
                f"{1000 * point.demand_s:.2f}" if run.found.visible else "-",
                f"{point.server_cpu:.2f}" if run.found.visible else "-",
                ", ".join(f"{c.name}{'!' if c.unfit else ''}" for c in point.checks),
            ]
        )
    return columns(rows)


def text(attached: Attached) -> str:
    """What was found, what a request costs, the forecast's assumptions and the verdict."""
    run = attached.run
    unfit = [point.users for point in run.points if not point.fit]
    lines = [*verdict(attached).sentences, *run.forecast.notes]
    if unfit:
        lines.append(f"Not to be trusted: the levels {listed(unfit)}, as their notes say.")
    return "\n".join([*lines, f"Measured on: {attached.machine.caption}."])


def joined(attached: Attached) -> dict[str, Any]:
    """All of it as JSON-ready data: `found`, `demand_s`, `wait_s`, `points`, `verdict`."""
    run, judged = attached.run, verdict(attached)
    return {
        "url": attached.url,
        "machine": msgspec.to_builtins(attached.machine),
        "recorded_at": run.recorded_at,
        "found": {**msgspec.to_builtins(run.found), "visible": run.found.visible},
        "alone_s": run.alone_s,
        "demand_s": None if run.demand is None else msgspec.to_builtins(run.demand),
        "wait_s": msgspec.to_builtins(run.wait),
        "locustfile": run.locustfile,
        "think_time_s": run.think_time_s,
        "points": [
            {
                "users": point.users,
                "throughput_rps": point.throughput_rps,
                "throughput_ci_rps": list(point.throughput_ci_rps),
                "mean_response_time_s": point.mean_response_time_s,
                "failed": point.failed,
                "demand_s": point.demand_s if run.found.visible else None,
                "server_cpu": point.server_cpu if run.found.visible else None,
                "generator_cpu": point.generator_cpu,
                "checks": msgspec.to_builtins(point.checks),
                "predicted": _predicted(attached, point.users),
            }
            for point in run.points
        ],
        "verdict": {
            "limit": judged.limit,
            "pool_size": judged.pool_size,
            "sentences": list(judged.sentences),
        },
        "stopped": run.stopped,
    }


def _predicted(attached: Attached, users: int) -> dict[str, Any]:
    level = attached.run.forecast.at(users)
    return {
        "bound_rps": level.bound_rps,
        "model_rps": level.model_rps,
        "band_rps": list(level.band_rps or ()),
        "limit": level.limit,
    }


def _known(quantity: Known) -> str:
    low, high = duration(quantity.low), duration(quantity.high)
    return (
        duration(quantity.value) if low == high else f"{duration(quantity.value)} ({low} to {high})"
    )
