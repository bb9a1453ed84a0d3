"""Step results and time bins of a timeline, from raw request records and samples. No processes."""

import errno
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labs.analysis import window
from labs.kinds.timeline.record import TIME_BIN_S, StepResult, TimeBin
from labs.records.requests import Report
from labs.records.results import Sample
from labs.records.snapshot import Snapshot, shares
from labs.records.steps import Step
from workloads.protocol import FAILED, LATE, MISSED, OK

Floats = NDArray[np.float64]
Records = NDArray[np.void]  # of `labs.records.requests`
FAILS_WITHIN_S = 1.0  # of a worker's death, what it was answering has failed
GONE_WITHIN_S = 0.05  # of its being killed, it takes no more requests
USED = (  # what a step and a usage call the same
    *("server_cpu", "generator_cpu", "others_cpu", "page_cpu", "browser_cpu", "steal_cpu"),
    *("throttled_s", "listen_overflows"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Border:
    """Border of a step: what was read where it began or ended."""

    at_s: float  # as planned; the counters were read then or a little later
    snapshot: Snapshot
    cores: Sequence[object]  # psutil.cpu_times(percpu=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """All requests of a run so far, as in a `Report`; times in seconds since the run began."""

    records: Records  # late: from when it was due until it was sent; missed: it found no user
    open_starts: Floats  # of those under way at `now_s`
    open_users: NDArray[np.int32]
    now_s: float

    def of(self, *kinds: int) -> Records:
        """Select the requests that ended so."""
        return self.records[np.isin(self.records["kind"], kinds)]

    @property
    def starts(self) -> Floats:
        """List when each request began that found a user."""
        return np.concatenate([self.of(OK, FAILED)["start"], self.open_starts])

    def under_way(self, at_s: Floats | float) -> NDArray[np.int64]:
        """Count the requests that had begun by then and not ended."""
        return _by(self.starts, at_s) - _by(self.of(OK, FAILED)["end"], at_s)


def requests_of(report: Report, *, began: float) -> Requests:
    """Take requests from a driver's report; those from before the run are left out."""
    records = report.records[report.records["start"] >= began]
    for time in ("start", "end"):
        records[time] -= began
    still = {user: start for user, start in report.flying.items() if start >= began}
    return Requests(
        records=records,
        open_starts=np.array(list(still.values()), dtype=float) - began,
        open_users=np.array(list(still), dtype=np.int32),
        now_s=report.at - began,
    )


def lost(requests: Requests, deaths: Sequence[float], from_s: float, to_s: float) -> int:
    """Count the requests that failed in between with a worker that was killed: begun by its death,
    they failed soon afterwards."""
    failed, at_s = requests.of(FAILED), np.array(deaths)[:, None]
    starts, ends = failed["start"], failed["end"]
    soon = (ends >= at_s) & (ends < at_s + FAILS_WITHIN_S) & (starts <= at_s + GONE_WITHIN_S)
    return _between(ends[soon.any(axis=0)], from_s, to_s)


def step_result(
    step: Step, requests: Requests, before: Border, after: Border, workers: int | None
) -> StepResult:
    """Sum up one step, without checks. `requests.now_s` is at its end or later."""
    begin, end, good = before.at_s, after.at_s, requests.of(OK)
    if step.users is not None:
        group = good[good["user"] < step.users]
        still = requests.open_users < step.users
        counted = window.count(
            group["start"],
            group["end"],
            requests.open_starts[still & (requests.open_starts < end)],
            begin=begin,
            end=end,
            now=max(requests.now_s, end),
        )
        completed, interval_rps = counted.completed, counted.interval_rps
        response_s = counted.mean_response_time_s
    else:
        starts, ends = good["start"], good["end"]
        completed, interval_rps = window.departures(ends, begin=begin, end=end)
        lives = (ends - starts)[(ends >= begin) & (ends < end)]
        response_s = float(lives.mean()) if lives.size else 0.0
    used = before.snapshot.until(after.snapshot)
    begun = _between(requests.starts, begin, end)
    late = requests.of(LATE)
    late = late[(late["start"] >= begin) & (late["start"] < end)]
    bad = requests.of(FAILED)
    return StepResult(
        seconds=end - begin,
        begun=begun,
        completed=completed,
        failed=_between(bad["end"], begin, end),
        no_port=_between(bad[bad["process"] == errno.EADDRNOTAVAIL]["end"], begin, end),
        missed=_between(requests.of(MISSED)["start"], begin, end),
        late=len(late),
        late_s=float((late["end"] - late["start"]).sum()) / begun if begun else 0.0,
        throughput_rps=completed / (end - begin),
        throughput_ci_rps=interval_rps,
        mean_response_time_s=response_s if np.isfinite(response_s) else 0.0,
        workers=workers,
        in_flight=int(requests.under_way(end)),
        cores=tuple(
            round(sum(shares(one, other)[:2]), 3)
            for one, other in zip(before.cores, after.cores, strict=True)
        ),
        **{name: getattr(used, name) for name in USED},
    )


def time_bins(
    steps: Sequence[Step], requests: Requests, samples: Sequence[Sample], until_s: float
) -> tuple[TimeBin, ...]:
    """Fill every whole quarter of a second until then, with what the samples say of it."""
    edges = np.arange(0.0, until_s + TIME_BIN_S / 100, TIME_BIN_S)
    if len(edges) < 2:
        return ()
    good = requests.of(OK)
    completed, _ = np.histogram(good["end"], edges)
    lives, _ = np.histogram(good["end"], edges, weights=good["end"] - good["start"])
    failed, _ = np.histogram(requests.of(FAILED)["end"], edges)
    begun, _ = np.histogram(requests.starts, edges)
    under_way = requests.under_way(edges[1:])
    step_ends = np.cumsum([step.seconds for step in steps])
    found = []
    for at, edge in enumerate(edges[1:]):
        seen = [sample for sample in samples if edge - TIME_BIN_S < sample.at_s <= edge]
        seen = seen or [sample for sample in samples if sample.at_s <= edge][-1:]
        step = steps[min(int(np.searchsorted(step_ends, edge - TIME_BIN_S / 2)), len(steps) - 1)]
        found.append(
            TimeBin(
                at_s=round(float(edge), 3),
                users=step.users,
                begun=int(begun[at]),
                completed=int(completed[at]),
                failed=int(failed[at]),
                mean_response_time_s=(
                    round(float(lives[at] / completed[at]), 6) if completed[at] else None
                ),
                in_flight=int(under_way[at]),
                workers=seen[-1].workers if seen else None,
                cores=_mean_cores(seen),
            )
        )
    return tuple(found)


def ramp(samples: Sequence[Sample]) -> tuple[tuple[float, int], ...]:
    """List when the number of workers was seen to change, and to what; the first at 0."""
    found: list[tuple[float, int]] = []
    for sample in samples:
        if sample.workers is not None and (not found or found[-1][1] != sample.workers):
            found.append((sample.at_s if found else 0.0, sample.workers))
    return tuple(found)


def _mean_cores(samples: Sequence[Sample]) -> tuple[tuple[float, float, float, float], ...]:
    if not samples:
        return ()
    means = np.mean([sample.cores for sample in samples], axis=0).round(2).tolist()
    return tuple((user, system, wait, idle) for user, system, wait, idle in means)


def _by(times: Floats, at_s: Floats | float) -> NDArray[np.int64]:
    """Count the times that lie at or before."""
    return np.searchsorted(np.sort(times), at_s, side="right")


def _between(times: Floats, from_s: float, to_s: float) -> int:
    return int(((times >= from_s) & (times < to_s)).sum())
