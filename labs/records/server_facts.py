"""What tells the servers apart beyond their architecture, and the kinds of wait from each other.
Pure.

Names of servers are those of `Server.by`; the sources are the manuals of Apache 2.4 (MPM prefork,
worker, event) and of node's cluster module, and labs on each. What requests do in each kind of
wait is in `workloads/app`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from labs.records.experiment import WaitBy

HOLDS_ITS_WORKER = ("apache", "apache-worker")  # a worker stays with its connection
ONE_QUEUE = ("apache-worker", "apache-event")  # who finds no worker waits for any process
HANGS_UP = ("apache-event",)  # on those who keep their connection, while all workers are busy
DEALT_OUT = ("node",)  # its processes get the connections in turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A kind of wait, in words."""

    need: str  # after "requests that", with a length for {}
    told: str  # to choose it by


WAITS: Mapping[WaitBy, Wait] = MappingProxyType(
    {
        "sleep": Wait(need="wait for {}", told="A timer; an event loop goes on with others"),
        "backend": Wait(
            need="wait {} for a backend",
            told="For an answer on a socket, from a slow backend; an event loop goes on with "
            "others",
        ),
        "blocking": Wait(
            need="wait for {} in a call that blocks",
            told="In a call that lets nobody else have the thread: an event loop stands still",
        ),
        "disk": Wait(
            need="write to the disk for {}, one after the other",
            told="For the disk, to which each request writes by itself",
        ),
        "disk-together": Wait(
            need="write to the disk for {}, together with all who wait for it",
            told="For the disk, to which all who wait write in one go",
        ),
        "database": Wait(
            need="wait for {} in a transaction that keeps out other writers",
            told="Within a transaction: no other request can write to the database",
        ),
        "database-briefly": Wait(
            need="wait for {} after a brief transaction",
            told="After the end of the transaction: other requests can write to the database",
        ),
        "lock": Wait(
            need="wait for {} with a lock that no other can have meanwhile",
            told="While holding a lock: no other request gets past it",
        ),
        "lock-briefly": Wait(
            need="wait for {} after holding a lock for a moment",
            told="After letting go of a lock: other requests get past it",
        ),
    }
)
