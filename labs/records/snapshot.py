"""Counters of the machine and of the processes on it, read at one moment."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The use of the machine between two snapshots. CPU is in cores: a mean over `seconds`."""

    seconds: float
    server_cpu: float
    generator_cpu: float
    backend_cpu: float
    page_cpu: float  # this process and the one that started it
    browser_cpu: float | None  # whoever shows the page; None where none is to be seen
    others_cpu: float  # everyone else
    busy_cpu: float  # all of these
    steal_cpu: float  # of another virtual machine, while there was work here
    voluntary: int
    involuntary: int
    throttled_s: float
    listen_overflows: int
    run_delay: float | None = None  # threads of the server that were ready and had no core: a mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Counters at one moment: the difference of two is what happened between them. And, no counter,
    what others may have then."""

    at: float  # time.perf_counter
    server_s: float  # CPU seconds, of what it keeps its data in as well
    generator_s: float
    busy_s: float  # of all cores that we may use, by anyone
    own_s: float  # this process and the one that started it: kernel and page server
    voluntary: int  # context switches of the server
    involuntary: int
    throttled_s: float
    listen_overflows: int
    backend_s: float = 0.0  # of the slow backend that the server asks, in none of the others
    browser_s: float | None = None  # of the browser that shows the page, where it is to be seen
    steal_s: float = 0.0  # for which another virtual machine had a core that had work
    group_s: float | None = None  # of the `busy_s`, by all who share our CPU quota, if we have one
    spare_cores: float = math.inf  # that others may have before they take from that quota
    run_delay_s: float | None = None  # of the server's threads, see `labs.host.run_queue`
    threads_at: float | None = None  # when their delay and switches were read, if it was not then

    def until(self, after: Snapshot) -> Usage:
        """Tell what happened from this snapshot to a later one."""
        seconds = after.at - self.at
        server, generator, backend, page, busy, steal = (
            (getattr(after, name) - getattr(self, name)) / seconds
            for name in ("server_s", "generator_s", "backend_s", "own_s", "busy_s", "steal_s")
        )
        watched = seconds  # for which the threads' counters rose
        if self.threads_at is not None and after.threads_at is not None:
            watched = after.threads_at - self.threads_at
        browser = None
        if self.browser_s is not None and after.browser_s is not None:
            browser = (after.browser_s - self.browser_s) / seconds
        if self.group_s is not None and after.group_s is not None:
            group = (after.group_s - self.group_s) / seconds
            # Whoever has no part in the quota harms us only where the machine is full.
            outside = max(0.0, busy - group - after.spare_cores)
            steal *= min(1.0, group / busy) if busy > 0 else 1.0
            busy = group + outside
        return Usage(
            seconds=seconds,
            server_cpu=server,
            generator_cpu=generator,
            backend_cpu=backend,
            page_cpu=page,
            browser_cpu=browser,
            others_cpu=max(0.0, busy - server - generator - backend - page - (browser or 0.0)),
            busy_cpu=busy,
            steal_cpu=max(0.0, steal),
            voluntary=round((after.voluntary - self.voluntary) * seconds / watched),
            involuntary=round((after.involuntary - self.involuntary) * seconds / watched),
            throttled_s=after.throttled_s - self.throttled_s,
            listen_overflows=after.listen_overflows - self.listen_overflows,
            run_delay=None
            if self.run_delay_s is None or after.run_delay_s is None
            else (after.run_delay_s - self.run_delay_s) / watched,
        )


def shares(before: object, after: object) -> tuple[float, float, float, float]:
    """User, system, wait and idle fractions of one core between two psutil readings."""

    def gone(*names: str) -> float:
        return sum(
            max(0.0, getattr(after, name, 0.0) - getattr(before, name, 0.0)) for name in names
        )

    parts = (
        gone("user", "nice"),
        gone("system", "irq", "softirq"),
        gone("iowait", "steal"),
        gone("idle"),
    )
    whole = sum(parts) or 1.0
    user, system, wait, idle = (round(part / whole, 3) for part in parts)
    return user, system, wait, idle
