"""JMeter: a results file (JTL) as CSV with a head (5.6), whatever stands between its cells."""

import itertools
import re
from collections.abc import Iterable

from labs.imports.csv_rows import rows
from labs.imports.level import Level, Tally, count, steps
from labs.records.errors import Unusable

NAME = "JMeter"
KNOWN = re.compile(r"[\w,;\t]*\btimeStamp([,;\t])[\w,;\t]*\belapsed\b")
AGAIN = "Write it with `jmeter -n -t PLAN -l FILE -Jjmeter.save.saveservice.output_format=csv`."
WANTED = ("timeStamp", "elapsed", "responseMessage", "success", "allThreads")
TRANSACTION = "Number of samples in transaction"  # a row that repeats those of its parts
MS = 1e-3


def levels(lines: Iterable[str]) -> list[Level]:
    """Read a level for each number of threads that stayed, by the second in which samples ended."""
    tally, seen = Tally(), dict[int, set[int]]()
    head, table = itertools.tee(lines)
    between = KNOWN.match(next(head, ""))
    cells = rows(table, WANTED, between[1] if between else ",")
    for at, elapsed, message, success, threads in cells:
        if message.startswith(TRANSACTION):
            continue
        if success not in ("true", "false"):
            raise Unusable(f"success={success[:20]!r}: neither true nor false.")
        took = count(elapsed, "elapsed") * MS
        end_s = count(at, "timeStamp") * MS + took
        tally.add(end_s, failed=success == "false", took_s=took)
        seen.setdefault(int(end_s), set()).add(count(threads, "allThreads"))
    tally.users = {second: users.pop() if len(users) == 1 else 0 for second, users in seen.items()}
    return steps(tally.moments())
