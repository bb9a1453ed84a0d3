"""Choices of settings: what each may be beside the rest, and why not the others. No widgets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from labs.records.errors import Unusable
from labs.records.experiment import CPU_BY, Page, Server, WaitBy, Workload
from labs.records.format import listed
from labs.servers.catalogue import refuse, row_of
from labs.servers.serve import Found

OFFERED: tuple[WaitBy, ...] = ("sleep", "backend", "blocking")  # and what a lab begins with


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The choice of a setting: its options. With nothing but what is set, there is no choice."""

    options: tuple[str, ...] = ()
    free: bool = True  # whether there is anything to set
    why: str = ""  # not all of it, in a sentence


def programs(server: Server, page: Page, found: Sequence[Found]) -> Choice:
    """Offer the programs that run an architecture here, and the one that is asked for."""
    rows = [row for row in found if row.architecture == server.architecture]
    asked = {row.by: Server(server.architecture, by=row.by) for row in rows}
    unable = [by for by, one in asked.items() if not _can(one, Workload(page=page))]
    absent = [row.by for row in rows if row.missing and row.by not in unable]
    here = [by for by in asked if by not in (*unable, *absent)]
    said = []
    if absent:
        said.append(f"{listed(absent)} {'is' if len(absent) == 1 else 'are'} not installed here")
    if unable:
        what = "serve files and run" if len(unable) > 1 else "serves files and runs"
        said.append(f"{listed(unable)} {what} no program")
    options = tuple(dict.fromkeys([*here, *([server.by] * (server.by in asked))]))
    return Choice(options=options, why=f"{'; '.join(said)}." if said else "")


def cpu_kinds(server: Server, workload: Workload) -> Choice:
    """Offer the ways in which a request may use the CPU."""
    if not workload.cpu_s:
        return Choice(options=CPU_BY, free=False, why="CPU by: requests use no CPU time.")
    if _only_usual(server):
        return Choice(options=("counting",), free=False, why=f"{server.by} can only count.")
    return Choice(options=CPU_BY)


def wait_kinds(server: Server, workload: Workload, begun: WaitBy) -> Choice:
    """Offer the ways in which a request may wait; `begun` is how it does at first."""
    options = tuple(dict.fromkeys([*OFFERED, begun]))
    if not workload.wait_s:
        return Choice(options=options, free=False, why="Wait by: requests do not wait.")
    if _only_usual(server):
        return Choice(options=("sleep",), free=False, why=f"{server.by} can only sleep.")
    if server.architecture != "event-loop" and begun != "blocking":
        kept = tuple(each for each in options if each != "blocking")
        return Choice(options=kept, why="Wait by: only an event loop minds a wait that blocks.")
    return Choice(options=options)


def thread_numbers(server: Server) -> Choice:
    """Offer numbers of threads: only to the threaded."""
    if server.architecture == "threaded":
        return Choice()
    return Choice(free=False, why="Threads: only a threaded server has several in a process.")


def core_numbers(asked: Server, cores: int) -> Choice:
    """Offer numbers of cores, where there are several and the system can hold a server to some."""
    if asked.cores is not None and asked.cores > cores:
        there = "there is 1" if cores == 1 else f"there are {cores}"
        said = f"The lab asks for {asked.cores} cores, and {there} here: all are set."
        return Choice(free=cores > 1, why=said)
    if cores == 1:
        return Choice(free=False, why="Cores: this machine has one.")
    if not hasattr(os, "sched_setaffinity"):
        return Choice(free=False, why="Cores: this system cannot hold a server to some of them.")
    return Choice()


def _only_usual(server: Server) -> bool:
    """Whether that server's program knows but one kind of work and of waiting."""
    return not _can(Server(server.architecture, by=server.by), Workload(cpu_by="hashing"))


def _can(server: Server, workload: Workload) -> bool:
    """Whether that server's program takes such requests."""
    try:
        refuse(row_of(server), server, workload)
    except Unusable:
        return False
    return True
