"""The still picture of who runs when: a lane for each request, over the last moments."""

from collections.abc import Iterator, Mapping

from markupsafe import Markup

from labs.site.svg import FILLED, OUTLINED, PALE, box, dashed, drawing, text
from labs.theory import laws
from labs.theory.turns import Event, course

TURN_MS = 5  # as in book/web/src/scenes/lanes.ts
LEFT, RIGHT, TOP = 24, 636, 4
PITCH, HIGH = 24, 16
WHO = {  # whether they have all cores, and whether one of them is ever interrupted
    "processes": (True, True),
    "counting": (False, True),
    "hashing": (True, True),
    "loop": (False, False),
}


def picture(numbers: Mapping[str, float], who: str, span: float) -> Markup:
    """An SVG for these numbers (seconds, as in the page), of the last `span` seconds."""
    lanes, cores = int(numbers["lanes"]), int(numbers["cores"])
    cpu, wait = round(1000 * numbers["cpu"]), round(1000 * numbers["wait"])
    has_cores, in_turns = WHO[who]
    places = cores if has_cores else 1
    cycle = round(1000 * laws.response_time_bound(lanes, cpu / 1000, wait / 1000, c=places))
    begin = 2 * cycle
    end = begin + round(1000 * span)
    turn = TURN_MS if in_turns else 0
    starts = [round(cycle * lane / lanes) for lane in range(lanes)]
    log = course(starts, cpu, wait, places=places, turn=turn, end=end)
    busy = sum(
        max(0, to - max(begin, at)) for at, to, _, state in _bars(log, end) if state == "run"
    )
    said = (
        f"A lane for each of {lanes} requests over {span:g} s: {busy / (end - begin):.2f} of "
        f"them run on average, and there {'is 1 core' if cores == 1 else f'are {cores} cores'}."
    )
    high = TOP + PITCH * lanes + 22
    return drawing(said, high, _drawn(log, lanes, begin, end, span))


def _bars(log: list[Event], end: int) -> Iterator[tuple[int, int, int, str]]:
    """From, to (ms), who, and `run`, `wait` or `ready`."""
    since: dict[int, tuple[int, str]] = {}
    for at, what, who, _ in log:
        if who in since:
            began, state = since[who]
            yield began, at, who, state
        since[who] = (at, {"yield": "ready", "done": "ready"}.get(what, what))
    for who, (began, state) in since.items():
        yield began, end, who, state


def _drawn(log: list[Event], lanes: int, begin: int, end: int, span: float) -> Iterator[Markup]:
    how = {"run": FILLED, "wait": OUTLINED + dashed(4, 3), "ready": PALE}
    across = (RIGHT - LEFT) / (end - begin)
    for at, to, who, state in _bars(log, end):
        if to <= begin or to == at:
            continue
        x, y = LEFT + max(0, at - begin) * across, TOP + PITCH * who
        wide = (to - max(at, begin)) * across
        if state == "ready":
            yield box(x, y + HIGH / 2 - 1.5, wide, 3, how[state])
        else:
            yield box(x, y, wide, HIGH, how[state])
    for lane in range(lanes):
        yield text(4, TOP + PITCH * lane + 13, chr(65 + lane))
    below = TOP + PITCH * lanes + 14
    yield text(LEFT, below, f"{span:g} s ago")
    yield text(RIGHT, below, "now", "end")
    middle = (LEFT + RIGHT) // 2
    yield text(middle, below, "filled: runs; a line: ready; outlined: waits", "middle")
