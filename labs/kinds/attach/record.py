"""Attach's result: what was found of a server, what it costs, forecast and levels. SI units."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from labs.records.amounts import Amount, NotNegative
from labs.records.results import Point, Prediction, Result, middle, pick


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A server as seen from outside. Without a process only its answers can be."""

    program: str = ""  # as people call it; "" where no process is seen
    processes: NotNegative = 0
    threads: NotNegative = 0
    cores: NotNegative = 0  # that its processes may use together
    quota_cores: Amount | None = None  # that its cgroup lets it use, where that is less
    one_core_each: str = ""  # the runtime whose processes use a core at most; "" for others
    workers: NotNegative = 0  # processes that answer, as a rule
    pool: NotNegative | None = None  # requests that it holds at once, where told
    behind: tuple[str, ...] = ()  # programs that work when it is asked
    server: str = ""  # as it calls itself in its answers

    @property
    def visible(self) -> bool:
        """Whether the server's CPU time can be read."""
        return self.processes > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A quantity and between which values it lies, as far as the looks at it agree."""

    value: Amount
    low: Amount
    high: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """One measurement, from the first look to the last level."""

    recorded_at: str  # ISO 8601, UTC
    found: Found
    alone_s: Amount  # response time of one user
    demand: Known | None  # CPU seconds of a request in company; None where no process is seen
    wait: Known  # the rest of a lone request; without a demand, all of it
    think_time_s: Amount  # of a locustfile's users, measured: from an answer to the next request
    generator_s: Amount  # CPU seconds of the load generator a request, as last forecast with
    forecast: Prediction  # made before the levels
    looks: tuple[Point, ...]  # one user, and a few
    points: tuple[Point, ...] = ()
    locustfile: str = ""  # its name, where its users asked
    stopped: str = ""  # why the levels ended before the last one
    generators: NotNegative = 1  # Locust processes that asked, each on a core of its own


class Attached(Result, tag="attach", frozen=True, kw_only=True):
    """A server of the reader's own: its address, and one attachment or more."""

    url: str  # "" for the book's own server
    runs: tuple[Attachment, ...] = msgspec.field(name="attachments")

    @property
    def run(self) -> Attachment:
        """The middle attachment, by its highest throughput."""
        return middle(
            self.runs,
            lambda each: max((point.throughput_rps for point in each.points), default=0.0),
        )

    @property
    def points(self) -> tuple[Point, ...]:
        """The levels of the run that is drawn."""
        return self.run.points

    @property
    def best(self) -> Point:
        """The level with the highest throughput. ValueError where none was measured."""
        return max(self.points, key=lambda point: point.throughput_rps)

    def at(self, users: int) -> Point:
        """Find the level with so many users. KeyError says which there are."""
        return pick(self.points, users=users)
