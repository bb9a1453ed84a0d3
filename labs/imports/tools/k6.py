"""k6: `--summary-export`, `--out json` and `--out csv`."""

import re
from collections.abc import Iterable
from datetime import datetime
from itertools import chain

import msgspec

from labs.imports.csv_rows import rows
from labs.imports.level import Amount, Count, Level, Tally, count, decoded, number, steps
from labs.records.errors import Unusable

NAME = "k6"
KNOWN = re.compile(r"metric_name,timestamp,|\{[^\0]*\"metrics?\":")
AGAIN = "Write it with `k6 run --out csv=FILE SCRIPT`."
CSV_HEAD = "metric_name,timestamp,metric_value,"
TIME, FAILED, USERS = "http_req_duration", "http_req_failed", "vus"
MS = 1e-3


class _Times(msgspec.Struct):  # milliseconds
    avg: Amount
    med: Amount
    p90: Amount | None = msgspec.field(name="p(90)", default=None)
    p95: Amount | None = msgspec.field(name="p(95)", default=None)


class _Requests(msgspec.Struct):
    count: Count
    rate: Amount


class _Failed(msgspec.Struct):
    passes: Count  # of the statement that it failed


class _Users(msgspec.Struct):
    least: Count = msgspec.field(name="min")
    most: Count = msgspec.field(name="max")


class _Metrics(msgspec.Struct):
    times: _Times = msgspec.field(name=TIME)
    requests: _Requests = msgspec.field(name="http_reqs")
    failed: _Failed = msgspec.field(name=FAILED)
    users: _Users = msgspec.field(name=USERS)


class _Summary(msgspec.Struct):
    metrics: _Metrics


class _Data(msgspec.Struct):
    time: datetime | None = None  # none in the line that declares a metric
    value: Amount = 0.0


class _Point(msgspec.Struct):
    type: str
    metric: str
    data: _Data


def levels(lines: Iterable[str]) -> list[Level]:
    """A level for each number of virtual users that stayed; of a summary one, without users where
    they changed."""
    text = iter(lines)
    first = next(text)
    every = chain([first], text)
    if first.startswith(CSV_HEAD):
        return _points(
            (name, number(at, "timestamp"), number(value, name))
            for name, at, value in rows(every, ("metric_name", "timestamp", "metric_value"))
        )
    if '"metric"' in first:
        return _points(_of_json(every))
    return [_summary(every)]


def _of_json(lines: Iterable[str]) -> Iterable[tuple[str, float, float]]:
    decoder = msgspec.json.Decoder(_Point)
    for place, line in enumerate(lines, 1):
        try:
            point = decoder.decode(line)
            at_s = point.data.time.timestamp() if point.data.time else None
        except (msgspec.DecodeError, RecursionError, ValueError, OverflowError):
            raise Unusable(f"line {place} is no whole point of k6: it is cut or damaged.") from None
        if point.type == "Point" and at_s is not None:
            yield point.metric, at_s, point.data.value


def _points(points: Iterable[tuple[str, float, float]]) -> list[Level]:
    tally, failed = Tally(), dict[int, int]()
    for name, at_s, value in points:
        if name == TIME:
            tally.add(at_s, failed=False, took_s=value * MS)
        elif name == FAILED:
            failed[int(at_s)] = failed.get(int(at_s), 0) + (value > 0)
        elif name == USERS:
            tally.users[int(at_s)] = count(f"{value:g}", "vus")
    for second, many in failed.items():
        ended, _, took = tally.seconds.get(second, (0, 0, 0.0))
        tally.seconds[second] = ended, many, took
    return steps(tally.moments())


def _summary(lines: Iterable[str]) -> Level:
    read = decoded(lines, _Summary).metrics
    times, ended, failed = read.times, read.requests.count, read.failed.passes
    if not read.requests.rate or not ended or failed > ended:
        raise Unusable(f"{ended} requests, {failed} of them failed: nothing to count.")
    shares = ((50, times.med), (90, times.p90), (95, times.p95))
    return Level(
        users=read.users.most if read.users.least == read.users.most else None,
        seconds=ended / read.requests.rate,
        completed=ended - failed,
        failed=failed,
        mean_response_time_s=times.avg * MS,
        percentiles=tuple((share, ms * MS) for share, ms in shares if ms is not None),
    )
