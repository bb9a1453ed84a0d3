"""The scenes' shop, a second time: the model of book/web/src/scenes/shop_model.ts, written from its
README alone, with lists to search instead of heaps and what is left instead of what was had.

`log_of(trace)` gives the events of a trace; the page's tests compare the same file.
"""

from collections.abc import Iterator
from typing import Any

SECOND = 1_000_000
SHARES = 1024


class Dice:
    """sfc32 as PractRand has it and seeds it."""

    def __init__(self, seed: int) -> None:
        self.words = [0, seed & 0xFFFFFFFF, 0, 1]
        for _ in range(12):
            self.next()

    def next(self) -> int:
        a, b, c, counter = self.words
        out = (a + b + counter) % 2**32
        c_new = (((c << 21) | (c >> 11)) + out) % 2**32
        self.words = [b ^ (b >> 9), (c + (c << 3)) % 2**32, c_new, (counter + 1) % 2**32]
        return out

    def uniform(self) -> float:
        return (self.next() + 0.5) / 2**32


class Shop:
    def __init__(self, trace: dict[str, Any]) -> None:
        self.cores, self.workers, self.places = trace["cores"], trace["workers"], trace["places"]
        self.rounds = [[tuple(each) for each in who["rounds"]] for who in trace["comers"]]
        self.log: list[list[Any]] = []
        self.now = self.order = self.in_service = 0
        self.timers: list[tuple[int, int, str, int]] = []
        self.line: list[int] = []
        self.left: dict[int, int] = {}  # work of those on the cores, in 1/1024 microseconds
        self.shared_at = 0
        self.asked = [0] * len(self.rounds)
        self.lost = [0] * len(self.rounds)
        self.wait = [0] * len(self.rounds)
        for id, who in enumerate(trace["comers"]):
            self.later(who["at"], "ask", id)

    def later(self, after: int, what: str, id: int) -> None:
        self.timers.append((self.now + after, self.order, what, id))
        self.order += 1

    def computed_at(self) -> int | None:
        if not self.left:
            return None
        k, rate = len(self.left), SHARES * min(len(self.left), self.cores)
        return self.shared_at + max(0, -(-min(self.left.values()) * k // rate))

    def share_out(self) -> None:
        """Whenever somebody comes to the cores or leaves them; rounded down, for each alike."""
        if self.left:
            k = len(self.left)
            had = (self.now - self.shared_at) * SHARES * min(k, self.cores) // k
            self.left = {id: left - had for id, left in self.left.items()}
        self.shared_at = self.now

    def run(self) -> None:
        while self.timers or self.left:
            due, computed = min(self.timers, default=None), self.computed_at()
            if computed is not None and (due is None or computed <= due[0]):
                self.now = computed
                self.share_out()
                id = min(self.left, key=lambda id: (self.left[id], id))
                del self.left[id]
                self.computed(id)
                continue
            assert due is not None
            self.timers.remove(due)
            self.now, _, what, id = due
            if what == "ask":
                self.asked[id], self.lost[id] = self.now, 0
                self.say("ask", id)
            if what == "answer":
                self.done(id)
            else:
                self.knock(id)

    def say(self, what: str, id: int) -> None:
        self.log.append([self.now, what, id])

    def knock(self, id: int) -> None:
        if self.in_service < self.workers and not self.line:
            self.start(id)
        elif len(self.line) < self.places:
            self.line.append(id)
            self.say("queue", id)
        else:
            self.lost[id] += 1
            self.say("refuse", id)
            self.later(int(SECOND * 2 ** min(6, max(0, self.lost[id] - 5))), "again", id)

    def start(self, id: int) -> None:
        cpu, self.wait[id], _ = self.rounds[id][0]
        self.in_service += 1
        self.say("start", id)
        if cpu == 0:
            self.computed(id)
        else:
            self.share_out()
            self.left[id] = cpu * SHARES

    def computed(self, id: int) -> None:
        self.say("computed", id)
        if self.wait[id] > 0:
            self.later(self.wait[id], "answer", id)
        else:
            self.done(id)

    def done(self, id: int) -> None:
        self.say("done", id)
        self.in_service -= 1
        if self.line:
            self.start(self.line.pop(0))
        _, _, think = self.rounds[id].pop(0)
        if self.rounds[id]:
            self.later(think, "ask", id)


def log_of(trace: dict[str, Any]) -> list[list[Any]]:
    """[microsecond, what happened, to whom] of a trace, to its end."""
    shop = Shop(trace)
    shop.run()
    return shop.log


def traces(seed: int = 20261121) -> Iterator[dict[str, Any]]:
    """Those of the shared file that no hand has written: times by dice, whole."""
    dice = Dice(seed)

    def up_to(most: int) -> int:
        return int(dice.uniform() * (most + 1))

    shapes = ((1, 1, 3, 6), (2, 8, 4, 12), (3, 5, 0, 9), (4, 16, 64, 24), (2, 40, 10, 40))
    for cores, workers, places, comers in shapes:
        yield {
            "name": f"{comers} users, {cores} cores, {workers} workers, {places} places",
            "cores": cores,
            "workers": workers,
            "places": places,
            "comers": [
                {
                    "at": up_to(50_000),
                    "rounds": [
                        [up_to(30_000), up_to(90_000) * (up_to(3) > 0), up_to(40_000)]
                        for _ in range(4)
                    ],
                }
                for _ in range(comers)
            ],
        }
