"""Who runs when: requests that take turns on cores, on one lock, or in one loop. Pure, no chance.

Goes from millisecond to millisecond. Where `simulation` answers how many requests a second, this
tells the story itself, for the book's scenes and their still pictures.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Event(NamedTuple):
    """At that moment (ms) a request begins to run, yields, waits, blocks or is done."""

    at: int
    what: str
    who: int
    took: int  # ms, of the answer, if it is done


def course(
    starts: Sequence[int],
    cpu: int,
    wait: int,
    *,
    places: int,
    turn: int = 0,
    holds: bool = False,
    calls: Sequence[Sequence[int]] = (),
    end: int,
) -> list[Event]:
    """All that happens from 0 to `end`, both included; times in ms.

    Each request computes for `cpu`, then waits, then its user asks again at once. `places` run
    at once: cores, or 1 under one lock. Who finds others ready, or is joined by them, has one
    `turn` more and gives way; 0: nobody is interrupted. A call (after, length) blocks the first
    who has computed after that moment; with `holds` it keeps its place meanwhile, as in an
    event loop. What falls on one moment happens in this order, each by number: waits end,
    turns end, free places go to the head of the ready list.

    >>> [event.at for event in course([0, 0], 3, 4, places=1, end=9) if event.what == "done"]
    [7]
    """
    doing = dict.fromkeys(range(len(starts)), "away")
    rest = dict(enumerate(starts))  # until the wait or the computing is over
    turns: dict[int, int] = {}  # left of the last turn of those whom others wait for
    asked = dict.fromkeys(doing, 0)
    ready: list[int] = []
    log: list[Event] = []
    due = [tuple(call) for call in calls]
    keeps = ("running", "blocking") if holds else ("running",)

    def ask(who: int, now: int) -> None:
        if doing[who] != "away":
            log.append(Event(now, "done", who, now - asked[who]))
        asked[who], rest[who], doing[who] = now, cpu, "ready"
        ready.append(who)

    def turned(who: int, now: int) -> None:
        if rest[who] > 0:
            del turns[who]
            if ready:
                log.append(Event(now, "yield", who, 0))
                doing[who] = "ready"
                ready.append(who)
        elif due and due[0][0] < now:
            doing[who], rest[who] = "blocking", due.pop(0)[1]
            log.append(Event(now, "block", who, 0))
        elif wait:
            doing[who], rest[who] = "waiting", wait
            log.append(Event(now, "wait", who, 0))
        else:
            ask(who, now)

    for now in range(end + 1):
        ran = [who for who in doing if doing[who] == "running"]
        for who in doing:
            if doing[who] in ("away", "waiting", "blocking") and rest[who] == 0:
                ask(who, now)
        for who in ran:
            if rest[who] == 0 or turns.get(who) == 0:
                turned(who, now)
        while ready and sum(doing[who] in keeps for who in doing) < places:
            who = ready.pop(0)
            doing[who] = "running"
            log.append(Event(now, "run", who, 0))
        for who in doing:
            if doing[who] != "running":
                turns.pop(who, None)
            elif ready and turn:
                turns.setdefault(who, turn)
            if doing[who] != "ready":
                rest[who] -= 1
            if who in turns:
                turns[who] -= 1
    return log
