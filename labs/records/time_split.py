"""Where a level's time went: the parts of its mean response time."""

from dataclasses import dataclass

PARTS = (
    "on_core_s",
    "ready_s",
    "asked_s",
    "turn_s",
    "queued_s",
    "outside_s",
    "unexplained_s",
)
EXPLAINED = 0.05  # of the mean response time: as much may stay unexplained, or be counted twice


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSplit:
    """The mean response time of a level in parts, none negative, that add up to it. Seconds per
    request, each request counted by the share of its life in the window, as the mean itself is.

    A request's life has three spans, by stamps of client and server on one clock: before service
    (the client begins to ask, the application begins), in service, after service (the client has
    all of the answer). What each part is, and what it is evidence of:

    on_core_s: CPU time. In service that of the request's own thread; outside of it the rest of the
        server's CPU time per request (accept, parse, send), as far as it fits into the way there
        and back. It is the same at all levels unless the cores got slower: *demand*.
    ready_s: threads that could run and had no core (run-queue delay), no more of it than is left
        of the time in service and before it, or on the way while no worker is idle: what idle
        workers wait for after a wake-up that another one won belongs to no request. Evidence of
        *too few cores*, or of somebody else on them.
    asked_s: the wait that the request asked for, and as late as timer or backend were in the
        calibration. It is the same at all levels unless the *backend* got slower.
    turn_s: in service, and neither of these: for `turn_at`, which serves one request at a time.
        Python's lock (`interpreter`), the `event loop`, or what the wait is for (`disk`,
        `database`, `lock`; of `connections` each serves one). With the first two also time before
        service in which the request had no need to wait for a worker: who accepts it needs the lock
        or the loop as well. Evidence of *one-at-a-time*: more cores do not help, more processes
        may.
    queued_s: before service, for a worker. Evidence of a *pool that is full*. Without an
        interpreter's lock or a loop all that is left of the time before service.
    outside_s: the way there and back: what a lone user's request needed before service in the
        warm-up, and all from the end of service until the client has the answer; connection,
        loopback and the load generator's own work are in it. Evidence of a *load generator* that
        is full.
    unexplained_s: what none of these is. Above 5 % of the mean: see `missing`, or nothing that
        was measured explains it.
    """

    on_core_s: float
    ready_s: float
    asked_s: float
    turn_s: float
    queued_s: float
    outside_s: float
    unexplained_s: float
    turn_at: str = ""  # interpreter, event loop, disk, ...; "" where nothing is one's
    excess_s: float = 0.0  # by which what was measured is more than there is room for
    missing: str = ""  # what could not be measured and so lies in unexplained_s, in words

    @property
    def total_s(self) -> float:
        return float(sum(getattr(self, name) for name in PARTS))

    @property
    def explained(self) -> bool:
        """Whether the parts leave at most 5 % of the mean, and exceed it by no more."""
        return max(self.unexplained_s, self.excess_s) <= EXPLAINED * self.total_s
