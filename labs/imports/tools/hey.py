"""hey: the text that it prints (0.1.4)."""

import re
from collections.abc import Iterable

from labs.imports.level import Level, agree, count, found, number

NAME = "hey"
KNOWN = re.compile(r"\n?Summary:\n  Total:\t")
AGAIN = "Write it with `hey -c 8 -z 30s URL > FILE`."
GOOD = range(200, 400)


def levels(lines: Iterable[str]) -> list[Level]:
    """Read one level, of which hey doesn't say how many users it had."""
    text = "".join(lines)

    def line(name: str, ending: str) -> float:
        return number(found(rf"^  {name}:\t(\S+){ending}$", text, f"“{name}”")[1], name)

    statuses = re.findall(r"^  \[(\d{3})\]\t(\d+) responses$", text, re.MULTILINE)
    by_status = [(int(status), count(many, status)) for status, many in statuses]
    _, _, errors = text.partition("Error distribution:")
    lost = sum(count(many, "errors") for many in re.findall(r"^  \[(\d+)\]\t", errors, re.M))
    seconds, rate = line("Total", " secs"), line("Requests/sec", "")
    good = sum(many for status, many in by_status if status in GOOD)
    ended = sum(many for _, many in by_status) + lost
    agree(rate * seconds, ended, "Requests/sec × Total, and the answers")
    return [
        Level(
            users=None,
            seconds=seconds,
            completed=good,
            failed=ended - good,
            mean_response_time_s=line("Average", " secs") if by_status else None,
            percentiles=tuple(
                (number(share, "percentage"), number(value, share))
                for share, value in re.findall(r"^  (\d+)%+ in (\S+) secs$", text, re.MULTILINE)
            ),
        )
    ]
