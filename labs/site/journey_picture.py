"""The still picture of one request's journey: where it is, and whose clock runs meanwhile."""

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from labs.site.svg import FILLED, OUTLINED, PALE, box, drawing, text

LEFT, RIGHT, TOP = 104, 634, 4
PITCH, HIGH = 22, 13
ROWS = {  # of the picture: the parts of the journey that go by there
    "client": ("due", "unread"),
    "on its way": ("connect", "request", "response"),
    "listen queue": ("line",),
    "run queue": ("ready",),
    "on a core": ("core",),
    "waiting": ("wait",),
}
SERVICE = ("ready", "core", "wait")
SEEN = ("connect", "request", "line", *SERVICE, "response")
CLOCKS = {  # as in book/web/src/scenes/journey_model.ts: whose clock runs in which parts
    "client": ("client", SEEN),
    "ab": ("ab", ("due", *SEEN, "unread")),
    "locust": ("Locust", (*SEEN, "unread")),
    "log": ("server's log", SERVICE),
    "cpu": ("CPU time", ("core",)),
}


def parts(numbers: Mapping[str, float]) -> dict[str, int]:
    """How long each part of the journey takes (us), in order; numbers as in the page, in seconds.

    Cores are shared alike, and workers come free evenly: W in the time that one request is in
    service. So all of it together is Little's law for those ahead, it and those in service.
    """
    cpu, wait, way, late = (
        round(1_000_000 * numbers[name]) for name in ("cpu", "wait", "way", "late")
    )
    wanting, cores = int(numbers["others"]) + 1, int(numbers["cores"])
    computing = max(cpu, -(-cpu * wanting // cores))
    return {
        "due": late,
        "connect": 2 * way,
        "request": way,
        "line": int(numbers["ahead"]) * (computing + wait) // int(numbers["workers"]),
        "ready": computing - cpu,
        "core": cpu,
        "wait": wait,
        "response": way,
        "unread": late,
    }


def shown(clock: str, took: Mapping[str, int]) -> int:
    """What that clock shows of a journey (us)."""
    return sum(took[part] for part in CLOCKS[clock][1])


def picture(numbers: Mapping[str, float], clocks: Sequence[str]) -> Markup:
    """An SVG for these numbers, with these clocks below."""
    took = parts(numbers)
    said = "One request from question to answer, and how long it took by each clock. " + ", ".join(
        f"{CLOCKS[clock][0]}: {_in_words(shown(clock, took))}" for clock in clocks
    )
    rows = [
        (name, there, False) for name, there in ROWS.items() if there[0] != "due" or took["due"]
    ]
    rows += [(*CLOCKS[clock], True) for clock in clocks]
    high = TOP + PITCH * len(rows) + 30
    return drawing(said, high, _drawn(took, rows))


def _in_words(us: int) -> str:
    return f"{us / 1000:.3g} ms" if us < 1_000_000 else f"{us / 1_000_000:.3g} s"


def _drawn(
    took: Mapping[str, int], rows: Sequence[tuple[str, tuple[str, ...], bool]]
) -> Iterator[Markup]:
    total = max(1, sum(took.values()))
    how = {"core": FILLED, "line": PALE, "ready": PALE}
    for row, (name, there, is_clock) in enumerate(rows):
        y = TOP + PITCH * row + (8 if is_clock else 0)
        yield text(0, y + HIGH - 1, name)
        at = 0
        for part, length in took.items():
            x, wide = LEFT + (RIGHT - LEFT) * at / total, (RIGHT - LEFT) * length / total
            at += length
            if part not in there or not length:
                continue
            if is_clock:
                yield box(x, y + HIGH / 2 - 2, wide, 4)
            else:
                yield box(x, y, wide, HIGH, how.get(part, OUTLINED))
    below = TOP + PITCH * len(rows) + 24
    yield text(LEFT, below, "0")
    yield text(RIGHT, below, _in_words(total), "end")
