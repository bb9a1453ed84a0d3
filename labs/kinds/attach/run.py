"""Attach to a server of the reader's own: look, ask alone, ask as a few, forecast, ramp."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from labs.host.listeners import Family
from labs.host.monitor import Sampler
from labs.kinds.attach.instruments import Asked, Watch, family_at, found_at
from labs.kinds.attach.ramp import Ramp
from labs.kinds.attach.record import Attached
from labs.kinds.attach.report import found_text
from labs.kinds.attach.verdict import verdict
from labs.kinds.base import LabKind, arguments
from labs.load.locust import Driver, Refused, drive
from labs.load.target import Target, first_look, own_users
from labs.load.workers import Workers
from labs.measure.rig import Rig
from labs.present.bet import UNSETTLED, Answer, throughput
from labs.records.amounts import MOST_USERS
from labs.records.errors import Unusable, real, whole
from labs.records.experiment import MOST_POOL, Load, Server
from labs.records.format import crowd, duration, listed, rate
from labs.records.results import Machine
from labs.servers.serve import check as installed

MOST = 512  # users, unless more are asked for
ABOUT_S = 60.0
EXAMPLE = Server("prefork", processes=4)  # asked where a reader gives no address
EXAMPLE_PAGE = "/?loops=0&wait=0.1"


class AttachLab(LabKind[Attached]):
    """A server of the reader's own: looked at, forecast, measured and judged."""

    result = Attached
    panel = "your_server:YourServerPanel"
    rounds = 1  # its levels are walked up and down as it is

    def __init__(
        self,
        url: str = "",
        *,
        users: Sequence[int] = (),
        most: int = MOST,
        think_time_s: float = 0.0,
        workers: int | None = None,
        headers: Mapping[str, str] | None = None,
        mine: str = "",
        insecure: bool = False,
        locustfile: str = "",
        generators: Workers | None = None,
    ) -> None:
        self.given = arguments(locals())
        self.target = Target(url, mine=mine) if url else None
        self.headers, self.insecure = dict(headers or {}), insecure
        if locustfile and (headers or think_time_s or not url):
            raise Unusable(
                "--locustfile: your users have headers and a wait_time of their own. Leave "
                "--header and --think out, and give the address that their paths are of."
            )
        host = locustfile and self.target
        self.scenario = own_users(Path(locustfile), host) if host else None
        if generators and locustfile:
            raise Unusable("--expect-workers: workers have users of ours. Leave --locustfile out.")
        if generators and self.target and self.target.here and not generators.alone:
            raise Unusable(
                f"{url} is another server on each worker's machine. Give the address at which they "
                "reach yours, with --host-is-mine."
            )
        self.generators = generators
        whole("most", most, 1, MOST_USERS, "512 is plenty for a start.")
        real("think", think_time_s, 0.0, 60.0, "Give seconds.")
        if workers is not None:
            whole("workers", workers, 1, MOST_POOL, "Give how many requests it holds at once.")
        levels = tuple(Load(tuple(users)).users) if users else ()
        self.asked = Asked(
            url=url,
            levels=levels,
            most=max(levels, default=most),
            think_time_s=think_time_s,
            workers=workers,
            locustfile=Path(locustfile).name,
        )
        self.question = throughput("at most")

    def about(self) -> str:
        who = self.asked.url or (
            "A small server of the book's own, gunicorn with "
            f"{EXAMPLE.processes} workers, whose page waits for 0.1 s"
        )
        return (
            f"{who}: looked at, asked by one user and by a few, forecast, and then asked by more "
            f"and more, {crowd(self.asked.most)} at most."
        )

    def seconds(self) -> float:
        return ABOUT_S

    def check(self, machine: Machine) -> None:
        """Refuse the book's own server where it isn't installed; an address was looked at when
        this was made."""
        if self.target is None:
            installed(EXAMPLE, machine)

    def matches(self, found: Attached) -> bool:
        """Whether a result is of the same address and pause, or of the same locustfile."""
        asked, run = self.asked, found.run
        same = (found.url, run.locustfile) == (asked.url, asked.locustfile)
        return same and (bool(run.locustfile) or run.think_time_s == asked.think_time_s)

    def answer(self, found: Attached) -> Answer:
        """Tell the most that was forecast for a measured level, and the most that was measured."""
        if not found.points:
            return Answer()
        told = (found.run.forecast.at(point.users) for point in found.points)
        most = max(told, key=lambda level: level.model_rps)
        return Answer(most.model_rps, found.best.throughput_rps, most.band_rps)

    def unsettled(self, found: Attached) -> str:
        return "" if found.points and found.best.fit else UNSETTLED

    def rejection(self, found: Attached) -> str:
        """Say why a run must not be recorded: an unfit level, or no limit that could be named."""
        unfit = [point.users for point in found.points if not point.fit]
        if unfit:
            return f"unfit: {listed([crowd(users) for users in unfit])}"
        judged = verdict(found)
        return judged.sentences[0] if judged.limit == "unknown" else ""

    def in_a_line(self, found: Attached) -> str:
        if not found.points:
            return ""
        newest = found.points[-1]
        return f"{crowd(newest.users)}: {rate(newest.throughput_rps)}"

    def glance(self) -> str:
        """Ask once, and say who answers and how soon. Failed says what stands in the way; Unusable
        is for the book's own server, which isn't there before a run."""
        target = self.target
        if target is None:
            raise Unusable("Give the address of your server first.")
        answer, server = first_look(target, self.headers, insecure=self.insecure), family_at(target)
        found = found_at(target, answer, server, Family(), pool=self.asked.workers)
        return f"{found_text(found)} One answer took {duration(answer.seconds)}."

    def run(self, rig: Rig) -> Attached:
        """Look, ask alone and as a few, tell the forecast, then walk the levels up and down."""
        with self._asked_server(rig) as target, self._watch(rig, target) as watch:
            ramp = Ramp(self.asked, rig, watch)
            ramp.look()
            rig.partial(ramp.attached())
            ramp.up()
            ramp.down()
        return ramp.attached()

    @contextlib.contextmanager
    def _asked_server(self, rig: Rig) -> Iterator[Target]:
        """Find the reader's server, which is there, or start the book's own."""
        if self.target is not None:
            yield self.target
            return
        rig.progress("starting the book's own server")
        with rig.serve(EXAMPLE) as running:
            yield Target(running.url + EXAMPLE_PAGE)

    @contextlib.contextmanager
    def _watch(self, rig: Rig, target: Target) -> Iterator[Watch]:
        """Load generator and sampler, with nobody asking yet."""
        rig.progress(f"looking who answers at {target.origin}")
        answer = first_look(
            target, self.headers, insecure=self.insecure, whatever=self.scenario is not None
        )
        server, behind = family_at(target), Family()
        waiting = f"waiting for {self.generators}" if self.generators else ""
        rig.progress(waiting or "starting the load generator")
        load = Load((self.asked.most,))
        with (
            self._users(load, rig, target) as driver,
            Sampler(
                server=server.pids,
                generator=driver.pids,
                on_event=rig.on_event,
                behind=behind.pids,
                held=next(iter(server.pids()), None),
            ) as sampler,
        ):
            sampler.begin()
            yield Watch(target, answer, driver, sampler, server, behind)
            driver.open(0, 0.0)

    @contextlib.contextmanager
    def _users(self, load: Load, rig: Rig, target: Target) -> Iterator[Driver]:
        """Start the users of the reader's locustfile, or ours, who ask for the one page."""
        own = self.scenario
        with drive(load, stop=rig.stop, scenario=own, workers=self.generators) as driver:
            try:
                driver.aim(target.origin, rig.stop, allowed=target.origin)
            except Refused as error:  # before anything was asked
                raise Unusable(str(error)) from None
            if not own:
                driver.ask_page(target.page, self.headers, self.asked.think_time_s)
            try:
                yield driver
            finally:
                if own or driver.elsewhere:
                    driver.dismiss()
