"""Locust: `_stats_history.csv` and `_stats.csv` of `--csv` (2.47)."""

import re
from collections.abc import Iterable
from itertools import chain

from labs.imports.csv_rows import rows
from labs.imports.level import Level, Moment, count, number, steps
from labs.records.errors import Unusable

NAME = "Locust"
KNOWN = re.compile(r"Timestamp,User Count,|Type,Name,Request Count,")
AGAIN = "Write it with `locust --csv NAME`, and give NAME_stats_history.csv."
HISTORY, WHOLE = "Timestamp,User Count,", "Type,Name,Request Count,"
ALL = "Aggregated"
MS = 1e-3
SHARES = ("50%", "90%", "95%", "99%")


def levels(lines: Iterable[str]) -> list[Level]:
    """A level for each number of users that stayed; of `_stats.csv` one without users. Its rates
    are averages of ten seconds, so differences of its counts are taken."""
    text = iter(lines)
    first = next(text)
    every = chain([first], text)
    return _history(every) if first.startswith(HISTORY) else [_whole(every)]


def _history(lines: Iterable[str]) -> list[Level]:
    moments: list[Moment] = []
    wanted = ("Timestamp", "User Count", "Name", "Total Request Count", "Total Failure Count")
    for at, users, name, *counts, mean in rows(lines, (*wanted, "Total Average Response Time")):
        if name == ALL:
            ended, failed = (
                count(text, what) for text, what in zip(counts, wanted[3:], strict=True)
            )
            took = ended * number(mean, "Total Average Response Time") * MS
            at_s = float(count(at, "Timestamp"))
            if moments and at_s < moments[-1].at_s:
                raise Unusable(f"its clock goes back at {at}.")
            moments.append(Moment(at_s, count(users, "User Count"), ended, failed, took))
    return steps(moments)


def _whole(lines: Iterable[str]) -> Level:
    wanted = ("Name", "Request Count", "Failure Count", "Average Response Time", "Requests/s")
    every = [row for row in rows(lines, (*wanted, *SHARES)) if row[0] == ALL]
    if len(every) != 1:
        raise Unusable(f"it has {len(every)} rows “{ALL}”.")
    ((_, requests, failures, mean, rate, *times),) = every
    ended, failed = count(requests, wanted[1]), count(failures, wanted[2])
    per_s = number(rate, "Requests/s")
    if not ended or not per_s or failed > ended:
        raise Unusable(f"{ended} requests, {failed} of them failed: nothing to count.")
    return Level(
        users=None,
        seconds=ended / per_s,
        completed=ended - failed,
        failed=failed,
        mean_response_time_s=number(mean, wanted[3]) * MS,
        percentiles=tuple(
            (float(share.rstrip("%")), number(ms, share) * MS)
            for share, ms in zip(SHARES, times, strict=True)
            if ms != "N/A"
        ),
    )
