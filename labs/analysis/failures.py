"""Reasons why requests failed, in a sentence. Pure: figures in, sentences out."""

from __future__ import annotations

from collections.abc import Iterator

from labs.records.experiment import Experiment, Workload
from labs.records.format import counted
from labs.records.results import Check, Point, told, unfit
from labs.records.server_facts import asks_database, keeps_connections, server_facts

MOST_FAILED = 0.01  # of the requests: beyond that a level's rate and times aren't those of answers
FEW = 0.1  # of the requests: so many may fail that would only be sent again


def too_many(failed: float, completed: float) -> bool:
    """Whether so many of a level's requests failed that its rate and times aren't of answers."""
    return failed > MOST_FAILED * (completed + failed)


def failures(failed: int, workload: Workload | None = None, *, no_port: int = 0) -> Check:
    """Say why requests failed: for want of a free port, as the system said of so many, or for no
    reason the lab knows."""
    those = counted(failed, "request")
    if no_port:
        some = "" if no_port >= failed else f", {no_port} of them"
        return unfit(
            "errors",
            f"{those} failed{some} because no port was free for a connection. Keep connections, "
            "with a server that does, ask for less, or end what holds so many: closed ones give "
            "theirs back within a minute.",
        )
    database = ""
    if workload and asks_database(workload):
        database = "One that its database refuses, or keeps waiting long, is answered with 502. "
    return unfit(
        "errors",
        f"{those} failed; a failure is often quicker than an answer, so the averages mean "
        f"little. {database}Ask for less at once, and look whether they fail again.",
    )


def of_level(point: Point, experiment: Experiment) -> Iterator[Check]:
    """Tell of a level's failures, and of processes that its server lost."""
    kept = keeps_connections(experiment.server, experiment.load)
    if point.lost_processes:
        lost = counted(point.lost_processes, "process", "processes")
        meanwhile = f", and {counted(point.failed, 'request')} failed" if point.failed else ""
        yield unfit(
            "lost",
            f"{lost} of the server ended under way{meanwhile}: that was not "
            "the server that was asked for. Run again. If it comes back, find out who ends them.",
        )
    elif (
        kept
        and server_facts(experiment.server.by).hangs_up
        and 0 < point.failed <= FEW * point.completed
    ):
        yield told(
            "hung up",
            f"{counted(point.failed, 'request')} came on a connection that was just being closed: "
            "with all workers busy, Apache's event MPM closes those that it has kept open. A "
            "browser would send what failed again.",
        )
    elif point.failed:
        yield failures(point.failed, experiment.workload, no_port=point.no_port)
