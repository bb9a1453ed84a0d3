"""Attach to a server of the reader's own: look, ask alone, ask as a few, forecast, ramp."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence

from labs.attach.ramp import Asked, Ramp, Watch
from labs.attach.record import Attached
from labs.host import listeners
from labs.host.listeners import Crowd, Family
from labs.host.monitor import Sampler
from labs.load.locust import drive
from labs.load.target import Answer, Target, first_look
from labs.measure.rig import Rig
from labs.records.errors import real, whole
from labs.records.experiment import MOST_POOL, MOST_USERS, Load
from labs.records.results import Machine

MOST = 512  # users, unless more are asked for
ABOUT_S = 60.0


class AttachLab:
    """A server of the reader's own, as the rig runs it: its address, and what is known of it."""

    def __init__(
        self,
        url: str,
        *,
        users: Sequence[int] = (),
        most: int = MOST,
        think_time_s: float = 0.0,
        workers: int | None = None,
        headers: Mapping[str, str] | None = None,
        mine: str = "",
        insecure: bool = False,
    ) -> None:
        self.target = Target(url, mine=mine)
        self.headers, self.insecure = dict(headers or {}), insecure
        whole("most", most, 1, MOST_USERS, "512 is plenty for a start.")
        real("think", think_time_s, 0.0, 60.0, "Give seconds.")
        if workers is not None:
            whole("workers", workers, 1, MOST_POOL, "Give how many requests it holds at once.")
        levels = tuple(Load(tuple(users)).users) if users else ()
        self.asked = Asked(
            levels=levels,
            most=max(levels, default=most),
            think_time_s=think_time_s,
            workers=workers,
        )

    def seconds(self) -> float:
        """About how long it takes; a level more or less makes some seconds."""
        return ABOUT_S

    def check(self, machine: Machine) -> None:
        """Nothing to refuse: what the address is was looked at when this was made."""

    def run(self, rig: Rig) -> Attached:
        """Look, ask alone and as a few, tell the forecast, then walk the levels up and down."""
        rig.progress(f"looking who answers at {self.target.origin}")
        answer = first_look(self.target, self.headers, insecure=self.insecure)
        with self._watch(rig, answer) as watch:
            ramp = Ramp(self.asked, rig, watch)
            ramp.look()
            rig.partial(ramp.attached())
            ramp.up()
            ramp.down()
        return ramp.attached()

    @contextlib.contextmanager
    def _watch(self, rig: Rig, answer: Answer) -> Iterator[Watch]:
        """Load generator and sampler, with nobody asking yet."""
        target = self.target
        family = listeners.listening(target.host, target.port) if target.here else Family()
        server, behind = Crowd([family]), Crowd()
        rig.progress("starting the load generator")
        load = Load((self.asked.most,))
        with drive(load, stop=rig.stop) as driver:
            driver.aim(target.origin, rig.stop, allowed=target.origin)
            driver.ask_page(target.page, self.headers, self.asked.think_time_s)
            with Sampler(
                server=server.pids,
                generator=driver.pids,
                on_event=rig.on_event,
                behind=behind.pids,
            ) as sampler:
                sampler.begin()
                yield Watch(
                    target=target,
                    answer=answer,
                    driver=driver,
                    sampler=sampler,
                    server=server,
                    behind=behind,
                )
                driver.open(0, 0.0)
