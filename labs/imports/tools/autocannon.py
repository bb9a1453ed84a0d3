"""autocannon: what `--json` prints (9.0)."""

import re
from collections.abc import Iterable
from typing import Annotated

import msgspec

from labs.imports.level import Amount, Count, Level, decoded

NAME = "autocannon"
KNOWN = re.compile(r"\{[^\0]*\"connections\":[^\0]*\"pipelining\":")
AGAIN = "Write it with `autocannon -c 8 -d 30 --json URL > FILE`."
MS = 1e-3


class _Latency(msgspec.Struct):  # milliseconds
    mean: Amount
    p50: Amount
    p90: Amount
    p99: Amount
    many: Count | None = msgspec.field(name="totalCount", default=None)


class _Requests(msgspec.Struct):
    total: Count


class _Report(msgspec.Struct, rename={"good": "2xx", "moved": "3xx"}):
    connections: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    pipelining: Annotated[int, msgspec.Meta(ge=1, le=1000)]
    samples: Count
    duration: Amount  # seconds
    sample_ms: Annotated[int, msgspec.Meta(ge=1, le=3_600_000)] = msgspec.field(name="sampleInt")
    errors: Count  # time-outs are among them
    good: Count
    moved: Count
    latency: _Latency
    requests: _Requests


def levels(lines: Iterable[str]) -> list[Level]:
    """One level. Its seconds are those of its samples, as its `duration` also holds start and end,
    but with `-a`, where the last sample isn't whole. A connection with pipelining counts as so many
    users. With `-R` more times are filled in than were measured, and their mean isn't told."""
    read = decoded(lines, _Report)
    times = read.latency
    good = min(read.good + read.moved, read.requests.total)
    ended = read.requests.total
    filled = times.many is not None and times.many > ended
    of = ((50, times.p50 * MS), (90, times.p90 * MS), (99, times.p99 * MS))
    return [
        Level(
            users=read.connections * read.pipelining,
            seconds=min(read.samples * read.sample_ms * MS, read.duration),
            completed=good,
            failed=ended - good + read.errors,
            mean_response_time_s=times.mean * MS if ended and not filled else None,
            percentiles=() if filled else of,
        )
    ]
