"""What was measured and what was predicted: the nouns of every result. SI units, fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import msgspec

from labs.records.amounts import Amount, Cores, NotNegative, Ratio, Speed, Spent, Users
from labs.records.errors import BadRecording
from labs.records.histogram import MoreThan, percentile
from labs.records.time_split import TimeSplit

LowerBy = Literal["users in step", "separate run queues"]

SCHEMA = 1  # of a recording; raise it when an old file can no longer be read


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The fingerprint of the computer that measured. Names no user and no host."""

    system: str  # Linux 6.18, Darwin 25.1
    processor: str  # the model's name
    cores: Cores  # that this process may use: affinity and quota applied, rounded up
    logical_cores: Cores  # that the machine has
    physical_cores: Cores | None  # of the machine, without hyper-threads, where the system says
    quota_cores: Speed | None  # CPU quota of the container, in cores
    memory_bytes: NotNegative  # that this process may use
    python: str  # CPython 3.11.7
    gil: bool  # whether threads share one interpreter lock
    versions: dict[str, str] = field(default_factory=dict)  # of the servers and tools
    core_kinds: tuple[Cores, ...] = ()  # how many of each kind, the fastest first; () if all alike

    @property
    def kinds(self) -> str:
        """Kinds of the machine's cores: `8 fast, 8 slower`; nothing where all are alike."""
        fast, *slower = self.core_kinds or (0,)
        return f"{fast} fast, {' and '.join(map(str, slower))} slower" if slower else ""

    @property
    def caption(self) -> str:
        """Describe the machine in one line, for under a figure."""
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        cores += f" ({self.kinds})" if self.kinds else ""
        memory = f"{self.memory_bytes / 2**30:.0f} GiB"
        return f"{cores}, {self.processor}, {memory}, {self.system}, {self.python}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The speed of the machine, burned hot just before the load, and what its server then did.

    The rule for c and D: c counts *logical* cores, and D is the CPU seconds of a request while so
    many of them are busy (`demand_s`). Where two of them share one core's parts, D rises and c
    does not. Cores' worth of work (`capacity`) go with the work of a lone process only: beside a
    D under load they would count the same slowness twice.
    """

    # Of the unit of work, in all, per CPU second of each of 1, 2, ... busy processes. A quota that
    # holds them back, and whoever else takes a core, are not in it: see `use`.
    loops_per_s: tuple[Speed, ...]
    noise_fraction: Amount  # spread of repeated burns, (fastest - slowest) / median
    unit: str = "counting"  # that was burned; "counting in PHP" in another language
    use: Speed = 1.0  # part of all logical cores' time that work gets which could fill them
    timer_s: float = 0.0  # how late a wait ends
    overhead_s: Spent = 0.0  # CPU seconds the server spends on a request beside its work
    generator_s: Spent = 0.0  # CPU seconds the load generator spends on a request
    work_ratio: Ratio = 1.0  # a lone user's work in the server, over as long as burned alone
    crowd_ratio: Ratio | None = None  # a crowd's, over as long as burned with as many cores busy
    spread: Amount = 0.0  # between halves of what the crowd got done, or to a burn before; relative
    delay_s: float = 0.0  # of a lone user's request that is neither its work nor anybody's CPU time
    handover_s: Spent = 0.0  # of what one request at a time can have, from one to the next

    def ordered_by(self, loops_per_s: float) -> Calibration:
        """Calibration where a second's work is so many loops, whatever a core here does of them."""
        alone = self.loops_per_s[0]
        return replace(
            self,
            loops_per_s=tuple(speed / alone * loops_per_s for speed in self.loops_per_s),
            work_ratio=self.work_ratio * loops_per_s / alone,
            crowd_ratio=self.crowd_ratio and self.crowd_ratio * loops_per_s / alone,
        )

    def demand_s(self, cpu_s: float, busy: float = 1.0, crowded: float = 0.0) -> float:
        """D: CPU seconds of a request that asks for so many of work, with so many logical cores
        `busy` (between whole numbers, a straight line).

        crowded: how far the server is from a lone user, between whose requests it naps (0), to a
        crowd that leaves it no pause (1). Assumes that a request costs as much beside its work,
        however many there are.
        """
        crowd = self.work_ratio if self.crowd_ratio is None else self.crowd_ratio
        ratio = self.work_ratio + crowded * (crowd - self.work_ratio)
        return cpu_s * ratio * between(self.slowdowns, busy) + self.overhead_s

    @property
    def slowdowns(self) -> tuple[float, ...]:
        """CPU seconds of the burned work with 1, 2, ... logical cores busy, over alone. Without the
        noise of the burns: one more busy core does at least nothing, at most what one does alone.
        """
        steady = [1.0]
        for worth in (speed / self.loops_per_s[0] for speed in self.loops_per_s[1:]):
            steady.append(min(max(worth, steady[-1]), steady[-1] + 1))
        return tuple(busy / worth for busy, worth in enumerate(steady, 1))

    @property
    def capacity(self) -> tuple[float, ...]:
        """Cores' worth of work done with 1, 2, ... processes busy; rises by less than one
        each where cores share parts (hyper-threads) or other work takes its share."""
        most = self.use * len(self.loops_per_s)
        return tuple(
            min(1.0, most / busy) * speed / self.loops_per_s[0]
            for busy, speed in enumerate(self.loops_per_s, 1)
        )


def between(values: Sequence[float], place: float) -> float:
    """Read values at a place from 1 on, between two of them on a straight line; the last beyond."""
    place = min(max(place, 1.0), float(len(values)))
    low = int(place)
    high = min(low + 1, len(values))
    return values[low - 1] + (place - low) * (values[high - 1] - values[low - 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Something to know about a point before believing it."""

    name: str
    unfit: bool  # True: drawn hollow and kept out of comparisons; False: told, and drawn filled
    sentence: str


def unfit(name: str, sentence: str) -> Check:
    """A reason to draw the point hollow."""
    return Check(name=name, unfit=True, sentence=sentence)


def told(name: str, sentence: str) -> Check:
    """Something worth knowing; the point stands."""
    return Check(name=name, unfit=False, sentence=sentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One of the windows of a level, with what it found by itself."""

    at_s: float  # its middle, since the run was begun, that of all parts where there are parts
    seconds: Amount
    throughput_rps: Amount
    throughput_ci_rps: tuple[float, float]  # 95 %, from batches within it
    connections: dict[str, int] = field(default_factory=dict)  # as of a point
    anew: bool = False  # whether the server was started again for it
    core_speed: float | None = None  # as of a point, where the cores were burned around each window


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is measured of a level of a sweep as of a step of a timeline. Rates and CPU are means
    over its time."""

    seconds: Amount  # of a level: the windows, together
    completed: Amount  # requests, each counted by the share of its life inside the time
    failed: NotNegative
    no_port: NotNegative = 0  # of those that failed, for want of a port
    throughput_rps: Amount  # successes only
    throughput_ci_rps: tuple[float, float]  # 95 %, at least +- 2 %
    mean_response_time_s: Amount  # of those that get an answer, by share: see `window.count`
    workers: NotNegative | None = None  # processes or threads that served
    server_cpu: float  # CPU seconds per second
    generator_cpu: float
    others_cpu: float  # everyone else, without this process and its parent
    page_cpu: float = 0.0  # of this process and its parent: a page's kernel, and the book's server
    browser_cpu: float | None = None  # of the browser that shows the page, where it can be seen
    steal_cpu: float = 0.0  # of another virtual machine, while there was work here
    throttled_s: float = 0.0  # the CPU quota held the machine back
    listen_overflows: NotNegative = 0  # connections that found the listen queue full
    checks: tuple[Check, ...] = ()

    @property
    def fit(self) -> bool:
        return not any(check.unfit for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point(Measured):
    """One level of users, measured in two windows, one on the way up through the levels and one on
    the way down; its interval is as `analysis.visits` has it."""

    users: Users
    lost_processes: NotNegative = 0  # of the server's, that ended under way
    never_served: NotNegative  # users without one completion in window + forecast response time
    halves_rps: tuple[float, float]  # first and second half of a window
    histogram: dict[int, float]  # of response times: bucket -> how many, see `histogram`
    longer: float = 0.0  # of the completed, take longer than any in it; nobody knows how long
    demand_s: Amount  # server's CPU seconds per request
    littles_law: float  # X (R + Z) / N, which is 1
    pss_bytes: NotNegative | None = None  # memory of the server, shared pages counted once
    voluntary_switches: float | None = None  # per request, of the server
    involuntary_switches: float | None = None
    connections: dict[str, int] = field(default_factory=dict)  # process id -> users it served
    service_time_s: float | None = None  # mean; from the application's begin of it to the end
    backend_cpu: float = 0.0  # of the slow backend, in neither server's, generator's nor others'
    server_cores: NotNegative | None = None  # that its processes were allowed, after the window
    core_speed: float | None = None  # by burns around its windows, over when the forecast was made
    time_split: TimeSplit | None = None  # the parts of the mean response time
    visits: tuple[Visit, ...] = ()  # whose point this is

    @property
    def splits(self) -> tuple[dict[str, int], ...]:
        """Split of the connections among processes, for each start of the server: one, or two where
        it was started anew for the second visit."""
        if not self.visits:
            return (self.connections,)
        first, *later = self.visits
        anew = [each.connections for each in later if each.connections and each.anew]
        return (first.connections or self.connections, *anew)

    @property
    def queued_s(self) -> float | None:
        """Mean of the response time's rest: in the listen queue, and for the way there and back."""
        service_s = self.service_time_s
        return None if service_s is None else max(0.0, self.mean_response_time_s - service_s)

    def percentile_s(self, fraction: float) -> float | MoreThan | None:
        """Response time that `fraction` of the requests stay below, within 1 %.

        None with fewer than 10 samples beyond it: there is nothing to quote. MoreThan the longest
        that was seen, where too many were still open to know it.
        """
        return percentile(self.histogram, fraction, self.longer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look at the machine while a run goes on. Fractions of the time since the last."""

    at_s: float  # since the run's first request
    users: Users
    cores: tuple[tuple[float, float, float, float], ...]  # per core: user, system, wait, idle
    workers: NotNegative | None
    server_cpu: float  # CPU seconds per second
    generator_cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedLevel:
    """The forecast of one level of users."""

    users: Users
    bound_rps: Amount  # asymptotic upper bound
    model_rps: Amount
    model_response_time_s: Amount
    limit: str  # what holds it back: users, cpu, pool, event loop, load generator, ...
    lower_rps: float | None = None  # how low it may be, where something can keep it down
    lower_by: LowerBy = "users in step"  # what can: constant times, or a queue at each core
    demand_s: Amount  # CPU seconds of a request with as many cores busy as expected
    bound_ci_rps: tuple[float, float] | None = None  # as far as the calibration's halves agree
    band_rps: tuple[float, float] | None = None  # that holds the measurement nine times in ten


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The model's word on an experiment, before the load or from demand measured in it."""

    demand_s: Amount  # CPU seconds per request it assumed; the last level's, where they differ
    wait_s: Amount
    levels: tuple[PredictedLevel, ...]
    notes: tuple[str, ...] = ()  # assumptions worth reading

    def at(self, users: int) -> PredictedLevel:
        """Find the level of so many users; KeyError says which there are."""
        return pick(self.levels, users=users)


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Source of the machine's power at one moment."""

    on_battery: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One measurement of an experiment, from calibration to the last level."""

    recorded_at: str  # ISO 8601, UTC
    calibration: Calibration
    forecast: Prediction  # made before the load started
    points: tuple[Point, ...]
    seed: int | None = None  # of what the requests drew
    way_there_s: Spent = 0.0  # of a lone user's request, until the application begins it
    loops_per_s: Speed | None = None  # of all cores, burned before the warm-up and after
    power: tuple[Power, ...] = ()  # when it began, and when it ended


class Result(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The result of a lab of any kind: `runs` of it on one `machine`. Its tag, which stands in the
    file as `kind`, is the name of the kind's folder in `labs/kinds`."""

    holds = ("", "run")  # without what it cannot be: a field of each run, and what is in there

    machine: Machine
    schema: int = SCHEMA

    @property
    def runs(self) -> tuple[Any, ...]:
        """The runs, round by round: a field of most kinds; others make them of what they have."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        name, what = self.holds
        if not self.runs or not all(getattr(run, name) for run in self.runs if name):
            raise BadRecording(f"The recording holds no {what}. Record it again.")


Record = TypeVar("Record")


def middle(runs: Sequence[Record], key: Callable[[Record], float]) -> Record:
    """The middle run by that key, the lower one of two: the one that is drawn."""
    return sorted(runs, key=key)[(len(runs) - 1) // 2]


def pick(records: Iterable[Record], **wanted: Any) -> Record:
    """Find the record with these values in its fields: `pick(counts, name="without a lock")`.
    KeyError says which there are."""
    there = []
    for record in records:
        found = {name: getattr(record, name) for name in wanted}
        if found == wanted:
            return record
        there.append(" ".join(map(str, found.values())).strip())
    asked = ", ".join(f"{name}={value!r}" for name, value in wanted.items())
    raise KeyError(f"{asked}: not recorded. There are {', '.join(there)}.")
