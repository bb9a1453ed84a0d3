"""Facts that tell the servers apart beyond their architecture, and the kinds of wait from each
other. Pure.

Names of servers are those of `Server.by`; the sources are the manuals of Apache 2.4 (MPM prefork,
worker, event) and of node's cluster module, and labs on each. What requests do in each kind of
wait is in `workloads/app`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from labs.records.experiment import Load, Server, WaitBy, Workload
from labs.records.results import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """How a server treats connections and work. The usual one is a Python server whose processes
    take connections as they come."""

    called: str = ""  # in a sentence, after "run by"; as in `Server.by` where nothing is said
    language: str = "Python"  # that the work is written in, and calibrated in
    interpreter_lock: bool = False  # threads of one process share it, where the interpreter has one
    holds_its_worker: bool = False  # a worker stays with its connection while that is open
    idle_if_held: bool = False  # and stands idle while that user thinks
    one_queue: bool = False  # who finds no worker waits for any process
    dealt_out: bool = False  # its processes get the connections in turn
    hangs_up: bool = False  # on kept connections, while all workers are busy
    accepts_all: bool = False  # more connections than threads: they wait inside the process
    turns_away: bool = False  # who finds the queue of the pool full is answered at once
    hangs_up_at_once: bool = False  # prefork, it closes each connection after its answer
    first: int | None = None  # processes to begin with, where more come as they are needed
    starts_fewer: bool = False  # whether `Server(start=...)` can say how many
    resizes: bool = False  # whether SIGTTIN to its master gives it one process more
    has_master: bool = True  # whether somebody replaces a worker even if there is only one


FACTS: Mapping[str, ServerFacts] = MappingProxyType(  # by `Server.by`
    {
        "gunicorn": ServerFacts(
            interpreter_lock=True, accepts_all=True, hangs_up_at_once=True, resizes=True
        ),
        "scratch": ServerFacts(called="our own code", interpreter_lock=True, idle_if_held=True),
        "spare": ServerFacts(
            called="our own code that keeps spare workers",
            idle_if_held=True,
            first=5,
            starts_fewer=True,
            resizes=True,
        ),
        "uvicorn": ServerFacts(has_master=False),
        "apache": ServerFacts(language="PHP", holds_its_worker=True, starts_fewer=True),
        "apache-worker": ServerFacts(language="PHP", holds_its_worker=True, one_queue=True),
        "apache-event": ServerFacts(language="PHP", one_queue=True, hangs_up=True),
        "nginx-fpm": ServerFacts(language="PHP", turns_away=True),
        "nginx": ServerFacts(language="PHP"),
        "node": ServerFacts(language="JavaScript", dealt_out=True, has_master=False),
    }
)


def called(by: str) -> str:
    """The server that is run so, in words.

    >>> called("gunicorn"), called("scratch")
    ('gunicorn', 'our own code')
    """
    return server_facts(by).called or by


def keeps_connections(server: Server, load: Load) -> bool:
    """Whether a user's next request goes over the same connection."""
    closed = server_facts(server.by).hangs_up_at_once and server.architecture == "prefork"
    return bool(server.keep_alive) and load.keep_alive and not closed


def server_facts(by: str) -> ServerFacts:
    """Facts of the server that is run so; the usual one's for a name that is in no table."""
    return FACTS.get(by, ServerFacts())


def locked(server: Server, machine: Machine) -> bool:
    """Whether the server's threads share an interpreter's lock there."""
    threaded = server.architecture == "threaded"
    return threaded and server_facts(server.by).interpreter_lock and machine.gil


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A kind of wait: its words, and who else waits meanwhile."""

    need: str  # after "requests that", with a length for {}
    told: str  # to choose it by
    needs: str = ""  # of the server's machine: disk, database, lock
    pooled: bool = False  # as many requests as a process has connections can have it
    alone: bool = False  # one request at a time can have it
    together: bool = False  # who comes meanwhile has the next turn, with all others who came
    asks_backend: bool = False  # for the answer of a server of its own
    stops_a_loop: bool = False  # an event loop stands still meanwhile


WAITS: Mapping[WaitBy, Wait] = MappingProxyType(
    {
        "sleep": Wait(need="wait for {}", told="A timer; an event loop goes on with others"),
        "backend": Wait(
            need="wait {} for a backend",
            told="For an answer on a socket, from a slow backend; an event loop goes on with "
            "others",
            asks_backend=True,
        ),
        "blocking": Wait(
            need="wait for {} in a call that blocks",
            told="In a call that lets nobody else have the thread: an event loop stands still",
            stops_a_loop=True,
        ),
        "disk": Wait(
            need="write to the disk for {}, one after the other",
            told="For the disk, to which each request writes by itself",
            needs="disk",
            alone=True,
            stops_a_loop=True,
        ),
        "disk-together": Wait(
            need="write to the disk for {}, together with all who wait for it",
            told="For the disk, to which all who wait write in one go",
            needs="disk",
            together=True,
            stops_a_loop=True,
        ),
        "database": Wait(
            need="wait for {} in a transaction that keeps out others who write the same row",
            told="Within a transaction: no other request can write to the same row",
            needs="database",
            alone=True,
            stops_a_loop=True,
        ),
        "database-briefly": Wait(
            need="wait for {} after a brief transaction",
            told="After the end of the transaction: other requests can write to the database",
            needs="database",
        ),
        "connections": Wait(
            need="hold one of their process's connections to a database for {}",
            told="With a connection to the database, of which a process has only so many",
            needs="database",
            pooled=True,
            stops_a_loop=True,
        ),
        "lock": Wait(
            need="wait for {} with a lock that no other can have meanwhile",
            told="While holding a lock: no other request gets past it",
            needs="lock",
            alone=True,
            stops_a_loop=True,
        ),
        "lock-briefly": Wait(
            need="wait for {} after holding a lock for a moment",
            told="After letting go of a lock: other requests get past it",
            needs="lock",
        ),
    }
)


def asks_backend(workload: Workload) -> bool:
    """Whether a workload's requests wait for a backend."""
    return WAITS[workload.wait_by].asks_backend and workload.wait_s > 0


def asks_database(workload: Workload) -> bool:
    """Whether a workload's requests wait in a database."""
    return WAITS[workload.wait_by].needs == "database" and workload.wait_s > 0
