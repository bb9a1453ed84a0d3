"""wrk and wrk2: the text that they print (4.1; wrk2 as of 2019, which calls itself 4.0)."""

import re
from collections.abc import Iterable

from labs.imports.level import Level, agree, count, found, number

NAME = "wrk"
KNOWN = re.compile(r"Running \S+ test @ ")
AGAIN = "Write it with `wrk -t1 -c8 -d30s --latency URL > FILE`."
BY_WRK2 = "Thread calibration"  # a line that only it writes
UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


def levels(lines: Iterable[str]) -> list[Level]:
    """One level. wrk2 keeps a rate, so nobody has set how many ask at once. wrk leaves answers
    after its time-out out of the mean, which is then unknown."""
    text = "".join(lines)
    done = found(r"^  (\S+) requests in (\d+\.\d+)(us|ms|s|m|h), ", text, "“requests in”")
    ended = count(done[1], "requests")
    rate = number(found(r"^Requests/sec: +(\S+)$", text, "“Requests/sec”")[1], "Requests/sec")
    seconds = number(done[2], "requests in") * UNITS[done[3]]
    found(r"^Transfer/sec: ", text, "“Transfer/sec”, its last line")
    if rate and done[3] not in "mh":
        agree(rate * seconds, ended, "Requests/sec × seconds, and requests")
    if rate:
        seconds = ended / rate  # the other is rounded
    failed = late = 0
    if "Non-2xx or 3xx" in text:
        bad = found(r"^  Non-2xx or 3xx responses: (\S+)$", text, "the other answers")
        failed = count(bad[1], "Non-2xx or 3xx responses")
    unanswered = 0
    if "Socket errors" in text:
        errors = found(
            r"^  Socket errors: connect (\S+), read (\S+), write (\S+), timeout (\S+)$",
            text,
            "all socket errors",
        )
        *lost, late = (count(each, "Socket errors") for each in errors.groups())
        unanswered = sum(lost)
    mean = found(r"^    Latency +(\S+?)(us|ms|s|m|h) ", text, "“Latency”")
    at_a_rate = BY_WRK2 in text
    threads, opened = (
        count(each, "threads and connections")
        for each in found(
            r"^  (\d+) threads and (\S+) connections$", text, "threads and connections"
        ).groups()
    )
    return [
        Level(
            users=None if at_a_rate else opened - opened % max(1, threads),  # as it opens them
            seconds=seconds,
            completed=ended - failed,
            failed=failed + unanswered,
            mean_response_time_s=None if late or not ended else _seconds(mean),
            percentiles=tuple(
                (number(row[1], "percentage"), number(row[2], row[1]) * UNITS[row[3]])
                for row in re.finditer(r"^ +(\d+(?:\.\d+)?)% +(\S+?)(us|ms|s|m|h)$", text, re.M)
            ),
        )
    ]


def _seconds(found: re.Match[str]) -> float:
    return number(found[1], "Latency") * UNITS[found[2]]
