"""ApacheBench: the text that `ab` prints (2.3)."""

import re
from collections.abc import Iterable

from labs.imports.level import Level, agree, count, found, number
from labs.records.errors import Unusable

NAME = "ab"
KNOWN = re.compile(r"This is ApacheBench")
AGAIN = "Write it with `ab -k -c 8 -n 1000 URL > FILE`."
COARSE_S = 0.005  # a mean in whole milliseconds below this is off by more than a tenth
ALL_REQUESTS = "100%"


def levels(lines: Iterable[str]) -> list[Level]:
    """One level. Its “Time per request” is N/X and no measurement, so R is the mean below “Total”,
    which `ab` rounds to milliseconds. An answer of another length than the first is no failure."""
    text = "".join(lines)

    def line(name: str, ending: str) -> str:
        return found(rf"^{name}:\s+(\S+){ending}\s*$", text, f"“{name}”")[1]

    ended = count(line("Complete requests", ""), "Complete requests")
    seconds = number(line("Time taken for tests", " seconds"), "Time taken")
    rate = number(line("Requests per second", r" \[#/sec\] \(mean\)"), "Requests per second")
    agree(rate * seconds, ended, "Requests per second × Time taken, and Complete requests")
    failed, unlike = count(line("Failed requests", ""), "Failed requests"), 0
    if kinds := re.search(r"\(Connect: \d+, Receive: \d+, Length: (\d+), Exceptions: \d+\)", text):
        unlike = count(kinds[1], "Failed requests")
        failed -= unlike
    if "Non-2xx responses:" in text:
        bad = count(line("Non-2xx responses", ""), "Non-2xx responses")
        failed, unlike = failed + bad, max(0, unlike - bad)  # which have another length, as a rule
    total = found(r"^Total:\s+\d+\s+(\S+)\s.*$", text, "the row “Total” of its times")
    mean_s = number(total[1], "Total") / 1000
    rows = [row.split()[:2] for row in text.partition("Percentage of the")[2].splitlines()[1:]]
    percentiles = [(row[0], row[1]) for row in rows if len(row) == 2]
    if ended > 1 and (not percentiles or percentiles[-1][0] != ALL_REQUESTS):
        raise Unusable("its percentages end before 100 %: it is cut.")
    return [
        Level(
            users=count(line("Concurrency Level", ""), "Concurrency Level"),
            seconds=seconds,
            completed=ended - failed,
            failed=failed,
            unlike=unlike,
            mean_response_time_s=mean_s if mean_s >= COARSE_S else None,
            percentiles=tuple(
                (number(share.rstrip("%"), "percentage"), number(ms, share) / 1000)
                for share, ms in percentiles
            ),
        )
    ]
