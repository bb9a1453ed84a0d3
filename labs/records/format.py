"""Numbers as a person says them: rounded to what is worth saying, with their unit."""

import math
from collections.abc import Callable, Sequence

from labs.records.histogram import MoreThan

NARROW = "\u00a0"  # between a number and its unit: they stay on one line


def digits(value: float, count: int = 3) -> str:
    """Round to so many digits, without exponent: 1283.4 -> 1,280, 16.67 -> 16.7.

    >>> digits(1283.4), digits(16.67), digits(0.1667), digits(50.0), digits(0)
    ('1,280', '16.7', '0.167', '50', '0')
    """
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = count - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):,.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def cores(value: float, count: int = 3) -> str:
    """Cores' worth of work: `1 core`, `1.95 cores`."""
    text = digits(value, count)
    return f"{text} core" if text == "1" else f"{text} cores"


def rate(per_s: float) -> str:
    """Requests per second.

    >>> rate(38.13)
    '38.1\\xa0req/s'
    """
    return f"{digits(per_s)}{NARROW}req/s"


def rounded(value: float) -> float:
    """Round a number as a reader sees it said.

    >>> rounded(38.1349)
    38.1
    """
    return float(digits(value).replace(",", ""))


def quotient(over: float, under: float) -> float:
    """Divides two numbers as they are said, so that whoever divides them again finds the same:
    infinite where only the second is 0, and 1 where both are.

    >>> quotient(38.1349, 10.04), quotient(1, 0), quotient(0, 0)
    (3.81, inf, 1.0)
    """
    if not under:
        return math.inf if over else 1.0
    return rounded(over) / rounded(under)


def duration(seconds: float) -> str:
    """Say a time in µs below a tenth of a millisecond, in ms below 10 s, then in seconds.

    >>> duration(0.00004), duration(0.2), duration(1.2345), duration(12.3)
    ('40\\xa0µs', '200\\xa0ms', '1,230\\xa0ms', '12.3\\xa0s')
    """
    if 0 < seconds < 0.0001:
        return f"{digits(seconds * 1e6, 2)}{NARROW}µs"
    if seconds < 10:
        return f"{digits(seconds * 1000)}{NARROW}ms"
    return f"{digits(seconds)}{NARROW}s"


def or_more(say: Callable[[float], str]) -> Callable[[float | MoreThan], str]:
    """Say a time in the same words, also for one of which it is only known what it exceeds.

    >>> or_more(duration)(MoreThan(3.2))
    'more than 3,200\\xa0ms'
    """

    def said(value: float | MoreThan) -> str:
        return f"more than {say(value.seconds)}" if isinstance(value, MoreThan) else say(value)

    return said


def percent(fraction: float) -> str:
    """Say a share in two digits, all that it deserves; more than all is never said as all.

    >>> percent(0.1667), percent(0.97), percent(0.004), percent(1.04)
    ('17\\xa0%', '97\\xa0%', '0.4\\xa0%', '104\\xa0%')
    """
    return f"{digits(fraction * 100, 3 if abs(fraction) > 1 else 2)}{NARROW}%"


def change(fraction: float) -> str:
    """Say a share more or less than something, with its sign.

    >>> change(0.12), change(-0.05)
    ('+12\\xa0%', '-5\\xa0%')
    """
    return f"{'+' if fraction >= 0 else '-'}{percent(abs(fraction))}"


def speed(ratio: float) -> str:
    """Say a speed beside the one before: `4 % slower`, with a narrow space."""
    return f"{percent(abs(ratio - 1))} {'slower' if ratio < 1 else 'faster'}"


def seconds(length_s: float) -> str:
    """Say how long somebody has to wait: whole seconds are enough.

    >>> seconds(21.4), seconds(0.2)
    ('21\\xa0s', '1\\xa0s')
    """
    return f"{max(1, round(length_s))}{NARROW}s"


def size(count: float) -> str:
    """Bytes of memory, in the unit that leaves few digits.

    >>> size(5_242_880), size(12_300), size(3 * 2**30)
    ('5\\xa0MiB', '12\\xa0KiB', '3\\xa0GiB')
    """
    unit, name = next(
        (each for each in ((2**30, "GiB"), (2**20, "MiB")) if abs(count) >= each[0]), (2**10, "KiB")
    )
    return f"{digits(count / unit)}{NARROW}{name}"


def plain(value: float | None, count: int = 4) -> str:
    """Write for programs: no thousands marks and no unit; nothing where there is no value. Four
    digits are more than most of it is worth.

    >>> plain(1283.4), plain(0.16667), plain(None)
    ('1283', '0.1667', '')
    """
    return "" if value is None else digits(value, count).replace(",", "")


def counted(number: int, one: str, many: str = "") -> str:
    """Say how many: `1 thread`, `8 threads`; what `many` are called, where an s does not make it.

    >>> counted(1, "process", "processes"), counted(8, "process", "processes")
    ('1 process', '8 processes')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def crowd(number: int) -> str:
    """Say how many users: `1 user`, `8 users`."""
    return "1 user" if number == 1 else f"{number:,} users"


def unserved(never_served: int, users: int) -> str:
    """Say whom the averages do not know; nothing where they know all.

    >>> unserved(26, 64), unserved(0, 64)
    ('26 of 64 users never served', '')
    """
    return f"{never_served} of {crowd(users)} never served" if never_served else ""


def listed(levels: Sequence[object]) -> str:
    """Join words or numbers: `1, 2 and 4`."""
    *most, last = map(str, levels)
    return f"{', '.join(most)} and {last}" if most else last


def number(text: str) -> int | float | str:
    """Read a whole number, else a fraction, else leave the text for the record to refuse."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def printable(text: str) -> str:
    """Put a text in one line that steers no terminal: a file's name is somebody else's text too.

    >>> printable("a\\x1b[2J.csv")
    'a\ufffd[2J.csv'
    """
    return "".join(each if each.isprintable() or each == NARROW else "\ufffd" for each in text)
