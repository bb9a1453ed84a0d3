"""vegeta: the JSON of `vegeta report -type=json` (12.12)."""

import re
from collections.abc import Iterable

import msgspec

from labs.imports.level import Amount, Count, Level, decoded

NAME = "vegeta"
KNOWN = re.compile(r"\{\"latencies\":[^\0]*\"bytes_in\":")
AGAIN = "Write it with `vegeta attack … | vegeta report -type=json > FILE`."
GOOD = ("2", "3")  # first digit of a status
NS = 1e-9


class _Report(msgspec.Struct):
    latencies: dict[str, Amount]  # nanoseconds
    duration: Amount  # nanoseconds from the first request to the last
    wait: Amount  # nanoseconds for the last answer
    requests: Count
    status_codes: dict[str, Count]


def levels(lines: Iterable[str]) -> list[Level]:
    """One level: vegeta keeps a rate, so nobody has set how many ask at once."""
    read = decoded(lines, _Report)
    good = sum(many for status, many in read.status_codes.items() if status.startswith(GOOD))
    times = {name: value * NS for name, value in read.latencies.items()}
    return [
        Level(
            users=None,
            seconds=(read.duration + read.wait) * NS,
            completed=good,
            failed=read.requests - good,
            mean_response_time_s=times.get("mean"),
            percentiles=tuple(
                (float(name[:-2]), times[name])
                for name in ("50th", "90th", "95th", "99th")
                if name in times
            ),
        )
    ]
