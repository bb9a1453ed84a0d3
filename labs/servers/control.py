"""What can be done to a server while it runs: kill one of its workers, give it more of them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from labs.host.waiting import Stopped, wait_until
from labs.records.errors import Unusable, refused
from labs.records.experiment import Server
from labs.records.server_facts import called, server_facts
from labs.records.steps import KILL, RAISE, Step
from labs.servers.serve import Running

MORE = "more workers"  # twice as many as there may be
LINUX = sys.platform.startswith("linux")
LOOK_S = 0.01
REPLACED_WITHIN_S = 5.0
GROWN_WITHIN_S = 10.0  # gunicorn pauses up to 0.1 s after each worker that it starts
HEARD_WITHIN_S = 1.0  # a master may be busy with forking


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """A worker that was killed. Times on `time.perf_counter`."""

    pid: int
    at: float
    clients: int  # connected to it just before
    follower: int | None  # the process that took its place; None if none came in time
    after_s: float  # how long that took
    when_needed: bool  # whether another comes only if too few are idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """A pool that may be larger now."""

    at: float
    before: int  # workers that there may be
    to: int
    after_s: float | None  # until they all served; None if they did not in time
    when_needed: bool  # whether they come only as they are needed


def check_steps_for(server: Server, steps: Sequence[Step]) -> None:
    """Raise Unusable, with a remedy, for steps that cannot be done to a server."""
    limit = server.processes
    for step in steps:
        if step.do == KILL:
            check_kill(server)
        elif step.pool is not None:
            if step.pool <= server.processes:
                raise refused(
                    "processes",
                    server.processes,
                    f"must be fewer than the {step.pool} to which the pool is raised. Begin with "
                    "fewer.",
                )
            check_raise(server, step.pool, limit)
            limit = step.pool


def check_kill(server: Server) -> None:
    """Raise Unusable where a worker's death would be the server's, with nobody to replace it."""
    if not server_facts(server.by).has_master and server.processes == 1:
        raise Unusable(
            f"“{KILL}”: {server.by} runs one process without a master, and nobody would "
            "replace it. Give it two processes, or use prefork."
        )


def check_raise(server: Server, to: int, limit: int) -> None:
    """Raise Unusable where the pool cannot be raised to so many while the server runs."""
    if not server_facts(server.by).resizes:
        raise Unusable(
            f"“raise the pool to {to}”: {called(server.by)} cannot while it runs. Use prefork by "
            f"gunicorn, or by {called('spare')}."
        )
    if to <= limit:
        raise Unusable(f"“raise the pool to {to}”: it is {limit} already. Give more.")


class ServerControl:
    """Control of one running server. Its calls wait for what comes of them, or for `stop`."""

    def __init__(self, running: Running, stop: threading.Event) -> None:
        self.running = running
        self.stop = stop
        self.limit = running.server.processes

    def perform(self, order: str) -> Killed | Raised | None:
        """Do what `Step.do` says, or MORE. Unusable for a pool that is as large already."""
        if order == KILL:
            return self.kill_a_worker()
        if order == MORE:
            return self.raise_pool(2 * self.limit)
        pool = RAISE.fullmatch(order)
        return self.raise_pool(int(pool[1])) if pool else None

    def kill_a_worker(self) -> Killed | None:
        """Kill a worker, a busy one if there is one, without a warning; None if there is none."""
        before = set(self.running.serving_pids())
        workers = sorted(before - {self.running.pid})
        if not workers:
            return None
        victim, clients = next(
            ((pid, count) for pid in workers if (count := self._clients(pid))), (workers[-1], 0)
        )
        at = time.perf_counter()
        with contextlib.suppress(OSError):
            os.kill(victim, signal.SIGKILL)
        self._until(lambda: set(self.running.serving_pids()) - before, REPLACED_WITHIN_S)
        follower = min(set(self.running.serving_pids()) - before, default=None)
        after_s = time.perf_counter() - at
        return Killed(
            pid=victim,
            at=at,
            clients=clients,
            follower=follower,
            after_s=after_s,
            when_needed=server_facts(self.running.server.by).first is not None,
        )

    def raise_pool(self, to: int) -> Raised:
        """Let the pool be so large: a SIGTTIN to the master for each further worker."""
        at, before = time.perf_counter(), self.limit
        check_raise(self.running.server, to, before)
        for _ in range(to - before):
            os.kill(self.running.pid, signal.SIGTTIN)
            self._wait_until_heard()
        self.limit = to
        when_needed = server_facts(self.running.server.by).first is not None
        grown = not when_needed and self._until(
            lambda: len(self.running.serving_pids()) >= to, GROWN_WITHIN_S
        )
        after_s = time.perf_counter() - at if grown else None
        return Raised(at=at, before=before, to=to, after_s=after_s, when_needed=when_needed)

    def _clients(self, pid: int) -> int:
        """Count the clients that are connected to a process."""
        with contextlib.suppress(psutil.Error, OSError):
            return sum(
                each.status == psutil.CONN_ESTABLISHED and each.laddr[1] == self.running.port
                for each in psutil.Process(pid).net_connections("tcp")
            )
        return 0

    def _wait_until_heard(self) -> None:
        """Wait until a signal has been taken: a second one of its kind is lost while the first has
        not been taken. It has when it is no longer pending and the master is asleep again."""
        status = Path(f"/proc/{self.running.pid}/status")

        def heard() -> bool:
            if not LINUX:
                return True
            lines = status.read_text("ascii").splitlines()
            fields = dict(line.partition(":")[::2] for line in lines)
            pending = int(fields["SigPnd"], 16) | int(fields["ShdPnd"], 16)
            asleep = fields["State"].split()[0] == "S"
            return asleep and not pending >> (signal.SIGTTIN - 1) & 1

        self.stop.wait(LOOK_S)
        self._until(heard, HEARD_WITHIN_S)

    def _until(self, done: Callable[[], object], within_s: float) -> bool:
        """Wait until something is done, and tell whether it was in time, and before a stop."""
        with contextlib.suppress(Stopped):
            return wait_until(done, within_s, every_s=LOOK_S, stop=self.stop)
        return False
