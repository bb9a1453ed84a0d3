"""The Locust users of every lab: closed, gated, and told what to do over a pipe.

Run by `labs.load.locust` as `locust -f workloads/users.py`; nothing here is imported by the labs,
because importing Locust patches the whole process.

All users are spawned at once and wait at a gate. A level is opened by one line on the
control pipe, so the starts can be spread as finely as the protocol wants (Locust's own ramp
spawns in batches of a second), and a user that is no longer wanted ends its request first
instead of being cut off. Every request goes back as one fixed-size record of raw times on the
monotonic clock, which the measuring process shares; some at a time, because waking that
process for each would cost more than the request itself.
What the pipes carry is in workloads/protocol.py.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from math import nan
from select import POLLIN
from typing import Any

import gevent
import gevent.select
import gevent.socket
import geventhttpclient.client
from gevent.event import Event
from gevent.fileobject import FileObject
from gevent.monkey import get_original
from geventhttpclient.connectionpool import ConnectionPool
from locust import FastHttpUser, events, task
from locust.env import Environment
from locust.event import EventHook
from locust.runners import MasterRunner, WorkerRunner

from workloads import protocol, relay
from workloads.dice import Dice
from workloads.protocol import (
    FAILED,
    IN_FLIGHT,
    LATE,
    LATE_S,
    MARK,
    MISSED,
    OK,
    READY,
    RECORD,
    SERVICE,
    UNSAID,
    Work,
)

EXPECTED = int(os.environ.get(protocol.USERS, 0))  # a worker on another machine is told later
SHOWN_FAILURES = 5
poll = get_original("select", "poll")
SEND_EVERY_S = 0.05
NOWHERE = (nan,) * 4  # the service of what has no answer
# Locust's own statistics hear of no request: they would cost each a twentieth of its CPU time,
# and all that they could tell goes to the measuring process.
UNHEARD = EventHook()  # type: ignore[no-untyped-call]

# A request whose connection closed without an answer has failed. The client would send it again,
# up to eleven times and without a word, because a GET may be repeated.
geventhttpclient.client.IDEMPOTENT_METHODS = frozenset()


def still_open(pool: ConnectionPool, kept: gevent.socket.socket | None) -> bool:
    """Whether the server has not hung up on a quiet connection. The client would ask by `select`,
    which knows no file above 1,023, and have all further users connect for each request."""
    if kept is None or kept.fileno() < 0:
        return False
    look = poll()
    look.register(kept.fileno(), POLLIN)
    return not look.poll(0)


ConnectionPool._is_socket_alive = still_open  # type: ignore[method-assign,assignment]


class Asked:
    """Requests to be sent, as work says, varying as `dice.Dice` has it."""

    def __init__(self, work: Work) -> None:
        self.work, self.script = work, round(work.script)
        self.dice: dict[int, Dice] = {}
        self.varies = (work.cpu_cv > 0 and work.loops > 0) or (work.wait_cv > 0 and work.wait_s > 0)
        self.constant = work.address(work.loops, work.wait_s)

    def dice_of(self, user: int) -> Dice:
        """Give a user its dice: each begins anew with new work, however much was asked before."""
        if user not in self.dice:
            self.dice[user] = Dice(user, self.work.seed)
        return self.dice[user]

    def url(self, user: int) -> str:
        if not self.varies:
            return self.constant
        dice = self.dice_of(user)
        loops = dice.draw("loops", self.work.loops, self.work.cpu_cv)
        wait_s = dice.draw("wait", self.work.wait_s, self.work.wait_cv)
        return self.work.address(loops, wait_s)


class Gate:
    """Gate for users: those below `open_to` pass, again and again; the others wait for their turn.
    While they come by themselves, each arrival is a turn for somebody who waits, and begins when it
    was due: if this process is late, that is waiting too (coordinated omission hides it)."""

    def __init__(self) -> None:
        self.open_to = 0
        self.turns: list[Event] = []
        self.arrived, self.expected = 0, EXPECTED
        self.asked = Asked(Work())
        self.in_flight: dict[int, float] = {}
        self.failures = 0
        self.waiting: set[int] = set()
        self.arrivals: gevent.Greenlet | None = None
        self.rate, self.dice, self.due = 0.0, random.Random(), 0.0  # of the next arrival

    def arrive(self) -> int:
        self.turns.append(Event())
        self.arrived += 1
        if self.arrived == self.expected:
            keep(READY, 0, 0, 0.0, time.perf_counter())
        return self.arrived - 1

    def expect(self, users: int) -> None:
        self.expected = users
        if self.arrived == users:
            keep(READY, 0, 0, 0.0, time.perf_counter())

    def open(self, users: int, over_s: float) -> None:
        if self.arrivals is not None:
            self.come_in(time.perf_counter())
            self.arrivals.kill()
            self.arrivals = None
        before, self.open_to = self.open_to, users
        new = range(before, min(users, self.expected))
        for place, number in enumerate(new):
            gevent.spawn_later(over_s * place / len(new), self.call, number)

    def call(self, number: int) -> None:
        if number < self.open_to:
            self.turns[number].set()

    def wait(self, number: int, hang_up: Callable[[], None]) -> float:
        """Wait until it is this user's turn: 0, or when it was due as an arrival."""
        self.turns[number].clear()
        hang_up()  # as whoever leaves
        self.waiting.add(number)
        self.turns[number].wait()
        self.waiting.discard(number)
        return self.in_flight.get(number, 0.0)

    def let_come(self, rate: float, seed: int) -> None:
        """Let users arrive (Poisson), at times fixed beforehand: a slow server delays none."""
        self.open(0, 0.0)
        self.rate, self.dice = rate, random.Random(seed)
        self.due = time.perf_counter() + self.dice.expovariate(rate)
        self.arrivals = gevent.spawn(self.come)

    def come(self) -> None:
        while True:
            gevent.sleep(max(0.0, self.due - time.perf_counter()))
            self.come_in(time.perf_counter())

    def come_in(self, now: float) -> None:
        """Let in whoever is due by now, or count them as missed."""
        while self.arrivals is not None and self.due <= now:
            if self.waiting:
                number = self.waiting.pop()
                self.in_flight[number] = self.due
                self.turns[number].set()
            else:
                keep(MISSED, 0, 0, self.due, self.due)
            self.due += self.dice.expovariate(self.rate)


gate = Gate()


unsent = bytearray()


def keep(
    kind: int,
    user: int,
    process: int,
    start: float,
    end: float,
    service: Iterable[float] = NOWHERE,
) -> None:
    """Keep one record for the measuring process, to be sent soon."""
    unsent.extend(RECORD.pack(kind, user, process, start, end, *service))


def send(deliver: Callable[[bytes], int]) -> None:
    """Send what is kept. The other side always reads, so the pipe never stays full."""
    while unsent:
        del unsent[: deliver(bytes(unsent))]


def send_again_and_again(deliver: Callable[[bytes], int]) -> None:
    """Send what the users kept, a little later, again and again."""
    while True:
        gevent.sleep(SEND_EVERY_S)
        send(deliver)


class LabUser(FastHttpUser):
    """User who asks, waits for the whole answer, thinks, asks again."""

    connection_timeout = network_timeout = 60.0

    def on_start(self) -> None:
        self.number = gate.arrive()
        self.client.request_event = UNHEARD
        closing = os.environ.get(protocol.KEEP_ALIVE) == "0"
        self.asking = {"Connection": "close"} if closing else {}

    @task
    def take_a_turn(self) -> None:
        due = 0.0
        if self.number >= gate.open_to:
            due = gate.wait(self.number, self.client.client.close)
        self.ask(due)
        if gate.asked.script:
            read(gate.asked.script)
        if gate.asked.work.think_time_s:
            dice = gate.asked.dice_of(self.number)
            self.think(dice.draw("think", gate.asked.work.think_time_s, 1.0))

    def think(self, seconds: float) -> None:
        """Pause. If the server hangs up meanwhile, do so too: until then Apache keeps a worker, for
        two seconds at most."""
        until = time.monotonic() + seconds
        agent = self.client.client
        for client in [*agent.clientpool.clients.values()]:
            look = gevent.select.poll()
            for kept in client._connection_pool._socket_queue.queue:  # quiet: one at most
                look.register(kept, POLLIN)
                if look.poll(1000 * seconds):
                    agent.close()
        gevent.sleep(max(0.0, until - time.monotonic()))

    def ask(self, due: float) -> None:
        clock, number = time.perf_counter, self.number
        start = clock()
        if due:
            if start - due > LATE_S:
                keep(LATE, number, 0, due, start)
            start = due
        gate.in_flight[number] = start
        own = gate.asked.work.headers
        sent = {**self.asking, **own} if own else self.asking
        response = self.client.get(
            gate.asked.url(number), name="work", headers=sent, allow_redirects=False
        )
        end = clock()
        del gate.in_flight[number]
        headers, answered = response.headers, 200 <= response.status_code < 300
        read = response._response
        whole = answered and read is not None and read.message_complete  # and hasn't broken off
        if whole and headers is not None:
            # Of every answer: it costs two hundredths of a trivial request, and whoever only looks
            # now and then finds the long ones too often.
            process = int(headers.get("X-Process", "0"))  # type: ignore[arg-type]
            service = headers.get(SERVICE, UNSAID).split()  # type: ignore[union-attr]
            keep(OK, number, process, start, end, map(float, service))
        else:
            error = getattr(response, "error", None)
            keep(FAILED, number, getattr(error, "errno", None) or 0, start, end)
            gate.failures += 1
            if gate.failures <= SHOWN_FAILURES:
                broken = "the answer broke off" if answered else f"answered {response.status_code}"
                why = error or broken
                print(f"request failed: {why}", file=sys.stderr, flush=True)


def read(loops: int) -> None:
    """Compute as a user's own script does with an answer, looking through it, say. All users share
    the one thread of this process, so meanwhile nobody asks."""
    number = 0
    for _ in range(loops):
        number = (number * 5 + 1) & 0xFFFF


def follow(order: dict[str, Any], deliver: Callable[[bytes], int]) -> None:
    """Do what the measuring process says."""
    if "expected" in order:
        gate.expect(order["expected"])
    if "work" in order:
        gate.asked = Asked(Work(**order["work"]))
    if "users" in order:
        gate.open(order["users"], order["over_s"])
    if "rate" in order:
        gate.let_come(order["rate"], order["seed"])
    if "report" in order:
        now = time.perf_counter()
        gate.come_in(now)
        for number, start in gate.in_flight.items():
            keep(IN_FLIGHT, number, 0, start, now)
        keep(MARK, order["report"], 0, 0.0, now, (nan, nan, time.process_time(), nan))
        send(deliver)


def obey(environment: Environment, deliver: Callable[[bytes], int]) -> None:
    """Do what the control pipe says until the measuring process closes it, then end."""
    for line in FileObject(int(os.environ[protocol.CONTROL]), "rb", close=False):
        order = json.loads(line)
        if "end" in order and environment.runner is not None:
            environment.runner.quit()
            return
        follow(order, deliver)
    os._exit(0)


@events.init.add_listener
def listen(environment: Environment, **_: object) -> None:
    """Obey as soon as Locust is up: the control pipe, or a master that has one. A master itself
    has no users."""
    if isinstance(environment.runner, MasterRunner):
        relay.pass_on(environment.runner)
        return
    if isinstance(environment.runner, WorkerRunner):
        deliver = partial(relay.deliver, environment.runner)
        relay.work_for(environment.runner, partial(follow, deliver=deliver))
    else:
        deliver = partial(os.write, int(os.environ[protocol.RESULTS]))
        gevent.spawn(obey, environment, deliver)
    gevent.spawn(send_again_and_again, deliver)
